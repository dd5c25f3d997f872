// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: fields from their declaration, and what is said of a print format, or printed by it. */
#include <kunit/test.h>
#include <linux/in.h>
#include <linux/socket.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <trace/stages/strlen.h>

#include "../instance/instance.h"
#include "../output/output.h"
#include "../tests/suite.h"
#include "by_words.h"
#include "internal.h"

#define DECL(_type, _name) {							\
	.type = #_type, .name = _name, .size = sizeof(_type),			\
	.align = __alignof__(_type), .is_signed = is_signed_type(_type) }

static struct trace_event_fields declared[] = {
	DECL(char, "a"),
	DECL(u64, "b"),
	{ .type = "char[16]", .name = "comm", .size = 16, .align = 1, .len = 16 },
	{ .type = "__data_loc char[]", .name = "str", .size = 4, .align = 4 },
	{ .type = "const char *", .name = "ptr", .size = 8, .align = 8 },
	{ .type = "__rel_loc cpumask_t", .name = "mask", .size = 4, .align = 4 },
	{ .type = "__data_loc unsigned char[]", .name = "bytes", .size = 4, .align = 4 },
	{ .type = "__rel_loc unsigned char[]", .name = "rel", .size = 4, .align = 4 },
	{ .type = "__data_loc u64[]", .name = "words", .size = 4, .align = 4 },
	{}
};

static struct trace_event_class class;
static struct trace_event_call call = { .class = &class, .name = "kunit" };

static int fields_init(struct kunit *test)
{
	class = (struct trace_event_class){
		.system = "kunit",
		.fields_array = declared,
		.fields = LIST_HEAD_INIT(class.fields),
	};
	call.flags = 0;
	for (struct trace_event_fields *f = declared; f->type; f++)
		f->needs_test = 0;
	return 0;
}

static void expect_field(struct kunit *test, char *name, int offset, int size, int filter_type)
{
	struct ftrace_event_field *field = trace_find_event_field(&call, name);

	KUNIT_ASSERT_NOT_NULL_MSG(test, field, "%s", name);
	KUNIT_EXPECT_EQ(test, field->offset, offset);
	KUNIT_EXPECT_EQ(test, field->size, size);
	KUNIT_EXPECT_EQ(test, field->filter_type, filter_type);
}

static void layout(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, event_fields_define(&call), 0);
	expect_field(test, "a", 8, 1, FILTER_OTHER);
	expect_field(test, "b", 16, 8, FILTER_OTHER);
	expect_field(test, "comm", 24, 16, FILTER_STATIC_STRING);
	expect_field(test, "str", 40, 4, FILTER_DYN_STRING);
	expect_field(test, "ptr", 48, 8, FILTER_PTR_STRING);
	expect_field(test, "mask", 56, 4, FILTER_CPUMASK);
	expect_field(test, "bytes", 60, 4, FILTER_DYN_STRING);
	expect_field(test, "rel", 64, 4, FILTER_RDYN_STRING);
	expect_field(test, "words", 68, 4, FILTER_OTHER);
	KUNIT_EXPECT_EQ(test, trace_event_get_offsets(&call), 72);

	/* a second event of the class adds nothing */
	KUNIT_ASSERT_EQ(test, event_fields_define(&call), 0);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&class.fields), ARRAY_SIZE(declared) - 1);

	/* what all events have */
	expect_field(test, "common_type", 0, 2, FILTER_OTHER);
	expect_field(test, "common_pid", 4, 4, FILTER_OTHER);
	expect_field(test, "CPU", 0, 0, FILTER_CPU);
	expect_field(test, "COMM", 0, 0, FILTER_COMM);
	expect_field(test, "stacktrace", 0, 0, FILTER_STACKTRACE);
	KUNIT_EXPECT_NULL(test, trace_find_event_field(&call, "comm_"));

	event_fields_destroy(&call);
	KUNIT_EXPECT_TRUE(test, list_empty(&class.fields));
}

static void one_by_one(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, trace_define_field(&call, "int", "x", 12, 4, 1, FILTER_OTHER), 0);
	expect_field(test, "x", 12, 4, FILTER_OTHER);
	KUNIT_EXPECT_TRUE(test, trace_find_event_field(&call, "x")->is_signed);
	event_fields_destroy(&call);
}

static bool marks_ptr(const char *fmt)
{
	bool marked;

	call.print_fmt = (char *)fmt;
	call.flags = 0;
	declared[4].needs_test = 0;
	event_print_fmt_check(&call);
	marked = declared[4].needs_test;
	return marked && (call.flags & TRACE_EVENT_FL_TEST_STR);
}

static void strings_elsewhere(struct kunit *test)
{
	static const struct {
		const char	*fmt;
		bool		marks;
	} t[] = {
		{ "\"%s\", REC->ptr", 1 },
		{ "\"%s\", (char *)REC->ptr", 1 },
		{ "\"%d %s\", REC->a, REC->ptr", 1 },
		{ "\"%*s %s\", REC->a, REC->comm, REC->ptr", 1 },
		{ "\"%s\", REC->a ? REC->ptr : \"none\"", 1 },
		{ "\"%p\", REC->ptr", 0 },
		{ "\"%ps\", REC->ptr", 0 },
		{ "\"%s\", REC->comm", 0 },
		{ "\"%s\", __get_str(str)", 0 },
		{ "\"%s\", REC->ptr ? \"yes\" : \"no\"", 0 },
		{ "\"%%s %lx\", REC->ptr", 0 },
		{ "\"%s, %lx\", __print_symbolic(REC->a, { 1, \"%s, (\" }), REC->ptr", 0 },
	};

	for (int i = 0; i < ARRAY_SIZE(t); i++)
		KUNIT_EXPECT_EQ_MSG(test, marks_ptr(t[i].fmt), t[i].marks, "%s", t[i].fmt);
}

static enum print_line_t print_nothing(struct trace_iterator *iter, int flags,
				       struct trace_event *event)
{
	return TRACE_TYPE_HANDLED;
}

/* Each event of a class that prints strings has them tested, whichever is the first. */
static void strings_of_all(struct kunit *test)
{
	static struct trace_event_functions funcs = { .trace = print_nothing };
	static const char * const names[] = { "kunit_one", "kunit_two", "kunit_three" };
	static struct trace_event_call calls[ARRAY_SIZE(names)];
	static const char fmts[] = "\"%p\", REC->ptr\0\"%s\", REC->ptr";
	struct ftrace_event_field *field;
	const char *fmt = fmts;
	char ptr[] = "ptr";
	int nr;

	class.raw_init = trace_event_raw_init;
	for (nr = 0; nr < ARRAY_SIZE(names); nr++) {
		calls[nr] = (struct trace_event_call){
			.class = &class, .name = names[nr], .print_fmt = (char *)fmt,
			.event.funcs = &funcs,
		};
		if (trace_add_event_call(&calls[nr]))
			break;
		KUNIT_EXPECT_EQ_MSG(test, !!(calls[nr].flags & TRACE_EVENT_FL_TEST_STR), nr > 0,
				    "%s", names[nr]);
		field = trace_find_event_field(&calls[nr], ptr);
		KUNIT_EXPECT_TRUE(test, field && field->needs_test == (nr > 0));
		/* that of the others follows the pointer */
		fmt = fmts + strlen(fmts) + 1;
	}
	KUNIT_EXPECT_EQ(test, nr, ARRAY_SIZE(names));
	while (nr--)
		KUNIT_EXPECT_EQ(test, trace_remove_event_call(&calls[nr]), 0);
}

/* Which argument follows a pointer out of the record? 0 for none. */
static void pointers_elsewhere(struct kunit *test)
{
	static const struct {
		const char	*fmt;
		int		nr;
	} t[] = {
		{ "\"%d %pI4\", REC->a, REC->ptr", 2 },
		{ "\"%pI4\", &REC->a", 0 },
		{ "\"%s\", REC->ptr->name", 1 },
		{ "\"%*s %s\", REC->a, REC->comm, REC->ptr->name", 3 },
		/* as kvm's formats end, in a text that they have just printed */
		{ "\"%s %d\", ({ const char *s = trace_seq_buffer_ptr(p); r.x = REC->a; s; }), 1",
		  0 },
		{ "\"%s\", ({ const char *s = f(p); g(p, \"%u; %s\", REC->a, REC->b); s; })", 0 },
		{ "\"%s\", ({ const char *s = REC->ptr->name; trace_seq_puts(p, s); s; })", 1 },
		{ "\"%s\", ({ const char *not_s = REC->comm, *s; REC->ptr->name; })", 1 },
		{ "\"%pI4\", ({ int x = 1; REC->ptr; })", 1 },
		{ "\"%s\", ({ __get_str(str); })", 0 },
		/* as dwc3's: a text is chosen */
		{ "\"%s\", ({ char *s; switch (REC->a) { case 1: s = \"1\"; } s; })", 0 },
		{ "\"%s\", ({ char *s; if (REC->a) { s = REC->ptr->name; } s; })", 1 },
		{ "\"%s\", ({ char *s = \"\", *q = REC->ptr->name; r.s = q; s; })", 0 },
		{ "\"%s\", ({ char *s = \"\"; r.s = REC->ptr->name; s; })", 0 },
		{ "\"%s\", ({ struct r r = { REC->a }; REC->ptr->name; })", 1 },
		{ "\"%s\", ({ f(s = REC->ptr->name); s; })", 1 },
		/* as binder's: a table of the kernel's */
		{ "\"%s\", REC->a < 3 ? names[REC->a] : \"unknown\"", 0 },
		{ "\"%s\", names[REC->a].text", 0 },
		{ "\"%s\", names[REC->a]->text", 1 },
		{ "\"%pI4\", names[REC->a]", 1 },
		{ "\"%s\", ({ })", 0 },
	};
	const char *text;
	int len;

	for (int i = 0; i < ARRAY_SIZE(t); i++) {
		call.print_fmt = (char *)t[i].fmt;
		KUNIT_EXPECT_EQ_MSG(test, event_print_fmt_unsafe(&call, &text, &len), t[i].nr,
				    "%s", t[i].fmt);
	}
}

#if defined(CONFIG_64BIT) && !defined(CONFIG_CPU_BIG_ENDIAN)
/*
 * Each length at each place, in the midst of zeros or of what has the top bit set or is one: the
 * two that the test of a word for zeros could take for one.
 */
static void strings_by_words(struct kunit *test)
{
	static const char fills[] = { 0, 1, 'a', 0x80, 0xff };
	u64 from[8], to[8];
	char *s = (char *)from, *t = (char *)to;
	unsigned int at, other, len, fill;

	for (fill = 0; fill < ARRAY_SIZE(fills); fill++) {
		for (at = 0; at < 8; at++) {
			for (len = 0; len < 40; len++) {
				memset(from, fills[fill], sizeof(from));
				memset(s + at, fills[(fill + len) % 4 + 1], len);
				s[at + len] = 0;
				KUNIT_ASSERT_EQ(test, strlen_by_words(s + at), len);

				other = (at + len * 4) % 8;
				memset(to, 'z', sizeof(to));
				copy_by_words(t + other, s + at, len);
				KUNIT_ASSERT_MEMEQ(test, t + other, s + at, len);
				KUNIT_ASSERT_EQ(test, t[other + len], 'z');
				KUNIT_ASSERT_PTR_EQ(test, memchr_inv(to, 'z', other), NULL);

				/* what this architecture's probes do */
				memset(to, 'z', sizeof(to));
				__te_copy(t + other, s + at, len);
				KUNIT_ASSERT_MEMEQ(test, t + other, s + at, len);
				KUNIT_ASSERT_EQ(test, t[other + len], 'z');
				KUNIT_ASSERT_PTR_EQ(test, memchr_inv(to, 'z', other), NULL);
			}
		}
	}
}
#else
static void strings_by_words(struct kunit *test)
{
	kunit_skip(test, "for 64 bits, little endian");
}
#endif

/*
 * An event of fields and helpers that few events have, by the passes of <trace/trace_events.h>; but
 * for the last one, which would need a file of the event, and in no registry.
 */
#define ADDRESS_FIELDS							\
	TP_STRUCT__entry(						\
		__field(u8, before)					\
		__sockaddr(addr, len)					\
		__rel_sockaddr(rel, len)				\
	)
#define ADDRESS_PRINT							\
	TP_printk("%pISpc %pISpc%s", __get_sockaddr(addr), __get_rel_sockaddr(rel), \
		  __print_hex_dump("> ", DUMP_PREFIX_OFFSET, 16, 1,	\
				   __get_dynamic_array(addr) + 2, 6, true))

#include <trace/stages/fields.h>
#include <trace/stages/record.h>
__TE_RECORD(, kunit_address, PARAMS(ADDRESS_FIELDS))
__TE_PRINTER(, kunit_address, kunit_address, PARAMS(ADDRESS_PRINT))

#include <trace/stages/describe.h>
static const struct trace_event_fields address_fields[] = { ADDRESS_FIELDS };
static const char address_print_fmt[] = ADDRESS_PRINT;

#include <trace/stages/offsets_struct.h>
__TE_OFFSETS(, kunit_address, PARAMS(ADDRESS_FIELDS))
#include <trace/stages/offsets.h>
__TE_GET_OFFSETS(, kunit_address, PARAMS(unsigned int len), PARAMS(ADDRESS_FIELDS))

#include <trace/stages/probe.h>
/* What a probe does, into memory of the test's. */
static struct trace_entry *address_record(struct kunit *test, const void *from, unsigned int len)
{
	struct trace_event_data_offsets_kunit_address __data_offsets;
	unsigned int size = trace_event_get_offsets_kunit_address(&__data_offsets, len);
	struct trace_event_raw_kunit_address *entry;

	entry = kunit_kzalloc(test, sizeof(*entry) + size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	ADDRESS_FIELDS;
	__assign_sockaddr(addr, from, len);
	__assign_rel_sockaddr(rel, from, len);
	return &entry->ent;
}

static void addresses(struct kunit *test)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(80),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct trace_entry *entry = address_record(test, &address, sizeof(address));
	struct trace_iterator *iter;

	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(address_fields), 3);
	KUNIT_EXPECT_STREQ(test, address_fields[1].type, "__data_loc u8[]");
	KUNIT_EXPECT_STREQ(test, address_fields[1].name, "addr");
	KUNIT_EXPECT_STREQ(test, address_fields[2].type, "__rel_loc u8[]");
	/* user space has helpers of its own */
	KUNIT_EXPECT_NOT_NULL(test, strstr(address_print_fmt,
					   "\", __get_sockaddr(addr), __get_rel_sockaddr(rel), "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(address_print_fmt,
					   ", __print_hex_dump(\"> \", DUMP_PREFIX_OFFSET, 16, "));

	iter = trace_iter_alloc(&global_trace, RING_BUFFER_ALL_CPUS);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	call.event.type = 0;	/* as @entry has it */
	iter->ent = entry;
	KUNIT_EXPECT_EQ(test, trace_event_type_funcs_kunit_address.trace(iter, 0, &call.event),
			TRACE_TYPE_HANDLED);
	iter->seq.buffer[trace_seq_used(&iter->seq)] = 0;
	/* the port and the address, and their characters in the column behind 16 bytes */
	KUNIT_EXPECT_STREQ(test, iter->seq.buffer,
			   "kunit: 127.0.0.1:80 127.0.0.1:80\n"
			   "> 00000000: 00 50 7f 00 00 01                                .P....\n"
			   "\n");
	trace_iter_free(iter);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(strings_by_words),
	KUNIT_CASE(layout),
	KUNIT_CASE(one_by_one),
	KUNIT_CASE(strings_elsewhere),
	KUNIT_CASE(strings_of_all),
	KUNIT_CASE(pointers_elsewhere),
	KUNIT_CASE(addresses),
	{}
};

TRACE_KUNIT_SUITE("trace_event_fields", cases, .init = fields_init);
