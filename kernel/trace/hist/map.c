// SPDX-License-Identifier: GPL-2.0-only
/*
 * The map of a hist: which entry does a key have, and what was counted there.
 *
 * A hit may come in any context, NMIs included, on all CPUs at once, and interrupt another one on
 * the same map anywhere. It takes no lock, allocates nothing and waits for nobody.
 *
 * Where a key is. Entries are numbered in the order they are handed out. A table of slots is hashed
 * into with open addressing; a slot is one word: half of the hash, and the number of the entry. It
 * is written once, from 0, by a compare-exchange, and keeps its value as long as the map is not
 * emptied. So the slots in which a key may be are a fixed sequence, and the key is in the first
 * that was empty when it came:
 *
 *	level 0		the 8 slots of its bucket, beginning with its own
 *	level 1, 2	the same in tables that are 8 times as large each
 *	the last	all slots from its own on; twice as many as there may be entries
 *
 * A map of up to 2048 keys has one level, which is the last, and 4 times as many slots as keys:
 * what is not in its first slot takes twice as long. A key that is found in a level has seen all
 * slots before that taken, and as they stay taken everybody else sees so too. That is the
 * whole argument why a key has one entry: two CPUs (or a CPU and what interrupts it) that insert
 * the same key meet at the same empty slot, one of them wins the exchange, and the other finds the
 * winner's key in it and puts its own entry aside (map->spare) for the next insertion. (Open
 * addressing without removal, with claims by compare-exchange, is known from C. Click's hash
 * table of 2007. What differs: a slot holds no key, but an entry that was complete before, and the
 * table grows by levels, so that nothing is ever moved.)
 *
 * Barriers:
 *	insert: key of the entry written -> try_cmpxchg_release(slot)
 *	lookup: slot read -> entry computed from it, an address dependency -> key read
 *	growth: level or chunk complete -> smp_store_release() of its pointer, of nr_chunks
 *	lookup: a level by smp_load_acquire(); chunks behind nr_chunks, or by dependency on a
 *		slot: who wrote that had seen them
 *	printing: entry->live, released behind the exchange, is acquired before the key is read
 *	spares: map->spare -> has_spare = true -> smp_mb() -> full = false, where one is put back;
 *		has_spare = false -> smp_mb() -> look at map->spare, where one is taken;
 *		full = true -> smp_mb() -> look at has_spare, where there was none. So the two may
 *		claim a spare that is not there, or a map that is not full, until somebody looks
 *		and corrects it. The opposite, no spare or a full map, is claimed wrongly only
 *		while the CPU that knows better is between its stores.
 *
 * What is counted. Each CPU adds to sums of its own with local64_add(): one instruction, or one
 * exchange, on this CPU that no interrupt or NMI can get into, on a line that no other CPU writes.
 * Sums of a CPU come by the chunk, when it has hit the chunk for the first time; until
 * then, and in chunks that are far behind (OWN_CHUNKS), it adds to a shared sum with
 * atomic64_add(). A reader adds up all of them. Nothing is lost: at rest they are exact.
 *
 * On riscv64 all of this is LR/SC, or AMO, on naturally aligned words, retried when something came
 * in between; a trap breaks a reservation there. Nothing needs more than that; the base's guard
 * (ARCH_HAVE_NMI_SAFE_CMPXCHG) is about architectures that emulate cmpxchg with interrupts
 * off or by a lock, and no 64-bit one does.
 *
 * How it grows. A map begins with entries for 2048 keys, or fewer if there may not be so many, and
 * a table for them. When half of the entries are used, or a quarter of the slots, or a key finds
 * all slots taken where it may be (nearly all others may be free), a hit asks for more: an
 * irq_work, as the hit may have interrupted anything, and a work that may sleep. Entries are
 * doubled, tables are 8 times as large. Hits that come while there is no room are dropped, and
 * counted.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "map.h"

#define FIRST_BITS	11	/* entries that are there at once */
#define FIRST_BYTES	(4UL << 20)
#define LEVEL_BITS	(FIRST_BITS + 1)
#define LEVEL_GROWTH	3
#define BUCKET		8
#define OWN_CHUNKS	64	/* beyond that, CPUs share the sums */

/* What is not to be had is done without, and counted: no task is to be killed for it. */
#define GROW_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

static unsigned int max_entries(const struct hist_map *map)
{
	return 1U << map->bits;
}

static unsigned int max_chunks(const struct hist_map *map)
{
	return max(max_entries(map) >> HIST_CHUNK_BITS, 1U);
}

static size_t chunk_sums(const struct hist_map *map)
{
	return sizeof(u64) * map->nr_sums * HIST_CHUNK_ENTRIES;
}

/* --- growing; task */

static bool level_add(struct hist_map *map, unsigned int nr)
{
	unsigned int bits = map->bits <= FIRST_BITS ? map->bits + 2 :
			    min(LEVEL_BITS + nr * LEVEL_GROWTH, map->bits + 1);
	struct hist_level *level = kvzalloc(struct_size(level, slot, 1UL << bits), GROW_GFP);

	if (!level)
		return false;
	level->mask = BIT(bits) - 1;
	level->last = bits > map->bits;
	/* pairs with the acquire of who looks for a key */
	smp_store_release(&map->level[nr], level);
	if (!nr) {
		map->slots = level->slot;
		map->slots_mask = level->mask;
	}
	return true;
}

static void chunk_free(struct hist_chunk *chunk)
{
	if (!chunk)
		return;
	for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++)
		kfree(chunk->cpu[cpu]);
	kfree(chunk->sums);
	kvfree(chunk->entries);
	kfree(chunk);
}

static bool chunk_add(struct hist_map *map)
{
	unsigned int nr = map->nr_chunks;
	struct hist_chunk *chunk = kzalloc(struct_size(chunk, cpu, nr_cpu_ids), GROW_GFP);

	if (!chunk)
		return false;
	chunk->entries = kvzalloc(array_size(map->stride, HIST_CHUNK_ENTRIES), GROW_GFP);
	chunk->sums = kzalloc(chunk_sums(map), GROW_GFP);
	if (!chunk->entries || !chunk->sums) {
		chunk_free(chunk);
		return false;
	}
	WRITE_ONCE(map->chunk[nr], chunk);
	/* pairs with entry_take() */
	smp_store_release(&map->nr_chunks, nr + 1);
	return true;
}

/* CPUs that asked get sums of their own. */
static bool sums_add(struct hist_map *map)
{
	bool done = true;
	int cpu;

	for_each_possible_cpu(cpu) {
		u32 *want = per_cpu_ptr(map->want, cpu);
		struct hist_chunk *chunk;
		local64_t *sums;

		if (!READ_ONCE(*want))
			continue;
		chunk = map->chunk[READ_ONCE(*want) - 1];
		WRITE_ONCE(*want, 0);
		if (chunk->cpu[cpu])
			continue;
		sums = kzalloc_node(chunk_sums(map), GROW_GFP, cpu_to_node(cpu));
		if (sums)
			/* the sums are zero for who sees the pointer: address dependency */
			smp_store_release(&chunk->cpu[cpu], sums);
		else
			done = false;
	}
	return done;
}

static unsigned int newest_level(const struct hist_map *map)
{
	unsigned int nr = HIST_MAP_LEVELS - 1;

	while (!READ_ONCE(map->level[nr]))
		nr--;
	return nr;
}

static bool wants_level(const struct hist_map *map, unsigned int used)
{
	const struct hist_level *level = map->level[newest_level(map)];

	return !level->last && (used > level->mask / 4 || READ_ONCE(map->crowded));
}

static bool wants_chunks(const struct hist_map *map, unsigned int used)
{
	unsigned int nr = READ_ONCE(map->nr_chunks);

	return nr < max_chunks(map) && used > nr * HIST_CHUNK_ENTRIES / 2;
}

static void map_grow(struct hist_map *map)
{
	bool done;

	guard(mutex)(&map->lock);
	/* what is asked for from here on is asked for again */
	atomic_set(&map->growing, 0);
	smp_mb__after_atomic();		/* pairs with the exchange in ask_to_grow() */

	done = sums_add(map);
	if (wants_level(map, atomic_read(&map->next))) {
		if (level_add(map, newest_level(map) + 1))
			WRITE_ONCE(map->crowded, false);
		else
			done = false;
	}
	if (wants_chunks(map, atomic_read(&map->next))) {
		unsigned int nr = min(2 * map->nr_chunks, max_chunks(map));

		while (map->nr_chunks < nr && done)
			done = chunk_add(map);
	}
	WRITE_ONCE(map->failed, done ? 0 : jiffies | 1);
}

static void map_grow_work(struct work_struct *work)
{
	map_grow(container_of(work, struct hist_map, grow_work));
}

static void map_grow_irq(struct irq_work *irq_work)
{
	struct hist_map *map = container_of(irq_work, struct hist_map, grow.work);

	queue_work(system_unbound_wq, &map->grow_work);
}

/* Any context. After a failure, which was preceded by a search for memory, not at once again. */
static noinline void ask_to_grow(struct hist_map *map)
{
	unsigned long failed = READ_ONCE(map->failed);

	if (failed && time_before(jiffies, failed + HZ / 10))
		return;
	if (!atomic_read(&map->growing) && !atomic_xchg(&map->growing, 1))
		trace_irq_work_queue(&map->grow);
}

/* --- a hit */

/* There may be one: for whose sake keys that are new are not to be dropped unseen. */
static void spare_tell(struct hist_map *map)
{
	WRITE_ONCE(map->has_spare, true);
	smp_mb();	/* pairs with map_is_full(): seen there, or what follows is the last word */
	WRITE_ONCE(map->full, false);
}

/* Had somebody told of a spare in between, it would be there for ever and no key would find it. */
static void map_is_full(struct hist_map *map)
{
	if (READ_ONCE(map->full))
		return;		/* every hit reads this line */
	WRITE_ONCE(map->full, true);
	smp_mb();	/* pairs with spare_tell() */
	if (READ_ONCE(map->has_spare))
		WRITE_ONCE(map->full, false);
}

static struct hist_entry *spare_take(struct hist_map *map)
{
	/* not there any more, unless one is found: then there may be others */
	WRITE_ONCE(map->has_spare, false);
	smp_mb();	/* pairs with the exchange in spare_give(): seen here, or told later */
	for (unsigned int i = 0; i < map->nr_spare; i++) {
		int index = atomic_read(&map->spare[i]) ? atomic_xchg(&map->spare[i], 0) : 0;

		if (index) {
			/* who saw none meanwhile may have found the map full */
			spare_tell(map);
			return hist_map_at(map, index - 1);
		}
	}
	return NULL;
}

/*
 * There are as many places as insertions that can be under way at the same time. An entry that
 * finds none, as a new one was taken while others lay here, is not used until the map is emptied.
 */
static noinline void spare_give(struct hist_map *map, struct hist_entry *entry)
{
	for (unsigned int i = 0; i < map->nr_spare; i++) {
		if (atomic_cmpxchg(&map->spare[i], 0, entry->index + 1) == 0)
			break;
	}
	spare_tell(map);
}

static struct hist_entry *entry_take(struct hist_map *map)
{
	/* pairs with chunk_add() */
	unsigned int have = min(smp_load_acquire(&map->nr_chunks) * HIST_CHUNK_ENTRIES,
				max_entries(map));
	int next = atomic_read(&map->next);
	struct hist_entry *entry;

	if (unlikely(READ_ONCE(map->has_spare))) {
		entry = spare_take(map);
		if (entry)
			return entry;
	}
	do {
		if (next >= have) {
			if (have < max_entries(map))
				ask_to_grow(map);
			else if (!READ_ONCE(map->has_spare) && map->level[0]->last)
				map_is_full(map);
			return NULL;
		}
	} while (!atomic_try_cmpxchg_relaxed(&map->next, &next, next + 1));

	if (wants_chunks(map, next + 1) || wants_level(map, next + 1))
		ask_to_grow(map);
	entry = hist_map_at(map, next);
	entry->index = next;
	return entry;
}

/* Idle tasks, of which each CPU has one, are called as in `trace`. */
static void keep_comm(char *to)
{
	static const char idle[TASK_COMM_LEN] = "<idle>";

	memcpy(to, current->pid ? current->comm : idle, TASK_COMM_LEN);
}

static struct hist_entry *entry_make(struct hist_map *map, const u64 *key, unsigned int words)
{
	struct hist_entry *entry = entry_take(map);

	if (!entry)
		return NULL;
	memcpy(entry->key, key, words * sizeof(u64));
	entry->words = words;
	if (map->keeps_comm)
		keep_comm(hist_entry_data(map, entry));
	return entry;
}

static __always_inline bool entry_is(const struct hist_entry *entry, const u64 *key,
				     unsigned int words)
{
	if (entry->words != words)
		return false;
	for (unsigned int i = 0; i < words; i++) {
		if (entry->key[i] != key[i])
			return false;
	}
	return true;
}

/* Hits that are not counted for lack of an entry. */
void hist_map_drop(struct hist_map *map)
{
	local64_inc(this_cpu_ptr(map->dropped));
}

static __always_inline struct hist_entry *lookup(struct hist_map *map, const u64 *key,
						 unsigned int words, bool insert)
{
	struct hist_entry *mine = NULL, *entry;
	u64 hash = 0;

	for (unsigned int i = 0; i < words; i++)
		hash = hist_hash_word(hash, key[i]);

	for (unsigned int nr = 0; nr < HIST_MAP_LEVELS; nr++) {
		/* pairs with level_add() */
		struct hist_level *level = smp_load_acquire(&map->level[nr]);
		u32 mask, at = hash, within;

		if (!level)
			break;
		mask = level->mask;
		within = level->last ? mask : BUCKET - 1;
		for (u32 i = 0; i <= within; i++) {
			u32 nr_slot = (at & ~within) | ((at + i) & within);
			atomic64_t *slot = &level->slot[nr_slot & mask];
			u64 value = atomic64_read(slot);

			if (!value) {
				s64 empty = 0;

				if (!insert)
					return NULL;
				if (!mine)
					mine = entry_make(map, key, words);
				if (!mine)
					return NULL;
				value = (hash >> 32 << 32) | (mine->index + 1);
				/* pairs with the dependency of who reads the slot */
				if (atomic64_try_cmpxchg_release(slot, &empty, value)) {
					/* pairs with hist_map_entry() */
					smp_store_release(&mine->live, 1);
					return mine;
				}
				value = atomic64_read(slot);
			}
			if (value >> 32 != hash >> 32)
				continue;
			entry = hist_map_at(map, (u32)value - 1);
			if (entry_is(entry, key, words)) {
				if (mine)
					spare_give(map, mine);
				return entry;
			}
		}
	}
	if (mine)
		spare_give(map, mine);
	if (insert) {
		WRITE_ONCE(map->crowded, true);
		ask_to_grow(map);
	}
	return NULL;
}

/**
 * hist_map_insert - the entry of a key, a new one if it has none
 * @map: the map
 * @key: the key
 * @words: its length
 *
 * Context: any, preemption off.
 * Return: the entry; NULL when there is no room, and the hit is counted as dropped.
 */
struct hist_entry *hist_map_insert(struct hist_map *map, const u64 *key, unsigned int words)
{
	struct hist_entry *entry = lookup(map, key, words, true);

	if (unlikely(!entry))
		hist_map_drop(map);
	return entry;
}

/**
 * hist_map_find - the entry of a key
 * @map: the map
 * @key: the key
 * @words: its length
 *
 * Context: any, preemption off.
 * Return: the entry or NULL.
 */
struct hist_entry *hist_map_find(struct hist_map *map, const u64 *key, unsigned int words)
{
	return lookup(map, key, words, false);
}

/**
 * hist_map_add_shared - add to a sum while this CPU has none of its own there
 * @map: the map
 * @entry: the entry
 * @sum: which of its sums
 * @value: what is added
 *
 * Context: any, preemption off.
 */
void hist_map_add_shared(struct hist_map *map, const struct hist_entry *entry, unsigned int sum,
			 u64 value)
{
	unsigned int nr = entry->index >> HIST_CHUNK_BITS;
	unsigned int at = (entry->index & (HIST_CHUNK_ENTRIES - 1)) * map->nr_sums + sum;

	atomic64_add(value, &map->chunk[nr]->sums[at]);
	if (nr < OWN_CHUNKS) {
		WRITE_ONCE(*this_cpu_ptr(map->want), nr + 1);
		ask_to_grow(map);
	}
}

/* --- reading; task */

/**
 * hist_map_used - how many entries have been handed out
 * @map: the map
 *
 * Of these hist_map_entry() knows those that are in use.
 *
 * Context: task.
 * Return: their number.
 */
unsigned int hist_map_used(struct hist_map *map)
{
	return atomic_read(&map->next);
}

/**
 * hist_map_entry - an entry by its number
 * @map: the map
 * @index: less than hist_map_used()
 *
 * Context: task.
 * Return: the entry, NULL if it has no key (yet).
 */
struct hist_entry *hist_map_entry(struct hist_map *map, unsigned int index)
{
	struct hist_entry *entry = hist_map_at(map, index);

	/* pairs with lookup() */
	return smp_load_acquire(&entry->live) ? entry : NULL;
}

/**
 * hist_map_sum - what was added to a sum, by all CPUs
 * @map: the map
 * @entry: the entry
 * @sum: which of its sums
 *
 * Context: task.
 * Return: the sum; it may lack hits that come meanwhile.
 */
u64 hist_map_sum(struct hist_map *map, const struct hist_entry *entry, unsigned int sum)
{
	unsigned int nr = entry->index >> HIST_CHUNK_BITS;
	unsigned int at = (entry->index & (HIST_CHUNK_ENTRIES - 1)) * map->nr_sums + sum;
	struct hist_chunk *chunk = map->chunk[nr];
	u64 total = atomic64_read(&chunk->sums[at]);

	if (nr >= OWN_CHUNKS)
		return total;
	for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++) {
		/* pairs with sums_add() */
		local64_t *sums = smp_load_acquire(&chunk->cpu[cpu]);

		if (sums)
			total += local64_read(&sums[at]);
	}
	return total;
}

/**
 * hist_map_dropped - hits that found no entry
 * @map: the map
 *
 * Context: task.
 * Return: their number.
 */
u64 hist_map_dropped(struct hist_map *map)
{
	u64 total = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		total += local64_read(per_cpu_ptr(map->dropped, cpu));
	return total;
}

#if IS_ENABLED(CONFIG_KUNIT)
/**
 * hist_map_memory - bytes that a map takes
 * @map: the map
 *
 * Context: task, takes hist_map.lock.
 * Return: the bytes.
 */
size_t hist_map_memory(struct hist_map *map)
{
	size_t bytes = struct_size(map, chunk, max_chunks(map));

	guard(mutex)(&map->lock);
	for (unsigned int i = 0; i < HIST_MAP_LEVELS && map->level[i]; i++)
		bytes += struct_size(map->level[i], slot, map->level[i]->mask + 1);
	for (unsigned int i = 0; i < map->nr_chunks; i++) {
		struct hist_chunk *chunk = map->chunk[i];

		bytes += struct_size(chunk, cpu, nr_cpu_ids) + chunk_sums(map) +
			 map->stride * HIST_CHUNK_ENTRIES;
		for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++)
			bytes += chunk->cpu[cpu] ? chunk_sums(map) : 0;
	}
	return bytes;
}
#endif

/* --- life; task */

static void map_free(struct hist_map *map)
{
	trace_irq_work_sync(&map->grow);
	cancel_work_sync(&map->grow_work);
	for (unsigned int i = 0; i < HIST_MAP_LEVELS; i++)
		kvfree(map->level[i]);
	for (unsigned int i = 0; i < map->nr_chunks; i++)
		chunk_free(map->chunk[i]);
	free_percpu(map->dropped);
	free_percpu(map->want);
	kfree(map->spare);
	kvfree(map);
}

/**
 * hist_map_create - make a map
 * @bits: it has room for 1 << bits keys, HIST_MAP_BITS_MIN to HIST_MAP_BITS_MAX
 * @key_words: the longest key
 * @nr_sums: sums of an entry
 * @data_bytes: bytes of the user's in an entry
 * @keeps_comm: these begin with the name of the task that makes the entry, TASK_COMM_LEN
 *
 * Context: task.
 * Return: the map with one reference; NULL: no memory.
 */
struct hist_map *hist_map_create(unsigned int bits, unsigned int key_words, unsigned int nr_sums,
				 unsigned int data_bytes, bool keeps_comm)
{
	unsigned int nr_chunks = max(BIT(bits) >> HIST_CHUNK_BITS, 1UL);
	struct hist_map *map = kvzalloc(struct_size(map, chunk, nr_chunks), GFP_KERNEL);
	unsigned int nr_first;
	bool done;

	if (!map)
		return NULL;
	map->bits = bits;
	map->nr_sums = nr_sums;
	map->sums_stride = nr_sums * sizeof(u64);
	map->factor = HIST_HASH_FACTOR;
	map->chunks = map->chunk;
	map->key_words = key_words;
	map->data = sizeof(struct hist_entry) + key_words * sizeof(u64);
	map->stride = ALIGN(map->data + data_bytes, sizeof(u64));
	map->keeps_comm = keeps_comm;
	map->nr_spare = 4 * nr_cpu_ids;	/* as many as contexts */
	trace_irq_work_init(&map->grow, map_grow_irq);
	INIT_WORK(&map->grow_work, map_grow_work);
	mutex_init(&map->lock);
	refcount_set(&map->ref, 1);

	map->spare = kcalloc(map->nr_spare, sizeof(*map->spare), GFP_KERNEL);
	map->dropped = alloc_percpu(local64_t);
	map->want = alloc_percpu(u32);
	done = map->spare && map->dropped && map->want && level_add(map, 0);
	/* entries that are large begin with fewer */
	nr_first = clamp(FIRST_BYTES / (map->stride * HIST_CHUNK_ENTRIES), 1,
			 BIT(FIRST_BITS - HIST_CHUNK_BITS));
	while (done && map->nr_chunks < min(nr_chunks, nr_first))
		done = chunk_add(map);
	if (done)
		return map;
	map_free(map);
	return NULL;
}

/**
 * hist_map_get - one more hist shares the map
 * @map: the map
 *
 * Context: task.
 */
void hist_map_get(struct hist_map *map)
{
	refcount_inc(&map->ref);
}

/**
 * hist_map_put - a hist gives the map up
 * @map: the map, or NULL; if it was the last, nobody hits it any more
 *
 * Context: task.
 */
void hist_map_put(struct hist_map *map)
{
	if (map && refcount_dec_and_test(&map->ref))
		map_free(map);
}

/**
 * hist_map_clear - forget everything
 * @map: the map; nobody inserts or adds while this runs, but hist_map_find() may be called
 * @wait: waits for all that are in there
 *
 * Context: task.
 */
void hist_map_clear(struct hist_map *map, void (*wait)(void))
{
	int cpu;

	guard(mutex)(&map->lock);
	for (unsigned int i = 0; i < HIST_MAP_LEVELS && map->level[i]; i++) {
		for (u32 at = 0; at <= map->level[i]->mask; at++)
			atomic64_set(&map->level[i]->slot[at], 0);
	}
	/* who found an entry before has gone when it is emptied */
	wait();
	for (unsigned int i = 0; i < map->nr_chunks; i++) {
		struct hist_chunk *chunk = map->chunk[i];

		memset(chunk->entries, 0, map->stride * HIST_CHUNK_ENTRIES);
		memset(chunk->sums, 0, chunk_sums(map));
		for (unsigned int nr = 0; nr < nr_cpu_ids; nr++) {
			if (chunk->cpu[nr])
				memset(chunk->cpu[nr], 0, chunk_sums(map));
		}
		cond_resched();
	}
	for (unsigned int i = 0; i < map->nr_spare; i++)
		atomic_set(&map->spare[i], 0);
	map->has_spare = false;
	map->full = false;
	map->crowded = false;
	for_each_possible_cpu(cpu)
		local64_set(per_cpu_ptr(map->dropped, cpu), 0);
	atomic_set(&map->next, 0);
}
