// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading whole sub-buffers, for splice and for binary readers.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"

/**
 * struct buffer_data_read_page - a sub-buffer in the hands of a user
 * @order: of its pages
 * @page: what ring_buffer_read_page() fills or replaces
 */
struct buffer_data_read_page {
	unsigned int	order;
	struct rb_page	*page;
};

/**
 * ring_buffer_alloc_read_page - get a page to read to
 * @buffer: the buffer
 * @cpu: the CPU that is to be read
 * @rpage: where to put the page
 *
 * Context: task, may sleep.
 * Return: 0, -ENODEV if @cpu has no ring, or -ENOMEM.
 */
int ring_buffer_alloc_read_page(struct trace_buffer *buffer, int cpu,
				struct buffer_data_read_page **rpage)
{
	struct buffer_data_read_page *new;

	if (!rb_ring_of(buffer, cpu))
		return -ENODEV;

	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;

	new->order = READ_ONCE(buffer->order);
	new->page = rb_page_alloc(cpu, new->order, GFP_KERNEL | __GFP_NORETRY);
	if (!new->page) {
		kfree(new);
		return -ENOMEM;
	}

	*rpage = new;
	return 0;
}
EXPORT_SYMBOL_GPL(ring_buffer_alloc_read_page);

/**
 * ring_buffer_free_read_page - give a page back
 * @buffer: the buffer
 * @cpu: the CPU it was got for
 * @page: the page
 *
 * Somebody else, a pipe for example, may still hold a reference to the memory.
 *
 * Context: task.
 */
void ring_buffer_free_read_page(struct trace_buffer *buffer, int cpu,
				struct buffer_data_read_page *page)
{
	rb_page_free(page->page, page->order);
	kfree(page);
}
EXPORT_SYMBOL_GPL(ring_buffer_free_read_page);

/*
 * As many records of @page, the reader's, as fit into @len bytes are read from here on. Return how
 * many bytes.
 */
unsigned int rb_pass_records(struct rb_ring *ring, struct rb_page *page, unsigned int commit,
			     size_t len)
{
	unsigned int begin = ring->read, end = begin;
	struct ring_buffer_event *event;

	while (end < commit) {
		event = (void *)&page->data[end];
		if (end + rb_record_size(event) - begin > len)
			break;
		end += rb_record_size(event);
		ring->read_ts = rb_record_time(event, ring->read_ts);
		ring->nread += rb_record_is_data(event);
	}
	ring->read = end;
	ring->read_bytes += end - begin;

	return end - begin;
}

/* Copy as many records as fit into @len bytes. Return how many bytes. */
static unsigned int rb_copy_records(struct rb_ring *ring, struct rb_page *to,
				    struct rb_page *from, unsigned int commit, size_t len)
{
	unsigned int begin = ring->read, bytes;

	to->time_stamp = ring->read_ts;
	bytes = rb_pass_records(ring, from, commit, len);
	memcpy(to->data, &from->data[begin], bytes);
	return bytes;
}

/* Let the user have the reader's sub-buffer for the page in @data_page. Return: its memory. */
static struct rb_page *rb_exchange_page(struct rb_ring *ring,
					struct buffer_data_read_page *data_page,
					unsigned int commit)
{
	struct rb_sub *sub = ring->reader;
	struct rb_page *page = sub->page;

	rb_sub_set_page(sub, data_page->page);
	sub->page->commit = 0;
	data_page->page = page;
	ring->nread += rb_sub_entries(sub);
	ring->read_bytes += commit;
	return page;
}

/* Say in the page how many records were lost before it. */
void rb_mark_lost(struct rb_page *page, unsigned int *commit, unsigned int room,
		  unsigned long lost)
{
	page->commit = *commit | RB_MISSED_EVENTS;
	if (*commit + sizeof(lost) > room)
		return;

	page->commit |= RB_MISSED_STORED;
	memcpy(&page->data[*commit], &lost, sizeof(lost));
	*commit += sizeof(lost);
}

/**
 * ring_buffer_read_page - take a sub-buffer, or a part of it, out
 * @buffer: the buffer
 * @data_page: from ring_buffer_alloc_read_page()
 * @len: how many bytes the user has room for, header included
 * @cpu: the CPU to read
 * @full: take nothing unless the writer has left the sub-buffer
 *
 * A sub-buffer that is complete, fits, and of which nothing has been read yet,
 * is exchanged for that of @data_page. Else, or if the ring is mapped, records are copied.
 *
 * Context: task; takes the ring's reader lock. Complete in itself: readers,
 * and changes of the size, resets and swaps, may come at any time.
 * Return: 0 (the offset in the data at which to begin), -ENODEV if @cpu has no
 * ring, -EINVAL if @len has no room for any record, -ESTALE if the size of the
 * sub-buffers changed since @data_page was allocated, or is just changing,
 * -EAGAIN if there is nothing to read.
 */
int ring_buffer_read_page(struct trace_buffer *buffer,
			  struct buffer_data_read_page *data_page,
			  size_t len, int cpu, int full)
{
	struct rb_cpu *p = rb_cpu_at(buffer, cpu);
	struct rb_page *page = data_page->page;
	unsigned int commit, size;
	struct rb_ring *ring;
	struct rb_hold hold;
	struct rb_sub *sub;
	int ret = -EAGAIN;
	bool busy, fits;

	if (!p)
		return -ENODEV;
	if (!page || len <= RB_PAGE_HEADER)
		return -EINVAL;
	len -= RB_PAGE_HEADER;

	ring = rb_reader_lock(p, &hold);

	/* Of this ring, not of the buffer: a change goes from ring to ring. */
	size = ring->limit;
	if (size != (PAGE_SIZE << data_page->order) - RB_PAGE_HEADER) {
		ret = -ESTALE;
		goto unlock;
	}
	if (len > size)
		len = size;

	sub = rb_reader_sub(ring);
	if (!sub)
		goto unlock;

	/* W2/R2: if the writer has left, the commit is the final one. */
	busy = smp_load_acquire(&ring->commit_seq) == ring->reader_seq;
	commit = rb_page_commit(sub->page);
	fits = len >= commit - ring->read;

	if (busy || ring->read || !fits || ring->map) {
		/*
		 * With @full only the rest of a complete sub-buffer is copied, and all of it; or
		 * one that cannot be given away.
		 */
		if (full && (busy || !fits || (!ring->read && !ring->map)))
			goto unlock;

		commit = rb_copy_records(ring, page, sub->page, commit, len);
		if (!commit) {
			ret = -EINVAL;
			goto unlock;
		}
		page->commit = commit;
	} else {
		page = rb_exchange_page(ring, data_page, commit);
	}

	if (ring->lost) {
		rb_mark_lost(page, &commit, size, ring->lost);
		ring->lost = 0;
	}
	/* This may go to user space: nothing old may stand in the rest. */
	memset(&page->data[commit], 0, size - commit);
	ret = 0;

unlock:
	rb_reader_unlock(&hold);
	return ret;
}
EXPORT_SYMBOL_GPL(ring_buffer_read_page);

/**
 * ring_buffer_read_page_data - memory of a page
 * @page: the page
 *
 * Context: any.
 * Return: the sub-buffer, header first.
 */
void *ring_buffer_read_page_data(struct buffer_data_read_page *page)
{
	return page->page;
}
EXPORT_SYMBOL_GPL(ring_buffer_read_page_data);

/**
 * ring_buffer_read_page_size - size of a page
 * @rpage: the page
 *
 * Context: any.
 * Return: bytes, header included.
 */
unsigned int ring_buffer_read_page_size(struct buffer_data_read_page *rpage)
{
	return PAGE_SIZE << rpage->order;
}
EXPORT_SYMBOL_GPL(ring_buffer_read_page_size);
