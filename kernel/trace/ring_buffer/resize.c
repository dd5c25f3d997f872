// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another number of sub-buffers, another size of them, and none filled.
 *
 * The number changes while recording goes on. All memory is had beforehand;
 * then the CPU that owns the ring puts the sub-buffers into a new table, with
 * interrupts off and from a context in which no writer of its own can be
 * unfinished. What can come in between is an NMI: it may go on writing to the
 * current sub-buffer, which stays what it is, and is dropped (and counted) in
 * case it would have to change to the next.
 */
#include <linux/cpu.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "internal.h"

/**
 * struct rb_plan - what is to become of a ring
 * @ring: the ring, NULL if it stays as it is
 * @table: new table
 * @extra: new sub-buffers, if there will be more
 * @nr_extra: how many
 * @old: the old table
 * @nr_surplus: how many sub-buffers are left over; @old has them in its slots
 */
struct rb_plan {
	struct rb_ring	*ring;
	struct rb_table	*table;
	struct rb_sub	**extra;
	u32		nr_extra;
	u32		nr_surplus;
	struct rb_table	*old;
};

static void rb_plan_place(struct rb_table *table, u32 *nr, struct rb_sub *sub)
{
	sub->index = *nr;
	table->sub[(*nr)++] = sub;
}

/* Put a free sub-buffer where the next number @seq will look for it. */
static bool rb_plan_free(struct rb_table *table, u32 *nr, struct rb_sub *sub, u64 seq)
{
	if (*nr > table->nr)
		return false;
	table->slot[seq % table->nr] = rb_slot(seq - table->nr, *nr, RB_SLOT_TAKEN);
	rb_plan_place(table, nr, sub);
	return true;
}

/* Let a ring have its new table. Runs on its CPU, or its CPU is offline. */
static long rb_plan_apply(void *arg)
{
	struct rb_plan *plan = arg;
	struct rb_ring *ring = plan->ring;
	struct rb_table *new = plan->table, *old = ring->table;
	u64 seq, last, oldest;
	unsigned long flags;
	u32 nr = 0, i;

	raw_spin_lock_irqsave(&ring->lock, flags);
	/* From here on an NMI does not change ring->cur. */
	WRITE_ONCE(ring->frozen, true);
	barrier();

	last = ring->cur->seq;
	rb_plan_place(new, &nr, ring->reader);

	oldest = last + 1 - min(old->nr, new->nr);
	seq = last + 1 - old->nr;
	if ((s64)(ring->next - seq) > 0)
		seq = ring->next;
	for (; (s64)(last - seq) >= 0; seq++) {
		u64 *slot = &old->slot[seq % old->nr];
		struct rb_sub *sub = old->sub[*slot & RB_SLOT_INDEX];

		/* Its place was already claimed for what follows last? */
		if (!rb_slot_is(*slot, seq) || (*slot & RB_SLOT_TAKEN))
			continue;
		if ((s64)(seq - oldest) < 0) {
			atomic_long_add(rb_sub_entries(sub), &ring->overrun);
			atomic_long_add(rb_tail_bytes(sub->tail), &ring->lost_bytes);
			continue;
		}
		new->slot[seq % new->nr] = rb_slot(seq, nr, 0);
		rb_plan_place(new, &nr, sub);
		*slot = U64_MAX;
	}

	/*
	 * What is left is free. The slots it goes to are those of the numbers
	 * to come; they are as many as are left.
	 */
	seq = last + 1;
	plan->nr_surplus = 0;
	for (i = 0; i < old->nr; i++) {
		struct rb_sub *sub;

		if (old->slot[i] == U64_MAX)
			continue;
		sub = old->sub[old->slot[i] & RB_SLOT_INDEX];
		if (rb_plan_free(new, &nr, sub, seq))
			seq++;
		else
			old->slot[plan->nr_surplus++] = (unsigned long)sub;
	}
	for (i = 0; i < plan->nr_extra; i++)
		rb_plan_free(new, &nr, plan->extra[i], seq++);

	plan->old = old;
	ring->table = new;
	WRITE_ONCE(ring->nr, new->nr);
	barrier();
	WRITE_ONCE(ring->frozen, false);
	raw_spin_unlock_irqrestore(&ring->lock, flags);

	return 0;
}

static int rb_plan_make(struct rb_plan *plan, struct rb_ring *ring, u32 nr,
			unsigned int order)
{
	int ret = 0;

	if (ring->nr == nr)
		return 0;

	/* even the table of a size that there is no memory for is large */
	if (nr > ring->nr && (u64)(nr - ring->nr) << order > si_mem_available())
		return -ENOMEM;

	plan->table = rb_table_alloc(nr);
	if (!plan->table)
		return -ENOMEM;

	if (nr > ring->nr) {
		plan->nr_extra = nr - ring->nr;
		plan->extra = kvcalloc(plan->nr_extra, sizeof(*plan->extra), RB_GFP_LARGE);
		if (!plan->extra)
			return -ENOMEM;
		ret = rb_subs_alloc(plan->extra, plan->nr_extra, ring->cpu, order);
		if (ret)
			return ret;
	}
	plan->ring = ring;
	return 0;
}

/* Free what a plan does not need (any more), or all of it if it failed. */
static void rb_plan_free_all(struct rb_plan *plan, unsigned int order)
{
	u32 i;

	if (plan->old) {
		for (i = 0; i < plan->nr_surplus; i++)
			rb_sub_free((void *)(unsigned long)plan->old->slot[i], order);
		rb_table_free(plan->old);
	} else {
		for (i = 0; plan->extra && i < plan->nr_extra; i++)
			rb_sub_free(plan->extra[i], order);
		rb_table_free(plan->table);
	}
	kvfree(plan->extra);
}

static void rb_plan_run(struct rb_plan *plan)
{
	int cpu = plan->ring->cpu;

	preempt_disable();
	if (cpu == smp_processor_id() || !cpu_online(cpu)) {
		rb_plan_apply(plan);
		preempt_enable();
		return;
	}
	preempt_enable();
	work_on_cpu(cpu, rb_plan_apply, plan);
}

/**
 * ring_buffer_resize - change the size of a buffer
 * @buffer: the buffer
 * @size: bytes of data for each CPU
 * @cpu: the CPU, or RING_BUFFER_ALL_CPUS
 *
 * Recording goes on and what was recorded stays, except that the oldest
 * sub-buffers are given up (and counted as overwritten) if there will not be
 * room for all. A CPU that has no ring is no error.
 *
 * Context: Task, may sleep.
 * Return: 0, or -ENOMEM or -EINTR (killed) and nothing has changed.
 */
int ring_buffer_resize(struct trace_buffer *buffer, unsigned long size, int cpu)
{
	struct rb_plan *plans;
	int i, ret = 0;
	u32 nr;

	if (!buffer)
		return 0;

	plans = kcalloc(nr_cpu_ids, sizeof(*plans), GFP_KERNEL);
	if (!plans)
		return -ENOMEM;

	cpus_read_lock();
	mutex_lock(&buffer->mutex);
	rb_swap_forbid(buffer);

	ret = rb_nr_subs(size, buffer->subbuf_size, &nr);
	for_each_cpu(i, buffer->cpumask) {
		if (ret)
			break;
		if (cpu == RING_BUFFER_ALL_CPUS || cpu == i)
			ret = rb_plan_make(&plans[i], rb_ring_of(buffer, i), nr,
					   buffer->order);
	}
	for_each_cpu(i, buffer->cpumask) {
		if (!ret && plans[i].ring)
			rb_plan_run(&plans[i]);
		rb_plan_free_all(&plans[i], buffer->order);
	}

	rb_swap_allow(buffer);
	mutex_unlock(&buffer->mutex);
	cpus_read_unlock();

	kfree(plans);
	return ret;
}
EXPORT_SYMBOL_GPL(ring_buffer_resize);

/*
 * Stop the writers of these CPUs, and wait for those that are at it: also for
 * those who found a ring of ours in another buffer, before a swap. There is no
 * swap any more when we begin to wait.
 */
static void rb_stop_cpus(struct trace_buffer *buffer, const struct cpumask *cpus)
{
	int cpu;

	for_each_cpu(cpu, cpus)
		atomic_inc(&rb_cpu_of(buffer, cpu)->stop);
	rb_swap_forbid(buffer);
	synchronize_rcu();
}

/*
 * A writer loads rb_cpu::stop and then what he finds in the ring, with nothing
 * in between that keeps his CPU from doing the latter first. So it is us who
 * wait: who finds the stop gone has begun after what comes before it.
 */
static void rb_start_cpus(struct trace_buffer *buffer, const struct cpumask *cpus)
{
	int cpu;

	synchronize_rcu();
	rb_swap_allow(buffer);
	for_each_cpu(cpu, cpus)
		atomic_dec(&rb_cpu_of(buffer, cpu)->stop);
}

static void rb_reset_cpus(struct trace_buffer *buffer, const struct cpumask *cpus)
{
	struct rb_ring *ring;
	unsigned long flags;
	int cpu;

	mutex_lock(&buffer->mutex);
	rb_stop_cpus(buffer, cpus);
	for_each_cpu(cpu, cpus) {
		ring = rb_ring_of(buffer, cpu);
		if (!ring)
			continue;
		raw_spin_lock_irqsave(&ring->lock, flags);
		rb_ring_start(ring, ring->table);
		raw_spin_unlock_irqrestore(&ring->lock, flags);
	}
	rb_start_cpus(buffer, cpus);
	mutex_unlock(&buffer->mutex);
}

/**
 * ring_buffer_reset_cpu - forget what was recorded on a CPU
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: Task, may sleep.
 */
void ring_buffer_reset_cpu(struct trace_buffer *buffer, int cpu)
{
	if (rb_ring_of(buffer, cpu))
		rb_reset_cpus(buffer, cpumask_of(cpu));
}
EXPORT_SYMBOL_GPL(ring_buffer_reset_cpu);

/**
 * ring_buffer_reset_online_cpus - forget what was recorded on CPUs that are up
 * @buffer: the buffer
 *
 * Context: Task, may sleep.
 */
void ring_buffer_reset_online_cpus(struct trace_buffer *buffer)
{
	cpumask_var_t cpus;
	int cpu;

	if (zalloc_cpumask_var(&cpus, GFP_KERNEL)) {
		cpumask_copy(cpus, cpu_online_mask);
		rb_reset_cpus(buffer, cpus);
		free_cpumask_var(cpus);
		return;
	}
	for_each_online_cpu(cpu)
		ring_buffer_reset_cpu(buffer, cpu);
}

/**
 * ring_buffer_reset - forget all that was recorded
 * @buffer: the buffer
 *
 * Context: Task, may sleep.
 */
void ring_buffer_reset(struct trace_buffer *buffer)
{
	rb_reset_cpus(buffer, cpu_possible_mask);
}
EXPORT_SYMBOL_GPL(ring_buffer_reset);

/**
 * ring_buffer_subbuf_order_set - change the size of the sub-buffers
 * @buffer: the buffer
 * @order: a sub-buffer has PAGE_SIZE << @order bytes, header included
 *
 * The size of the buffer stays about the same. What was recorded is lost.
 *
 * Context: Task, may sleep.
 * Return: 0; or -EINVAL for an order that cannot be, -EBUSY if there are
 * iterators, -ENOMEM, -EINTR (killed), and nothing has changed.
 */
int ring_buffer_subbuf_order_set(struct trace_buffer *buffer, int order)
{
	unsigned int size, old_order;
	struct rb_table **tables;
	struct rb_ring *ring;
	unsigned long flags;
	int cpu, ret = 0;
	u32 nr;

	if (order < 0 || order > ilog2(RB_SUBBUF_MAX / PAGE_SIZE))
		return -EINVAL;
	size = (PAGE_SIZE << order) - RB_PAGE_HEADER;

	tables = kcalloc(nr_cpu_ids, sizeof(*tables), GFP_KERNEL);
	if (!tables)
		return -ENOMEM;

	/* No CPU may come up with the old size. */
	cpus_read_lock();
	mutex_lock(&buffer->mutex);
	rb_swap_forbid(buffer);
	if (order == buffer->order)
		goto unlock;

	for_each_cpu(cpu, buffer->cpumask) {
		if (atomic_read(&rb_cpu_of(buffer, cpu)->iters)) {
			ret = -EBUSY;
			goto free;
		}
		ring = rb_ring_of(buffer, cpu);
		ret = rb_nr_subs((unsigned long)ring->nr * buffer->subbuf_size, size, &nr);
		if (ret)
			goto free;
		tables[cpu] = rb_table_fill(cpu, nr, order);
		if (IS_ERR(tables[cpu])) {
			ret = PTR_ERR(tables[cpu]);
			tables[cpu] = NULL;
			goto free;
		}
	}

	rb_stop_cpus(buffer, buffer->cpumask);
	old_order = buffer->order;
	WRITE_ONCE(buffer->order, order);
	WRITE_ONCE(buffer->subbuf_size, size);
	for_each_cpu(cpu, buffer->cpumask) {
		struct rb_table *old;

		ring = rb_ring_of(buffer, cpu);
		raw_spin_lock_irqsave(&ring->lock, flags);
		old = ring->table;
		ring->limit = size / 4;
		rb_ring_start(ring, tables[cpu]);
		raw_spin_unlock_irqrestore(&ring->lock, flags);
		rb_table_empty(old, old_order);
	}
	rb_start_cpus(buffer, buffer->cpumask);
	goto unlock;

free:
	for_each_cpu(cpu, buffer->cpumask)
		rb_table_empty(tables[cpu], order);
unlock:
	rb_swap_allow(buffer);
	mutex_unlock(&buffer->mutex);
	cpus_read_unlock();
	kfree(tables);
	return ret;
}
EXPORT_SYMBOL_GPL(ring_buffer_subbuf_order_set);

/**
 * ring_buffer_subbuf_order_get - order of the pages of a sub-buffer
 * @buffer: the buffer
 *
 * Context: Any.
 * Return: the order.
 */
int ring_buffer_subbuf_order_get(struct trace_buffer *buffer)
{
	return READ_ONCE(buffer->order);
}
EXPORT_SYMBOL_GPL(ring_buffer_subbuf_order_get);

/**
 * ring_buffer_subbuf_size_get - size of a sub-buffer
 * @buffer: the buffer
 *
 * Context: Any.
 * Return: bytes, header included.
 */
int ring_buffer_subbuf_size_get(struct trace_buffer *buffer)
{
	return READ_ONCE(buffer->subbuf_size) + RB_PAGE_HEADER;
}
EXPORT_SYMBOL_GPL(ring_buffer_subbuf_size_get);
