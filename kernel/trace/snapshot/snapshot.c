// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking snapshots, and the memory for them.
 *
 * A snapshot is one swap of rings (ring_buffer/swap.c): writers are not stopped, on no CPU, and
 * a record that is being written goes on where it is. What remains to be done here is to find
 * the spare, which may be on its way out, and to do later what cannot be done now. A user of
 * the swap has preemption off from the look at trace_array.spare to the end; who
 * takes the spare away, or changes one buffer after the other, waits for those.
 *
 * A swap cannot be made while the ring buffer changes its shape, while both buffers are
 * being changed (trace_buffers_lock()), or by somebody who interrupted one on his own CPU. An
 * event that means to keep what led to it must not lose that for such a reason: a work takes the
 * snapshot as soon as it can be taken. It has then, beside what led to the event, what was
 * recorded since.
 */
#include <linux/cleanup.h>
#include <linux/delay.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../grace.h"
#include "../lock_once.h"
#include "internal.h"

/* Somebody takes a snapshot on this CPU, of any instance, or has the lock of one. */
static DEFINE_PER_CPU(bool, snapshot_here);

/* The lock, for who takes none: a snapshot that is asked for meanwhile is one within another. */
void snapshot_lock(struct trace_snapshot *s, unsigned long *flags)
{
	trace_lock_once(&s->lock, &snapshot_here, flags);
}

void snapshot_unlock(struct trace_snapshot *s, unsigned long *flags)
{
	trace_unlock_once(&s->lock, &snapshot_here, *flags);
}

/* Does whoever set a condition want it? Under the lock, which keeps his data together. */
static bool snapshot_asked(struct trace_snapshot *s, void *cond_data)
{
	return !s->update || s->update(s->tr, cond_data);
}

/* s->lock held */
static int swap_locked(struct trace_snapshot *s, struct array_buffer *spare, int cpu)
{
	struct array_buffer *buf = &s->tr->array_buffer;
	int ret;

	if (cpu != RING_BUFFER_ALL_CPUS) {
		ret = ring_buffer_swap_cpu(buf->buffer, spare->buffer, cpu);
	} else {
		ret = ring_buffer_swap(buf->buffer, spare->buffer);
		/* from when on they are shown goes with the records */
		if (!ret)
			swap(buf->time_start, spare->time_start);
	}
	if (!ret) {
		WRITE_ONCE(s->taken, true);
		trace_spare_swapped();
	}
	return ret;
}

/*
 * The exchange; preemption off. What is done in it may be traced, and a trigger on that may ask for
 * a snapshot: only the outermost on a CPU goes on. With @ask the condition, if there is one, is
 * asked; it has said yes when the answer is -EBUSY or -EINVAL.
 *
 * Return: 0; -ENODEV: no spare; -ECANCELED: the condition says no, or cannot be asked; -EBUSY:
 * not now; -EINVAL: the buffers are not alike.
 */
static int snapshot_swap(struct trace_snapshot *s, int cpu, bool ask, void *cond_data)
{
	struct array_buffer *spare = rcu_dereference_sched(s->tr->spare);
	unsigned long flags;
	int ret;

	if (!spare)
		return -ENODEV;
	if (!trace_trylock_once(&s->lock, &snapshot_here, &flags))
		return ask && READ_ONCE(s->update) ? -ECANCELED : -EBUSY;

	if (ask && !snapshot_asked(s, cond_data))
		ret = -ECANCELED;
	else if (READ_ONCE(s->tr->spare_changing))
		ret = -EBUSY;
	else
		ret = swap_locked(s, spare, cpu);
	trace_unlock_once(&s->lock, &snapshot_here, flags);
	return ret;
}

/* In the name of the function that users have always seen here. */
static void say(struct trace_array *tr, const char *text)
{
	__trace_array_puts(tr, (unsigned long)tracing_snapshot_instance_cond, text, strlen(text));
}

/* There is nowhere to keep what is wanted, so do not let it be overwritten. */
static void stop_for_lack_of_spare(struct trace_array *tr)
{
	say(tr, "*** SNAPSHOT NOT ALLOCATED ***\n");
	say(tr, "*** stopping trace here!   ***\n");
	tracer_tracing_off(tr);
}

/*
 * The spare holds a latency tracer's worst case, which must not be lost, or somebody has the buffer
 * in his memory. Return: whether it is so, and has been said.
 */
static bool refused(struct trace_array *tr, const struct trace_snapshot *s)
{
	if (READ_ONCE(s->claimed))
		say(tr, "*** LATENCY TRACER ACTIVE ***\n");
	else if (READ_ONCE(s->mapped))
		say(tr, "*** BUFFER MEMORY MAPPED ***\n");
	else
		return false;
	say(tr, "*** Can not use snapshot (sorry) ***\n");
	return true;
}

void tracing_snapshot_instance_cond(struct trace_array *tr, void *cond_data)
{
	struct trace_snapshot *s;
	int ret;

	preempt_disable_notrace();
	/* NULL: somebody is too early in boot */
	s = READ_ONCE(tr->room[ROOM_SNAPSHOT]);
	if (s && refused(tr, s)) {
		preempt_enable_notrace();
		return;
	}
	ret = s ? snapshot_swap(s, RING_BUFFER_ALL_CPUS, true, cond_data) : -ECANCELED;
	if (ret == -EBUSY || ret == -EINVAL) {
		WRITE_ONCE(s->late, true);
		trace_irq_work_queue(&s->irq_work);
	}
	preempt_enable_notrace();

	if (ret == -ENODEV)
		stop_for_lack_of_spare(tr);
}

void snapshot_take(struct trace_array *tr)
{
	tracing_snapshot_instance_cond(tr, NULL);
}

/*
 * For who can wait, and has tr->spare_lock: nobody else changes the shape of the buffers now but a
 * CPU that comes up, and that passes. Does not ask the condition.
 *
 * Return: 0; -ENODEV: no spare; -ENOMEM; -EINTR (killed); -EBUSY: sub-buffers of another size
 * have to be made, and somebody reads the spare.
 */
int snapshot_take_now(struct trace_array *tr, int cpu)
{
	int ret;

	for (;;) {
		preempt_disable();
		ret = snapshot_swap(snapshot_of(tr), cpu, false, NULL);
		preempt_enable();
		if (ret == -EINVAL) {
			/* a CPU came up between two changes, or one of them failed */
			ret = trace_spare_make(tr);
			if (ret)
				return ret;
			/* and one that never came up has nothing that could be swapped */
			if (cpu != RING_BUFFER_ALL_CPUS &&
			    !ring_buffer_size(tr->array_buffer.buffer, cpu))
				return 0;
			continue;
		}
		if (ret != -EBUSY)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		usleep_range(100, 1000);
	}
}

/* Is there a snapshot in the spare, or one to come that was asked for? */
static bool spare_awaited(const struct trace_snapshot *s)
{
	return READ_ONCE(s->taken) || READ_ONCE(s->late);
}

static void spare_unawaited(struct trace_snapshot *s)
{
	WRITE_ONCE(s->taken, false);
	WRITE_ONCE(s->late, false);
}

/* Nobody needs the spare any more? Then it goes. tr->spare_lock held. */
static void spare_reap(struct trace_snapshot *s)
{
	struct trace_array *tr = s->tr;
	struct array_buffer *spare;

	if (s->holders || s->wanted || spare_awaited(s))
		return;
	spare = trace_spare_hide(tr);
	/* somebody was faster */
	if (spare_awaited(s))
		trace_spare_show(tr, spare);
	else
		trace_spare_drop(spare);
}

static void late_work(struct work_struct *work)
{
	struct trace_snapshot *s = container_of(work, struct trace_snapshot, work);
	int ret = 0;

	scoped_guard(mutex, &s->tr->spare_lock) {
		/* who asks from here on is late again */
		if (xchg(&s->late, false) && !s->claimed) {
			if (!refused(s->tr, s))
				ret = snapshot_take_now(s->tr, RING_BUFFER_ALL_CPUS);
			/* it may have been kept for this alone */
			spare_reap(s);
		}
	}
	if (ret)
		stop_for_lack_of_spare(s->tr);
}

/* Not on this CPU's own workers: a task that has it for long would hold the snapshot up. */
static void late_irq_work(struct irq_work *irq_work)
{
	struct trace_snapshot *s = container_of(irq_work, struct trace_snapshot, irq_work.work);

	queue_work(system_unbound_wq, &s->work);
}

/* snapshot_get() with tr->spare_lock held */
static int snapshot_hold(struct trace_array *tr)
{
	int ret = snapshot_of(tr)->mapped ? -EBUSY : trace_spare_make(tr);

	if (ret)
		spare_reap(snapshot_of(tr));
	else
		snapshot_of(tr)->holders++;
	return ret;
}

/* For who decides what is in it, a tracer or a condition. -EBUSY: somebody else does. */
int snapshot_hold_alone(struct trace_array *tr)
{
	struct trace_snapshot *s = snapshot_of(tr);

	return s->claimed || s->update ? -EBUSY : snapshot_hold(tr);
}

int snapshot_may_claim(struct trace_array *tr)
{
	guard(mutex)(&tr->spare_lock);
	/* a tracer that is replaced gives it up */
	return snapshot_of(tr)->update ? -EBUSY : 0;
}

int snapshot_get(struct trace_array *tr)
{
	guard(mutex)(&tr->spare_lock);
	return snapshot_hold(tr);
}

void snapshot_put(struct trace_array *tr)
{
	guard(mutex)(&tr->spare_lock);
	if (!WARN_ON_ONCE(!snapshot_of(tr)->holders))
		snapshot_of(tr)->holders--;
	spare_reap(snapshot_of(tr));
}

/* What is in the spare is of no use any more. tr->spare_lock held. */
static void spare_empty(struct trace_snapshot *s)
{
	struct array_buffer *spare = trace_spare_locked(s->tr);

	if (!spare)
		return;
	spare->time_start = 0;
	ring_buffer_reset(spare->buffer);
}

int snapshot_claim(struct trace_array *tr)
{
	struct trace_snapshot *s = snapshot_of(tr);
	int ret;

	guard(mutex)(&tr->spare_lock);
	ret = snapshot_hold_alone(tr);
	if (ret)
		return ret;
	WRITE_ONCE(s->claimed, true);
	/* whoever takes a snapshot has preemption off, and has looked before */
	trace_synchronize_rcu();
	spare_unawaited(s);
	spare_empty(s);
	return 0;
}

void snapshot_unclaim(struct trace_array *tr)
{
	struct trace_snapshot *s = snapshot_of(tr);

	guard(mutex)(&tr->spare_lock);
	if (WARN_ON_ONCE(!s->claimed))
		return;
	spare_empty(s);
	WRITE_ONCE(s->taken, false);
	WRITE_ONCE(s->claimed, false);
	s->holders--;
	spare_reap(s);
}

int snapshot_keep(struct trace_array *tr, int cpu, u64 since, int at)
{
	struct array_buffer *spare = rcu_dereference_sched(tr->spare);
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct trace_snapshot *s = snapshot_of(tr);
	unsigned long flags;
	int ret = -EBUSY;

	if (!spare)
		return -ENODEV;
	if (!trace_trylock_once(&s->lock, &snapshot_here, &flags))
		return -EBUSY;

	if (!READ_ONCE(tr->spare_changing))
		ret = cpu == RING_BUFFER_ALL_CPUS ? ring_buffer_swap(buffer, spare->buffer) :
		      ring_buffer_swap_cpu(buffer, spare->buffer, cpu);
	if (!ret) {
		spare->time_start = since;
		spare->cpu = at;
		trace_spare_swapped();
	}
	trace_unlock_once(&s->lock, &snapshot_here, flags);
	return ret;
}

/* Who maps the buffer wants it to stay, and who holds the spare has to be able to swap them. */
static int snapshot_map(struct trace_array *tr)
{
	struct trace_snapshot *s = snapshot_of(tr);

	guard(mutex)(&tr->spare_lock);
	if (s->holders)
		return -EBUSY;
	WRITE_ONCE(s->mapped, s->mapped + 1);
	return 0;
}

static void snapshot_unmap(struct trace_array *tr)
{
	struct trace_snapshot *s = snapshot_of(tr);

	guard(mutex)(&tr->spare_lock);
	WRITE_ONCE(s->mapped, s->mapped - 1);
}

/* A user wants a spare. tr->spare_lock held. Return: as trace_spare_make(). */
int snapshot_want(struct trace_array *tr)
{
	int ret = trace_spare_make(tr);

	if (!ret)
		snapshot_of(tr)->wanted = true;
	return ret;
}

/*
 * The user wants none any more, nor what is in it. Who has to be able to take one keeps it.
 * tr->spare_lock held.
 */
void snapshot_unwant(struct trace_array *tr)
{
	struct trace_snapshot *s = snapshot_of(tr);
	struct array_buffer *spare;

	s->wanted = false;
	/* first: a snapshot that somebody takes from here on may be behind the reset, and stays */
	spare_unawaited(s);
	if (s->holders) {
		spare = trace_spare_locked(tr);
		if (spare)
			ring_buffer_reset(spare->buffer);
	}
	spare_reap(s);
}

/**
 * tracing_snapshot - keep what the top instance has recorded up to now
 *
 * It can be read in `snapshot`; recording goes on. Needs the spare buffer, which
 * tracing_alloc_snapshot(), alloc_snapshot on the command line or a user's `echo 1 > snapshot`
 * gets; without one recording stops.
 *
 * Context: Any.
 */
void tracing_snapshot(void)
{
	snapshot_take(&global_trace);
}
EXPORT_SYMBOL_GPL(tracing_snapshot);

/**
 * tracing_alloc_snapshot - have a spare buffer in the top instance
 *
 * It stays until a user writes 0 to `snapshot`.
 *
 * Context: Task, may sleep.
 * Return: 0 or -ENOMEM, -EINTR, -EBUSY, as snapshot_get().
 */
int tracing_alloc_snapshot(void)
{
	struct trace_array *tr = &global_trace;
	int ret;

	if (!snapshot_of(tr))
		return -ENOMEM;
	scoped_guard(mutex, &tr->spare_lock)
		ret = snapshot_want(tr);
	WARN_ON(ret);
	return ret;
}
EXPORT_SYMBOL_GPL(tracing_alloc_snapshot);

/**
 * tracing_snapshot_alloc - tracing_alloc_snapshot() and tracing_snapshot()
 *
 * Context: Task, may sleep.
 */
void tracing_snapshot_alloc(void)
{
	if (!tracing_alloc_snapshot())
		tracing_snapshot();
}
EXPORT_SYMBOL_GPL(tracing_snapshot_alloc);

static int snapshot_init(struct trace_array *tr)
{
	struct trace_snapshot *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return -ENOMEM;
	s->tr = tr;
	trace_irq_work_init(&s->irq_work, late_irq_work);
	INIT_WORK(&s->work, late_work);
	raw_spin_lock_init(&s->lock);
	tr->room[ROOM_SNAPSHOT] = s;

	if (snapshot_at_boot(tr)) {
		guard(mutex)(&tr->spare_lock);
		if (snapshot_want(tr))
			pr_warn("tracing: not enough memory for snapshots of %s\n",
				tr->name ?: "the top instance");
	}
	return 0;
}

static void snapshot_exit(struct trace_array *tr)
{
	struct trace_snapshot *s = snapshot_of(tr);

	/* whoever could ask for one is gone */
	trace_irq_work_sync(&s->irq_work);
	cancel_work_sync(&s->work);
	scoped_guard(mutex, &tr->spare_lock)
		trace_spare_drop(trace_spare_hide(tr));
	WARN_ON_ONCE(s->holders);
	tr->room[ROOM_SNAPSHOT] = NULL;
	kfree(s);
}

const struct instance_feature snapshot_feature = {
	.name		= "snapshot",
	.init		= snapshot_init,
	.exit		= snapshot_exit,
	.buffer_map	= snapshot_map,
	.buffer_unmap	= snapshot_unmap,
	.files		= snapshot_files,
	.cpu_files	= snapshot_cpu_files,
};
