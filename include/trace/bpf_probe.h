/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pass 6 over a header of trace events: for each tracepoint, with a record or
 * without, an element of section __bpf_raw_tp_map and a probe that hands the
 * arguments to a BPF program as u64.
 */
#ifdef CONFIG_BPF_EVENTS

#include <linux/args.h>

#ifndef __TRACE_BPF_PROBE_CASTS
#define __TRACE_BPF_PROBE_CASTS

/*
 * The bits of any scalar or small struct as u64, without sign extension.
 */
#define __bpf_u64(x)							\
({									\
	union {								\
		typeof(x) __arg;					\
		__te_uint_of_size(sizeof(x)) __bits;			\
	} __u = { .__arg = (x) };					\
	(u64)__u.__bits;						\
})

/* An argument of another size is a build error. */
#define __te_uint_of_size(size)						\
	typeof(__builtin_choose_expr((size) == sizeof(u8), (u8)0,	\
	       __builtin_choose_expr((size) == sizeof(u16), (u16)0,	\
	       __builtin_choose_expr((size) == sizeof(u32), (u32)0,	\
	       __builtin_choose_expr((size) == sizeof(u64), (u64)0, (void)0)))))

/* up to the 12 arguments that bpf_trace_run12() takes */
#define __bpf_cast1(a)		__bpf_u64(a)
#define __bpf_cast2(a, x...)	__bpf_u64(a), __bpf_cast1(x)
#define __bpf_cast3(a, x...)	__bpf_u64(a), __bpf_cast2(x)
#define __bpf_cast4(a, x...)	__bpf_u64(a), __bpf_cast3(x)
#define __bpf_cast5(a, x...)	__bpf_u64(a), __bpf_cast4(x)
#define __bpf_cast6(a, x...)	__bpf_u64(a), __bpf_cast5(x)
#define __bpf_cast7(a, x...)	__bpf_u64(a), __bpf_cast6(x)
#define __bpf_cast8(a, x...)	__bpf_u64(a), __bpf_cast7(x)
#define __bpf_cast9(a, x...)	__bpf_u64(a), __bpf_cast8(x)
#define __bpf_cast10(a, x...)	__bpf_u64(a), __bpf_cast9(x)
#define __bpf_cast11(a, x...)	__bpf_u64(a), __bpf_cast10(x)
#define __bpf_cast12(a, x...)	__bpf_u64(a), __bpf_cast11(x)
#define __bpf_casts(args...)	CONCATENATE(__bpf_cast, COUNT_ARGS(args))(args)
#define __bpf_first(a, x...)	a

#define __BPF_PROBE(call, proto, args)					\
static notrace void							\
__bpf_trace_##call(void *__data, proto)					\
{									\
	CONCATENATE(bpf_trace_run, COUNT_ARGS(args))(__data, __bpf_casts(args)); \
}

/*
 * The typedef is how BTF learns the prototype of the tracepoint; the union ties it to the
 * element. The function is never called: it checks the type of the probe.
 */
#define __BPF_EVENT(template, call, proto, args, size)			\
typedef void (*btf_trace_##call)(void *__data, proto);			\
static inline void bpf_test_probe_##call(void)				\
{									\
	check_trace_callback_type_##call(__bpf_trace_##template);	\
}									\
static union {								\
	struct bpf_raw_event_map event;					\
	btf_trace_##call handler;					\
} __bpf_trace_tp_map_##call __used __section("__bpf_raw_tp_map") = {	\
	.event = {							\
		.tp		= &__tracepoint_##call,			\
		.bpf_func	= __bpf_trace_##template,		\
		.num_args	= COUNT_ARGS(args),			\
		.writable_size	= size,					\
	},								\
};

/*
 * A program may write to what the first argument points to, as far as @size. BUILD_BUG_ON()
 * would say nothing in a function that is never called.
 */
#define __BPF_CHECK_SIZE(call, proto, args, size)			\
static inline void bpf_test_buffer_##call(__bpf_first(proto))		\
{									\
	(void)BUILD_BUG_ON_ZERO((size) != sizeof(*__bpf_first(args)));	\
}

#endif /* __TRACE_BPF_PROBE_CASTS */

#undef __perf_count
#define __perf_count(c)	(c)
#undef __perf_task
#define __perf_task(t)	(t)

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, print)	\
	__BPF_PROBE(call, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT
#define DEFINE_EVENT(template, call, proto, args)			\
	__BPF_EVENT(template, call, PARAMS(proto), PARAMS(args), 0)

#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, call, proto, args, print)		\
	__BPF_EVENT(template, call, PARAMS(proto), PARAMS(args), 0)

#undef DEFINE_EVENT_WRITABLE
#define DEFINE_EVENT_WRITABLE(template, call, proto, args, size)	\
	__BPF_CHECK_SIZE(call, PARAMS(proto), PARAMS(args), size)	\
	__BPF_EVENT(template, call, PARAMS(proto), PARAMS(args), size)

#undef DECLARE_TRACE
#define DECLARE_TRACE(call, proto, args)				\
	__BPF_PROBE(call, PARAMS(proto), PARAMS(args))			\
	__BPF_EVENT(call, call, PARAMS(proto), PARAMS(args), 0)

#undef DECLARE_TRACE_WRITABLE
#define DECLARE_TRACE_WRITABLE(call, proto, args, size)			\
	__BPF_CHECK_SIZE(call, PARAMS(proto), PARAMS(args), size)	\
	__BPF_PROBE(call, PARAMS(proto), PARAMS(args))			\
	__BPF_EVENT(call, call, PARAMS(proto), PARAMS(args), size)

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#undef DECLARE_TRACE_WRITABLE
#undef DEFINE_EVENT_WRITABLE

#endif /* CONFIG_BPF_EVENTS */
