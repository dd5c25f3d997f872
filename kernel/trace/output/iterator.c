// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entries of all CPUs in the order of their times.
 *
 * A reader keeps the next entry of each CPU and a heap of their times. Taking
 * one means: step over it in its own buffer, look at what follows there. A CPU that
 * had nothing is asked again only when the entry to be shown is younger than
 * the last time it was asked, because what it may have written since is
 * younger as well; so a stopped buffer is never polled, and a running one
 * still comes out in order. Where the clock is none that may be asked, each such CPU is
 * looked at for each entry.
 *
 * Two ways to read. `trace` walks ring buffer iterators and consumes nothing;
 * the entry a caller holds lives in the iterator of its CPU and stays there
 * until that iterator moves, so moving is put off to the next call. trace_pipe
 * and ftrace_dump() look at the times only and take the oldest entry out, into
 * memory of their own.
 *
 * Nothing here points into a buffer, and every look at one is complete under
 * the lock of its ring. So there is no lock between readers, or between them and
 * those who resize or empty the buffer: what was seen may be gone when it is
 * asked for, and then what is there instead is taken, or nothing.
 */
#include <linux/cpumask.h>
#include <linux/slab.h>

#include "../ring_buffer/read.h"
#include "internal.h"

/* Look at the next entry of @cpu. Return: its time in @ts and true, or false. */
static bool reader_look(struct trace_reader *r, int cpu, u64 *ts)
{
	struct trace_reader_cpu *rc = &r->cpu[cpu];
	struct trace_iterator *iter = &r->iter;
	struct ring_buffer_event *event;
	struct ring_buffer_iter *it;

	if (!iter->buffer_iter) {
		rc->any = ring_buffer_peek_time(iter->array_buffer->buffer, cpu, ts, NULL);
		return rc->any;
	}
	it = iter->buffer_iter[cpu];
	event = it ? ring_buffer_iter_peek(it, ts) : NULL;
	rc->any = event;
	if (!event)
		return false;
	/* writers overtook the iterator; how many it missed nobody knows */
	rc->lost = ring_buffer_iter_dropped(it) ? ULONG_MAX : 0;
	rc->ent = ring_buffer_event_data(event);
	rc->size = ring_buffer_event_length(event);
	return true;
}

/* Ask the CPUs that have no entry in the heap. */
static void reader_poll(struct trace_reader *r)
{
	struct trace_iterator *iter = &r->iter;
	u64 ts;
	int cpu;

	/* The clock `counter` counts who asks: its numbers are for what is recorded. */
	r->looked = trace_clock_in_ns(iter->tr) ?
		    ring_buffer_time_stamp(iter->array_buffer->buffer) : 0;
	if (iter->cpu_file != RING_BUFFER_ALL_CPUS) {
		cpu = iter->cpu_file;
		if (!r->cpu[cpu].any && reader_look(r, cpu, &ts))
			trace_merge_add(&r->merge, ts, cpu);
		return;
	}
	for_each_possible_cpu(cpu) {
		if (!r->cpu[cpu].any && reader_look(r, cpu, &ts))
			trace_merge_add(&r->merge, ts, cpu);
	}
}

/* The first of the heap was stepped over: go on with what follows it. */
static void reader_refresh_first(struct trace_reader *r)
{
	u64 ts;

	if (reader_look(r, r->merge.head[0].cpu, &ts))
		trace_merge_replace_first(&r->merge, ts);
	else
		trace_merge_drop_first(&r->merge);
}

static void reader_step(struct trace_reader *r)
{
	int cpu = r->taken;

	if (cpu < 0)
		return;
	r->taken = -1;
	ring_buffer_iter_advance(r->iter.buffer_iter[cpu]);
	reader_refresh_first(r);
}

/* The oldest entry there is. Return: its place in the heap or NULL. */
static const struct trace_merge_head *reader_first(struct trace_reader *r)
{
	const struct trace_merge_head *first;

	if (unlikely(!r->filled)) {
		int cpu;

		trace_merge_clear(&r->merge);
		for_each_possible_cpu(cpu)
			r->cpu[cpu].any = false;
		r->taken = -1;
		r->filled = true;
		reader_poll(r);
		return trace_merge_first(&r->merge);
	}
	reader_step(r);
	first = trace_merge_first(&r->merge);
	if (!first || first->ts >= r->looked) {
		reader_poll(r);
		first = trace_merge_first(&r->merge);
	}
	return first;
}

/* Memory for an entry of @size bytes that is taken out or kept. Return: is there so much? */
static bool reader_room(struct trace_iterator *iter, size_t size)
{
	void *temp;

	if (size <= iter->temp_size)
		return true;
	if (iter->iter_flags & TRACE_FILE_ATOMIC)
		return false;
	size = round_up(size, 128);
	temp = kvmalloc(size, GFP_KERNEL);
	if (!temp)
		return false;
	kvfree(iter->temp);
	iter->temp = temp;
	iter->temp_size = size;
	return true;
}

/*
 * Take the oldest entry of @cpu, the first of the heap, out, and go on with what follows it there.
 * Return: false when it is not there any more.
 */
static bool reader_take(struct trace_reader *r, int cpu)
{
	struct trace_iterator *iter = &r->iter;
	struct trace_buffer *buffer = iter->array_buffer->buffer;
	unsigned long lost;
	size_t room;
	bool more;
	u64 next;
	int size;

	iter->lost_events = 0;
	for (;;) {
		size = ring_buffer_consume_next(buffer, cpu, iter->temp, iter->temp_size,
						&iter->ts, &lost, &next, &more);
		if (size > 0)
			break;
		if (size != -EMSGSIZE) {
			reader_refresh_first(r);
			return false;
		}
		/* Enough for any, unless an NMI finds it half changed. */
		room = ring_buffer_subbuf_size_get(buffer);
		if (room > iter->temp_size && reader_room(iter, room))
			continue;
		/* There is no memory for it: it is lost like one that was overwritten. */
		if (ring_buffer_consume(buffer, cpu, NULL, &lost))
			iter->lost_events += lost + 1;
	}
	r->cpu[cpu].any = more;
	if (more)
		trace_merge_replace_first(&r->merge, next);
	else
		trace_merge_drop_first(&r->merge);
	iter->lost_events += lost;
	iter->ent = ring_buffer_event_data(iter->temp);
	iter->ent_size = size;
	return true;
}

/* What a caller sees at the end. */
static void *reader_end(struct trace_iterator *iter)
{
	iter->ent = NULL;
	iter->ent_size = 0;
	iter->lost_events = 0;
	return NULL;
}

/* The same for an iterator that consumes. */
static void *reader_take_first(struct trace_reader *r)
{
	const struct trace_merge_head *first;
	struct trace_iterator *iter = &r->iter;
	bool there;

	do {
		first = reader_first(r);
		if (!first)
			return reader_end(iter);
		iter->cpu = first->cpu;
		there = reader_take(r, iter->cpu);
	} while (!there);
	iter->idx++;
	return iter;
}

/**
 * trace_find_next_entry_inc - go to the next entry
 * @iter:	iterator
 *
 * Fills in @iter's ent, ent_size, cpu, ts, lost_events and idx. The entry is
 * valid until the next call with @iter. Without ring buffer iterators it is
 * taken out of the buffer.
 *
 * Context: any, @iter belongs to the caller.
 * Return: @iter, or NULL when there are no more; ent is NULL then.
 */
void *trace_find_next_entry_inc(struct trace_iterator *iter)
{
	struct trace_reader *r = to_reader(iter);
	const struct trace_merge_head *first;
	struct trace_reader_cpu *rc;

	if (!iter->buffer_iter)
		return reader_take_first(r);
	first = reader_first(r);
	if (!first || (unlikely(iter->idx + 1 >= r->limit) &&
		       ring_buffer_record_is_on(iter->array_buffer->buffer)))
		return reader_end(iter);
	rc = &r->cpu[first->cpu];
	iter->ent = rc->ent;
	iter->ent_size = rc->size;
	iter->lost_events = rc->lost;
	iter->cpu = first->cpu;
	iter->ts = first->ts;
	iter->idx++;
	r->taken = first->cpu;
	return iter;
}

/* The current entry moves to memory of the reader, since its iterator will go on. */
static bool reader_keep_entry(struct trace_iterator *iter)
{
	if (to_reader(iter)->taken < 0)
		return true;
	if (!reader_room(iter, iter->ent_size))
		return false;
	memcpy(iter->temp, iter->ent, iter->ent_size);
	iter->ent = iter->temp;
	return true;
}

/**
 * trace_find_next_time - when was the entry after the current one made?
 * @iter:	iterator
 * @ent_ts:	set to its time
 *
 * @iter stays where it is; its current entry may move to other memory.
 *
 * Context: as trace_find_next_entry_inc().
 * Return: false when there is no such entry, or memory is short.
 */
bool trace_find_next_time(struct trace_iterator *iter, u64 *ent_ts)
{
	const struct trace_merge_head *first;

	if (iter->ent && !reader_keep_entry(iter))
		return false;
	first = reader_first(to_reader(iter));
	if (!first)
		return false;
	*ent_ts = first->ts;
	return true;
}

/**
 * trace_find_next_on_cpu - look at the entry that follows the current one on its CPU
 * @iter:	iterator
 * @ent_ts:	set to its time
 *
 * The current entry may move to other memory. Where @iter consumes, the one that is
 * seen here may be gone when its turn comes.
 *
 * Context: as trace_find_next_entry_inc().
 * Return: the entry, or NULL when there is none, or none of the size of a function's call
 * or return.
 */
struct trace_entry *trace_find_next_on_cpu(struct trace_iterator *iter, u64 *ent_ts)
{
	struct trace_reader *r = to_reader(iter);
	unsigned int i;

	if (!iter->ent)
		return NULL;
	if (!iter->buffer_iter) {
		struct ring_buffer_event *next = (void *)r->next;

		if (ring_buffer_peek_copy(iter->array_buffer->buffer, iter->cpu, next,
					  sizeof(r->next), ent_ts) <= 0)
			return NULL;
		return ring_buffer_event_data(next);
	}
	if (!reader_keep_entry(iter))
		return NULL;
	reader_step(r);
	for (i = 0; i < r->merge.nr; i++) {
		if (r->merge.head[i].cpu == iter->cpu) {
			*ent_ts = r->merge.head[i].ts;
			return r->cpu[iter->cpu].ent;
		}
	}
	return NULL;
}

/* What was looked at may be gone: begin anew at the next call. */
void trace_iter_forget(struct trace_iterator *iter)
{
	to_reader(iter)->filled = false;
}

/**
 * tracing_iter_reset - move the iterator of one CPU to its oldest entry
 * @iter:	iterator
 * @cpu:	CPU
 *
 * Entries from before the instance's time_start are stepped over and counted. When the clock was
 * put back since then, to before it, nothing is known of what is older.
 *
 * Context: task, or as trace_dump_begin().
 */
static void tracing_iter_reset(struct trace_iterator *iter, int cpu)
{
	struct array_buffer *buf = iter->array_buffer;
	struct ring_buffer_iter *it = iter->buffer_iter ? iter->buffer_iter[cpu] : NULL;
	unsigned long skipped = 0;
	u64 ts, start;

	trace_iter_forget(iter);
	if (!it)
		return;
	ring_buffer_iter_reset(it);
	start = buf->time_start;
	if (trace_clock_in_ns(iter->tr) && ring_buffer_time_stamp(buf->buffer) < start)
		start = 0;
	/* writers may run; never go round the buffer for the sake of old entries */
	while (start && ring_buffer_iter_peek(it, &ts) && ts < start) {
		skipped++;
		ring_buffer_iter_advance(it);
		if (!(skipped & 1023) && !(iter->iter_flags & TRACE_FILE_ATOMIC))
			cond_resched();
	}
	to_reader(iter)->cpu[cpu].skipped = skipped;
}

/* How to allocate for @iter. */
static gfp_t iter_gfp(const struct trace_iterator *iter)
{
	return iter->iter_flags & TRACE_FILE_ATOMIC ? GFP_ATOMIC | __GFP_NOWARN : GFP_KERNEL;
}

/* Ring buffer iterators for the CPUs that @iter reads. */
static void iter_iters_start(struct trace_iterator *iter)
{
	int cpu;

	if (iter->snapshot && !to_reader(iter)->spare)
		return;
	for_each_possible_cpu(cpu) {
		if (iter->cpu_file != RING_BUFFER_ALL_CPUS && iter->cpu_file != cpu)
			continue;
		iter->buffer_iter[cpu] = ring_buffer_read_start(iter->array_buffer->buffer, cpu,
								iter_gfp(iter));
		/* a CPU that never came up has no buffer; it shows nothing */
		if (iter->buffer_iter[cpu])
			tracing_iter_reset(iter, cpu);
	}
}

static void iter_iters_finish(struct trace_iterator *iter)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (iter->buffer_iter[cpu])
			ring_buffer_read_finish(iter->buffer_iter[cpu]);
		iter->buffer_iter[cpu] = NULL;
	}
}

/* Let @iter go on by as many entries as there are in the buffer now. */
void trace_iter_extend(struct trace_iterator *iter)
{
	struct trace_buffer *buffer = iter->array_buffer->buffer;
	long there = iter->cpu_file == RING_BUFFER_ALL_CPUS ? ring_buffer_entries(buffer) :
		     ring_buffer_entries_cpu(buffer, iter->cpu_file);

	to_reader(iter)->limit = iter->idx + 1 + there;
}

/*
 * Have @iter read what is the spare of its instance now: none, and it reads nothing, or maybe
 * another than before. With ring buffer iterators those are to be made anew.
 */
void trace_iter_bind_spare(struct trace_iterator *iter)
{
	struct trace_reader *r = to_reader(iter);
	struct array_buffer *before = r->spare;

	r->spare = trace_spare_get(iter->tr);
	iter->array_buffer = r->spare ?: &iter->tr->array_buffer;
	trace_spare_put(before);
}

/* The spare went, or came: follow. */
static void iter_follow_spare(struct trace_iterator *iter)
{
	/* as long as we hold one no other one has its address */
	if (to_reader(iter)->spare == rcu_access_pointer(iter->tr->spare))
		return;
	iter_iters_finish(iter);
	trace_iter_bind_spare(iter);
	iter_iters_start(iter);
}

/* All CPUs of @iter to their oldest entry, before the first one. */
void trace_iter_rewind(struct trace_iterator *iter)
{
	int cpu;

	if (iter->snapshot)
		iter_follow_spare(iter);
	iter->ent = NULL;
	iter->cpu = 0;
	iter->idx = -1;
	iter->pos = 0;
	/* nor is a line that did not fit the file to come before the head */
	iter->leftover = 0;
	trace_seq_init(&iter->seq);
	to_reader(iter)->at_end = false;
	trace_iter_forget(iter);
	if (iter->trace && iter->trace->rewind)
		iter->trace->rewind(iter);
	if (!iter->buffer_iter)
		return;
	trace_iter_extend(iter);
	for_each_possible_cpu(cpu) {
		if (iter->buffer_iter[cpu])
			tracing_iter_reset(iter, cpu);
	}
}

/**
 * trace_empty - is there nothing to read?
 * @iter:	iterator
 *
 * Context: any. Return: not 0 when no CPU that @iter reads has an entry.
 */
int trace_empty(struct trace_iterator *iter)
{
	struct trace_buffer *buffer = iter->array_buffer->buffer;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (iter->cpu_file != RING_BUFFER_ALL_CPUS && iter->cpu_file != cpu)
			continue;
		if (iter->buffer_iter ?
		    iter->buffer_iter[cpu] && !ring_buffer_iter_empty(iter->buffer_iter[cpu]) :
		    !ring_buffer_empty_cpu(buffer, cpu))
			return 0;
	}
	return 1;
}

/**
 * trace_iter_alloc_raw - make an iterator of which no entry is asked
 * @tr:		instance to read
 * @cpu:	its CPU or RING_BUFFER_ALL_CPUS
 *
 * For who takes pages of one CPU, and opens such a file for each: what all CPUs have is not there.
 *
 * Context: task. Return: an iterator, or NULL.
 */
struct trace_iterator *trace_iter_alloc_raw(struct trace_array *tr, int cpu)
{
	struct trace_reader *r = kzalloc(sizeof(*r), GFP_KERNEL);
	struct trace_iterator *iter;

	if (!r)
		return NULL;
	iter = &r->iter;
	if (!zalloc_cpumask_var(&iter->started, GFP_KERNEL)) {
		kfree(r);
		return NULL;
	}
	r->taken = -1;
	iter->tr = tr;
	iter->trace = tr ? tr->current_trace : NULL;
	iter->array_buffer = tr ? &tr->array_buffer : NULL;
	iter->cpu_file = cpu;
	mutex_init(&iter->mutex);
	trace_seq_init(&iter->seq);
	trace_seq_init(&iter->tmp_seq);
	if (tr && trace_clock_in_ns(tr))
		iter->iter_flags |= TRACE_FILE_TIME_IN_NS;
	return iter;
}

/**
 * trace_iter_alloc - make an iterator
 * @tr:		instance to read
 * @cpu:	its CPU or RING_BUFFER_ALL_CPUS
 *
 * Context: task. Return: an iterator that consumes, see trace_iter_read_start(); or NULL.
 */
struct trace_iterator *trace_iter_alloc(struct trace_array *tr, int cpu)
{
	struct trace_iterator *iter = trace_iter_alloc_raw(tr, cpu);
	struct trace_reader *r;

	if (!iter)
		return NULL;
	r = to_reader(iter);
	r->cpu = kvcalloc(nr_cpu_ids, sizeof(*r->cpu), GFP_KERNEL);
	r->merge.head = kvcalloc(nr_cpu_ids, sizeof(*r->merge.head), GFP_KERNEL);
	if (!r->cpu || !r->merge.head) {
		trace_iter_free(iter);
		return NULL;
	}
	return iter;
}

/**
 * trace_iter_read_start - let an iterator read without consuming
 * @iter:	new iterator
 *
 * Context: task; any but NMI with TRACE_FILE_ATOMIC. Then a CPU for whose iterator there is no
 * memory is left out.
 * Return: 0 or -ENOMEM; @iter is to be freed in either case.
 */
int trace_iter_read_start(struct trace_iterator *iter)
{
	iter->buffer_iter = kcalloc(nr_cpu_ids, sizeof(*iter->buffer_iter), iter_gfp(iter));
	if (!iter->buffer_iter)
		return -ENOMEM;
	if (iter->snapshot)
		trace_iter_bind_spare(iter);
	iter_iters_start(iter);
	return 0;
}

/* Undo trace_iter_read_start(), also where it was not called: @iter consumes again. */
void trace_iter_read_end(struct trace_iterator *iter)
{
	if (!iter->buffer_iter)
		return;
	iter_iters_finish(iter);
	kfree(iter->buffer_iter);
	iter->buffer_iter = NULL;
}

/**
 * trace_iter_free - undo trace_iter_alloc(), or trace_iter_alloc_raw()
 * @iter:	iterator, may be NULL
 *
 * Context: task.
 */
void trace_iter_free(struct trace_iterator *iter)
{
	struct trace_reader *r;

	if (!iter)
		return;
	r = to_reader(iter);
	trace_iter_read_end(iter);
	trace_spare_put(r->spare);
	free_cpumask_var(iter->started);
	mutex_destroy(&iter->mutex);
	kfree(iter->fmt);
	kvfree(iter->temp);
	kvfree(r->merge.head);
	kvfree(r->cpu);
	kfree(r);
}
