// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: sequences, the merge of CPUs, print helpers, columns, error_log, names of tasks. */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/ctype.h>
#include <linux/kthread.h>
#include <linux/rethook.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "../events/internal.h"
#include "../instance/error_log.h"
#include "../printf.h"
#include "../record/entries.h"
#include "../record/switch_entries.h"
#include "../tasks/saved_cmdlines.h"
#include "../tasks/tasks.h"
#include "../tests/suite.h"
#include "internal.h"

static struct trace_seq *test_seq(struct kunit *test)
{
	struct trace_seq *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	trace_seq_init(s);
	return s;
}

/* Text of @s, terminated. */
static const char *seq_text(struct trace_seq *s)
{
	s->buffer[trace_seq_used(s)] = 0;
	return s->buffer;
}

static void test_seq_append(struct kunit *test)
{
	struct trace_seq *s = test_seq(test);
	static const u8 bytes[] = { 0x12, 0x34, 0x56 };
	unsigned long mask = 0xa5;

	trace_seq_printf(s, "%d-%s", 7, "x");
	trace_seq_putc(s, ' ');
	trace_seq_puts(s, "puts ");
	trace_seq_putmem(s, "memory", 3);
	trace_seq_putc(s, ' ');
	trace_seq_putmem_hex(s, bytes, sizeof(bytes));
	trace_seq_bitmask(s, &mask, 8);
	KUNIT_EXPECT_STREQ(test, seq_text(s), "7-x puts mem 563412 a5");
	KUNIT_EXPECT_FALSE(test, trace_seq_has_overflowed(s));
}

/* Does trace_vsnprintf() print what vsnprintf() does, in @size bytes? */
static __printf(3, 4) void prints_alike(struct kunit *test, size_t size, const char *fmt, ...)
{
	char ours[128], theirs[128];
	va_list args;
	int len, expected;

	va_start(args, fmt);
	len = trace_vsnprintf(ours, size, fmt, args);
	va_end(args);
	va_start(args, fmt);
	expected = vsnprintf(theirs, size, fmt, args);
	va_end(args);
	KUNIT_EXPECT_EQ_MSG(test, len, expected, "%s", fmt);
	KUNIT_EXPECT_STREQ_MSG(test, ours, theirs, "%s", fmt);
}

/* Each way of a number with each letter; formats are made here, so the compiler sees none. */
static void test_printf_numbers(struct kunit *test)
{
	static const u64 values[] = {
		0, 1, 9, 10, 99, 100, 101, 999, 1000, 12345, U16_MAX, S32_MAX, 1ULL << 31, U32_MAX,
		0x123456789abcdefULL, S64_MAX, 1ULL << 63, U64_MAX, 0xffffff8000000000ULL,
	};
	static const char *const flags[] = { "", "-", "0", "-0", "#", "#0", "-#", "+", " " };
	static const char *const widths[] = { "", "1", "2", "3", "8", "16", "40", ".3", "5.2" };
	static const char *const sizes[] = { "", "l", "ll", "h", "hh", "z" };
	void (*print)(struct kunit *test, size_t size, const char *fmt, ...) = prints_alike;
	char fmt[32];

	for (int i = 0; i < ARRAY_SIZE(flags) * ARRAY_SIZE(widths) * ARRAY_SIZE(sizes); i++) {
		for (const char *letter = "diuxXo"; *letter; letter++) {
			int size = i % ARRAY_SIZE(sizes);

			snprintf(fmt, sizeof(fmt), "a=%%%s%s%s%c|",
				 flags[i / ARRAY_SIZE(sizes) % ARRAY_SIZE(flags)],
				 widths[i / ARRAY_SIZE(sizes) / ARRAY_SIZE(flags)], sizes[size],
				 *letter);
			for (int j = 0; j < ARRAY_SIZE(values); j++) {
				if (size == 1 || size == 2 || size == 5)
					print(test, 128, fmt, values[j]);
				else
					print(test, 128, fmt, (u32)values[j]);
			}
		}
	}
}

static void test_printf_words(struct kunit *test)
{
	prints_alike(test, 128, "plain");
	prints_alike(test, 128, "100%% of %d%%", 7);
	prints_alike(test, 128, "%s|%10s|%-10s|%2s|%-2s|", "abc", "def", "ghi", "jkl", "mno");
	prints_alike(test, 128, "%.2s|%*d|%5c|%c", "abc", 5, 7, 'x', 'y');
	prints_alike(test, 128, "%s %s", (char *)NULL, (char *)16);
	prints_alike(test, 128, "%s", (char *)ERR_PTR(-EINVAL));
	prints_alike(test, 128, "%ps %px", test_printf_words, test);
	/* all lengths around the end of the room */
	for (size_t size = 1; size < 24; size++) {
		prints_alike(test, size, "ab%dc%8xd%se", 123456, 0xbeef, "text");
		prints_alike(test, size, "%%%c%%", 'x');
	}
}

/* Columns of a graph and of a profile stay apart, however long something took. */
static void test_durations(struct kunit *test)
{
	static const struct {
		u64		ns;
		const char	*text;
	} cases[] = {
		{ 0,			"0.000 us    " },
		{ 1999,			"1.999 us    " },
		{ 1234567,		"1234.567 us " },
		{ 12345678,		"12345.67 us " },
		{ 123456789,		"123456.7 us " },
		{ 1234567890,		"1234567 us  " },
		{ 123456789012,		"123456789 us " },
		{ U64_MAX,		"18446744073709551 us " },
	};
	char text[TRACE_US_TEXT];

	for (int i = 0; i < ARRAY_SIZE(cases); i++) {
		trace_us_text(text, cases[i].ns);
		KUNIT_EXPECT_STREQ(test, text, cases[i].text);
	}
}

static void test_seq_all_or_nothing(struct kunit *test)
{
	struct trace_seq *s = test_seq(test);
	char *room;

	/* room for a terminator stays */
	room = trace_seq_acquire(s, TRACE_SEQ_BUFFER_SIZE - 4);
	KUNIT_ASSERT_NOT_NULL(test, room);
	trace_seq_puts(s, "abc");
	KUNIT_EXPECT_FALSE(test, trace_seq_has_overflowed(s));
	KUNIT_EXPECT_EQ(test, trace_seq_used(s), (int)TRACE_SEQ_BUFFER_SIZE - 1);

	trace_seq_putc(s, 'd');
	KUNIT_EXPECT_TRUE(test, trace_seq_has_overflowed(s));
	KUNIT_EXPECT_EQ(test, trace_seq_used(s), (int)TRACE_SEQ_BUFFER_SIZE - 1);
	KUNIT_EXPECT_NULL(test, trace_seq_acquire(s, 1));

	/* what does not fit leaves nothing behind, and nothing fits after it */
	trace_seq_init(s);
	trace_seq_acquire(s, TRACE_SEQ_BUFFER_SIZE - 4);
	trace_seq_printf(s, "%s", "abcd");
	KUNIT_EXPECT_EQ(test, trace_seq_used(s), (int)TRACE_SEQ_BUFFER_SIZE - 4);
	trace_seq_putc(s, 'x');
	KUNIT_EXPECT_EQ(test, trace_seq_used(s), (int)TRACE_SEQ_BUFFER_SIZE - 4);
	KUNIT_EXPECT_TRUE(test, trace_seq_has_overflowed(s));

	trace_seq_init(s);
	trace_seq_acquire(s, TRACE_SEQ_BUFFER_SIZE - 20);
	KUNIT_EXPECT_EQ(test, trace_seq_hex_dump(s, "", DUMP_PREFIX_NONE, 16, 1, "0123456789", 10,
						 true), 0);
	KUNIT_EXPECT_EQ(test, trace_seq_used(s), (int)TRACE_SEQ_BUFFER_SIZE - 20);
}

/*
 * A fake of four buffers: times of each CPU ascend, and the merge of them must
 * give all of them in order, equal ones by CPU.
 */
static void test_merge_order(struct kunit *test)
{
	static const u64 ts[4][6] = {
		{ 5, 6, 6, 20, 21, 0 },
		{ 1, 2, 30, 0 },
		{ 0 },
		{ 6, 7, 8, 9, 31, 0 },
	};
	static const struct trace_merge_head expect[] = {
		{ 1, 1 }, { 2, 1 }, { 5, 0 }, { 6, 0 }, { 6, 0 }, { 6, 3 }, { 7, 3 }, { 8, 3 },
		{ 9, 3 }, { 20, 0 }, { 21, 0 }, { 30, 1 }, { 31, 3 },
	};
	struct trace_merge_head heads[4];
	struct trace_merge m = { .head = heads };
	int at[4] = {}, n = 0;

	for (int cpu = 3; cpu >= 0; cpu--) {
		if (ts[cpu][0])
			trace_merge_add(&m, ts[cpu][0], cpu);
	}
	while (trace_merge_first(&m)) {
		struct trace_merge_head first = *trace_merge_first(&m);

		KUNIT_ASSERT_LT(test, n, (int)ARRAY_SIZE(expect));
		KUNIT_EXPECT_EQ(test, first.ts, expect[n].ts);
		KUNIT_EXPECT_EQ(test, first.cpu, expect[n].cpu);
		n++;
		if (ts[first.cpu][++at[first.cpu]])
			trace_merge_replace_first(&m, ts[first.cpu][at[first.cpu]]);
		else
			trace_merge_drop_first(&m);
	}
	KUNIT_EXPECT_EQ(test, n, (int)ARRAY_SIZE(expect));
}

static void test_flags(struct kunit *test)
{
	static const struct trace_print_flags names[] = {
		{ 3, "both" }, { 1, "one" }, { 2, "two" }, { 8, "eight" }, { 0, NULL }
	};
	struct trace_seq *s = test_seq(test);

	KUNIT_EXPECT_STREQ(test, trace_print_flags_seq(s, "|", 9, names), "one|eight");
	KUNIT_EXPECT_STREQ(test, trace_print_flags_seq(s, "|", 3, names), "both");
	KUNIT_EXPECT_STREQ(test, trace_print_flags_seq(s, "|", 0x12, names), "two|0x10");
	KUNIT_EXPECT_STREQ(test, trace_print_flags_seq(s, "|", 0x40, names), "0x40");
	KUNIT_EXPECT_STREQ(test, trace_print_flags_seq(s, NULL, 9, names), "oneeight");
	KUNIT_EXPECT_STREQ(test, trace_print_flags_seq(s, "|", 0, names), "");
	KUNIT_EXPECT_STREQ(test, trace_print_symbols_seq(s, 8, names), "eight");
	KUNIT_EXPECT_STREQ(test, trace_print_symbols_seq(s, 9, names), "0x9");
}

static void test_arrays(struct kunit *test)
{
	static const u8 bytes[] = { 1, 0x20, 0xff };
	static const u16 halves[] = { 1, 0x2000 };
	static const u64 words[] = { 0, ~0ULL };
	struct trace_seq *s = test_seq(test);
	unsigned long mask[2] = { 0x10, 0x1 };

	KUNIT_EXPECT_STREQ(test, trace_print_array_seq(s, bytes, 3, 1), "{0x1,0x20,0xff}");
	KUNIT_EXPECT_STREQ(test, trace_print_array_seq(s, halves, 2, 2), "{0x1,0x2000}");
	KUNIT_EXPECT_STREQ(test, trace_print_array_seq(s, words, 2, 8),
			   "{0x0,0xffffffffffffffff}");
	KUNIT_EXPECT_STREQ(test, trace_print_array_seq(s, bytes, 0, 1), "{}");
	KUNIT_EXPECT_STREQ(test, trace_print_array_seq(s, bytes, 1, 3), "{BAD SIZE:3 0x1}");
	KUNIT_EXPECT_STREQ(test, trace_print_hex_seq(s, bytes, 3, false), "01 20 ff");
	KUNIT_EXPECT_STREQ(test, trace_print_hex_seq(s, bytes, 3, true), "0120ff");
	KUNIT_EXPECT_STREQ(test, trace_print_hex_seq(s, bytes, 0, true), "");
	KUNIT_EXPECT_STREQ(test, trace_print_bitmask_seq(s, mask, 8), "00000000,00000010");
}

static void test_hex_dumps(struct kunit *test)
{
	static const char bytes[] = "0123456789abcdefX\x7f";
	struct trace_seq *s = test_seq(test);

	KUNIT_EXPECT_STREQ(test, trace_print_hex_dump_seq(s, "> ", DUMP_PREFIX_OFFSET, 16, 1,
							  bytes, 18, false),
			   "\n"
			   "> 00000000: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66\n"
			   "> 00000010: 58 7f\n");
	/* with characters, in whole lines */
	KUNIT_EXPECT_STREQ(test, trace_print_hex_dump_seq(s, "", DUMP_PREFIX_NONE, 16, 1,
							  bytes + 2, 16, true),
			   "\n"
			   "32 33 34 35 36 37 38 39 61 62 63 64 65 66 58 7f  23456789abcdefX.\n");
	KUNIT_EXPECT_STREQ(test, trace_print_hex_dump_seq(s, "> ", DUMP_PREFIX_OFFSET, 16, 1,
							  bytes, 0, true), "\n");
}

static struct trace_iterator *test_iter(struct kunit *test)
{
	struct trace_iterator *iter = trace_iter_alloc(&global_trace, RING_BUFFER_ALL_CPUS);

	KUNIT_ASSERT_NOT_NULL(test, iter);
	iter->cpu = 7;
	return iter;
}

static void test_columns(struct kunit *test)
{
	struct trace_entry ent = {
		.flags = TRACE_FLAG_IRQS_OFF | TRACE_FLAG_NEED_RESCHED | TRACE_FLAG_HARDIRQ |
			 TRACE_FLAG_PREEMPT_RESCHED | TRACE_FLAG_SOFTIRQ,
		.preempt_count = 0x2b,
	};
	struct trace_iterator *iter = test_iter(test);
	struct trace_array *tr = kunit_kzalloc(test, sizeof(*tr), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	/* options of its own, so that those of the running system do not matter */
	tr->trace_flags = TRACE_ITER_IRQ_INFO | TRACE_ITER_CONTEXT_INFO;
	iter->tr = tr;
	iter->ent = &ent;
	iter->ts = 1234567890123ULL;
	iter->iter_flags = TRACE_FILE_TIME_IN_NS;
	KUNIT_EXPECT_TRUE(test, trace_print_context(iter));
	KUNIT_EXPECT_STREQ(test, seq_text(&iter->seq),
			   "          <idle>-0       [007] dNHb2  1234.567890: ");

	tr->trace_flags = 0;
	iter->iter_flags = 0;
	iter->ts = 42;
	trace_seq_init(&iter->seq);
	trace_print_context(iter);
	KUNIT_EXPECT_STREQ(test, seq_text(&iter->seq),
			   "          <idle>-0       [007]            42: ");

	ent.flags = TRACE_FLAG_NMI | TRACE_FLAG_HARDIRQ | TRACE_FLAG_BH_OFF | TRACE_FLAG_IRQS_OFF;
	ent.preempt_count = 0;
	trace_seq_init(&iter->seq);
	trace_print_lat_fmt(&iter->seq, &ent);
	KUNIT_EXPECT_STREQ(test, seq_text(&iter->seq), "D.Z..");

	/* for people: what the count of what cannot migrate is in is no preemption */
	ent.preempt_count = 0x2b;
	tr->trace_flags = TRACE_ITER_CONTEXT_INFO | TRACE_ITER_VERBOSE;
	iter->iter_flags = TRACE_FILE_LAT_FMT;
	trace_seq_init(&iter->seq);
	print_trace_line(iter);
	KUNIT_EXPECT_NOT_NULL(test, strstr(seq_text(&iter->seq), " 0000000b "));

	/* a full sequence takes nothing, and says so */
	trace_seq_acquire(&iter->seq, TRACE_SEQ_BUFFER_SIZE - 50);
	KUNIT_EXPECT_FALSE(test, trace_print_context(iter));
	KUNIT_EXPECT_TRUE(test, trace_seq_has_overflowed(&iter->seq));
	trace_iter_free(iter);
}

/* Names, pids and CPUs of all lengths, against what printf makes of them. */
static void test_column_widths(struct kunit *test)
{
	static const int cpus[] = { 0, 9, 99, 100, 999, 1000, 8191 };
	static const int pids[] = { 9, 31001, 4194000 };
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);
	struct trace_array *tr = kunit_kzalloc(test, sizeof(*tr), GFP_KERNEL);
	struct trace_iterator *iter = test_iter(test);
	struct trace_entry ent = {};
	char text[80];

	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	iter->tr = tr;
	iter->ent = &ent;
	iter->iter_flags = 0;
	iter->ts = 42;
	for (unsigned int i = 0; i < TASK_COMM_LEN * ARRAY_SIZE(pids) * ARRAY_SIZE(cpus); i++) {
		unsigned int len = i % TASK_COMM_LEN, rest = i / TASK_COMM_LEN;

		ent.pid = pids[rest % ARRAY_SIZE(pids)];
		iter->cpu = cpus[rest / ARRAY_SIZE(pids)];
		task->pid = ent.pid;
		/* \x81 and \x01 are what a search for a zero in a word might take for one */
		memset(task->comm, 0, TASK_COMM_LEN);
		memcpy(task->comm, "a\x01\x81zefg\x01\x80jklmn\x01", len);
		tracing_record_cmdline(task);
		snprintf(text, sizeof(text), "%16s-%-7d [%03d]  %12u: ", task->comm, ent.pid,
			 iter->cpu, 42);
		trace_seq_init(&iter->seq);
		KUNIT_EXPECT_TRUE(test, trace_print_context(iter));
		KUNIT_EXPECT_STREQ(test, seq_text(&iter->seq), text);
	}
	trace_iter_free(iter);
}

#ifdef CONFIG_KRETPROBE_ON_RETHOOK
/* Where a probed function returns to is not who called it, with an offset or without. */
static void test_returns_are_no_callers(struct kunit *test)
{
	struct trace_iterator *iter = test_iter(test);
	unsigned long ip = (unsigned long)arch_rethook_trampoline;
	char text[80];

	seq_print_ip_sym(&iter->seq, ip, 0);
	KUNIT_EXPECT_STREQ(test, seq_text(&iter->seq), "[unknown/kretprobe'd]");
	trace_seq_init(&iter->seq);
	seq_print_ip_sym(&iter->seq, ip, TRACE_ITER_SYM_OFFSET | TRACE_ITER_SYM_ADDR);
	snprintf(text, sizeof(text), "[unknown/kretprobe'd] <%016lx>", ip);
	KUNIT_EXPECT_STREQ(test, seq_text(&iter->seq), text);
	trace_iter_free(iter);
}
#endif

/* A wake-up and a switch with the options raw, hex and bin: each field in its size. */
static void test_switches(struct kunit *test)
{
	struct ctx_switch_entry ent = {
		.ent.type = TRACE_CTX,
		.prev_pid = 0x12, .prev_prio = 120, .prev_state = 1,
		.next_cpu = 1, .next_pid = 0x34, .next_prio = 100, .next_state = 0,
	};
	struct trace_iterator *iter = test_iter(test);
	struct trace_event *event = ftrace_find_event(TRACE_CTX);

	KUNIT_ASSERT_NOT_NULL(test, event);
	iter->ent = &ent.ent;
	iter->ent_size = sizeof(ent);
	event->funcs->raw(iter, 0, event);
	KUNIT_EXPECT_STREQ(test, seq_text(&iter->seq), "18 120 S 1 52 100 R\n");
	trace_seq_init(&iter->seq);
	event->funcs->hex(iter, 0, event);
	KUNIT_EXPECT_STREQ(test, seq_text(&iter->seq),
			   "00000012 78 53 00000001 00000034 64 00000052 ");
	trace_seq_init(&iter->seq);
	event->funcs->binary(iter, 0, event);
	KUNIT_EXPECT_EQ(test, trace_seq_used(&iter->seq), 3 * 4 + 4);

	ent.ent.type = TRACE_WAKE;
	event = ftrace_find_event(TRACE_WAKE);
	KUNIT_ASSERT_NOT_NULL(test, event);
	trace_seq_init(&iter->seq);
	event->funcs->hex(iter, 0, event);
	KUNIT_EXPECT_STREQ(test, seq_text(&iter->seq),
			   "00000012 78 2b 00000001 00000034 64 00000052 ");
	trace_iter_free(iter);
}

struct stuck {
	struct mm_struct	*mm;
	struct completion	has_it, printed;
};

/* A process that has its own memory's lock until what is printed of it was printed, or for 2 s. */
static int hold_memory(void *data)
{
	struct stuck *stuck = data;
	bool in_time;

	mmap_write_lock(stuck->mm);
	complete(&stuck->has_it);
	in_time = wait_for_completion_timeout(&stuck->printed, 2 * HZ);
	mmap_write_unlock(stuck->mm);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return in_time;
}

static struct mm_struct *stuck_mm;

static struct mm_struct *get_stuck_mm(pid_t tgid)
{
	mmget(stuck_mm);
	return stuck_mm;
}

/* Who prints the user's stack of a process does not wait for it: all that goes waits for him. */
static void test_stuck_process(struct kunit *test)
{
	struct userstack_entry ent = {
		.ent.type = TRACE_USER_STACK, .tgid = 1, .caller = { 0x1234 },
	};
	struct trace_event *event = ftrace_find_event(TRACE_USER_STACK);
	struct trace_array *tr = kunit_kzalloc(test, sizeof(*tr), GFP_KERNEL);
	struct trace_iterator *iter = test_iter(test);
	struct stuck stuck = { .mm = mm_alloc() };
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_NOT_NULL(test, stuck.mm);
	init_completion(&stuck.has_it);
	init_completion(&stuck.printed);
	task = kthread_run(hold_memory, &stuck, "kunit-stuck");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wait_for_completion(&stuck.has_it);

	stuck_mm = stuck.mm;
	kunit_activate_static_stub(test, trace_process_mm, get_stuck_mm);
	tr->trace_flags = TRACE_ITER_SYM_USEROBJ;
	iter->tr = tr;
	iter->ent = &ent.ent;
	iter->ent_size = sizeof(ent);
	event->funcs->trace(iter, 0, event);
	complete(&stuck.printed);
	kunit_deactivate_static_stub(test, trace_process_mm);

	KUNIT_EXPECT_TRUE(test, kthread_stop(task));
	KUNIT_EXPECT_STREQ(test, seq_text(&iter->seq),
			   "<user stack trace>\n =>  <0000000000001234>\n");
	iter->tr = &global_trace;
	trace_iter_free(iter);
	mmput(stuck.mm);
}

static void test_pointer_formats(struct kunit *test)
{
	struct trace_array *tr = kunit_kzalloc(test, sizeof(*tr), GFP_KERNEL);
	struct trace_iterator *iter = test_iter(test);
	static const char fmt[] = "%p,%pS %%p %-5p %p";

	KUNIT_ASSERT_NOT_NULL(test, tr);
	iter->tr = tr;
	KUNIT_EXPECT_STREQ(test, trace_event_format(iter, fmt), "%px,%pS %%p %-5p %px");
	KUNIT_EXPECT_STREQ(test, trace_event_format(iter, "no pointer"), "no pointer");
	tr->trace_flags = TRACE_ITER_HASH_PTR;
	KUNIT_EXPECT_PTR_EQ(test, trace_event_format(iter, fmt), (const char *)fmt);
	trace_iter_free(iter);
}

static void test_printers(struct kunit *test)
{
	static struct trace_event_functions funcs, funcs2;
	static struct trace_event first = { .funcs = &funcs }, second = { .funcs = &funcs2 };
	int type;

	first.type = 0;
	second.type = 0;
	type = register_trace_event(&first);
	KUNIT_ASSERT_GT(test, type, (int)__TRACE_LAST_TYPE);
	KUNIT_EXPECT_PTR_EQ(test, ftrace_find_event(type), &first);
	KUNIT_EXPECT_TRUE(test, funcs.raw == trace_nop_print);
	unregister_trace_event(&first);
	KUNIT_EXPECT_NULL(test, ftrace_find_event(type));

	/* a number that was given back is not used again at once */
	KUNIT_EXPECT_GT(test, register_trace_event(&second), type);
	unregister_trace_event(&second);
	KUNIT_EXPECT_NULL(test, ftrace_find_event(TRACE_EVENT_TYPE_MAX));
	KUNIT_EXPECT_NULL(test, ftrace_find_event(-1));
}

static void test_error_log(struct kunit *test)
{
	static const char *errs[] = { "First", "Second" };
	struct trace_array *tr = kunit_kzalloc(test, sizeof(*tr), GFP_KERNEL);
	char *command = kunit_kzalloc(test, 2000, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_NOT_NULL(test, command);
	KUNIT_ASSERT_EQ(test, error_log_feature.init(tr), 0);
	for (int i = 0; i < 12; i++)
		tracing_log_err(tr, "kunit", "command", errs, i & 1, i);
	KUNIT_EXPECT_EQ(test, tr->n_err_log_entries, 8);
	/* neither a long command nor a position behind its end does harm */
	memset(command, 'x', 1999);
	tracing_log_err(tr, command, command, errs, 1, 65535);
	KUNIT_EXPECT_EQ(test, tr->n_err_log_entries, 8);
	error_log_feature.exit(tr);
	KUNIT_EXPECT_TRUE(test, list_empty(&tr->err_log));
	KUNIT_EXPECT_EQ(test, tr->n_err_log_entries, 0);
}

static void test_cmdlines(struct kunit *test)
{
	char comm[TASK_COMM_LEN];

	trace_find_cmdline(0, comm);
	KUNIT_EXPECT_STREQ(test, comm, "<idle>");
	trace_find_cmdline(PID_MAX_LIMIT - 1, comm);
	KUNIT_EXPECT_STREQ(test, comm, "<...>");
	tracing_record_cmdline(current);
	trace_find_cmdline(current->pid, comm);
	KUNIT_EXPECT_STREQ(test, comm, current->comm);
	KUNIT_EXPECT_EQ(test, trace_find_tgid(0), 0);
	KUNIT_EXPECT_EQ(test, trace_find_tgid(-5), 0);
}

/*
 * More instances than switch.c looks at: who runs when the last of them stops is known as well. It
 * is one, or two where the names are recorded for trace_printk().
 */
static void test_names_of_many(struct kunit *test)
{
	const unsigned int nr = 9;
	struct trace_array *tr = kunit_kcalloc(test, nr, sizeof(*tr), GFP_KERNEL);
	char was[TASK_COMM_LEN];
	bool known;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	for (unsigned int i = 0; i < nr; i++) {
		tr[i].array_buffer.buffer = global_trace.array_buffer.buffer;
		tracing_start_cmdline_record(&tr[i]);
	}
	get_task_comm(was, current);
	set_task_comm(current, "kunit-renamed");
	tracing_stop_cmdline_record(&tr[nr - 1]);
	tracing_stop_cmdline_record(&tr[nr - 2]);
	/* not trace_find_cmdline(), which looks at who runs */
	scoped_guard(preempt)
		known = cmdline_known(rcu_dereference_sched(cmdlines), current);
	set_task_comm(current, was);
	KUNIT_EXPECT_TRUE(test, known);
	for (unsigned int i = 0; i < nr - 2; i++)
		tracing_stop_cmdline_record(&tr[i]);
}

static struct kunit_case trace_output_cases[] = {
	KUNIT_CASE(test_seq_append),
	KUNIT_CASE(test_printf_numbers),
	KUNIT_CASE(test_printf_words),
	KUNIT_CASE(test_durations),
	KUNIT_CASE(test_seq_all_or_nothing),
	KUNIT_CASE(test_merge_order),
	KUNIT_CASE(test_flags),
	KUNIT_CASE(test_arrays),
	KUNIT_CASE(test_hex_dumps),
	KUNIT_CASE(test_columns),
	KUNIT_CASE(test_column_widths),
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	KUNIT_CASE(test_returns_are_no_callers),
#endif
	KUNIT_CASE(test_switches),
	KUNIT_CASE(test_stuck_process),
	KUNIT_CASE(test_pointer_formats),
	KUNIT_CASE(test_printers),
	KUNIT_CASE(test_error_log),
	KUNIT_CASE(test_cmdlines),
	KUNIT_CASE(test_names_of_many),
	{}
};

TRACE_KUNIT_SUITE("trace_output", trace_output_cases);
