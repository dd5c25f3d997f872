/* SPDX-License-Identifier: GPL-2.0-only */
/* What the threads of timerlat and those of user space do alike. */
#ifndef _KERNEL_TRACE_NOISE_TIMERLAT_H
#define _KERNEL_TRACE_NOISE_TIMERLAT_H

#include <linux/hrtimer.h>
#include <linux/percpu.h>

struct noise_crew;
struct noise_cpu;
struct noise_kind;

#define TIMERLAT_FRAMES	256

/**
 * struct timerlat_cpu - a CPU whose timer wakes up a thread
 * @timer: the timer
 * @thread: who waits, or will
 * @noise: of the CPU
 * @next: when @timer is to expire, or was, CLOCK_MONOTONIC in ns
 * @waited: somebody waited for @next and was called away, so it may still be to come
 * @seqnum: how often it did
 * @fired: it has, since it was set
 * @alignment: which one it has, see timerlat_realign()
 * @nr_frames: of @frames
 * @frames: what the timer interrupted
 */
struct timerlat_cpu {
	struct hrtimer		timer;
	struct task_struct	*thread;
	struct noise_cpu	*noise;
	u64			next;
	bool			waited;
	unsigned int		seqnum;
	bool			fired;
	unsigned int		alignment;
	unsigned int		nr_frames;
	unsigned long		frames[TIMERLAT_FRAMES];
};

/* the thread, on its CPU */
void timerlat_begin(struct timerlat_cpu *t, struct noise_cpu *c);
bool timerlat_wait(struct timerlat_cpu *t, bool (*unwanted)(void));
void timerlat_late(struct timerlat_cpu *t, int context);

/* timerlat_fd.c: with threads of user space */
extern struct noise_crew timerlat_user_crew;
extern const struct noise_kind timerlat_kind;	/* timerlat.c */
void timerlat_users_end(void);

#endif /* _KERNEL_TRACE_NOISE_TIMERLAT_H */
