// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls, for perf and for BPF programs on its events: one probe for each direction, with
 * the calls that somebody has open in a bitmap.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/perf_event.h>
#include <linux/trace_events.h>

#include <trace/events/syscalls.h>

#include "internal.h"
#include "perf.h"
#include "syscalls.h"

static DECLARE_BITMAP(perf_calls[DIRECTIONS], NR_syscalls);
static unsigned int perf_users[DIRECTIONS];	/* event_mutex */

/* What a BPF program sees; a pointer to the registers takes the place of the header. */
struct bpf_syscall_args {
	struct trace_entry	ent;
	int			nr;
	unsigned long		args[6];
} __aligned(8);

static bool bpf_wants_it(struct trace_event_call *call, struct pt_regs *scratch, int nr,
			 const unsigned long *args, int nr_args)
{
	struct bpf_syscall_args ctx;

	BUILD_BUG_ON(sizeof(ctx.ent) < sizeof(scratch));

	/* bpf_get_stackid() and its like take the registers from there */
	perf_fetch_caller_regs(scratch);
	*(struct pt_regs **)&ctx = scratch;
	ctx.nr = nr;
	memcpy(ctx.args, args, nr_args * sizeof(*args));
	return trace_call_bpf(call, &ctx);
}

/* A record under way to perf. */
struct perf_record {
	struct trace_event_call	*call;
	struct hlist_head	*head;
	struct pt_regs		*scratch;
	void			*data;
	int			size;
	int			rctx;
};

static __always_inline void *perf_begin(struct perf_record *rec, struct trace_event_call *call,
					size_t size)
{
	rec->call = call;
	rec->head = this_cpu_ptr(call->perf_events);
	if (!bpf_prog_array_valid(call) && hlist_empty(rec->head))
		return NULL;

	rec->size = PERF_RECORD_SIZE(size);
	rec->data = perf_trace_buf_alloc(rec->size, &rec->scratch, &rec->rctx);
	return rec->data;
}

static void perf_finish(struct perf_record *rec, struct pt_regs *regs, int nr,
			const unsigned long *args, int nr_args)
{
	struct trace_event_call *call = rec->call;
	bool wanted = !bpf_prog_array_valid(call) ||
		      bpf_wants_it(call, rec->scratch, nr, args, nr_args);

	if (wanted && !hlist_empty(rec->head))
		perf_trace_buf_submit(rec->data, rec->size, rec->rctx, call->event.type, 1, regs,
				      rec->head, NULL);
	else
		perf_swevent_put_recursion_context(rec->rctx);
}

static void perf_probe_enter(void *unused, struct pt_regs *regs, long id)
{
	int nr = current_syscall(regs);
	struct syscall_metadata *meta;
	struct enter_record *entry;
	struct perf_record rec;
	unsigned long args[6];

	/* pairs with syscall_perf_start() */
	if (nr < 0 || !test_bit_acquire(nr, perf_calls[ENTER]))
		return;

	meta = syscall_by_nr[nr];
	entry = perf_begin(&rec, meta->enter_event, struct_size(entry, args, meta->nb_args));
	if (!entry)
		return;

	entry->nr = nr;
	memset(entry->pad, 0, sizeof(entry->pad));
	syscall_get_arguments(current, regs, args);
	memcpy(entry->args, args, meta->nb_args * sizeof(args[0]));
	perf_finish(&rec, regs, nr, args, meta->nb_args);
}

static void perf_probe_exit(void *unused, struct pt_regs *regs, long ret)
{
	int nr = current_syscall(regs);
	struct exit_record *entry;
	struct perf_record rec;
	unsigned long value;

	/* pairs with syscall_perf_start() */
	if (nr < 0 || !test_bit_acquire(nr, perf_calls[EXIT]))
		return;

	entry = perf_begin(&rec, syscall_by_nr[nr]->exit_event, sizeof(*entry));
	if (!entry)
		return;

	entry->nr = nr;
	memset(entry->pad, 0, sizeof(entry->pad));
	entry->ret = syscall_get_return_value(current, regs);
	value = entry->ret;
	perf_finish(&rec, regs, nr, &value, 1);
}

int syscall_perf_start(enum direction dir, int nr)
{
	int ret = 0;

	if (!perf_users[dir])
		ret = dir == ENTER ? register_trace_sys_enter(perf_probe_enter, NULL) :
				     register_trace_sys_exit(perf_probe_exit, NULL);
	if (ret) {
		pr_info("event trace: Could not activate syscall %s trace point\n",
			dir == ENTER ? "entry" : "exit");
		return ret;
	}
	perf_users[dir]++;
	/*
	 * With another call open the probe runs already. Who sees the bit sees the lists
	 * in perf_events that perf_register() set up, empty; pairs with test_bit_acquire().
	 */
	smp_mb__before_atomic();
	set_bit(nr, perf_calls[dir]);
	return 0;
}

void syscall_perf_stop(enum direction dir, int nr)
{
	clear_bit(nr, perf_calls[dir]);
	if (--perf_users[dir])
		return;
	if (dir == ENTER)
		unregister_trace_sys_enter(perf_probe_enter, NULL);
	else
		unregister_trace_sys_exit(perf_probe_exit, NULL);
}
