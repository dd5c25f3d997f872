/* SPDX-License-Identifier: GPL-2.0-only */
/* What osnoise and timerlat share: settings, who records, and how what they do is switched. */
#ifndef _KERNEL_TRACE_NOISE_INTERNAL_H
#define _KERNEL_TRACE_NOISE_INTERNAL_H

#include <linux/cpumask.h>
#include <linux/types.h>

struct dentry;
struct noise_crew;
struct osnoise_entry;
struct trace_array;

/* Bits of noise_settings.options, and words of osnoise/options in this order. */
enum noise_option {
	NOISE_OPT_DEFAULTS,		/* shown when all others are as at boot */
	NOISE_OPT_WORKLOAD,
	NOISE_OPT_PANIC,
	NOISE_OPT_PREEMPT_OFF,
	NOISE_OPT_IRQS_OFF,
	NOISE_OPT_ALIGN,
	NOISE_OPTIONS
};

/**
 * struct noise_settings - the files in osnoise/, in us; read without a lock
 * @period: from one run of osnoise's threads to the next
 * @runtime: how long a run is
 * @stop: stop recording when something takes as long, 0: never. For osnoise noise at one time, for
 *	timerlat the delay of the timer
 * @stop_total: the same for all noise of a run, and for the delay of the thread
 * @timerlat_period: from one timer to the next
 * @timerlat_align: from the timer of one CPU to that of the next, with NOISE_OPT_ALIGN
 * @print_stack: record what the timer interrupted if the thread comes as late, 0: never
 * @options: bits of enum noise_option
 */
struct noise_settings {
	u64		period;
	u64		runtime;
	u64		stop;
	u64		stop_total;
	u64		timerlat_period;
	u64		timerlat_align;
	u64		print_stack;
	unsigned long	options;
};

extern struct noise_settings noise_settings;
extern struct cpumask noise_cpus;	/* osnoise/cpus; trace_types_lock */

static inline bool noise_option(enum noise_option option)
{
	return READ_ONCE(noise_settings.options) & BIT(option);
}

/* Is @ns as long as the setting @us, which may be 0? */
static inline bool noise_reaches(u64 ns, u64 us)
{
	return us && ns / NSEC_PER_USEC >= us;
}

/**
 * struct noise_kind - what osnoise and timerlat do differently
 * @crew: who measures, with NOISE_OPT_WORKLOAD
 * @watchers: who does without it; they have no threads, and can always be started
 * @begins: one of them is about to be started. May be NULL
 * @ended: both have been stopped. May be NULL
 *
 * trace_types_lock held.
 */
struct noise_kind {
	struct noise_crew	*crew;
	struct noise_crew	*watchers;
	void			(*begins)(void);
	void			(*ended)(void);
};

/* The tracer called @_name, of @_name_init() and @_name_header(). */
#define NOISE_TRACER(_name)				\
static struct tracer _name##_tracer __read_mostly = {	\
	.name		 = #_name,			\
	.init		 = _name##_init,		\
	.reset		 = noise_tracer_reset,		\
	.start		 = noise_tracer_start,		\
	.stop		 = noise_tracer_stop,		\
	.print_header	 = _name##_header,		\
	.allow_instances = true,			\
};							\
							\
static int __init _name##_register(void)		\
{							\
	return register_tracer(&_name##_tracer);	\
}							\
late_initcall(_name##_register)

/* recorders.c; trace_types_lock held */
int noise_tracer_init(struct trace_array *tr, const struct noise_kind *kind);
void noise_tracer_reset(struct trace_array *tr);
void noise_tracer_start(struct trace_array *tr);
void noise_tracer_stop(struct trace_array *tr);
int noise_workload_restart(void);
int noise_workload_move(const struct cpumask *cpus);
/* any context */
bool noise_recording(void);
bool noise_is_chosen(const struct noise_kind *kind);
bool noise_is_tainted(void);
void noise_taint(const char *why);
void osnoise_stop_tracing(void);
void osnoise_stop_exception(const char *why);
void noise_record_run(const struct osnoise_entry *run);
void noise_record_latency(unsigned int seqnum, int context, u64 ns);
void noise_record_stack(const unsigned long *frames, unsigned int nr);

#ifdef CONFIG_TIMERLAT_TRACER
void timerlat_realign(void);				/* timerlat.c */
void timerlat_fd_file(int cpu, struct dentry *dir);	/* timerlat_fd.c */
void timerlat_users_keep(void);
#else
static inline void timerlat_users_keep(void)
{
}

static inline void timerlat_realign(void)
{
}
#endif

#endif /* _KERNEL_TRACE_NOISE_INTERNAL_H */
