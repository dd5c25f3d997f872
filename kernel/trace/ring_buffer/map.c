// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring in the memory of its reader: mmap() of trace_pipe_raw, see
 * Documentation/trace/ring-buffer-map.rst.
 *
 * What is mapped is one page that says how things stand (struct trace_buffer_meta), as large
 * as a sub-buffer, and behind it the sub-buffers, in an order that stays. Which of them may be
 * read the reader asks by ring_buffer_map_get_reader(): that takes the next one out of the ring
 * as any reader does. So writers know nothing of it, and another reader goes on as before.
 *
 * From the first user on, until the last one goes, the ring keeps its sub-buffers, and these
 * their memory: it is not resized or swapped, and whole sub-buffers are copied for who reads
 * them. Pages are given out by the fault that asks for them, by what does not change meanwhile:
 * a fault takes no lock.
 */
#include <kunit/visibility.h>
#include <linux/cacheflush.h>
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "internal.h"
#include "map.h"

/**
 * struct rb_map - a ring that is mapped, and does not change its shape
 * @order: of the pages of a sub-buffer
 * @meta: the first page(s)
 * @nr: sub-buffers, that of the reader included
 * @page: their memory, by the number that readers know them by, which is rb_sub::id
 */
struct rb_map {
	unsigned int			order;
	struct trace_buffer_meta	*meta;
	u32				nr;
	struct rb_page			*page[];
};

static void rb_map_free(struct rb_map *map)
{
	rb_page_free((struct rb_page *)map->meta, map->order);
	kvfree(map);
}

static struct rb_map *rb_map_alloc(int cpu, u32 nr, unsigned int order)
{
	struct rb_map *map = kvzalloc(struct_size(map, page, nr), RB_GFP_LARGE);

	if (!map)
		return NULL;
	map->order = order;
	map->nr = nr;
	map->meta = (struct trace_buffer_meta *)rb_page_alloc(cpu, order, RB_GFP_LARGE);
	if (!map->meta) {
		kvfree(map);
		return NULL;
	}
	return map;
}

/*
 * Number the sub-buffers in the order of their places, the one at @first is 0. They and their
 * memory stay where they are, and nobody looks at the numbers yet.
 */
static void rb_map_number(struct rb_map *map, const struct rb_table *table, u32 first)
{
	u32 i, k, id = 0;

	for (i = 0; i < table->nr_sub; i++) {
		k = (first + i) % table->nr_sub;
		if (!table->sub[k])
			continue;
		table->sub[k]->id = id;
		map->page[id++] = table->sub[k]->page;
		if (i % 1024 == 0)
			cond_resched();
	}
}

/**
 * rb_map_tell - write to the first page how things stand
 * @ring: the ring, which is mapped or not
 *
 * Context: the caller is the reader (rb_reader_lock()).
 */
void rb_map_tell(struct rb_ring *ring)
{
	struct trace_buffer_meta *meta;

	if (!ring->map)
		return;
	meta = ring->map->meta;
	WRITE_ONCE(meta->entries, rb_written(ring));
	WRITE_ONCE(meta->overrun, atomic_long_read(&ring->overrun));
	WRITE_ONCE(meta->read, ring->nread);
	WRITE_ONCE(meta->reader.read, ring->read);
	WRITE_ONCE(meta->reader.lost_events, ring->map_lost);
	WRITE_ONCE(meta->reader.id, ring->reader->id);
	flush_dcache_page(virt_to_page(meta));
}

/* A ring gets its first user. trace_buffer::mutex, and no swaps. */
static int rb_map_begin(struct trace_buffer *buffer, struct rb_ring *ring)
{
	struct trace_buffer_meta *meta;
	struct rb_hold hold;
	struct rb_map *map;
	u32 first;

	map = rb_map_alloc(ring->cpu, ring->nr + 1, buffer->order);
	if (!map)
		return -ENOMEM;
	meta = map->meta;
	meta->meta_page_size = PAGE_SIZE << map->order;
	meta->meta_struct_len = sizeof(*meta);
	meta->subbuf_size = PAGE_SIZE << map->order;
	meta->nr_subbufs = map->nr;

	/* From here on the memory of sub-buffers stays what it is. */
	rb_ring_lock(ring, &hold);
	ring->map = map;
	ring->map_lost = 0;
	first = ring->reader->index;
	rb_reader_unlock(&hold);

	rb_map_number(map, ring->table, first);

	rb_ring_lock(ring, &hold);
	rb_map_tell(ring);
	rb_reader_unlock(&hold);
	return 0;
}

/* The last user has gone. */
static void rb_map_end(struct rb_ring *ring)
{
	struct rb_map *map = ring->map;
	struct rb_hold hold;

	rb_ring_lock(ring, &hold);
	ring->map = NULL;
	rb_reader_unlock(&hold);
	rb_map_free(map);
}

/**
 * rb_map_use - have a ring mapped
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Counts; each is undone by ring_buffer_unmap().
 *
 * Context: task, may sleep.
 * Return: 0, -EINVAL if @cpu has no ring, or -ENOMEM.
 */
VISIBLE_IF_KUNIT int rb_map_use(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *p = rb_cpu_at(buffer, cpu);
	int ret = 0;

	if (!p)
		return -EINVAL;

	guard(mutex)(&buffer->mutex);
	rb_swap_forbid(buffer);
	if (!p->mapped)
		ret = rb_map_begin(buffer, p->ring);
	if (ret)
		rb_swap_allow(buffer);
	else
		WRITE_ONCE(p->mapped, p->mapped + 1);
	return ret;
}

/* Can it be mapped there, and in that way? */
static int rb_map_check(const struct rb_map *map, struct vm_area_struct *vma)
{
	unsigned long pages = ((unsigned long)map->nr + 1) << map->order;

	if (!IS_ALIGNED(vma->vm_pgoff, 1UL << map->order) || vma->vm_pgoff >= pages ||
	    vma_pages(vma) > pages - vma->vm_pgoff)
		return -EINVAL;
	return 0;
}

/**
 * ring_buffer_map - map the ring of a CPU to where a reader wants it
 * @buffer: the buffer
 * @cpu: the CPU
 * @vma: where; its offset counts from the first page
 *
 * Until ring_buffer_unmap() was called as often as this and ring_buffer_map_dup(), the size of the
 * ring and of its sub-buffers do not change, and swaps of @buffer give -EBUSY. The caller's
 * vm_operations_struct has ring_buffer_map_fault(), and he keeps @buffer.
 *
 * Context: task, may sleep; mmap_lock held.
 * Return: 0; -EPERM if it is not to be shared and only read; -EINVAL if @cpu has no ring, or @vma
 * is no part of it or does not begin with a sub-buffer; -ENOMEM.
 */
int ring_buffer_map(struct trace_buffer *buffer, int cpu, struct vm_area_struct *vma)
{
	int ret;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC) || !(vma->vm_flags & VM_MAYSHARE))
		return -EPERM;
	ret = rb_map_use(buffer, cpu);
	if (ret)
		return ret;
	/* It stays what it is, and there, for as long as we are a user. */
	vma->vm_private_data = rb_ring_of(buffer, cpu)->map;
	ret = rb_map_check(vma->vm_private_data, vma);
	if (ret) {
		ring_buffer_unmap(buffer, cpu);
		return ret;
	}
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);
	return 0;
}

/**
 * ring_buffer_map_fault - the page that somebody looks at who has mapped a ring
 * @vmf: from the fault operation; of a mapping that ring_buffer_map() made
 *
 * Context: task; mmap_lock or the lock of the mapping held.
 * Return: 0, or VM_FAULT_SIGBUS where there is nothing.
 */
vm_fault_t ring_buffer_map_fault(struct vm_fault *vmf)
{
	const struct rb_map *map = vmf->vma->vm_private_data;
	unsigned long sub = vmf->pgoff >> map->order;
	void *memory;

	if (sub > map->nr)
		return VM_FAULT_SIGBUS;
	memory = sub ? (void *)map->page[sub - 1] : map->meta;
	vmf->page = virt_to_page(memory) + (vmf->pgoff & ((1UL << map->order) - 1));
	get_page(vmf->page);
	return 0;
}

/**
 * ring_buffer_map_dup - a mapping has become two
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: task, may sleep; mmap_lock held.
 */
void ring_buffer_map_dup(struct trace_buffer *buffer, int cpu)
{
	/* There is one: nothing is allocated. */
	WARN_ON_ONCE(rb_map_use(buffer, cpu));
}

/**
 * ring_buffer_unmap - undo ring_buffer_map() or ring_buffer_map_dup()
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * Context: task, may sleep; mmap_lock may be held.
 * Return: 0; -EINVAL if @cpu has no ring, -ENODEV if that is not mapped.
 */
int ring_buffer_unmap(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *p = rb_cpu_at(buffer, cpu);

	if (!p)
		return -EINVAL;

	guard(mutex)(&buffer->mutex);
	if (!p->mapped)
		return -ENODEV;
	WRITE_ONCE(p->mapped, p->mapped - 1);
	if (!p->mapped)
		rb_map_end(p->ring);
	rb_swap_allow(buffer);
	return 0;
}

/*
 * Say what was lost before this sub-buffer: in the first page, and where the writer has left it
 * in itself as well, as other readers have it.
 */
static void rb_map_lost(struct rb_ring *ring, struct rb_sub *sub)
{
	unsigned int commit;
	bool left;

	ring->map_lost = ring->lost;
	if (!ring->lost)
		return;
	/* W2/R2: if the writer has left, the commit is the final one, and ours. */
	left = smp_load_acquire(&ring->commit_seq) != ring->reader_seq;
	if (left) {
		commit = rb_page_commit(sub->page);
		rb_mark_lost(sub->page, &commit, ring->limit, ring->lost);
	}
	ring->lost = 0;
}

/**
 * ring_buffer_map_get_reader - the next sub-buffer that may be read in a mapping
 * @buffer: the buffer
 * @cpu: the CPU
 *
 * If more was written to the one that the reader has, it stays that one. All that is in there
 * counts as read. The first page says which it is, and how things stand.
 *
 * Context: task; takes the ring's reader lock.
 * Return: 0, also if there is nothing new; -EINVAL if @cpu has no ring; -ENODEV if it is not
 * mapped.
 */
int ring_buffer_map_get_reader(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *p = rb_cpu_at(buffer, cpu);
	struct rb_ring *ring;
	struct rb_hold hold;
	struct rb_sub *sub;
	int ret = 0;

	if (!p)
		return -EINVAL;

	ring = rb_reader_lock(p, &hold);
	/* it may be on its way, without numbers yet, or out */
	if (!ring->map || !READ_ONCE(p->mapped)) {
		ret = -ENODEV;
		goto unlock;
	}
	sub = rb_reader_sub(ring);
	if (sub) {
		if (!ring->read)
			rb_map_lost(ring, sub);
		rb_pass_records(ring, sub->page, rb_page_commit(sub->page), SIZE_MAX);
		flush_dcache_folio(virt_to_folio(sub->page));
	}
	rb_map_tell(ring);
unlock:
	rb_reader_unlock(&hold);
	return ret;
}
