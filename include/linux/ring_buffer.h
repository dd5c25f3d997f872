/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-CPU ring buffers for trace records.
 *
 * A buffer knows bytes and time, nothing about events. Writers may be in any
 * context, NMI included, and only ever write to the CPU they run on. Readers
 * may be on any CPU. Documentation/trace/ring-buffer-design.rst says how it
 * works; the kernel-doc of each function stands where it is defined.
 */
#ifndef _LINUX_RING_BUFFER_H
#define _LINUX_RING_BUFFER_H

#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/poll.h>

#include <uapi/linux/trace_mmap.h>

struct trace_buffer;
struct ring_buffer_iter;
struct buffer_data_read_page;
struct trace_seq;

/*
 * The head of every record, part of the ABI of a sub-buffer. time_delta is
 * the time since the record before. Use the functions below to get at what is
 * behind it.
 */
struct ring_buffer_event {
	u32		type_len:5, time_delta:27;

	u32		array[];
};

/**
 * enum ring_buffer_type - what a record's type_len says
 *
 * @RINGBUF_TYPE_DATA_TYPE_LEN_MAX: up to here a data record. 0: array[0] is
 *	the number of bytes that follow the head, array[0] itself included,
 *	and the data begins at array[1]. Else the data begins at array[0] and
 *	is type_len * 4 bytes long.
 * @RINGBUF_TYPE_PADDING: a discarded record. array[0] is the number of bytes
 *	that follow the head. With a time_delta of 0 nothing else follows in
 *	the sub-buffer.
 * @RINGBUF_TYPE_TIME_EXTEND: time_delta holds the low 27 bits and array[0]
 *	the rest of a time that adds to the delta of the next record.
 * @RINGBUF_TYPE_TIME_STAMP: the same, but the time is absolute (59 bits).
 */
enum ring_buffer_type {
	RINGBUF_TYPE_DATA_TYPE_LEN_MAX = 28,
	RINGBUF_TYPE_PADDING,
	RINGBUF_TYPE_TIME_EXTEND,
	RINGBUF_TYPE_TIME_STAMP,
};

enum ring_buffer_flags {
	RB_FL_OVERWRITE		= 1 << 0,
};

#define RING_BUFFER_ALL_CPUS	-1

typedef bool (*ring_buffer_cond_fn)(void *data);

/* A buffer and its life */
struct trace_buffer *
__ring_buffer_alloc(unsigned long size, unsigned int flags, struct lock_class_key *key);
void ring_buffer_free(struct trace_buffer *buffer);

/*
 * Users of ring buffers may trace each other. A lock class for each place
 * that allocates keeps lockdep from taking that for recursion.
 */
#define ring_buffer_alloc(size, flags)				\
({								\
	static struct lock_class_key __rb_key;			\
								\
	__ring_buffer_alloc((size), (flags), &__rb_key);	\
})

int ring_buffer_resize(struct trace_buffer *buffer, unsigned long size, int cpu);
int ring_buffer_subbuf_order_get(struct trace_buffer *buffer);
int ring_buffer_subbuf_order_set(struct trace_buffer *buffer, int order);
int ring_buffer_subbuf_size_get(struct trace_buffer *buffer);
void ring_buffer_change_overwrite(struct trace_buffer *buffer, int val);
void ring_buffer_reset_cpu(struct trace_buffer *buffer, int cpu);
void ring_buffer_reset_online_cpus(struct trace_buffer *buffer);
void ring_buffer_reset(struct trace_buffer *buffer);

#ifdef CONFIG_RING_BUFFER_ALLOW_SWAP
int ring_buffer_swap(struct trace_buffer *buffer_a, struct trace_buffer *buffer_b);
int ring_buffer_swap_cpu(struct trace_buffer *buffer_a,
			 struct trace_buffer *buffer_b, int cpu);
#else
static inline int ring_buffer_swap(struct trace_buffer *buffer_a,
				   struct trace_buffer *buffer_b)
{
	return -ENODEV;
}

static inline int ring_buffer_swap_cpu(struct trace_buffer *buffer_a,
				       struct trace_buffer *buffer_b, int cpu)
{
	return -ENODEV;
}
#endif

#ifdef CONFIG_RING_BUFFER
int trace_rb_cpu_prepare(unsigned int cpu, struct hlist_node *node);
#else
#define trace_rb_cpu_prepare	NULL
#endif

/**
 * struct ring_buffer_slot - a record between reserve and commit
 * @ring:	the ring that it is in; a swap may have put another one in its place
 * @sub:	its sub-buffer
 * @tail:	where the record ends, and its time
 * @data:	where its data goes
 * @event:	the record
 *
 * All but @data and @event is the ring buffer's own. On the writer's stack; what is reserved in
 * one ring is committed there, whatever happens to the buffer meanwhile.
 */
struct ring_buffer_slot {
	struct rb_ring			*ring;
	struct rb_sub			*sub;
	u64				tail;
	void				*data;
	struct ring_buffer_event	*event;
};

/* Writing; with a slot, preemption is off from before the reserve until the commit. */
bool ring_buffer_slot_reserve(struct trace_buffer *buffer, unsigned long length,
			      struct ring_buffer_slot *slot);
void ring_buffer_slot_commit(const struct ring_buffer_slot *slot);
void ring_buffer_slot_discard(const struct ring_buffer_slot *slot);
u64 ring_buffer_slot_time(const struct ring_buffer_slot *slot);

struct ring_buffer_event *
ring_buffer_lock_reserve(struct trace_buffer *buffer, unsigned long length);
int ring_buffer_unlock_commit(struct trace_buffer *buffer);
void ring_buffer_discard_commit(struct trace_buffer *buffer,
				struct ring_buffer_event *event);
int ring_buffer_write(struct trace_buffer *buffer, unsigned long length, void *data);
void ring_buffer_nest_start(struct trace_buffer *buffer);
void ring_buffer_nest_end(struct trace_buffer *buffer);

/* Records */
unsigned int ring_buffer_event_length(struct ring_buffer_event *event);
void *ring_buffer_event_data(struct ring_buffer_event *event);
u64 ring_buffer_event_time_stamp(struct trace_buffer *buffer,
				 struct ring_buffer_event *event);
unsigned long ring_buffer_max_event_size(struct trace_buffer *buffer);

/**
 * ring_buffer_reserved_data - data of a record that was just reserved
 * @event: what ring_buffer_lock_reserve() or ring_buffer_peek() returned
 *
 * The same as ring_buffer_event_data() without the call.
 *
 * Context: Any.
 * Return: where the data begins.
 */
static __always_inline void *ring_buffer_reserved_data(struct ring_buffer_event *event)
{
	if (unlikely(event->type_len >= RINGBUF_TYPE_TIME_EXTEND))
		event = (void *)&event->array[1];
	return event->type_len ? &event->array[0] : &event->array[1];
}

/* On and off */
void ring_buffer_record_disable(struct trace_buffer *buffer);
void ring_buffer_record_enable(struct trace_buffer *buffer);
void ring_buffer_record_off(struct trace_buffer *buffer);
void ring_buffer_record_on(struct trace_buffer *buffer);
bool ring_buffer_record_is_on(struct trace_buffer *buffer);
bool ring_buffer_record_is_set_on(struct trace_buffer *buffer);
void ring_buffer_record_disable_cpu(struct trace_buffer *buffer, int cpu);
void ring_buffer_record_enable_cpu(struct trace_buffer *buffer, int cpu);

/* Reading one record at a time, and taking it out */
struct ring_buffer_event *
ring_buffer_peek(struct trace_buffer *buffer, int cpu, u64 *ts,
		 unsigned long *lost_events);
struct ring_buffer_event *
ring_buffer_consume(struct trace_buffer *buffer, int cpu, u64 *ts,
		    unsigned long *lost_events);
bool ring_buffer_peek_time(struct trace_buffer *buffer, int cpu, u64 *ts,
			   unsigned long *lost_events);
int ring_buffer_peek_copy(struct trace_buffer *buffer, int cpu, struct ring_buffer_event *to,
			  size_t room, u64 *ts);
int ring_buffer_consume_copy(struct trace_buffer *buffer, int cpu,
			     struct ring_buffer_event *to, size_t room, u64 *ts,
			     unsigned long *lost_events);
bool ring_buffer_empty(struct trace_buffer *buffer);
bool ring_buffer_empty_cpu(struct trace_buffer *buffer, int cpu);

/* Reading without taking out */
struct ring_buffer_iter *
ring_buffer_read_start(struct trace_buffer *buffer, int cpu, gfp_t flags);
void ring_buffer_read_finish(struct ring_buffer_iter *iter);
struct ring_buffer_event *
ring_buffer_iter_peek(struct ring_buffer_iter *iter, u64 *ts);
void ring_buffer_iter_advance(struct ring_buffer_iter *iter);
void ring_buffer_iter_reset(struct ring_buffer_iter *iter);
int ring_buffer_iter_empty(struct ring_buffer_iter *iter);
bool ring_buffer_iter_dropped(struct ring_buffer_iter *iter);

/* Taking out whole sub-buffers */
int ring_buffer_alloc_read_page(struct trace_buffer *buffer, int cpu,
				struct buffer_data_read_page **rpage);
void ring_buffer_free_read_page(struct trace_buffer *buffer, int cpu,
				struct buffer_data_read_page *page);
int ring_buffer_read_page(struct trace_buffer *buffer,
			  struct buffer_data_read_page *data_page,
			  size_t len, int cpu, int full);
void *ring_buffer_read_page_data(struct buffer_data_read_page *page);
unsigned int ring_buffer_read_page_size(struct buffer_data_read_page *rpage);

/* The ring in the memory of who reads it */
int ring_buffer_map(struct trace_buffer *buffer, int cpu, struct vm_area_struct *vma);
void ring_buffer_map_dup(struct trace_buffer *buffer, int cpu);
int ring_buffer_unmap(struct trace_buffer *buffer, int cpu);
int ring_buffer_map_get_reader(struct trace_buffer *buffer, int cpu);

/* Waiting for something to read */
int ring_buffer_wait(struct trace_buffer *buffer, int cpu, int full,
		     ring_buffer_cond_fn cond, void *data);
__poll_t ring_buffer_poll_wait(struct trace_buffer *buffer, int cpu,
			       struct file *filp, poll_table *poll_table, int full);
void ring_buffer_wake_waiters(struct trace_buffer *buffer, int cpu);

/* Numbers */
unsigned long ring_buffer_size(struct trace_buffer *buffer, int cpu);
u64 ring_buffer_oldest_event_ts(struct trace_buffer *buffer, int cpu);
unsigned long ring_buffer_bytes_cpu(struct trace_buffer *buffer, int cpu);
unsigned long ring_buffer_entries(struct trace_buffer *buffer);
unsigned long ring_buffer_overruns(struct trace_buffer *buffer);
unsigned long ring_buffer_entries_cpu(struct trace_buffer *buffer, int cpu);
unsigned long ring_buffer_overrun_cpu(struct trace_buffer *buffer, int cpu);
unsigned long ring_buffer_commit_overrun_cpu(struct trace_buffer *buffer, int cpu);
unsigned long ring_buffer_dropped_events_cpu(struct trace_buffer *buffer, int cpu);
unsigned long ring_buffer_read_events_cpu(struct trace_buffer *buffer, int cpu);
size_t ring_buffer_nr_dirty_pages(struct trace_buffer *buffer, int cpu);

/* Time */
u64 ring_buffer_time_stamp(struct trace_buffer *buffer);
void ring_buffer_normalize_time_stamp(struct trace_buffer *buffer, int cpu, u64 *ts);
void ring_buffer_set_clock(struct trace_buffer *buffer, u64 (*clock)(void));
void ring_buffer_set_time_stamp_abs(struct trace_buffer *buffer, bool abs);
bool ring_buffer_time_stamp_abs(struct trace_buffer *buffer);

/* The format, as events/header_event and events/header_page show it */
int ring_buffer_print_entry_header(struct trace_seq *s);
int ring_buffer_print_page_header(struct trace_buffer *buffer, struct trace_seq *s);

#endif /* _LINUX_RING_BUFFER_H */
