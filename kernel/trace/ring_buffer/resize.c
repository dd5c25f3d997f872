// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another number of sub-buffers, another size of them.
 *
 * The number changes while recording goes on. All memory is had beforehand, and
 * the new table is filled in beforehand as well, beside the old one that is in
 * use. What is left to do when the new table takes the place of the old is to
 * follow what has happened meanwhile: of that at most RB_BATCH slots of each
 * kind, or we follow with interrupts on and try again. This last step is done by
 * the CPU that owns the ring, with interrupts off and from a context in which no
 * writer of its own can be unfinished. What can come in between is an NMI: it
 * may go on writing to the current sub-buffer, which stays what it is, and is
 * dropped (and counted) in case it would have to change to the next.
 *
 * A slot is copied as it is, only its place is another: that of its number in
 * the new table. The sub-buffers keep their indices. The numbers that a table
 * of nr slots has a place for are the last nr up to @top, the last one that was
 * claimed. So:
 *
 *  More slots: the old ones have the last old->nr numbers; the others, for the
 *  numbers before these, get the new sub-buffers and are "taken". When @top + 1
 *  is claimed in the old table, it takes the place of a new sub-buffer in the
 *  new table, which goes to where the number is that was overwritten by it.
 *
 *  Fewer slots: the new ones have the last new->nr numbers. What is older is
 *  given up before: {h, -, sub} becomes {h, taken, sub}, as by a reader who has
 *  the same sub-buffer to hand in. The sub-buffers of these slots are freed.
 *
 * Memory may be short when somebody makes a buffer smaller: so each table has a spare, which
 * takes its place when there is none for a new one, and has it as its spare then.
 */
#include <kunit/visibility.h>
#include <linux/cpu.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "internal.h"
#include "size.h"

/* Who writes faster than we can follow is interrupted for as long as it takes. */
#define RB_TRIES_MAX	100

/* Place of number @n, which may be up to nr - 1 below 0: one that never was. */
static u64 *rb_plan_slot(struct rb_table *table, u64 n)
{
	return &table->slot[(n + table->nr) % table->nr];
}

/* How many numbers have a place in both tables. */
static u32 rb_plan_both(struct rb_table *old, struct rb_table *new)
{
	return min(old->nr, new->nr);
}

/* Follow the old table to where @top was claimed last and @next is to be read. */
static void rb_plan_follow(struct rb_plan *plan, u64 top, u64 next)
{
	struct rb_table *old = plan->ring->table, *new = plan->table;
	u64 n, *to;

	for (n = plan->top + 1; (s64)(top - n) >= 0; n++) {
		to = rb_plan_slot(new, n);
		if (new->nr > old->nr)
			*rb_plan_slot(new, n - old->nr) =
				rb_slot(n - old->nr, *to & RB_SLOT_INDEX, RB_SLOT_TAKEN);
		*to = READ_ONCE(*rb_plan_slot(old, n));
	}
	/* Readers left their spares in the slots of what they took. */
	n = rb_seq_later(plan->next, top + 1 - rb_plan_both(old, new));
	for (; (s64)(next - n) > 0; n++)
		*rb_plan_slot(new, n) = READ_ONCE(*rb_plan_slot(old, n));

	plan->top = top;
	plan->next = next;
}

/* How far the ring is, for rb_plan_follow() without the lock. */
static void rb_plan_look(struct rb_plan *plan, u64 *top, u64 *next)
{
	struct rb_ring *ring = plan->ring;
	struct rb_hold hold;

	rb_ring_lock(ring, &hold);
	/* W2/R2: the slots up to this are claimed. What is later follows later. */
	*top = smp_load_acquire(&ring->commit_seq);
	*next = ring->next;
	rb_reader_unlock(&hold);
}

/* Fill the new table in. A slot that changes meanwhile is one to follow later. */
static void rb_plan_fill(struct rb_plan *plan)
{
	struct rb_table *old = plan->ring->table, *new = plan->table;
	u64 n;
	u32 i;

	rb_plan_look(plan, &plan->top, &plan->next);
	for (i = 0; i < rb_plan_both(old, new); i++) {
		n = plan->top - i;
		*rb_plan_slot(new, n) = READ_ONCE(*rb_plan_slot(old, n));
		if (i % 1024 == 0)
			cond_resched();
	}
	for (i = 0; i < plan->nr_extra; i++) {
		n = plan->top + 1 + i;
		*rb_plan_slot(new, n) = rb_slot(n - new->nr, plan->extra[i]->index, RB_SLOT_TAKEN);
		if (i % 1024 == 0)
			cond_resched();
	}
}

/*
 * Give up what has a number up to @last, at most @max sub-buffers of it. The
 * writer is past them, and the caller has the lock. True if all are gone.
 */
static bool rb_plan_give_up(struct rb_ring *ring, u64 last, u32 max)
{
	struct rb_table *table = ring->table;
	u64 next = rb_seq_later(ring->next, last + 1 - table->nr);

	for (; (s64)(last - next) >= 0; next++) {
		u64 *at = rb_plan_slot(table, next), slot = READ_ONCE(*at);
		struct rb_sub *sub = table->sub[slot & RB_SLOT_INDEX];
		unsigned int bytes;
		u32 entries;

		/* Overwritten already, and counted? */
		if (!rb_slot_is(slot, next) || slot & RB_SLOT_TAKEN)
			continue;
		if (!max--)
			break;
		entries = rb_sub_entries(sub);
		bytes = rb_tail_bytes(READ_ONCE(sub->tail));
		/* Who makes the exchange counts, as in rb_claim(). */
		if (try_cmpxchg(at, &slot, slot | RB_SLOT_TAKEN)) {
			atomic_long_add(entries, &ring->overrun);
			atomic_long_add(bytes, &ring->lost_bytes);
		}
	}
	WRITE_ONCE(ring->next, rb_seq_later(ring->next, next));

	return (s64)(last - next) < 0;
}

/* With interrupts on: give up what will have no place, and follow. */
VISIBLE_IF_KUNIT void rb_plan_prepare(struct rb_plan *plan)
{
	struct rb_ring *ring = plan->ring;
	struct rb_hold hold;
	bool done = false;
	u64 top, next;

	if (!plan->try)
		rb_plan_fill(plan);
	while (!done && plan->table->nr < ring->nr) {
		rb_ring_lock(ring, &hold);
		/* W2/R2: what is before this is final. */
		top = smp_load_acquire(&ring->commit_seq);
		done = rb_plan_give_up(ring, top - plan->table->nr, RB_BATCH);
		rb_reader_unlock(&hold);
		cond_resched();
	}
	rb_plan_look(plan, &top, &next);
	rb_plan_follow(plan, top, next);
}

/*
 * Let a ring have its new table. Runs on its CPU, or its CPU is offline. False
 * if too much has changed since rb_plan_prepare().
 */
VISIBLE_IF_KUNIT bool rb_plan_apply(struct rb_plan *plan)
{
	struct rb_ring *ring = plan->ring;
	struct rb_table *new = plan->table, *old = ring->table;
	u32 max = plan->try < RB_TRIES_MAX ? RB_BATCH : U32_MAX;
	u64 top, bottom, next;
	struct rb_hold hold;
	bool done;

	rb_ring_lock(ring, &hold);
	/* From here on an NMI does not change ring->cur. */
	WRITE_ONCE(ring->frozen, true);
	barrier();

	top = ring->cur->seq;
	/* Claimed by a writer who then had room, after all? */
	if (rb_slot_is(*rb_plan_slot(old, top + 1), top + 1))
		top++;
	bottom = top + 1 - rb_plan_both(old, new);

	done = top - plan->top <= max;
	/* Nobody's writer is unfinished: all before ring->cur is final. */
	if (done && new->nr < old->nr)
		done = rb_plan_give_up(ring, top - new->nr, max);
	/* Numbers below are not there any more, and their places are others'. */
	next = rb_seq_later(ring->next, bottom);
	if (done)
		done = (s64)(next - rb_seq_later(plan->next, bottom)) <= (s64)max;
	if (done) {
		WRITE_ONCE(ring->next, next);
		rb_plan_follow(plan, top, next);
		plan->old = old;
		ring->table = new;
		WRITE_ONCE(ring->nr, new->nr);
	}
	barrier();
	WRITE_ONCE(ring->frozen, false);
	rb_reader_unlock(&hold);

	return done;
}

VISIBLE_IF_KUNIT int rb_plan_make(struct rb_plan *plan, struct rb_ring *ring, u32 nr,
				  unsigned int order)
{
	struct rb_table *old = ring->table;
	u32 i, k, used;
	int ret;

	if (ring->nr == nr)
		return 0;
	/* who has it mapped counts on each sub-buffer */
	if (ring->map)
		return -EBUSY;

	/* even the table of a size that there is no memory for is large */
	if (nr > ring->nr && (u64)(nr - ring->nr) << order > si_mem_available())
		return -ENOMEM;

	/* Those that stay keep their places; behind the last one there may have been many more. */
	used = old->nr_sub;
	while (!old->sub[used - 1])
		used--;
	plan->table = rb_table_alloc(ring->cpu, nr, max(used, nr + 1));
	if (!plan->table && nr < ring->nr) {
		plan->table = rb_table_take_spare(old, nr);
		plan->took_spare = true;
	}
	if (!plan->table)
		return -ENOMEM;
	memcpy(plan->table->sub, old->sub,
	       min(old->nr_sub, plan->table->nr_sub) * sizeof(*old->sub));

	if (nr > ring->nr) {
		plan->extra = kvcalloc(nr - ring->nr, sizeof(*plan->extra), RB_GFP_LARGE);
		if (!plan->extra)
			return -ENOMEM;
		ret = rb_subs_alloc(plan->extra, nr - ring->nr, ring->cpu, order);
		if (ret)
			return ret;
		plan->nr_extra = nr - ring->nr;
		/* There are as many places free: for one more than there are slots. */
		for (i = 0, k = 0; i < plan->nr_extra; i++) {
			while (plan->table->sub[k])
				k++;
			plan->table->sub[k] = plan->extra[i];
			plan->extra[i]->index = k;
		}
	}
	plan->ring = ring;
	return 0;
}

/*
 * Free those sub-buffers that go, and take them out of the new table: the slots that have no place
 * in it name them.
 */
static void rb_plan_free_gone(struct rb_plan *plan, unsigned int order)
{
	struct rb_table *old = plan->old, *new = plan->table;
	u64 *at = rb_plan_slot(old, plan->top - new->nr);
	struct rb_sub **sub, *gone[RB_BULK];
	u32 left, n;

	for (left = old->nr - min(old->nr, new->nr); left; left -= n) {
		for (n = 0; n < min(left, RB_BULK); n++) {
			sub = &new->sub[*at & RB_SLOT_INDEX];
			gone[n] = *sub;
			*sub = NULL;
			at = at == old->slot ? at + old->nr - 1 : at - 1;
		}
		rb_subs_free_bulk(gone, n, order);
		cond_resched();
	}
}

/* Free what a plan does not need (any more), or all of it if it failed. */
VISIBLE_IF_KUNIT void rb_plan_free_all(struct rb_plan *plan, unsigned int order)
{
	struct rb_table *old = plan->old;

	if (old) {
		rb_plan_free_gone(plan, order);
		if (plan->took_spare) {
			old->spare = NULL;
			plan->table->spare = old;
		} else {
			rb_table_free(old);
		}
	} else {
		rb_subs_free(plan->extra, plan->nr_extra, order);
		if (!plan->took_spare)
			rb_table_free(plan->table);
	}
	kvfree(plan->extra);
}

static void rb_plan_work(struct work_struct *work)
{
	rb_plan_apply(container_of(work, struct rb_plan, work));
}

/* A turn at it, on its CPU: of another one it is asked here. */
static void rb_plan_begin(struct rb_plan *plan)
{
	int cpu = plan->ring->cpu;

	rb_plan_prepare(plan);
	guard(preempt)();
	plan->asked = cpu != smp_processor_id() && cpu_online(cpu);
	if (plan->asked) {
		INIT_WORK(&plan->work, rb_plan_work);
		schedule_work_on(cpu, &plan->work);
	} else {
		rb_plan_apply(plan);
	}
}

/* That turn is over. False if there has to be another one. */
static bool rb_plan_end(struct rb_plan *plan)
{
	/* early in boot nobody could be asked, or waited for */
	if (plan->asked)
		flush_work(&plan->work);
	plan->try++;
	if (!plan->old)
		return false;
	/* W6/R6: there may be enough of it now for who waits for a percentage. */
	smp_mb();
	rb_wake_changed(plan->ring->home);
	return true;
}

/* All at a time: a busy CPU takes its time until it comes to that. */
static void rb_plans_run(struct list_head *plans)
{
	struct rb_plan *plan, *next;

	while (!list_empty(plans)) {
		list_for_each_entry(plan, plans, list)
			rb_plan_begin(plan);
		list_for_each_entry_safe(plan, next, plans, list)
			if (rb_plan_end(plan))
				list_del(&plan->list);
	}
}

/* No CPU comes up, nobody else gives a ring another shape, and rings stay where they are. */
static void rb_shape_lock(struct trace_buffer *buffer)
{
	cpus_read_lock();
	mutex_lock(&buffer->mutex);
	rb_swap_forbid(buffer);
}

static void rb_shape_unlock(struct trace_buffer *buffer)
{
	rb_swap_allow(buffer);
	mutex_unlock(&buffer->mutex);
	cpus_read_unlock();
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
 * It takes memory only where a ring gets larger.
 *
 * Context: task, may sleep.
 * Return: 0; or -ENOMEM, -EINTR (killed), or -EBUSY if a ring that would change is mapped, and
 * nothing has changed.
 */
int ring_buffer_resize(struct trace_buffer *buffer, unsigned long size, int cpu)
{
	struct rb_ring *ring;
	LIST_HEAD(plans);
	int i, ret = 0;
	u32 nr;

	if (!buffer)
		return 0;

	rb_shape_lock(buffer);

	ret = rb_nr_subs(size, buffer->subbuf_size, &nr);
	for_each_cpu(i, buffer->cpumask) {
		ring = rb_ring_of(buffer, i);
		ring->plan = (struct rb_plan){ };
		if (!ret && (cpu == RING_BUFFER_ALL_CPUS || cpu == i))
			ret = rb_plan_make(&ring->plan, ring, nr, buffer->order);
		if (ring->plan.ring)
			list_add_tail(&ring->plan.list, &plans);
	}
	if (!ret)
		rb_plans_run(&plans);
	for_each_cpu(i, buffer->cpumask) {
		ring = rb_ring_of(buffer, i);
		if (!ret && (cpu == RING_BUFFER_ALL_CPUS || cpu == i))
			ring->asked = 0;
		rb_plan_free_all(&ring->plan, buffer->order);
	}

	rb_shape_unlock(buffer);
	return ret;
}
EXPORT_SYMBOL_GPL(ring_buffer_resize);

/**
 * ring_buffer_is_held - has somebody iterators, or is a ring mapped?
 * @buffer: the buffer
 *
 * Context: any. Others may come or go at once.
 * Return: whether ring_buffer_subbuf_order_set() would say -EBUSY now.
 */
bool ring_buffer_is_held(struct trace_buffer *buffer)
{
	struct rb_cpu *p;
	int cpu;

	for_each_cpu(cpu, buffer->cpumask) {
		p = rb_cpu_of(buffer, cpu);
		if (atomic_read(&p->iters) || READ_ONCE(p->mapped))
			return true;
	}
	return false;
}

/**
 * ring_buffer_subbuf_order_set - change the size of the sub-buffers
 * @buffer: the buffer
 * @order: a sub-buffer has PAGE_SIZE << @order bytes, header included
 *
 * The size of the buffer stays the same but for being rounded up to sub-buffers, which is undone
 * when they are smaller again. What was recorded is lost.
 *
 * Context: task, may sleep.
 * Return: 0; or -EINVAL for an order that cannot be, -EBUSY if there are
 * iterators or a ring is mapped, -ENOMEM, -EINTR (killed), and nothing has changed.
 */
int ring_buffer_subbuf_order_set(struct trace_buffer *buffer, int order)
{
	unsigned int size, old_order;
	struct rb_table **tables;
	struct rb_ring *ring;
	struct rb_hold hold;
	int cpu, ret = 0;
	u32 nr;

	if (order < 0 || order > ilog2(RB_SUBBUF_MAX / PAGE_SIZE))
		return -EINVAL;
	size = (PAGE_SIZE << order) - RB_PAGE_HEADER;

	tables = kcalloc(nr_cpu_ids, sizeof(*tables), GFP_KERNEL);
	if (!tables)
		return -ENOMEM;

	/* No CPU may come up with the old size. */
	rb_shape_lock(buffer);
	if (order == buffer->order)
		goto unlock;
	if (ring_buffer_is_held(buffer)) {
		ret = -EBUSY;
		goto unlock;
	}

	for_each_cpu(cpu, buffer->cpumask) {
		ring = rb_ring_of(buffer, cpu);
		/* also if this fails: it says what is so */
		ring->asked = ring->asked ?: (unsigned long)ring->nr * buffer->subbuf_size;
		ret = rb_nr_subs(ring->asked, size, &nr);
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
		rb_ring_lock(ring, &hold);
		old = ring->table;
		ring->limit = size;
		rb_ring_start(ring, tables[cpu]);
		rb_reader_unlock(&hold);
		tables[cpu] = old;
	}
	/* Waits, also for those who look at a sub-buffer without a look at the stop. */
	rb_start_cpus(buffer, buffer->cpumask);
	order = old_order;

free:
	for_each_cpu(cpu, buffer->cpumask)
		rb_table_empty(tables[cpu], order);
unlock:
	rb_shape_unlock(buffer);
	kfree(tables);
	return ret;
}
EXPORT_SYMBOL_GPL(ring_buffer_subbuf_order_set);

/**
 * ring_buffer_subbuf_order_get - order of the pages of a sub-buffer
 * @buffer: the buffer
 *
 * Context: any.
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
 * Context: any.
 * Return: bytes, header included.
 */
int ring_buffer_subbuf_size_get(struct trace_buffer *buffer)
{
	return READ_ONCE(buffer->subbuf_size) + RB_PAGE_HEADER;
}
EXPORT_SYMBOL_GPL(ring_buffer_subbuf_size_get);
