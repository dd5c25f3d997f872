// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocating and freeing buffers, and giving a ring to a CPU that comes up.
 *
 * Context, where nothing else is said: task, may sleep.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/export.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/oom.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../grace.h"
#include "internal.h"

/* A writer and a place to go to when it is full. */
#define RB_NR_MIN	2

/**
 * rb_page_alloc - memory for a sub-buffer
 * @cpu: who will write to it
 * @order: of the pages
 * @flags: how to allocate
 *
 * Tests put a stub in its place to see memory run out.
 *
 * Return: the memory, zeroed, or NULL.
 */
struct rb_page *rb_page_alloc(int cpu, unsigned int order, gfp_t flags)
{
	struct page *page;

	KUNIT_STATIC_STUB_REDIRECT(rb_page_alloc, cpu, order, flags);

	page = alloc_pages_node(cpu_to_node(cpu), flags | __GFP_COMP | __GFP_ZERO, order);
	return page ? page_address(page) : NULL;
}

/**
 * rb_page_free - end of rb_page_alloc()
 * @page: the memory, or NULL
 * @order: as it was allocated
 */
void rb_page_free(struct rb_page *page, unsigned int order)
{
	free_pages((unsigned long)page, order);
}

/* Made with the first buffer and never gone. */
static struct kmem_cache *rb_sub_cache;

static int rb_sub_cache_make(void)
{
	static DEFINE_MUTEX(lock);

	guard(mutex)(&lock);
	/*
	 * A writer uses the first line of one; no part of that is to be another CPU's. And who
	 * looks from another CPU whether there was a writer may find one that goes, see
	 * ring_buffer_written_on(): it is no other memory before a grace period is over.
	 */
	if (!rb_sub_cache)
		rb_sub_cache = KMEM_CACHE(rb_sub, SLAB_HWCACHE_ALIGN | SLAB_TYPESAFE_BY_RCU);
	return rb_sub_cache ? 0 : -ENOMEM;
}

/* Fill @pages from the front as far as that is quick. Return how many. */
static u32 rb_pages_alloc(int cpu, unsigned int order, gfp_t flags, u32 nr, struct page **pages)
{
	/* Who tests what happens without memory wants to be asked for each page. */
	if (order || kunit_get_current_test())
		return 0;
	memset(pages, 0, nr * sizeof(*pages));
	return alloc_pages_bulk_array_node(flags | __GFP_ZERO, cpu_to_node(cpu), nr, pages);
}

/* Their tails are written for each record: they are where their CPU is. */
static u32 rb_sub_alloc_bulk(struct rb_sub **sub, u32 nr, int cpu, gfp_t flags)
{
	u32 i;

	if (nr_online_nodes == 1)
		return kmem_cache_alloc_bulk(rb_sub_cache, flags, nr, (void **)sub) ? nr : 0;
	for (i = 0; i < nr; i++) {
		sub[i] = kmem_cache_alloc_node(rb_sub_cache, flags, cpu_to_node(cpu));
		if (!sub[i])
			break;
	}
	return i;
}

/* Up to RB_BULK sub-buffers with their memory. Return how many there are. */
static u32 rb_subs_alloc_bulk(struct rb_sub **sub, u32 nr, int cpu, unsigned int order, u32 index)
{
	struct page *pages[RB_BULK];
	gfp_t flags = RB_GFP_LARGE;
	struct rb_page *page;
	u32 i, quick;

	nr = rb_sub_alloc_bulk(sub, min(nr, RB_BULK), cpu, flags | __GFP_ZERO);
	quick = rb_pages_alloc(cpu, order, flags, nr, pages);
	for (i = 0; i < nr; i++) {
		page = i < quick ? page_address(pages[i]) : rb_page_alloc(cpu, order, flags);
		if (!page) {
			kmem_cache_free_bulk(rb_sub_cache, nr - i, (void **)&sub[i]);
			break;
		}
		rb_sub_init(sub[i], page, index + i);
	}
	return i;
}

/**
 * rb_subs_free_bulk - rb_subs_free() of a few
 * @sub: the sub-buffers, without gaps
 * @nr: how many, 1 to RB_BULK
 * @order: as they were allocated
 *
 * Context: task.
 */
void rb_subs_free_bulk(struct rb_sub **sub, u32 nr, unsigned int order)
{
	LIST_HEAD(pages);
	u32 i;

	for (i = 0; i < nr; i++) {
		if (order)
			rb_page_free(sub[i]->page, order);
		else
			list_add_tail(&virt_to_page(sub[i]->page)->lru, &pages);
	}
	/* Those that are in a pipe stay for as long. */
	put_pages_list(&pages);
	kmem_cache_free_bulk(rb_sub_cache, nr, (void **)sub);
}

/**
 * rb_subs_free - end of rb_subs_alloc()
 * @sub: the sub-buffers, with gaps
 * @nr: how many places there are
 * @order: as they were allocated
 *
 * Context: task, may sleep.
 */
void rb_subs_free(struct rb_sub **sub, u32 nr, unsigned int order)
{
	struct rb_sub *bulk[RB_BULK];
	u32 i = 0, n;

	while (i < nr) {
		for (n = 0; n < RB_BULK && i < nr; i++)
			if (sub[i])
				bulk[n++] = sub[i];
		if (n)
			rb_subs_free_bulk(bulk, n, order);
		cond_resched();
	}
}

static void table_free(struct rb_table *table)
{
	if (!table)
		return;
	kvfree(table->sub);
	kvfree(table);
}

static struct rb_table *table_alloc(int cpu, u32 nr, u32 nr_sub)
{
	int node = cpu_to_node(cpu);
	struct rb_table *table;

	table = kvzalloc_node(struct_size(table, slot, nr), RB_GFP_LARGE, node);
	if (!table)
		return NULL;
	table->sub = kvcalloc_node(nr_sub, sizeof(*table->sub), RB_GFP_LARGE, node);
	if (!table->sub) {
		kvfree(table);
		return NULL;
	}
	table->nr = nr;
	table->nr_sub = nr_sub;
	return table;
}

/**
 * rb_table_alloc - a table without sub-buffers, and its spare
 * @cpu: who will write there
 * @nr: number of slots
 * @nr_sub: number of places for sub-buffers, more than @nr
 *
 * Tests put a stub in its place to see memory run out.
 *
 * Return: the table, or NULL.
 */
struct rb_table *rb_table_alloc(int cpu, u32 nr, u32 nr_sub)
{
	struct rb_table *table;

	KUNIT_STATIC_STUB_REDIRECT(rb_table_alloc, cpu, nr, nr_sub);

	table = table_alloc(cpu, nr, nr_sub);
	if (!table)
		return NULL;
	table->spare = table_alloc(cpu, nr, nr_sub);
	if (!table->spare) {
		table_free(table);
		return NULL;
	}
	return table;
}

/**
 * rb_table_take_spare - a smaller table when there is no memory for a new one
 * @table: the table in use
 * @nr: number of slots, fewer than @table has
 *
 * The caller fills it in. When it has taken the place of @table, that has to become its spare.
 *
 * Context: task, trace_buffer::mutex.
 * Return: the spare of @table, with places for the same sub-buffers; what is in there is undefined.
 */
struct rb_table *rb_table_take_spare(struct rb_table *table, u32 nr)
{
	table->spare->nr = nr;
	table->spare->nr_sub = table->nr_sub;
	return table->spare;
}

/**
 * rb_table_free - end of rb_table_alloc()
 * @table: the table, or NULL
 */
void rb_table_free(struct rb_table *table)
{
	if (!table)
		return;
	table_free(table->spare);
	table_free(table);
}

/**
 * rb_subs_alloc - many sub-buffers
 * @sub: where to put them
 * @nr: how many
 * @cpu: who will write to them
 * @order: of the pages
 *
 * Nobody should be killed because somebody else wants a large buffer: who asks
 * for it is the one, and stops when told so.
 *
 * Return: 0 or -ENOMEM, and nothing was allocated; -EINTR if killed.
 */
int rb_subs_alloc(struct rb_sub **sub, u32 nr, int cpu, unsigned int order)
{
	bool user = current->mm && !(current->flags & PF_KTHREAD);
	u32 i, want, got;
	int ret = 0;

	if ((u64)nr << order > si_mem_available())
		return -ENOMEM;

	if (user)
		set_current_oom_origin();
	for (i = 0; i < nr && !ret; i += got) {
		want = min(nr - i, RB_BULK);
		if (user && fatal_signal_pending(current)) {
			ret = -EINTR;
			break;
		}
		got = rb_subs_alloc_bulk(sub + i, want, cpu, order, i);
		if (got < want)
			ret = -ENOMEM;
		cond_resched();
	}
	if (user)
		clear_current_oom_origin();

	if (ret) {
		rb_subs_free(sub, i, order);
		memset(sub, 0, nr * sizeof(*sub));
	}
	return ret;
}

/**
 * rb_table_fill - a table with all its sub-buffers
 * @cpu: who will write to them
 * @nr: number of slots
 * @order: of the pages
 *
 * Return: the table, or an error pointer: -ENOMEM, -EINTR.
 */
struct rb_table *rb_table_fill(int cpu, u32 nr, unsigned int order)
{
	struct rb_table *table = rb_table_alloc(cpu, nr, nr + 1);
	int ret;

	if (!table)
		return ERR_PTR(-ENOMEM);
	ret = rb_subs_alloc(table->sub, nr + 1, cpu, order);
	if (ret) {
		rb_table_free(table);
		return ERR_PTR(ret);
	}
	return table;
}

/**
 * rb_table_empty - end of rb_table_fill()
 * @table: the table, or NULL
 * @order: of the pages
 */
void rb_table_empty(struct rb_table *table, unsigned int order)
{
	if (!table)
		return;
	rb_subs_free(table->sub, table->nr_sub, order);
	rb_table_free(table);
}

/**
 * rb_nr_subs - how many sub-buffers for that many bytes?
 * @size: bytes
 * @subbuf_size: data bytes of a sub-buffer
 * @nr: where to put the number
 *
 * Context: any.
 * Return: 0, or -ENOMEM if no slot could name so many.
 */
int rb_nr_subs(unsigned long size, unsigned int subbuf_size, u32 *nr)
{
	unsigned long subs = size / subbuf_size + !!(size % subbuf_size);

	if (subs >= RB_SLOT_INDEX)
		return -ENOMEM;
	*nr = max(subs, RB_NR_MIN);
	return 0;
}

static atomic64_t rb_generations = ATOMIC64_INIT(0);

/* Close the sub-buffers and move them to the front: after a shrink there are gaps between them. */
static void rb_table_compact(struct rb_table *table)
{
	struct rb_sub *sub;
	u32 i, k;

	for (i = 0, k = 0; k <= table->nr; i++) {
		sub = table->sub[i];
		if (!sub)
			continue;
		/* Who reads without the lock finds something here, or nothing. */
		WRITE_ONCE(table->sub[i], NULL);
		WRITE_ONCE(table->sub[k], sub);
		sub->index = k++;
		sub->tail |= RB_CLOSED;
	}
}

/*
 * Behind the slots' sub-buffers stands the reader's. It stays @reader: a record in there that
 * somebody still looks at must not be written over.
 */
static void rb_table_keep_reader(struct rb_table *table, struct rb_sub *reader)
{
	u32 nr = table->nr, index = reader->index;

	swap(table->sub[nr], table->sub[index]);
	table->sub[index]->index = index;
	reader->index = nr;
}

static void rb_ring_reset_counts(struct rb_ring *ring)
{
	ring->done_entries = 0;
	ring->done_bytes = 0;
	atomic_long_set(&ring->overrun, 0);
	atomic_long_set(&ring->lost_bytes, 0);
	atomic_long_set(&ring->commit_overrun, 0);
	atomic_long_set(&ring->dropped, 0);

	ring->expect = 0;
	ring->lost = 0;
	ring->nread = 0;
	ring->read_bytes = 0;
}

/**
 * rb_ring_start - begin with an empty ring
 * @ring: the ring
 * @table: table to use, complete with sub-buffers
 *
 * Context: nobody writes, and the caller is the reader or nobody knows @ring.
 */
void rb_ring_start(struct rb_ring *ring, struct rb_table *table)
{
	u32 nr = table->nr, i;
	struct rb_sub *sub;
	u64 first = nr;

	rb_table_compact(table);
	if (ring->table == table)
		rb_table_keep_reader(table, ring->reader);
	/* The first sub-buffer is open, the others await their numbers. */
	table->slot[0] = rb_slot(first, 0, 0);
	for (i = 1; i < nr; i++)
		table->slot[i] = rb_slot(i, i, RB_SLOT_TAKEN);

	sub = table->sub[0];
	sub->tail = ~sub->tail & RB_PARITY;
	sub->base = -rb_parity_bias(sub->tail);
	sub->start = rb_sub_count(sub);
	sub->seq = first;
	sub->first = 0;
	sub->page->time_stamp = 0;
	sub->page->commit = 0;

	ring->table = table;
	ring->cur = sub;
	ring->commit = sub;
	rb_ring_reset_counts(ring);

	ring->reader = table->sub[nr];
	ring->live = false;
	ring->next = first;
	ring->read = 0;
	ring->read_ts = 0;
	ring->generation = atomic64_inc_return(&rb_generations);

	ring->origin = first;
	WRITE_ONCE(ring->nr, nr);
	/* W2 */
	smp_store_release(&ring->commit_seq, first);
}

static void rb_ring_free(struct rb_ring *ring, unsigned int order)
{
	if (!ring)
		return;
	rb_table_empty(ring->table, order);
	kfree(ring);
}

/* Give a CPU its ring. Its stop word keeps writers out until all is done. */
static int rb_cpu_add(struct trace_buffer *buffer, int cpu, u32 nr, unsigned long asked)
{
	struct rb_cpu *p = rb_cpu_of(buffer, cpu);
	struct rb_table *table;
	struct rb_ring *ring;
	unsigned long flags;

	ring = kzalloc_node(sizeof(*ring), GFP_KERNEL, cpu_to_node(cpu));
	if (!ring)
		return -ENOMEM;

	table = rb_table_fill(cpu, nr, buffer->order);
	if (IS_ERR(table)) {
		kfree(ring);
		return PTR_ERR(table);
	}

	raw_spin_lock_init(&ring->lock);
	lockdep_set_class(&ring->lock, buffer->key);
	ring->home = p;
	ring->cpu = cpu;
	ring->limit = buffer->subbuf_size;
	ring->asked = asked;
	rb_ring_start(ring, table);

	/* All or nothing of it, for a swap of all CPUs. */
	rb_swap_enter(&flags);
	smp_store_release(&p->ring, ring);	/* W5 */
	rb_swap_leave(&flags);
	cpumask_set_cpu(cpu, buffer->cpumask);
	/*
	 * The CPU is not up yet, or nobody knows the buffer: who finds the stop
	 * gone finds the ring without further ado.
	 */
	atomic_sub(RB_STOP_ABSENT, &p->stop);
	return 0;
}

/**
 * rb_cpu_prepare - see that a CPU has a ring
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * A new ring is as large as the largest of the others.
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM or -EINTR (killed).
 */
int rb_cpu_prepare(struct trace_buffer *buffer, int cpu)
{
	unsigned long asked = 0;
	u32 nr = RB_NR_MIN;
	int other, ret = 0;

	mutex_lock(&buffer->mutex);
	if (!cpumask_test_cpu(cpu, buffer->cpumask)) {
		rb_swap_forbid(buffer);
		for_each_cpu(other, buffer->cpumask) {
			struct rb_ring *ring = rb_ring_of(buffer, other);

			if (ring->nr >= nr) {
				nr = ring->nr;
				asked = ring->asked;
			}
		}
		rb_swap_allow(buffer);
		ret = rb_cpu_add(buffer, cpu, nr, asked);
	}
	mutex_unlock(&buffer->mutex);

	return ret;
}

/**
 * trace_rb_cpu_prepare - CPU hotplug callback: a CPU is about to come up
 * @cpu: the CPU
 * @node: the node of a buffer
 *
 * The first time a CPU comes up it gets a ring. It keeps it, and what is in it, when it goes
 * away.
 *
 * Context: task, may sleep.
 * Return: 0; -ENOMEM or -EINTR (killed), and the CPU stays away.
 */
int trace_rb_cpu_prepare(unsigned int cpu, struct hlist_node *node)
{
	int ret = rb_cpu_prepare(hlist_entry(node, struct trace_buffer, node), cpu);

	/* No WARN(): who makes a buffer comes here as well, and there is not always memory. */
	if (ret)
		pr_warn("tracing: no ring buffer for CPU %u (%d)\n", cpu, ret);
	return ret;
}

/**
 * __ring_buffer_alloc - make a buffer
 * @size: bytes of data for each CPU; rounded up to sub-buffers, at least two
 * @flags: RB_FL_OVERWRITE, or 0 for a buffer that drops what is new when full
 * @key: lock class for the locks of its readers
 *
 * Use ring_buffer_alloc(), which supplies @key.
 *
 * Context: task, may sleep.
 * Return: the buffer, or NULL.
 */
struct trace_buffer *
__ring_buffer_alloc(unsigned long size, unsigned int flags, struct lock_class_key *key)
{
	struct trace_buffer *buffer;
	int cpu;
	u32 nr;

	if (rb_sub_cache_make())
		return NULL;
	buffer = kzalloc(sizeof(*buffer), GFP_KERNEL);
	if (!buffer)
		return NULL;
	if (!zalloc_cpumask_var(&buffer->cpumask, GFP_KERNEL))
		goto free_buffer;
	buffer->cpu = alloc_percpu(struct rb_cpu);
	if (!buffer->cpu)
		goto free_mask;

	buffer->overwrite = flags & RB_FL_OVERWRITE;
	buffer->subbuf_size = PAGE_SIZE - RB_PAGE_HEADER;
	buffer->key = key;
	mutex_init(&buffer->mutex);
	rb_wait_init(&buffer->wait);
	timer_setup(&buffer->recheck, rb_recheck, 0);
	spin_lock_init(&buffer->recheck_lock);
	for_each_possible_cpu(cpu) {
		struct rb_cpu *p = rb_cpu_of(buffer, cpu);

		atomic_set(&p->stop, RB_STOP_ABSENT);
		rb_wait_init(&p->wait);
		p->buffer = buffer;
	}

	if (rb_nr_subs(size, buffer->subbuf_size, &nr))
		goto free_cpus;

	/* The first ring tells the hotplug callback the size of the others. */
	cpu = raw_smp_processor_id();
	if (rb_cpu_add(buffer, cpu, nr, 0))
		goto free_cpus;
	if (cpuhp_state_add_instance(CPUHP_TRACE_RB_PREPARE, &buffer->node))
		goto free_rings;

	return buffer;

free_rings:
	for_each_cpu(cpu, buffer->cpumask)
		rb_ring_free(rb_ring_of(buffer, cpu), buffer->order);
free_cpus:
	free_percpu(buffer->cpu);
free_mask:
	free_cpumask_var(buffer->cpumask);
free_buffer:
	kfree(buffer);
	return NULL;
}
EXPORT_SYMBOL_GPL(__ring_buffer_alloc);

/**
 * ring_buffer_free - end of ring_buffer_alloc()
 * @buffer: the buffer
 *
 * The caller has seen to it that nobody writes, reads or waits any more.
 *
 * Context: task, may sleep.
 */
void ring_buffer_free(struct trace_buffer *buffer)
{
	int cpu;

	cpuhp_state_remove_instance(CPUHP_TRACE_RB_PREPARE, &buffer->node);

	/*
	 * Our rings may have been another buffer's a moment ago: its writers
	 * and readers, who found them there, finish here, and may wake somebody.
	 */
	trace_synchronize_rcu();
	timer_shutdown_sync(&buffer->recheck);
	rb_wait_destroy(&buffer->wait);
	for_each_possible_cpu(cpu)
		rb_wait_destroy(&rb_cpu_of(buffer, cpu)->wait);
	for_each_cpu(cpu, buffer->cpumask)
		rb_ring_free(rb_ring_of(buffer, cpu), buffer->order);

	free_percpu(buffer->cpu);
	free_cpumask_var(buffer->cpumask);
	kfree(buffer);
}
EXPORT_SYMBOL_GPL(ring_buffer_free);
