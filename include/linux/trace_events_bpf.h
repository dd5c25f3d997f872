/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs on trace events and on raw tracepoints. Included through
 * <linux/trace_events.h>; the functions are in kernel/trace/bpf_trace.c.
 */
#ifndef _LINUX_TRACE_EVENTS_BPF_H
#define _LINUX_TRACE_EVENTS_BPF_H

#include <linux/errno.h>
#include <linux/tracepoint-defs.h>

struct bpf_prog;
struct bpf_raw_tp_link;
struct perf_event;
union bpf_attr;

#ifdef CONFIG_BPF_EVENTS

unsigned int trace_call_bpf(struct trace_event_call *call, void *ctx);
int perf_event_attach_bpf_prog(struct perf_event *event, struct bpf_prog *prog,
			       u64 bpf_cookie);
void perf_event_detach_bpf_prog(struct perf_event *event);
int perf_event_query_prog_array(struct perf_event *event, void __user *info);
int bpf_probe_register(struct bpf_raw_event_map *btp, struct bpf_raw_tp_link *link);
int bpf_probe_unregister(struct bpf_raw_event_map *btp, struct bpf_raw_tp_link *link);
struct bpf_raw_event_map *bpf_get_raw_tracepoint(const char *name);
void bpf_put_raw_tracepoint(struct bpf_raw_event_map *btp);
int bpf_get_perf_event_info(const struct perf_event *event, u32 *prog_id, u32 *fd_type,
			    const char **buf, u64 *probe_offset, u64 *probe_addr,
			    unsigned long *missed);
int bpf_kprobe_multi_link_attach(const union bpf_attr *attr, struct bpf_prog *prog);
int bpf_uprobe_multi_link_attach(const union bpf_attr *attr, struct bpf_prog *prog);

#else /* !CONFIG_BPF_EVENTS */

/* 1: no program rejected the event. */
#define __BPF_OFF(type, name, value, args...)	\
	static inline type name(args) { return value; }

__BPF_OFF(unsigned int, trace_call_bpf, 1, struct trace_event_call *call, void *ctx)
__BPF_OFF(int, perf_event_attach_bpf_prog, -EOPNOTSUPP, struct perf_event *event,
	  struct bpf_prog *prog, u64 bpf_cookie)
__BPF_OFF(int, perf_event_query_prog_array, -EOPNOTSUPP, struct perf_event *event,
	  void __user *info)
__BPF_OFF(int, bpf_probe_register, -EOPNOTSUPP, struct bpf_raw_event_map *btp,
	  struct bpf_raw_tp_link *link)
__BPF_OFF(int, bpf_probe_unregister, -EOPNOTSUPP, struct bpf_raw_event_map *btp,
	  struct bpf_raw_tp_link *link)
__BPF_OFF(struct bpf_raw_event_map *, bpf_get_raw_tracepoint, NULL, const char *name)
__BPF_OFF(int, bpf_get_perf_event_info, -EOPNOTSUPP, const struct perf_event *event,
	  u32 *prog_id, u32 *fd_type, const char **buf, u64 *probe_offset, u64 *probe_addr,
	  unsigned long *missed)
__BPF_OFF(int, bpf_kprobe_multi_link_attach, -EOPNOTSUPP, const union bpf_attr *attr,
	  struct bpf_prog *prog)
__BPF_OFF(int, bpf_uprobe_multi_link_attach, -EOPNOTSUPP, const union bpf_attr *attr,
	  struct bpf_prog *prog)

#undef __BPF_OFF

static inline void perf_event_detach_bpf_prog(struct perf_event *event) { }
static inline void bpf_put_raw_tracepoint(struct bpf_raw_event_map *btp) { }

#endif /* CONFIG_BPF_EVENTS */

#ifdef CONFIG_PERF_EVENTS

/*
 * Worth looking closer? A hint, read without RCU: the caller reads prog_array
 * again under rcu_read_lock() before it runs anything. READ_ONCE() because the type is
 * not complete here, which rcu_access_pointer() would want.
 */
static inline bool bpf_prog_array_valid(struct trace_event_call *call)
{
	return !!READ_ONCE(call->prog_array);
}

int perf_event_set_bpf_prog(struct perf_event *event, struct bpf_prog *prog, u64 bpf_cookie);
void perf_event_free_bpf_prog(struct perf_event *event);

/* Raw tracepoints by their number of arguments, called by the probes of <trace/bpf_probe.h>. */
#define __BPF_U64_1	u64 arg1
#define __BPF_U64_2	__BPF_U64_1, u64 arg2
#define __BPF_U64_3	__BPF_U64_2, u64 arg3
#define __BPF_U64_4	__BPF_U64_3, u64 arg4
#define __BPF_U64_5	__BPF_U64_4, u64 arg5
#define __BPF_U64_6	__BPF_U64_5, u64 arg6
#define __BPF_U64_7	__BPF_U64_6, u64 arg7
#define __BPF_U64_8	__BPF_U64_7, u64 arg8
#define __BPF_U64_9	__BPF_U64_8, u64 arg9
#define __BPF_U64_10	__BPF_U64_9, u64 arg10
#define __BPF_U64_11	__BPF_U64_10, u64 arg11
#define __BPF_U64_12	__BPF_U64_11, u64 arg12
#define __BPF_RUN(n)	void bpf_trace_run##n(struct bpf_raw_tp_link *link, __BPF_U64_##n)

__BPF_RUN(1);
__BPF_RUN(2);
__BPF_RUN(3);
__BPF_RUN(4);
__BPF_RUN(5);
__BPF_RUN(6);
__BPF_RUN(7);
__BPF_RUN(8);
__BPF_RUN(9);
__BPF_RUN(10);
__BPF_RUN(11);
__BPF_RUN(12);

#undef __BPF_RUN
#undef __BPF_U64_1
#undef __BPF_U64_2
#undef __BPF_U64_3
#undef __BPF_U64_4
#undef __BPF_U64_5
#undef __BPF_U64_6
#undef __BPF_U64_7
#undef __BPF_U64_8
#undef __BPF_U64_9
#undef __BPF_U64_10
#undef __BPF_U64_11
#undef __BPF_U64_12

#endif /* CONFIG_PERF_EVENTS */

#endif /* _LINUX_TRACE_EVENTS_BPF_H */
