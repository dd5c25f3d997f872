// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: the map keeps every key once and loses no count: one CPU and all of them, from tasks and
 * from interrupts, and on x86_64 NMIs, in the middle of them, with room and without.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/random.h>
#include <linux/slab.h>
#ifdef CONFIG_X86_64
#include <linux/delay.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "../tests/suite.h"
#include "map.h"

#define SUMS	2

static struct hist_map *map_for(struct kunit *test, unsigned int bits, unsigned int words)
{
	struct hist_map *map = hist_map_create(bits, words, SUMS, 16, false);

	KUNIT_ASSERT_NOT_NULL(test, map);
	return map;
}

/* As a hit does it. False: dropped. */
static bool hit(struct hist_map *map, const u64 *key, unsigned int words, u64 value)
{
	struct hist_entry *entry;

	guard(preempt)();
	if (map->key_words == 1) {
		local64_t *sums;
		u64 slot;

		if (hist_map_hit_word(map, *key, &entry, &sums, &slot)) {
			local64_inc(sums);
			local64_add(value, sums + 1);
			return true;
		}
		if (hist_map_drop_word(map, *key, slot))
			return false;
	}
	entry = hist_map_insert(map, key, words);
	if (entry) {
		local64_t *sums = hist_map_sums(map, entry);

		hist_map_add(map, entry, sums, 0, 1);
		hist_map_add(map, entry, sums, 1, value);
	}
	return entry;
}

static bool hit_word(struct hist_map *map, u64 key)
{
	return hit(map, &key, 1, key);
}

/* What the asked for background work would do some time later. */
static void let_it_grow(struct hist_map *map)
{
	trace_irq_work_sync(&map->grow);
	flush_work(&map->grow_work);
}

static u64 all_sums(struct hist_map *map, unsigned int sum)
{
	u64 total = 0;

	for (unsigned int i = 0; i < hist_map_used(map); i++) {
		struct hist_entry *entry = hist_map_entry(map, i);

		if (entry)
			total += hist_map_sum(map, entry, sum);
	}
	return total;
}

static unsigned int entries(struct hist_map *map)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < hist_map_used(map); i++)
		nr += !!hist_map_entry(map, i);
	return nr;
}

static u64 sum_of(struct kunit *test, struct hist_map *map, const u64 *key, unsigned int words,
		  unsigned int sum)
{
	struct hist_entry *entry;

	scoped_guard(preempt)
		entry = hist_map_find(map, key, words);
	if (!entry)
		return -1;
	return hist_map_sum(map, entry, sum);
}

static void counts(struct kunit *test)
{
	struct hist_map *map = map_for(test, 11, 1);

	for (u64 key = 0; key < 100; key++)
		for (u64 i = 0; i <= key; i++)
			KUNIT_ASSERT_TRUE(test, hit_word(map, key));
	KUNIT_EXPECT_EQ(test, entries(map), 100);
	for (u64 key = 0; key < 100; key++) {
		KUNIT_EXPECT_EQ(test, sum_of(test, map, &key, 1, 0), key + 1);
		KUNIT_EXPECT_EQ(test, sum_of(test, map, &key, 1, 1), key * (key + 1));
	}
	KUNIT_EXPECT_EQ(test, hist_map_dropped(map), 0);
	hist_map_put(map);
}

/* Shared sums first, then those of the CPU. */
static void own_sums(struct kunit *test)
{
	struct hist_map *map = map_for(test, 11, 1);
	u64 key = 7;

	hit_word(map, key);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&map->chunk[0]->sums[0]), 1);
	let_it_grow(map);
	migrate_disable();
	hit_word(map, key);	/* the thread may have moved: asks again */
	let_it_grow(map);
	hit_word(map, key);
	KUNIT_EXPECT_GE(test, (u64)local64_read(&map->chunk[0]->cpu[raw_smp_processor_id()][0]), 1);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, sum_of(test, map, &key, 1, 0), 3);
	hist_map_put(map);
}

static void long_keys(struct kunit *test)
{
	struct hist_map *map = map_for(test, 11, 5);
	u64 key[5] = { 1, 2, 3, 4, 5 };

	for (unsigned int words = 1; words <= 5; words++)
		hit(map, key, words, words);
	KUNIT_EXPECT_EQ(test, entries(map), 5);
	key[4]++;
	hit(map, key, 5, 50);
	KUNIT_EXPECT_EQ(test, entries(map), 6);
	for (unsigned int words = 1; words < 5; words++)
		KUNIT_EXPECT_EQ(test, sum_of(test, map, key, words, 1), words);
	KUNIT_EXPECT_EQ(test, sum_of(test, map, key, 5, 1), 50);
	key[0]++;
	KUNIT_EXPECT_EQ(test, sum_of(test, map, key, 5, 1), -1ULL);
	hist_map_put(map);
}

static void full(struct kunit *test)
{
	struct hist_map *map = map_for(test, HIST_MAP_BITS_MIN, 1);
	unsigned int taken = 0;

	for (u64 key = 0; key < 1000; key++)
		taken += hit_word(map, key);
	KUNIT_EXPECT_EQ(test, taken, 1 << HIST_MAP_BITS_MIN);
	KUNIT_EXPECT_EQ(test, entries(map), 1 << HIST_MAP_BITS_MIN);
	KUNIT_EXPECT_EQ(test, hist_map_dropped(map), 1000 - taken);
	KUNIT_EXPECT_EQ(test, all_sums(map, 0), taken);
	hist_map_put(map);
}

static void grows(struct kunit *test)
{
	const u64 nr = 1 << 15;
	struct hist_map *map = map_for(test, 15, 1);
	size_t before = hist_map_memory(map);
	u64 key, dropped = 0;

	for (key = 0; key < nr; key++) {
		dropped += !hit_word(map, key * 0x10001);
		if (key % 256 == 0)
			let_it_grow(map);
	}
	let_it_grow(map);
	/* all of them, as it had time to grow; twice, once in each level */
	KUNIT_EXPECT_EQ(test, dropped, 0);
	KUNIT_EXPECT_EQ(test, entries(map), nr);
	KUNIT_EXPECT_NOT_NULL(test, map->level[1]);
	for (key = 0; key < nr; key++)
		hit_word(map, key * 0x10001);
	KUNIT_EXPECT_EQ(test, entries(map), nr);
	KUNIT_EXPECT_EQ(test, all_sums(map, 0), 2 * nr);
	KUNIT_EXPECT_LT(test, before * 8, hist_map_memory(map));
	kunit_info(test, "1 << 15 keys: %zu KiB at first, %zu KiB full\n", before >> 10,
		   hist_map_memory(map) >> 10);
	hist_map_put(map);
}

/*
 * Keys that all begin at the same few slots: for these there are more tables, long before half of
 * it is used.
 */
static void crowded(struct kunit *test)
{
	struct hist_map *map = map_for(test, 15, 1);
	u32 mask = map->slots_mask & ~7U;
	u64 keys[40], key = 0;

	for (unsigned int nr = 0; nr < ARRAY_SIZE(keys); key++) {
		if (((u32)hist_hash_word(0, key) & mask) == 0)
			keys[nr++] = key;
	}
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(keys); i++) {
			hit_word(map, keys[i]);
			let_it_grow(map);
		}
	}
	KUNIT_EXPECT_EQ(test, entries(map), ARRAY_SIZE(keys));
	/* not more than one for each table that was to come */
	KUNIT_EXPECT_LT(test, hist_map_dropped(map), HIST_MAP_LEVELS);
	KUNIT_EXPECT_EQ(test, all_sums(map, 0) + hist_map_dropped(map), 2 * ARRAY_SIZE(keys));
	hist_map_put(map);
}

static void do_not_wait(void)
{
}

static void cleared(struct kunit *test)
{
	struct hist_map *map = map_for(test, 8, 1);
	u64 key = 3;

	for (u64 i = 0; i < 300; i++)
		hit_word(map, i);
	hist_map_clear(map, do_not_wait);
	KUNIT_EXPECT_EQ(test, entries(map), 0);
	KUNIT_EXPECT_EQ(test, hist_map_dropped(map), 0);
	KUNIT_EXPECT_EQ(test, sum_of(test, map, &key, 1, 0), -1ULL);
	hit_word(map, key);
	KUNIT_EXPECT_EQ(test, sum_of(test, map, &key, 1, 0), 1);
	hist_map_put(map);
}

/* --- all CPUs, and interrupts */

struct hammer {
	struct hist_map		*map;
	unsigned int		keys;
	unsigned int		hits;	/* of each thread */
	atomic64_t		done;
	atomic64_t		value;
	atomic_t		running;
	struct completion	end;
};

struct hammer_timer {
	struct hrtimer	timer;
	struct hammer	*hammer;
	u64		seed;
};

static void one(struct hammer *hammer, u64 *seed)
{
	u64 key;

	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	key = (*seed >> 33) % hammer->keys;
	if (hit_word(hammer->map, key))
		atomic64_add(key, &hammer->value);
	atomic64_inc(&hammer->done);
}

static enum hrtimer_restart from_interrupt(struct hrtimer *timer)
{
	struct hammer_timer *t = container_of(timer, struct hammer_timer, timer);

	for (int i = 0; i < 8; i++)
		one(t->hammer, &t->seed);
	hrtimer_forward_now(timer, ns_to_ktime(50 * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static int hammering(void *data)
{
	struct hammer *hammer = data;
	struct hammer_timer t = { .hammer = hammer, .seed = get_random_u64() };
	u64 seed = get_random_u64();

	hrtimer_init_on_stack(&t.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	t.timer.function = from_interrupt;
	hrtimer_start(&t.timer, ns_to_ktime(50 * NSEC_PER_USEC), HRTIMER_MODE_REL_PINNED_HARD);
	for (unsigned int i = 0; i < hammer->hits; i++) {
		one(hammer, &seed);
		if (i % 1024 == 0)
			cond_resched();
	}
	hrtimer_cancel(&t.timer);
	destroy_hrtimer_on_stack(&t.timer);
	if (atomic_dec_and_test(&hammer->running))
		complete(&hammer->end);
	return 0;
}

/* A thread on each CPU; until all have ended. Return: how many there were. */
static unsigned int hammer_all_cpus(struct hammer *hammer)
{
	unsigned int cpu, nr = 0;

	init_completion(&hammer->end);
	atomic_set(&hammer->running, 1);
	for_each_online_cpu(cpu) {
		struct task_struct *task;

		task = kthread_create_on_cpu(hammering, hammer, cpu, "hist_hammer/%u");
		if (IS_ERR(task))
			continue;
		atomic_inc(&hammer->running);
		wake_up_process(task);
		nr++;
	}
	if (!atomic_dec_and_test(&hammer->running))
		wait_for_completion(&hammer->end);
	let_it_grow(hammer->map);
	return nr;
}

/* Nothing is lost, and each key is there once. */
static void hammered(struct kunit *test, struct hammer *hammer, unsigned int nr)
{
	unsigned int room = 1U << hammer->map->bits;
	u64 counted = all_sums(hammer->map, 0);
	u64 dropped = hist_map_dropped(hammer->map);

	KUNIT_EXPECT_EQ(test, counted + dropped, (u64)atomic64_read(&hammer->done));
	KUNIT_EXPECT_EQ(test, all_sums(hammer->map, 1), (u64)atomic64_read(&hammer->value));
	KUNIT_EXPECT_EQ(test, entries(hammer->map), min(hammer->keys, room));
	if (hammer->keys <= room)
		KUNIT_EXPECT_EQ(test, dropped, 0);
	else
		KUNIT_EXPECT_GT(test, dropped, 0);
	/* each key once */
	for (unsigned int i = 0; i < hist_map_used(hammer->map); i++) {
		struct hist_entry *entry = hist_map_entry(hammer->map, i);

		if (!entry)
			continue;
		KUNIT_EXPECT_LT(test, entry->key[0], hammer->keys);
		scoped_guard(preempt)
			KUNIT_EXPECT_PTR_EQ(test, hist_map_find(hammer->map, entry->key, 1), entry);
	}
	kunit_info(test, "%u threads, %u keys of %u: %llu counted, %llu dropped\n", nr,
		   hammer->keys, room, counted, dropped);
}

static void hammer_with(struct kunit *test, unsigned int bits, unsigned int keys)
{
	struct hammer hammer = { .map = map_for(test, bits, 1), .keys = keys, .hits = 50000 };

	hammered(test, &hammer, hammer_all_cpus(&hammer));
	hist_map_put(hammer.map);
}

static u64 shared_sum(struct hist_map *map, u64 key)
{
	struct hist_entry *entry;

	scoped_guard(preempt)
		entry = hist_map_find(map, &key, 1);
	return entry ? atomic64_read(&map->chunk[0]->sums[entry->index * SUMS]) : -1ULL;
}

/* Once every CPU has sums of its own, what they share is written by none of them. */
static void hammer_one_key(struct kunit *test)
{
	struct hammer hammer = { .map = map_for(test, 11, 1), .keys = 1, .hits = 1000 };
	u64 shared, warm;

	hammer_all_cpus(&hammer);
	shared = shared_sum(hammer.map, 0);
	warm = atomic64_read(&hammer.done);
	hammer.hits = 50000;
	hammered(test, &hammer, hammer_all_cpus(&hammer));
	KUNIT_EXPECT_GT(test, shared, 0);
	KUNIT_EXPECT_EQ(test, shared_sum(hammer.map, 0), shared);
	kunit_info(test, "%llu of the first %llu hits went to the shared sum, %llu of %llu later\n",
		   shared, warm, shared_sum(hammer.map, 0) - shared,
		   (u64)atomic64_read(&hammer.done) - warm);
	hist_map_put(hammer.map);
}

static void hammer_two_keys(struct kunit *test)
{
	hammer_with(test, 11, 2);
}

static void hammer_many_keys(struct kunit *test)
{
	hammer_with(test, 11, 1500);
}

static void hammer_too_many_keys(struct kunit *test)
{
	hammer_with(test, 8, 2000);
}

/* --- NMIs, which come into each other's and the task's hits */

#ifdef CONFIG_X86_64
#define NMI_ROUNDS	10000
#define NMI_KEYS	3000

static struct nmi_hammer {
	struct hist_map	*map;
	atomic_t	pending;
	u64		seed;
	/* of NMIs only */
	u64		hits, taken, value;
} nmi_hammer;

static u64 next_key(u64 *seed, unsigned int keys)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*seed >> 33) % keys;
}

static int nmi_hits(unsigned int type, struct pt_regs *regs)
{
	struct nmi_hammer *nmi = &nmi_hammer;

	if (!atomic_xchg(&nmi->pending, 0))
		return NMI_DONE;
	for (int i = 0; i < 16; i++) {
		u64 key = next_key(&nmi->seed, NMI_KEYS);

		nmi->hits++;
		if (hit_word(nmi->map, key)) {
			nmi->taken++;
			nmi->value += key;
		}
	}
	return NMI_HANDLED;
}

struct nmi_task {
	struct hist_map		*map;
	bool			stop;
	u64			hits, taken, value;
	struct completion	end;
};

static int hammering_below_nmis(void *data)
{
	struct nmi_task *task = data;
	u64 seed = get_random_u64();

	while (!READ_ONCE(task->stop)) {
		u64 key = next_key(&seed, NMI_KEYS);

		task->hits++;
		if (hit_word(task->map, key)) {
			task->taken++;
			task->value += key;
		}
		if (task->hits % 1024 == 0)
			cond_resched();
	}
	complete(&task->end);
	return 0;
}

/* One CPU hits, and is hit by NMIs that do the same; @bits: with room for all, and without. */
static void hammer_with_nmis(struct kunit *test, unsigned int bits)
{
	struct nmi_hammer *nmi = &nmi_hammer;
	struct nmi_task task = { .map = map_for(test, bits, 1) };
	struct task_struct *thread;
	unsigned int cpu;

	cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	if (cpu >= nr_cpu_ids) {
		hist_map_put(task.map);
		kunit_skip(test, "needs two CPUs");
	}
	*nmi = (struct nmi_hammer) { .map = task.map, .seed = get_random_u64() };
	init_completion(&task.end);
	thread = kthread_create_on_cpu(hammering_below_nmis, &task, cpu, "hist_nmi/%u");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, thread);
	KUNIT_ASSERT_EQ(test, register_nmi_handler(NMI_LOCAL, nmi_hits, 0, "kunit-hist"), 0);
	wake_up_process(thread);
	for (unsigned int i = 0; i < NMI_ROUNDS; i++) {
		if (!atomic_xchg(&nmi->pending, 1))
			__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
		usleep_range(20, 40);
	}
	WRITE_ONCE(task.stop, true);
	wait_for_completion(&task.end);
	/* the last NMI is on its way at most */
	msleep(20);
	unregister_nmi_handler(NMI_LOCAL, "kunit-hist");
	let_it_grow(task.map);

	KUNIT_EXPECT_GT(test, nmi->hits, 1000);
	KUNIT_EXPECT_EQ(test, all_sums(task.map, 0), task.taken + nmi->taken);
	KUNIT_EXPECT_EQ(test, all_sums(task.map, 1), task.value + nmi->value);
	KUNIT_EXPECT_EQ(test, all_sums(task.map, 0) + hist_map_dropped(task.map),
			task.hits + nmi->hits);
	KUNIT_EXPECT_EQ(test, entries(task.map), min(NMI_KEYS, 1 << bits));
	kunit_info(test, "%llu hits, %llu of NMIs, %llu dropped\n", task.hits, nmi->hits,
		   hist_map_dropped(task.map));
	hist_map_put(task.map);
}

static void hammer_nmis(struct kunit *test)
{
	hammer_with_nmis(test, 12);
}

static void hammer_nmis_too_many_keys(struct kunit *test)
{
	hammer_with_nmis(test, 8);
}
#endif

static struct kunit_case cases[] = {
	KUNIT_CASE(counts),
	KUNIT_CASE(own_sums),
	KUNIT_CASE(long_keys),
	KUNIT_CASE(full),
	KUNIT_CASE(grows),
	KUNIT_CASE(crowded),
	KUNIT_CASE(cleared),
	KUNIT_CASE(hammer_one_key),
	KUNIT_CASE(hammer_two_keys),
	KUNIT_CASE(hammer_many_keys),
	KUNIT_CASE(hammer_too_many_keys),
#ifdef CONFIG_X86_64
	KUNIT_CASE_SLOW(hammer_nmis),
	KUNIT_CASE_SLOW(hammer_nmis_too_many_keys),
#endif
	{}
};

TRACE_KUNIT_SUITE("hist_map", cases);
