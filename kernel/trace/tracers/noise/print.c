// SPDX-License-Identifier: GPL-2.0-only
/* How the records of hwlat, osnoise and timerlat are printed, whatever tracer is on. */
#include <linux/init.h>
#include <linux/math64.h>

#include "../../output/output.h"
#include "entries.h"

static enum print_line_t hwlat_print(struct trace_iterator *iter, int flags,
				     struct trace_event *event)
{
	struct hwlat_entry *e = (struct hwlat_entry *)iter->ent;
	struct trace_seq *s = &iter->seq;

	trace_seq_printf(s, "#%-5u inner/outer(us): %4llu/%-5llu ts:%lld.%09ld count:%d",
			 e->seqnum, e->duration, e->outer_duration, (s64)e->timestamp.tv_sec,
			 e->timestamp.tv_nsec, e->count);
	if (e->nmi_count) {
		/* the clocks of some architectures were none for NMIs; the format stays */
		if (!IS_ENABLED(CONFIG_GENERIC_SCHED_CLOCK))
			trace_seq_printf(s, " nmi-total:%llu", e->nmi_total_ts);
		trace_seq_printf(s, " nmi-count:%u", e->nmi_count);
	}
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

static enum print_line_t hwlat_raw(struct trace_iterator *iter, int flags,
				   struct trace_event *event)
{
	struct hwlat_entry *e = (struct hwlat_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%llu %lld %lld %09ld %u\n", e->duration, e->outer_duration,
			 (s64)e->timestamp.tv_sec, e->timestamp.tv_nsec, e->seqnum);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t osnoise_print(struct trace_iterator *iter, int flags,
				       struct trace_event *event)
{
	struct osnoise_entry *e = (struct osnoise_entry *)iter->ent;
	/* of the CPU, in units of 1/100,000 of a percent; a file that is read may hold anything */
	u64 available = e->noise < e->runtime ?
			mul_u64_u64_div_u64(e->runtime - e->noise, 10000000, e->runtime) : 0;

	trace_seq_printf(&iter->seq, "%llu %10llu %3llu.%05llu %7llu %6u %6u %6u %6u %6u\n",
			 e->runtime, e->noise, available / 100000, available % 100000,
			 e->max_sample, e->hw_count, e->nmi_count, e->irq_count, e->softirq_count,
			 e->thread_count);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t osnoise_raw(struct trace_iterator *iter, int flags,
				     struct trace_event *event)
{
	struct osnoise_entry *e = (struct osnoise_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%lld %llu %llu %u %u %u %u %u\n", e->runtime, e->noise,
			 e->max_sample, e->hw_count, e->nmi_count, e->irq_count, e->softirq_count,
			 e->thread_count);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t timerlat_print(struct trace_iterator *iter, int flags,
					struct trace_event *event)
{
	static const char *const contexts[TIMERLAT_CONTEXTS] = {
		[TIMERLAT_IRQ]		= "irq",
		[TIMERLAT_THREAD]	= "thread",
		[TIMERLAT_USER_RET]	= "user-ret",
	};
	struct timerlat_entry *e = (struct timerlat_entry *)iter->ent;
	unsigned int context = e->context;

	trace_seq_printf(&iter->seq, "#%-5u context %6s timer_latency %9llu ns\n", e->seqnum,
			 context < TIMERLAT_CONTEXTS ? contexts[context] : "?", e->timer_latency);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t timerlat_raw(struct trace_iterator *iter, int flags,
				      struct trace_event *event)
{
	struct timerlat_entry *e = (struct timerlat_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%u %d %llu\n", e->seqnum, e->context, e->timer_latency);
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions hwlat_funcs = { .trace = hwlat_print, .raw = hwlat_raw };
static struct trace_event_functions osnoise_funcs = { .trace = osnoise_print, .raw = osnoise_raw };
static struct trace_event_functions timerlat_funcs = {
	.trace	= timerlat_print,
	.raw	= timerlat_raw,
};

static struct trace_event printers[] = {
	{ .type = TRACE_HWLAT,		.funcs = &hwlat_funcs },
	{ .type = TRACE_OSNOISE,	.funcs = &osnoise_funcs },
	{ .type = TRACE_TIMERLAT,	.funcs = &timerlat_funcs },
};

static int __init noise_printers_register(void)
{
	return register_trace_events(printers, ARRAY_SIZE(printers));
}
core_initcall(noise_printers_register);
