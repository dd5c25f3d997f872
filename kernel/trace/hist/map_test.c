// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: the map keeps every key once and loses no count: one CPU and all of them, from tasks and
 * from interrupts, and on x86_64 NMIs, in the middle of them, with room and without; by itself and
 * below a hist, whose hits take memory of the CPU behind each other.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#ifdef CONFIG_X86_LOCAL_APIC
#include <linux/delay.h>
#endif

#include "../events/events.h"
#ifdef CONFIG_X86_LOCAL_APIC
#include "../tests/nmi.h"
#endif
#include "../tests/suite.h"
#include "internal.h"

#define SUMS	2
#define AT_ONCE	11	/* 1 << this many entries are there from the beginning */

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

/* Ten keys where there may be 1 << 17: what the documentation says of them. */
static void few_of_many(struct kunit *test)
{
	struct hist_map *map = hist_map_create(17, 1, 1, 0, false);
	size_t memory;

	KUNIT_ASSERT_NOT_NULL(test, map);
	for (u64 i = 0; i < 20; i++) {
		u64 key = i % 10;

		scoped_guard(preempt) {
			struct hist_entry *entry = hist_map_insert(map, &key, 1);

			if (entry)
				hist_map_add(map, entry, hist_map_sums(map, entry), 0, 1);
		}
		let_it_grow(map);
	}
	KUNIT_EXPECT_EQ(test, entries(map), 10);
	KUNIT_EXPECT_EQ(test, all_sums(map, 0), 20);
	memory = hist_map_memory(map);
	KUNIT_EXPECT_LT(test, memory, SZ_128K + nr_cpu_ids * SZ_4K);
	kunit_info(test, "10 of 1 << 17 keys: %zu KiB\n", memory >> 10);
	hist_map_put(map);
}

/*
 * Keys that all begin at the same few slots of a table of 1 << @bits: for these there are more
 * tables, long before half of it is used.
 */
static void crowd(struct kunit *test, struct hist_map *map, unsigned int bits)
{
	u32 mask = (BIT(bits) - 1) & ~7U;
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
	for (unsigned int i = 0; i < ARRAY_SIZE(keys); i++)
		KUNIT_EXPECT_GE(test, (s64)sum_of(test, map, &keys[i], 1, 0), 1);
}

static void crowded(struct kunit *test)
{
	struct hist_map *map = map_for(test, 15, 1);

	crowd(test, map, 12);
	hist_map_put(map);
}

/* As many as there may be: keys fill their bucket in each table, and go on in the last. */
static void all_levels(struct kunit *test)
{
	struct hist_map *map = map_for(test, HIST_MAP_BITS_MAX, 1);

	crowd(test, map, 18);
	for (unsigned int nr = 0; nr < HIST_MAP_LEVELS; nr++) {
		struct hist_level *level = map->level[nr];

		KUNIT_ASSERT_NOT_NULL(test, level);
		KUNIT_EXPECT_EQ(test, level->last, nr == HIST_MAP_LEVELS - 1);
		for (unsigned int i = 0; !level->last && i < 8; i++)
			KUNIT_EXPECT_NE(test, (u64)atomic64_read(&level->slot[i]), 0);
	}
	KUNIT_EXPECT_EQ(test, map->level[HIST_MAP_LEVELS - 1]->mask,
			BIT(HIST_MAP_BITS_MAX + 1) - 1);
	kunit_info(test, "40 of 1 << %d keys in all tables: %zu KiB\n", HIST_MAP_BITS_MAX,
		   hist_map_memory(map) >> 10);
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
	struct hist		*hist;	/* is hit, with a key of two words; NULL: the map */
	unsigned int		at[2];	/* its keys, in a record */
	unsigned int		keys;
	unsigned int		hits;	/* of each thread, or more ... */
	bool			goes_on;	/* ... while this is set */
	atomic64_t		done;
	atomic64_t		value;
	atomic_t		running;
	struct completion	end;
};

struct hammer_timer {
	struct hrtimer	timer;
	struct hammer	*hammer;
	u64		ns;
	u64		seed;
};

/* There is room for it: it is counted. */
static bool hit_hist(struct hammer *hammer, u64 key)
{
	u64 rec[8] = {};

	for (unsigned int i = 0; i < ARRAY_SIZE(hammer->at); i++)
		*(u32 *)((void *)rec + hammer->at[i]) = key;
	guard(preempt)();
	hist_hit(&hammer->hist->trigger->hook, rec, 0);
	return true;
}

static void one(struct hammer *hammer, u64 *seed)
{
	u64 key;

	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	key = (*seed >> 33) % hammer->keys;
	if (hammer->hist ? hit_hist(hammer, key) : hit_word(hammer->map, key))
		atomic64_add(key, &hammer->value);
	atomic64_inc(&hammer->done);
}

static enum hrtimer_restart from_interrupt(struct hrtimer *timer)
{
	struct hammer_timer *t = container_of(timer, struct hammer_timer, timer);

	for (int i = 0; i < 8; i++)
		one(t->hammer, &t->seed);
	hrtimer_forward_now(timer, ns_to_ktime(t->ns));
	return HRTIMER_RESTART;
}

static int hammering(void *data)
{
	static const enum hrtimer_mode modes[] = {
		HRTIMER_MODE_REL_PINNED_HARD, HRTIMER_MODE_REL_PINNED_SOFT
	};
	struct hammer *hammer = data;
	struct hammer_timer timers[] = {
		{ .hammer = hammer, .seed = get_random_u64(), .ns = 50 * NSEC_PER_USEC },
		{ .hammer = hammer, .seed = get_random_u64(), .ns = 130 * NSEC_PER_USEC },
	};
	u64 seed = get_random_u64();

	for (unsigned int i = 0; i < ARRAY_SIZE(timers); i++) {
		hrtimer_init_on_stack(&timers[i].timer, CLOCK_MONOTONIC, modes[i]);
		timers[i].timer.function = from_interrupt;
		hrtimer_start(&timers[i].timer, ns_to_ktime(timers[i].ns), modes[i]);
	}
	for (unsigned int i = 0; i < hammer->hits || READ_ONCE(hammer->goes_on); i++) {
		one(hammer, &seed);
		if (i % 1024 == 0)
			cond_resched();
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(timers); i++) {
		hrtimer_cancel(&timers[i].timer);
		destroy_hrtimer_on_stack(&timers[i].timer);
	}
	if (atomic_dec_and_test(&hammer->running))
		complete(&hammer->end);
	return 0;
}

/* A thread on each CPU. Return: how many there are. */
static unsigned int hammer_start(struct hammer *hammer)
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
	return nr;
}

static void hammer_wait(struct hammer *hammer)
{
	if (!atomic_dec_and_test(&hammer->running))
		wait_for_completion(&hammer->end);
	let_it_grow(hammer->map);
}

static unsigned int hammer_all_cpus(struct hammer *hammer)
{
	unsigned int nr = hammer_start(hammer);

	hammer_wait(hammer);
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
	if (hammer->keys > room)
		KUNIT_EXPECT_GT(test, dropped, 0);
	else if (hammer->map->bits <= AT_ONCE)
		KUNIT_EXPECT_EQ(test, dropped, 0);
	/* each key once */
	for (unsigned int i = 0; i < hist_map_used(hammer->map); i++) {
		struct hist_entry *entry = hist_map_entry(hammer->map, i);

		if (!entry)
			continue;
		KUNIT_EXPECT_LT(test, entry->key[0], hammer->keys);
		scoped_guard(preempt)
			KUNIT_EXPECT_PTR_EQ(test, entry, hist_map_find(hammer->map, entry->key,
								       entry->words));
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

/* --- below a hist */

/* Hits of others do not pass. */
static int two_keys(struct trace_event_file *file, bool remove)
{
	char command[] = "keys=parent_pid,child_pid:vals=child_pid if parent_pid == -7";

	return hist_command(file, command, remove);
}

static void hammer_hist_with(struct kunit *test, unsigned int (*hammer_how)(struct hammer *hammer))
{
	char fields[][16] = { "parent_pid", "child_pid" };
	struct hammer hammer = { .keys = 1500, .hits = 40000 };
	struct trace_event_file *file;

	guard(mutex)(&event_mutex);
	KUNIT_ASSERT_EQ(test, event_files_get_ready(&global_trace), 0);
	file = find_event_file(&global_trace, "sched", "sched_process_fork");
	KUNIT_ASSERT_NOT_NULL(test, file);
	for (unsigned int i = 0; i < ARRAY_SIZE(fields); i++) {
		hammer.at[i] = trace_find_event_field(file->event_call, fields[i])->offset;
		KUNIT_ASSERT_LE(test, hammer.at[i], 60);
	}
	KUNIT_ASSERT_EQ(test, two_keys(file, false), 0);
	hammer.hist = list_last_entry(&hists_of(&global_trace)->hists, struct hist, list);
	hammer.map = hammer.hist->map;
	KUNIT_EXPECT_EQ(test, hammer.hist->state, HIST_WHOLE);
	hammered(test, &hammer, hammer_how(&hammer));
	KUNIT_EXPECT_EQ(test, hist_hits(hammer.hist), (u64)atomic64_read(&hammer.done));
	KUNIT_EXPECT_EQ(test, two_keys(file, true), 0);
}

static void hammer_hist(struct kunit *test)
{
	hammer_hist_with(test, hammer_all_cpus);
}

/* --- NMIs, which come into the hits of tasks, of interrupts and of a timer's softirq */

#ifdef CONFIG_X86_LOCAL_APIC
/* So many, or as many as there is time for. */
#define NMI_ROUNDS		2000
#define NMI_ROUNDS_LEAST	300
#define NMI_SECONDS		20

static struct hammer *nmi_hammer;

struct nmi_cpu {
	atomic_t	pending;
	unsigned int	nr;
	u64		seed;
};

static DEFINE_PER_CPU(struct nmi_cpu, nmi_cpus);

static int nmi_hits(unsigned int type, struct pt_regs *regs)
{
	struct nmi_cpu *nmi = this_cpu_ptr(&nmi_cpus);

	if (!test_nmi_came(&nmi->pending))
		return NMI_DONE;
	for (int i = 0; i < 16; i++)
		one(nmi_hammer, &nmi->seed);
	nmi->nr++;
	return NMI_HANDLED;
}

/* A thread on each CPU, and NMIs on each. Return: how many threads there were; 0: no NMIs. */
static unsigned int hammer_below_nmis(struct hammer *hammer)
{
	unsigned long end;
	unsigned int cpu, nr;

	for_each_possible_cpu(cpu) {
		*per_cpu_ptr(&nmi_cpus, cpu) = (struct nmi_cpu) { .seed = get_random_u64() };
	}
	nmi_hammer = hammer;
	if (register_nmi_handler(NMI_LOCAL, nmi_hits, 0, "kunit-hist"))
		return 0;
	hammer->goes_on = true;
	nr = hammer_start(hammer);
	/* the threads would leave it little time; it ends with the case */
	sched_set_fifo_low(current);
	end = jiffies + NMI_SECONDS * HZ;
	for (unsigned int i = 0; i < NMI_ROUNDS; i++) {
		if (i > NMI_ROUNDS_LEAST && time_after(jiffies, end))
			break;
		for_each_online_cpu(cpu)
			test_nmi_send(per_cpu_ptr(&nmi_cpus.pending, cpu), cpu);
		/* what was dropped for lack of memory comes again behind this */
		if (i == NMI_ROUNDS_LEAST / 2)
			let_it_grow(hammer->map);
		usleep_range(20, 40);
	}
	WRITE_ONCE(hammer->goes_on, false);
	hammer_wait(hammer);
	/* the last NMIs are on their way at most */
	msleep(20);
	unregister_nmi_handler(NMI_LOCAL, "kunit-hist");
	let_it_grow(hammer->map);
	return nr;
}

static void nmis_were_there(struct kunit *test)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		KUNIT_EXPECT_GT(test, per_cpu(nmi_cpus, cpu).nr, 50);
}

/* @bits: with room for all keys, and without */
static void hammer_with_nmis(struct kunit *test, unsigned int bits, unsigned int keys)
{
	struct hammer hammer = { .map = map_for(test, bits, 1), .keys = keys, .hits = 50000 };

	hammered(test, &hammer, hammer_below_nmis(&hammer));
	nmis_were_there(test);
	hist_map_put(hammer.map);
}

static void hammer_nmis_one_key(struct kunit *test)
{
	hammer_with_nmis(test, 11, 1);
}

static void hammer_nmis_two_keys(struct kunit *test)
{
	hammer_with_nmis(test, 11, 2);
}

static void hammer_nmis_many_keys(struct kunit *test)
{
	hammer_with_nmis(test, 12, 3000);
}

static void hammer_nmis_too_many_keys(struct kunit *test)
{
	hammer_with_nmis(test, 8, 3000);
}

static void hammer_nmis_hist(struct kunit *test)
{
	hammer_hist_with(test, hammer_below_nmis);
	nmis_were_there(test);
}
#endif

static struct kunit_case cases[] = {
	KUNIT_CASE(counts),
	KUNIT_CASE(own_sums),
	KUNIT_CASE(long_keys),
	KUNIT_CASE(full),
	KUNIT_CASE(grows),
	KUNIT_CASE(few_of_many),
	KUNIT_CASE(crowded),
	KUNIT_CASE_SLOW(all_levels),
	KUNIT_CASE(cleared),
	KUNIT_CASE(hammer_one_key),
	KUNIT_CASE(hammer_two_keys),
	KUNIT_CASE(hammer_many_keys),
	KUNIT_CASE(hammer_too_many_keys),
	KUNIT_CASE(hammer_hist),
#ifdef CONFIG_X86_LOCAL_APIC
	KUNIT_CASE_SLOW(hammer_nmis_one_key),
	KUNIT_CASE_SLOW(hammer_nmis_two_keys),
	KUNIT_CASE_SLOW(hammer_nmis_many_keys),
	KUNIT_CASE_SLOW(hammer_nmis_too_many_keys),
	KUNIT_CASE_SLOW(hammer_nmis_hist),
#endif
	{}
};

TRACE_KUNIT_SUITE("hist_map", cases);
