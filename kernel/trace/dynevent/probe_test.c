// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: arguments of probes, from their text to what their program leaves in a record. */
#include <kunit/test.h>

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ptrace.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_seq.h>
#include <linux/unaligned.h>
#include <linux/vmalloc.h>
#ifdef CONFIG_X86_LOCAL_APIC
#include <linux/delay.h>
#endif

#include "../events/events.h"
#include "../function/fprobe/fprobe_test.h"
#include "../tests/counter.h"
#ifdef CONFIG_X86_LOCAL_APIC
#include "../tests/nmi.h"
#endif
#include "../tests/suite.h"
#include "../trigger/trigger.h"
#include "command.h"
#ifdef CONFIG_KPROBE_EVENTS
#include "kprobe.h"
#endif
#include "probe.h"
#include "probe_prog.h"
#include "probe_type.h"

struct memory {
	u8	bytes[16];
	s32	negative;
	char	text[8];
	char	*strings[3];
	void	*pointer;
};

static struct memory memory;

static struct probe_kind test_kind = {
	.group		= "test",
};

static void fill_memory(void)
{
	for (int i = 0; i < ARRAY_SIZE(memory.bytes); i++)
		memory.bytes[i] = i + 1;
	memory.negative = -5;
	strscpy(memory.text, "hello");
	memory.strings[0] = "one";
	memory.strings[1] = (char *)1;
	memory.strings[2] = "three";
	memory.pointer = &memory;
}

/* Parses @args for a probe that is at @at. */
static int parse(struct probe *p, const char *args, unsigned int at)
{
	struct dyn_command cmd = { .loc = "kunit", .errs = probe_error_texts };
	struct probe_parse ctx = { .cmd = &cmd, .at = at };
	int ret;

	memset(p, 0, sizeof(*p));
	ret = dyn_command_split(&cmd, args);
	if (ret)
		return ret;
	ret = probe_init(p, &test_kind, at, NULL, "test") ?: probe_parse_args(p, &ctx, 0);
	dyn_command_free(&cmd);
	return ret ?: probe_complete(p);
}

#define RECORD_MAX	2000U

/* A hit: it makes a record of what @prog fetches. */
struct test_hit {
	const struct probe_prog	*prog;
	struct probe_source	*src;
	u8			*record;
	unsigned int		size;
	struct irq_work		work;
	unsigned int		context;	/* NMI_MASK, HARDIRQ_MASK or 0: where it was run */
	bool			done;
};

static void hit(struct test_hit *hit)
{
	preempt_disable();
	hit->context = preempt_count() & (NMI_MASK | HARDIRQ_MASK);
	hit->size = probe_run(hit->prog, hit->src, hit->record, RECORD_MAX);
	preempt_enable();
	smp_store_release(&hit->done, true);	/* pairs with hit_in_nmi() */
}

static void irq_hits(struct irq_work *work)
{
	hit(container_of(work, struct test_hit, work));
}

static void hit_in_irq(struct test_hit *hit)
{
	hit->work = IRQ_WORK_INIT_HARD(irq_hits);
	irq_work_queue(&hit->work);
	irq_work_sync(&hit->work);
}

#ifdef CONFIG_X86_LOCAL_APIC
static struct test_hit *nmi_hit;

static int nmi_hits(unsigned int type, struct pt_regs *regs)
{
	struct test_hit *one = xchg(&nmi_hit, NULL);

	if (!one)
		return NMI_DONE;
	hit(one);
	return NMI_HANDLED;
}

/* On another CPU. */
static void hit_in_nmi(struct test_hit *hit)
{
	if (register_nmi_handler(NMI_LOCAL, nmi_hits, 0, "kunit-probe"))
		return;
	WRITE_ONCE(nmi_hit, hit);
	scoped_guard(preempt)
		__apic_send_IPI_mask(cpumask_of(cpumask_any_but(cpu_online_mask,
								smp_processor_id())), NMI_VECTOR);
	/* pairs with hit(): then the record is there */
	for (int tries = 0; tries < 1000 && !smp_load_acquire(&hit->done); tries++)
		usleep_range(1000, 2000);
	unregister_nmi_handler(NMI_LOCAL, "kunit-probe");
	nmi_hit = NULL;
}
#else
static void hit_in_nmi(struct test_hit *hit) { }
#endif

/* What a record of the probe with these arguments is printed as. */
static void expect_of(struct kunit *test, const char *args, unsigned int at,
		      struct probe_source *src, const char *text, void (*run)(struct test_hit *hit))
{
	struct trace_seq *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	u8 *record = kunit_kmalloc(test, RECORD_MAX + 48, GFP_KERNEL);
	struct probe p;

	KUNIT_ASSERT_NOT_NULL(test, s);
	KUNIT_ASSERT_NOT_NULL(test, record);
	memset(record, 0x55, RECORD_MAX + 48);
	trace_seq_init(s);

	KUNIT_EXPECT_EQ_MSG(test, parse(&p, args, at), 0, "%s", args);
	if (p.prog) {
		struct test_hit one = { .prog = p.prog, .src = src, .record = record };

		run(&one);
		KUNIT_EXPECT_TRUE(test, one.done);
		if (run == hit_in_irq)
			KUNIT_EXPECT_NE(test, one.context & HARDIRQ_MASK, 0U);
		if (run == hit_in_nmi)
			KUNIT_EXPECT_NE(test, one.context & NMI_MASK, 0U);
		KUNIT_EXPECT_GE(test, one.size, p.prog->size);
		KUNIT_EXPECT_LE(test, one.size, RECORD_MAX);
		/* a string may be copied by words, but within the room */
		KUNIT_EXPECT_EQ_MSG(test, record[p.prog->strings ? RECORD_MAX : one.size], 0x55,
				    "%s: more than its size", args);
		for (unsigned int i = 0; i < p.nr_args; i++) {
			const struct probe_arg *arg = &p.args[i];

			for (unsigned int j = 0; j < (arg->count ?: 1); j++) {
				trace_seq_putc(s, ' ');
				arg->type->print(s, record + arg->offset + j * arg->type->size,
						 record);
			}
		}
	}
	trace_seq_putc(s, '\0');
	KUNIT_EXPECT_STREQ_MSG(test, s->buffer, text, "%s", args);
	probe_destroy(&p);
}

static void expect(struct kunit *test, const char *args, unsigned int at,
		   struct probe_source *src, const char *text)
{
	expect_of(test, args, at, src, text, hit);
}

/* The address of @where as users write it, in @fmt's %s. */
static char *with(struct kunit *test, const char *fmt, const void *where)
{
	char *text = kunit_kzalloc(test, 128, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, text);
	snprintf(text, 128, fmt, (unsigned long)where);
	return text;
}

static void test_immediate(struct kunit *test)
{
	struct probe_source src = { };

	expect(test, "\\1 \\-1:s8 \\0x10:u16 \\+7:x32", PROBE_KERNEL, &src, " 0x1 -1 16 0x7");
	expect(test, "\\\"text\" a=\\\"\"", PROBE_KERNEL, &src, " \"text\" \"\"");
	expect(test, "\\65:char", PROBE_KERNEL, &src, " 'A'");
	expect(test, "\\300:u8 \\70000:u16", PROBE_KERNEL, &src, " 44 4464");
}

static DEFINE_PER_CPU(int, percpu_value);
static DEFINE_PER_CPU(const char *, percpu_text);

/*
 * As users write them. Never in a variable: of one that is known to be always this address pahole
 * (1.24) believes that it lies there, and then the kernel takes none of its BTF.
 */
#define PERCPU_ADDRESS(var)	((__force const void *)&(var))

/* Each CPU's own is found, and memory that it points to. */
static void test_percpu(struct kunit *test)
{
	struct probe_source src = { };
	char text[32];
	int cpu;

	for_each_possible_cpu(cpu) {
		per_cpu(percpu_value, cpu) = 1000 + cpu;
		per_cpu(percpu_text, cpu) = "of this CPU";
	}
	for_each_online_cpu(cpu) {
		KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
		snprintf(text, sizeof(text), " %d", 1000 + cpu);
		expect(test, with(test, "this_cpu_read(\\0x%lx):s32",
				  PERCPU_ADDRESS(percpu_value)),
		       PROBE_KERNEL, &src, text);
		expect(test, with(test, "+0(this_cpu_ptr(\\0x%lx)):u32",
				  PERCPU_ADDRESS(percpu_value)),
		       PROBE_KERNEL, &src, text);
		snprintf(text, sizeof(text), " 0x%lx",
			 (unsigned long)per_cpu_ptr(&percpu_value, cpu));
		expect(test, with(test, "this_cpu_ptr(\\0x%lx)", PERCPU_ADDRESS(percpu_value)),
		       PROBE_KERNEL, &src, text);
		expect(test, with(test, "+3(this_cpu_read(\\0x%lx)):string",
				  PERCPU_ADDRESS(percpu_text)),
		       PROBE_KERNEL, &src, " \"this CPU\"");
	}
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static void test_memory(struct kunit *test)
{
	struct probe_source src = { };

	fill_memory();
	expect(test, with(test, "@0x%lx:u8", memory.bytes), PROBE_KERNEL, &src, " 1");
	expect(test, with(test, "+2(\\0x%lx):u8", memory.bytes), PROBE_KERNEL, &src, " 3");
	expect(test, with(test, "-1(\\0x%lx):u8", memory.bytes + 4), PROBE_KERNEL, &src, " 4");
	expect(test, with(test, "@0x%lx:s32", &memory.negative), PROBE_KERNEL, &src, " -5");
	expect(test, with(test, "@0x%lx:u8[16]", memory.bytes), PROBE_KERNEL, &src,
	       " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16");
	/* what a pointer points to */
	expect(test, with(test, "+3(+0(\\0x%lx)):u8", &memory.pointer), PROBE_KERNEL, &src, " 4");
}

static void test_bits(struct kunit *test)
{
	struct probe_source src = { };

	expect(test, "\\0xabcd:b4@4/16 \\0xabcd:b8@8/16", PROBE_KERNEL, &src, " 12 171");
	expect(test, "\\0xff00000000000000:b8@56/64", PROBE_KERNEL, &src, " 255");
	fill_memory();
	expect(test, with(test, "@0x%lx:b4@0/8[3]", memory.bytes), PROBE_KERNEL, &src,
	       " 1 2 3");
	expect(test, with(test, "@0x%lx:b1@0/8", memory.bytes), PROBE_KERNEL, &src, " 1");
}

static void test_strings(struct kunit *test)
{
	struct probe_source src = { };
	char comm[TASK_COMM_LEN + 4];

	fill_memory();
	expect(test, with(test, "@0x%lx:string", memory.text), PROBE_KERNEL, &src, " \"hello\"");
	expect(test, with(test, "+1(\\0x%lx):string", memory.text), PROBE_KERNEL, &src,
	       " \"ello\"");
	expect(test, with(test, "\\0x%lx:string", memory.text), PROBE_KERNEL, &src, " \"hello\"");
	/* the second one is not there, and the third all the same */
	expect(test, with(test, "@0x%lx:string[3]", memory.strings), PROBE_KERNEL, &src,
	       " \"one\" (fault) \"three\"");
	snprintf(comm, sizeof(comm), " \"%s\"", current->comm);
	expect(test, "$comm", PROBE_KERNEL, &src, comm);
}

static void test_fault(struct kunit *test)
{
	struct probe_source src = { };

	expect(test, "@1 @1:u8 @1:string @1:ustring @1:u32[2] \\7:u8", PROBE_KERNEL, &src,
	       " 0x0 0 (fault) (fault) 0 0 7");
	expect(test, "+0(+0(@1)):string +0(+8(@1)):u64 \\8:u8", PROBE_KERNEL, &src,
	       " (fault) 0 8");
	expect(test, "+u0(@1):string[2] \\9:u8", PROBE_KERNEL, &src, " (fault) (fault) 9");
	/* no address at all */
	expect(test, "@0xdead000000000100:u64 @0xdead000000000100:string", PROBE_KERNEL, &src,
	       " 0 (fault)");
}

/* An array that ends where memory does has what is there. Behind vmalloc()'s there is a hole. */
static void test_partly_there(struct kunit *test)
{
	struct probe_source src = { };
	u8 *page = vmalloc(PAGE_SIZE);

	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page, 7, PAGE_SIZE);
	expect(test, with(test, "@0x%lx:u8[12]", page + PAGE_SIZE - 8), PROBE_KERNEL, &src,
	       " 7 7 7 7 7 7 7 7 0 0 0 0");
	expect(test, with(test, "@0x%lx:u64", page + PAGE_SIZE - 4), PROBE_KERNEL, &src, " 0");
	expect(test, with(test, "@0x%lx:b2@1/8[3]", page + PAGE_SIZE - 2), PROBE_KERNEL, &src,
	       " 3 3 0");
	vfree(page);
}

/* Event probes have the names of dentries and files as well. */
static void test_dentry(struct kunit *test)
{
	struct dentry *dentry = kunit_kzalloc(test, sizeof(*dentry), GFP_KERNEL);
	struct file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);
	struct probe_source src = { };

	KUNIT_ASSERT_NOT_NULL(test, dentry);
	KUNIT_ASSERT_NOT_NULL(test, file);
	dentry->d_name.name = "leaf";
	file->f_path.dentry = dentry;
	for (unsigned int at = 0; at <= PROBE_ATTACHED; at += PROBE_ATTACHED) {
		expect(test, with(test, "n=\\0x%lx:%%pd", dentry), PROBE_KERNEL | at, &src,
		       " \"leaf\"");
		expect(test, with(test, "\\0x%lx:%%pD", file), PROBE_KERNEL | at, &src,
		       " \"leaf\"");
	}
}

/* Addresses of nobody, the kernel's and the user's: a fault is taken, and is no more than that. */
static void faults_of(struct kunit *test, void (*run)(struct test_hit *hit))
{
	u8 *page = vmalloc(PAGE_SIZE), *behind = page + PAGE_SIZE;
	struct probe_source src = { };

	KUNIT_ASSERT_NOT_NULL(test, page);
	expect_of(test, "@1:u64 @1:string @1:ustring \\7:u8", PROBE_KERNEL, &src,
		  " 0 (fault) (fault) 7", run);
	expect_of(test, with(test, "@0x%lx:u64 \\8:u8", behind), PROBE_KERNEL, &src, " 0 8", run);
	expect_of(test, with(test, "@0x%lx:string \\9:u8", behind), PROBE_KERNEL, &src,
		  " (fault) 9", run);
	vfree(page);
}

static void test_fault_in_irq(struct kunit *test)
{
	faults_of(test, hit_in_irq);
}

static void test_fault_in_nmi(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_X86_LOCAL_APIC))
		kunit_skip(test, "it is the NMIs of x86 that are sent");
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	faults_of(test, hit_in_nmi);
}

static void test_cut(struct kunit *test)
{
	static char long_text[3000];
	struct probe_source src = { };
	u8 *record = kunit_kmalloc(test, 256, GFP_KERNEL);
	struct probe p;
	unsigned int size;
	u32 loc;

	KUNIT_ASSERT_NOT_NULL(test, record);
	memset(long_text, 'x', sizeof(long_text) - 1);
	KUNIT_ASSERT_EQ(test, parse(&p, with(test, "\\0x%lx:string", long_text), PROBE_KERNEL), 0);
	memset(record, 0x55, 256);
	preempt_disable();
	size = probe_run(p.prog, &src, record, 100);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, size, 100U);
	KUNIT_EXPECT_EQ(test, record[100], 0x55);
	KUNIT_EXPECT_EQ(test, record[99], 0);
	loc = get_unaligned((u32 *)(record + p.args[0].offset));
	KUNIT_EXPECT_EQ(test, loc & 0xffff, p.prog->size);
	KUNIT_EXPECT_EQ(test, loc >> 16, 100 - p.prog->size);

	/* no room at all */
	preempt_disable();
	size = probe_run(p.prog, &src, record, p.prog->size);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, size, p.prog->size);
	probe_destroy(&p);
}

static void test_entry_args(struct kunit *test)
{
	unsigned long kept[2] = { 11, 22 };
	struct probe_source src = { .entry = kept };
	struct probe p;

	if (!IS_ENABLED(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API))
		kunit_skip(test, "no arguments of functions on this architecture");
	KUNIT_ASSERT_EQ(test, parse(&p, "$arg3 $arg1 $arg3:u8", PROBE_KERNEL | PROBE_RETURN), 0);
	KUNIT_EXPECT_EQ(test, p.nr_entry_args, 2);
	KUNIT_EXPECT_EQ(test, probe_entry_size(&p), 2 * sizeof(long));
	KUNIT_EXPECT_EQ(test, p.entry_args[0], 2);
	KUNIT_EXPECT_EQ(test, p.entry_args[1], 0);
	probe_destroy(&p);
	expect(test, "$arg3:u64 $arg1:u64 $arg3:u8", PROBE_KERNEL | PROBE_RETURN, &src,
	       " 11 22 11");
	/* nothing was kept */
	src.entry = NULL;
	expect(test, "$arg3:u64", PROBE_KERNEL | PROBE_RETURN, &src, " 0");
}

static void test_format(struct kunit *test)
{
	struct probe p;

	KUNIT_ASSERT_EQ(test, parse(&p, "a=\\1:u8 b=\\\"x\" c=@1:x16[2] d=@1:string[2]",
				    PROBE_KERNEL), 0);
	KUNIT_EXPECT_STREQ(test, p.event->call.print_fmt,
			   "\"(%lx) a=%u b=\\\"%s\\\" c={0x%x,0x%x} d={\\\"%s\\\",\\\"%s\\\"}\", REC->__probe_ip, REC->a, __get_str(b), REC->c[0], REC->c[1], __get_str(d[0]), __get_str(d[1])");
	KUNIT_EXPECT_EQ(test, p.prog->size, 16 + 1 + 4 + 4 + 8);
	KUNIT_EXPECT_STREQ(test, p.args[2].field, "u16[2]");
	probe_destroy(&p);
}

/* Short records are lists of moves; trace_event_buffer_begin() has no room for longer ones. */
static void test_moves(struct kunit *test)
{
	const unsigned int head = sizeof(struct trace_entry) + sizeof(long);
	char args[PROBE_MAX_ARGS * 4 + 1] = "";

	for (unsigned int n = 1; n <= 2 * TRACE_EVENT_SCRATCH / sizeof(u64); n++) {
		struct probe p;

		strcat(args, n > 1 ? " \\1" : "\\1");
		KUNIT_ASSERT_EQ_MSG(test, parse(&p, args, PROBE_KERNEL), 0, "%s", args);
		KUNIT_EXPECT_EQ(test, p.prog->size, head + n * sizeof(u64));
		KUNIT_EXPECT_EQ_MSG(test, !!p.prog->moves,
				    p.prog->size <= TRACE_EVENT_SCRATCH, "%u arguments", n);
		probe_destroy(&p);
	}
}

#ifdef CONFIG_PROBE_EVENTS_BTF_ARGS
enum probe_test_enum { PROBE_TEST_NONE, PROBE_TEST_ONE } __packed;

struct probe_test_type {
	unsigned long	where;
	union {
		unsigned long	both;
		struct {
			unsigned int	low:3;
			unsigned int	high:5;
		};
	};
	const char	*text;
	enum probe_test_enum small;
	u8		beside;
};

static struct probe_test_type typed;

/* What has no name may have bit fields where what it is in has none. An address has no type. */
static void test_types(struct kunit *test)
{
	struct probe_source src = { };
	char text[64];

	typed.where = (unsigned long)&typed;
	typed.low = 5;
	typed.high = 21;
	typed.text = "typed";
	typed.small = PROBE_TEST_ONE;
	typed.beside = 255;
	expect(test, with(test, "(probe_test_type)\\0x%lx->low", &typed), PROBE_KERNEL, &src, " 5");
	expect(test, with(test, "(probe_test_type)\\0x%lx->high", &typed), PROBE_KERNEL, &src,
	       " 21");
	expect(test, with(test, "(probe_test_type)\\0x%lx->both", &typed), PROBE_KERNEL, &src,
	       " 173");
	expect(test, with(test, "(probe_test_type)\\0x%lx->text:string", &typed), PROBE_KERNEL,
	       &src, " \"typed\"");
	expect(test, with(test, "(probe_test_type)\\0x%lx->small", &typed), PROBE_KERNEL, &src,
	       " 1");
	snprintf(text, sizeof(text), " 0x%lx", typed.where);
	expect(test, with(test, "+0((probe_test_type)\\0x%lx->where)", &typed), PROBE_KERNEL, &src,
	       text);
	expect(test, with(test, "+0((probe_test_type)\\0x%lx->text):string", &typed), PROBE_KERNEL,
	       &src, " \"typed\"");
}
#else
static void test_types(struct kunit *test)
{
	kunit_skip(test, "the kernel has no BTF");
}
#endif

static void test_refused(struct kunit *test)
{
	static const char * const bad[] = {
		"$none", "$stack10000", "$stackp", "%none", "@12345678abcde", "@+10", "\\x",
		"\\\"abcd", "+0@0)", "+0ab1(@0)", "+0(+0(@0)", "+0($comm)", "&1",
		"+0(@11):u8[10", "+0(@11):u8[10]a", "+0(@11):u8[10a]", "+0(@11):u8[256]",
		"+0(@11):u8[0]", "@11:none", "$stack0:string", "@11:b10@a/16", "@11:b20@0/16",
		"@11:b0@0/8", "=@11", "v.1=@11", "v=@11 v=@12", "v=", "$comm:u8", "$retval",
		"v=v=@11", "common_pid=\\1", "$arg1", "\\1:u8[2]", "\\1:symstr[2]", "name",
		"+1234567(+1234567(+1234567(+1234567(+1234567(+1234567(@1234))))))",
		"a123456789012345678901234567890123=@11",
	};
	struct probe p;

	for (int i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_NE_MSG(test, parse(&p, bad[i], PROBE_KERNEL), 0, "%s", bad[i]);
		probe_destroy(&p);
	}
	KUNIT_EXPECT_NE(test, parse(&p, "@symbol", PROBE_USER), 0);
	probe_destroy(&p);
	KUNIT_EXPECT_NE(test, parse(&p, "@+ab", PROBE_USER), 0);
	probe_destroy(&p);
}

static void test_names(struct kunit *test)
{
	char *name = probe_auto_name("p_%s_%d", "mod:func.isra.0", 3);

	KUNIT_ASSERT_NOT_NULL(test, name);
	KUNIT_EXPECT_STREQ(test, name, "p_mod_func_isra_0_3");
	kfree(name);
	/* a group without a name is one that nobody has */
	KUNIT_EXPECT_EQ(test, dyn_event_command("-:/kunit"), -ENOENT);
	KUNIT_EXPECT_EQ(test, dyn_event_command("-:"), -EINVAL);
}

#ifdef CONFIG_KPROBE_EVENTS
/* An event kunit_hook/@name, a probe of @what, with @hook on each hit. Takes the event's file. */
static struct kprobe_place *hooked_probe(struct kunit *test, const char *name, const char *what,
					 struct event_trigger_hook *hook,
					 struct trace_event_file **file)
{
	char command[64];
	int ret;

	snprintf(command, sizeof(command), "p:kunit_hook/%s %s", name, what);
	KUNIT_ASSERT_EQ(test, dyn_event_command(command), 0);
	*file = trace_get_event_file(NULL, "kunit_hook", name);
	KUNIT_ASSERT_FALSE(test, IS_ERR(*file));
	hook->wants_record = true;
	scoped_guard(mutex, &event_mutex)
		ret = event_hook_add(*file, hook);
	KUNIT_ASSERT_EQ(test, ret, 0);
	return kprobe_place_of(probe_event_first(probe_event_of((*file)->event_call)));
}

static void hooked_probe_end(struct kunit *test, struct event_trigger_hook *hook,
			     struct trace_event_file *file)
{
	scoped_guard(mutex, &event_mutex)
		event_hook_remove(file, hook);
	trace_put_event_file(file);
	KUNIT_EXPECT_EQ(test, dyn_event_command("-:kunit_hook/"), 0);
}

/* A probe of a symbol of a module that is not there, with names of so many letters. */
static int waiting_probe(struct kunit *test, char **place, int module, int symbol)
{
	char *command = kunit_kzalloc(test, SZ_2K, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, command);
	*place = command + sprintf(command, "p:kunit_long/a ");
	memset(*place, 'm', module);
	(*place)[module] = ':';
	memset(*place + module + 1, 's', symbol);
	return dyn_event_command(command);
}

/* What waits for a module has names that may come, and is known by all of them. */
static void test_long_names(struct kunit *test)
{
	char *place, *command;

	KUNIT_EXPECT_EQ(test, waiting_probe(test, &place, 5, KSYM_NAME_LEN), -EINVAL);
	KUNIT_EXPECT_EQ(test, waiting_probe(test, &place, MODULE_NAME_LEN, 5), -EINVAL);
	KUNIT_ASSERT_EQ(test, waiting_probe(test, &place, MODULE_NAME_LEN - 1, KSYM_NAME_LEN - 1),
			0);
	command = kunit_kzalloc(test, SZ_2K, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, command);
	sprintf(command, "-:kunit_long/a %s", place);
	KUNIT_EXPECT_EQ(test, dyn_event_command(command), 0);
}

/* As a module takes its event away: by name, with its group or without. */
static void test_delete(struct kunit *test)
{
	static char too_long[2 * PROBE_MAX_NAME + 1];

	memset(too_long, 'x', sizeof(too_long) - 1);
	KUNIT_ASSERT_EQ(test, dyn_event_command("p:kunit_delete/kunit_one vfs_read"), 0);
	KUNIT_ASSERT_EQ(test, dyn_event_command("p:kunit_delete/kunit_two vfs_read"), 0);
	KUNIT_EXPECT_EQ(test, kprobe_event_delete(""), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_event_delete(too_long), -ENOENT);
	KUNIT_EXPECT_EQ(test, kprobe_event_delete("kunit_delete/kunit_three"), -ENOENT);
	KUNIT_EXPECT_EQ(test, kprobe_event_delete("kunit_elsewhere/kunit_one"), -ENOENT);
	KUNIT_EXPECT_EQ(test, kprobe_event_delete("kunit_delete/kunit_one"), 0);
	KUNIT_EXPECT_EQ(test, kprobe_event_delete("kunit_two"), 0);
	KUNIT_EXPECT_EQ(test, kprobe_event_delete("kunit_delete/kunit_one"), -ENOENT);
}

/* A hit with a string that has a trigger, which is the next hit. */
struct deep_hit {
	struct event_trigger_hook hook;
	const struct probe	*p;
	struct trace_event_file	*file;
	struct pt_regs		regs;
	unsigned int		runs;
};

static void hit_deeper(struct event_trigger_hook *hook, void *rec, u64 time)
{
	struct deep_hit *deep = container_of(hook, struct deep_hit, hook);
	struct probe_source src = { .regs = &deep->regs };
	unsigned long head = 1;

	if (++deep->runs < 16) {
		kprobe_place_count(kprobe_place_of(deep->p));
		probe_record_file(deep->p, &src, &head, NULL, deep->file);
	}
}

/* As many as writers may nest in the ring buffer find a room; one that does not is no hit. */
static void test_rooms(struct kunit *test)
{
	struct deep_hit *deep = kunit_kzalloc(test, sizeof(*deep), GFP_KERNEL);
	struct trace_buffer *buffer = global_trace.array_buffer.buffer;
	struct kprobe_place *kp;

	KUNIT_ASSERT_NOT_NULL(test, deep);
	deep->hook.run = hit_deeper;
	kp = hooked_probe(test, "deep", "vmemdup_user $comm", &deep->hook, &deep->file);
	deep->p = &kp->probe;

	/* all in one context, where it has less */
	for (int i = 0; i < 8; i++)
		ring_buffer_nest_start(buffer);
	hit_deeper(&deep->hook, NULL, 0);
	for (int i = 0; i < 8; i++)
		ring_buffer_nest_end(buffer);
	KUNIT_EXPECT_EQ(test, deep->runs, 9U);
	KUNIT_EXPECT_EQ(test, kprobe_place_missed(kp), 1UL);
	KUNIT_EXPECT_EQ(test, probe_hits(kp->probe.hits), 8UL);

	hooked_probe_end(test, &deep->hook, deep->file);
}
#endif

#if defined(CONFIG_KPROBE_EVENTS) && defined(CONFIG_FPROBE_EVENTS)
struct late_hit {
	struct event_trigger_hook hook;
	unsigned long		head;
	unsigned int		runs;
};

static void see_head(struct event_trigger_hook *hook, void *rec, u64 time)
{
	struct late_hit *late = container_of(hook, struct late_hit, hook);

	late->head = *(unsigned long *)(rec + sizeof(struct trace_entry));
	late->runs++;
}

/* One of two places of an event has gone; a hit of it that is under way knows where it was. */
static void test_late_hit(struct kunit *test)
{
	struct late_hit *late = kunit_kzalloc(test, sizeof(*late), GFP_KERNEL);
	struct ftrace_regs *fregs = kunit_kzalloc(test, ftrace_regs_size(), GFP_KERNEL);
	struct trace_event_file *file;
	struct kprobe_place *kp;
	kprobe_opcode_t *addr;

	KUNIT_ASSERT_NOT_NULL(test, late);
	KUNIT_ASSERT_NOT_NULL(test, fregs);
	late->hook.run = see_head;
	kp = hooked_probe(test, "late", "vmemdup_user", &late->hook, &file);

	KUNIT_EXPECT_TRUE(test, kp->on_site);
	if (kp->on_site) {
		/* as when it is forgotten */
		addr = kp->rp.kp.addr;
		kp->rp.kp.addr = NULL;
		scoped_guard(preempt_notrace)
			kp->hook.gops.ops.func((unsigned long)addr, 0, &kp->hook.gops.ops, fregs);
		kp->rp.kp.addr = addr;
		KUNIT_EXPECT_EQ(test, late->runs, 1U);
		KUNIT_EXPECT_EQ(test, late->head, (unsigned long)addr);
	}

	hooked_probe_end(test, &late->hook, file);
}
#endif

#if defined(CONFIG_KPROBE_EVENTS) && defined(CONFIG_PERF_EVENTS)
/* What perf opens itself is somewhere, or it is refused: nothing waits for a module. */
static void test_perf_place(struct kunit *test)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	event->attr.kprobe_addr = 16;	/* no symbol is there */
	for (int is_retprobe = 0; is_retprobe < 2; is_retprobe++) {
		int ret = perf_kprobe_init(event, is_retprobe);

		KUNIT_EXPECT_EQ(test, ret, -ENOENT);
		if (!ret)
			perf_kprobe_destroy(event);
	}
}
#endif

#if defined(CONFIG_KPROBE_EVENTS) && defined(CONFIG_PERF_EVENTS)
/* An event that perf has open loses its first place: what was told of it stays readable. */
static void test_first_place_goes(struct kunit *test)
{
	struct perf_event_attr attr = { .disabled = 1 };
	struct trace_event_call *call = NULL;
	const char *first, *second;
	struct perf_event *event;
	unsigned long missed;
	u64 offset, addr;
	u32 type;

	KUNIT_ASSERT_EQ(test, dyn_event_command("p:kunit_two/places memdup_user"), 0);
	KUNIT_EXPECT_EQ(test, dyn_event_command("p:kunit_two/places vmemdup_user"), 0);
	scoped_guard(mutex, &event_mutex) {
		call = trace_event_find_call("kunit_two", "places");
		if (call)
			attr.config = call->event.type;
	}
	KUNIT_ASSERT_NOT_NULL(test, call);
	event = test_counter(&attr, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));

	KUNIT_EXPECT_EQ(test, bpf_get_kprobe_info(event, &type, &first, &offset, &addr, &missed,
						  true), 0);
	KUNIT_EXPECT_STREQ(test, first, "memdup_user");
	KUNIT_EXPECT_EQ(test, dyn_event_command("-:kunit_two/places memdup_user"), 0);
	KUNIT_EXPECT_EQ(test, bpf_get_kprobe_info(event, &type, &second, &offset, &addr, &missed,
						  true), 0);
	KUNIT_EXPECT_STREQ(test, second, "vmemdup_user");
	KUNIT_EXPECT_STREQ(test, first, "memdup_user");
	scoped_guard(mutex, &event_mutex)
		KUNIT_EXPECT_NOT_NULL(test, container_of(call, struct probe_event, call)->texts);

	perf_event_release_kernel(event);
	scoped_guard(mutex, &event_mutex)
		KUNIT_EXPECT_NULL(test, container_of(call, struct probe_event, call)->texts);
	KUNIT_EXPECT_EQ(test, dyn_event_command("-:kunit_two/places"), 0);
}
#endif

#if defined(CONFIG_KPROBE_EVENTS) && defined(CONFIG_PERF_EVENTS)
static int sleeps_in_function(void *unused)
{
	schedule_timeout_killable(MAX_SCHEDULE_TIMEOUT);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* In schedule_timeout_killable(), which hardly anybody else calls. */
static struct task_struct *start_sleeper(struct kunit *test)
{
	struct task_struct *task = kthread_run(sleeps_in_function, NULL, "kunit-returns");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	while (READ_ONCE(task->__state) != TASK_KILLABLE)
		schedule_timeout_uninterruptible(1);
	return task;
}

static unsigned long hits_when_woken(struct kunit *test, const struct kprobe_place *kp,
				     struct task_struct *task)
{
	unsigned long before = probe_hits(kp->probe.hits);

	wake_up_process(task);
	KUNIT_EXPECT_EQ(test, kthread_stop(task), 0);
	return probe_hits(kp->probe.hits) - before;
}

/* Who comes while a call is open takes nobody's return away, nor does who has gone by then. */
static void test_open_returns(struct kunit *test)
{
	struct perf_event_attr attr = { .disabled = 1, .sample_type = PERF_SAMPLE_REGS_INTR };
	struct trace_event_file *file;
	struct perf_event *event;
	struct task_struct *task;
	struct kprobe_place *kp;
	int ret = dyn_event_command("r:kunit_open/back schedule_timeout_killable $retval");

	KUNIT_ASSERT_EQ(test, ret, 0);
	file = trace_get_event_file(NULL, "kunit_open", "back");
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	attr.config = file->event_call->event.type;
	kp = kprobe_place_of(probe_event_first(probe_event_of(file->event_call)));
	KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_open", "back", 1), 0);

	task = start_sleeper(test);
	event = test_counter(&attr, NULL, NULL);
	KUNIT_EXPECT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_FALSE(test, kp->on_site);
	KUNIT_EXPECT_EQ(test, hits_when_woken(test, kp, task), 1UL);
	task = start_sleeper(test);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	KUNIT_EXPECT_EQ(test, hits_when_woken(test, kp, task), 1UL);

	task = start_sleeper(test);
	KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_open", "back", 0), 0);
	KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_open", "back", 1), 0);
	KUNIT_EXPECT_EQ(test, hits_when_woken(test, kp, task), 1UL);
	KUNIT_EXPECT_EQ(test, kprobe_place_missed(kp), 0UL);

	KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_open", "back", 0), 0);
	trace_put_event_file(file);
	KUNIT_EXPECT_EQ(test, dyn_event_command("-:kunit_open/back"), 0);
}
#endif

#if defined(CONFIG_KPROBE_EVENTS) && defined(CONFIG_PERF_EVENTS) && \
	defined(CONFIG_KRETPROBE_ON_RETHOOK)
/*
 * A kretprobe is gone when its last call returns, which may be where nobody may sleep: with
 * DEBUG_ATOMIC_SLEEP the kernel tells of it if the nodes were freed there.
 */
static void test_last_return(struct kunit *test)
{
	struct kretprobe *rp = kunit_kzalloc(test, sizeof(*rp), GFP_KERNEL);
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, rp);
	rp->kp.symbol_name = "schedule_timeout_killable";
	rp->maxactive = 4;
	KUNIT_ASSERT_EQ(test, register_kretprobe(rp), 0);
	task = start_sleeper(test);
	KUNIT_EXPECT_NOT_NULL(test, READ_ONCE(task->rethooks.first));
	unregister_kretprobe(rp);
	/* the pool is given up */
	rcu_barrier();
	wake_up_process(task);
	KUNIT_EXPECT_EQ(test, kthread_stop(task), 0);
}
#endif

#if defined(CONFIG_KPROBE_EVENTS) && defined(CONFIG_FPROBE_EVENTS) && \
	defined(CONFIG_FPROBE_KUNIT_TEST)
/*
 * What a full shadow stack keeps from an event is missed in its profile: that of a task that
 * recurses where it may not be preempted. Else nothing is.
 */
static void test_full_stack(struct kunit *test)
{
	unsigned long hits, missed, calls;
	struct trace_event_file *file;
	struct kprobe_place *kp;
	int ret = dyn_event_command("r:kunit_nested/back fprobe_test_nested");

	KUNIT_ASSERT_EQ(test, ret, 0);
	file = trace_get_event_file(NULL, "kunit_nested", "back");
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	kp = kprobe_place_of(probe_event_first(probe_event_of(file->event_call)));
	KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_nested", "back", 1), 0);
	KUNIT_EXPECT_TRUE(test, kp->on_site);
	scoped_guard(preempt)
		calls = fprobe_test_nested(100);
	KUNIT_EXPECT_EQ(test, calls, 100UL);
	hits = probe_hits(kp->probe.hits);
	missed = kprobe_place_missed(kp);
	KUNIT_EXPECT_EQ(test, hits + missed, 100UL);
	if (PAGE_SIZE == 4096)
		KUNIT_EXPECT_EQ(test, hits, 82UL);
	KUNIT_EXPECT_EQ(test, fprobe_test_nested(200), 200UL);
	KUNIT_EXPECT_EQ(test, probe_hits(kp->probe.hits), hits + 200);
	KUNIT_EXPECT_EQ(test, kprobe_place_missed(kp), missed);

	KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_nested", "back", 0), 0);
	trace_put_event_file(file);
	KUNIT_EXPECT_EQ(test, dyn_event_command("-:kunit_nested/back"), 0);
}
#endif

#if defined(CONFIG_KPROBE_EVENTS) && defined(CONFIG_FPROBE_EVENTS) && \
	defined(CONFIG_FPROBE_KUNIT_TEST) && defined(CONFIG_PERF_EVENTS)
struct seen_return {
	struct event_trigger_hook hook;
	struct trace_event_file	*file;
	struct perf_event	*event;
	unsigned long		to;
};

static void see_return(struct event_trigger_hook *hook, void *rec, u64 time)
{
	unsigned long *head = rec + sizeof(struct trace_entry);

	/* the function, and who called it */
	container_of(hook, struct seen_return, hook)->to = head[1];
}

/*
 * An event kunit_beside/@name; @regs: perf wants registers, so it is a kretprobe. False: it did not
 * come.
 */
static bool return_seen_begin(struct kunit *test, struct seen_return *seen, const char *name,
			      bool regs)
{
	struct perf_event_attr attr = { .disabled = 1, .sample_type = PERF_SAMPLE_REGS_INTR };
	char command[64];
	int ret;

	snprintf(command, sizeof(command), "r:kunit_beside/%s fprobe_test_nested", name);
	ret = dyn_event_command(command);
	KUNIT_EXPECT_EQ(test, ret, 0);
	if (ret)
		return false;
	seen->file = trace_get_event_file(NULL, "kunit_beside", name);
	KUNIT_ASSERT_FALSE(test, IS_ERR(seen->file));
	seen->hook.run = see_return;
	seen->hook.wants_record = true;
	seen->event = NULL;
	seen->to = 0;
	if (regs) {
		attr.config = seen->file->event_call->event.type;
		seen->event = test_counter(&attr, NULL, NULL);
		KUNIT_EXPECT_FALSE(test, IS_ERR(seen->event));
	}
	scoped_guard(mutex, &event_mutex)
		ret = event_hook_add(seen->file, &seen->hook);
	KUNIT_EXPECT_EQ(test, ret, 0);
	return true;
}

static void return_seen_end(struct kunit *test, struct seen_return *seen)
{
	scoped_guard(mutex, &event_mutex)
		event_hook_remove(seen->file, &seen->hook);
	if (!IS_ERR_OR_NULL(seen->event))
		perf_event_release_kernel(seen->event);
	trace_put_event_file(seen->file);
}

/* One place from where it is called. */
static noinline void return_here(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, fprobe_test_nested(1), 1UL);
}

/*
 * Events on one return, by a hook and by kretprobes: each finds the others' trampoline in place of
 * the caller, as the order of their entries is, and tells of the caller all the same.
 */
static void test_beside_kretprobe(struct kunit *test)
{
	struct seen_return *seen = kunit_kcalloc(test, 3, sizeof(*seen), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, seen);
	/* in each order: two are kretprobes */
	for (unsigned int hook = 0; hook < 3; hook++) {
		static const char * const names[] = { "a", "b", "c" };
		unsigned int begun = 0;

		while (begun < 3 && return_seen_begin(test, &seen[begun], names[begun],
						      begun != hook))
			begun++;
		return_here(test);
		for (unsigned int i = 0; i < begun; i++) {
			KUNIT_EXPECT_LT_MSG(test, seen[i].to - (unsigned long)return_here, 512UL,
					    "%u returns to %pS, the hook is %u", i,
					    (void *)seen[i].to, hook);
			return_seen_end(test, &seen[i]);
		}
		KUNIT_EXPECT_EQ(test, dyn_event_command("-:kunit_beside/"), 0);
	}
}
#endif

static struct kunit_case probe_cases[] = {
	KUNIT_CASE(test_immediate),
	KUNIT_CASE(test_memory),
	KUNIT_CASE(test_percpu),
	KUNIT_CASE(test_bits),
	KUNIT_CASE(test_strings),
	KUNIT_CASE(test_fault),
	KUNIT_CASE(test_partly_there),
	KUNIT_CASE(test_dentry),
	KUNIT_CASE(test_fault_in_irq),
	KUNIT_CASE(test_fault_in_nmi),
	KUNIT_CASE(test_cut),
	KUNIT_CASE(test_entry_args),
	KUNIT_CASE(test_format),
	KUNIT_CASE(test_moves),
	KUNIT_CASE(test_types),
	KUNIT_CASE(test_refused),
	KUNIT_CASE(test_names),
#ifdef CONFIG_KPROBE_EVENTS
	KUNIT_CASE(test_long_names),
	KUNIT_CASE(test_delete),
	KUNIT_CASE(test_rooms),
#endif
#if defined(CONFIG_KPROBE_EVENTS) && defined(CONFIG_FPROBE_EVENTS)
	KUNIT_CASE(test_late_hit),
#endif
#if defined(CONFIG_KPROBE_EVENTS) && defined(CONFIG_PERF_EVENTS)
	KUNIT_CASE(test_perf_place),
	KUNIT_CASE(test_first_place_goes),
	KUNIT_CASE(test_open_returns),
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	KUNIT_CASE(test_last_return),
#endif
#endif
#if defined(CONFIG_KPROBE_EVENTS) && defined(CONFIG_FPROBE_EVENTS) && \
	defined(CONFIG_FPROBE_KUNIT_TEST)
	KUNIT_CASE(test_full_stack),
#endif
#if defined(CONFIG_KPROBE_EVENTS) && defined(CONFIG_FPROBE_EVENTS) && \
	defined(CONFIG_FPROBE_KUNIT_TEST) && defined(CONFIG_PERF_EVENTS)
	KUNIT_CASE(test_beside_kretprobe),
#endif
	{ }
};

TRACE_KUNIT_SUITE("trace-probe-args", probe_cases);

MODULE_DESCRIPTION("KUnit tests of the arguments of probe events");
MODULE_LICENSE("GPL");
