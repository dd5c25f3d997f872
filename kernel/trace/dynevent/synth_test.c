// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: the language of synthetic events and the layout of their records; the registry of dynamic
 * events, which takes away all that is meant or nothing; and events that happen, within each other
 * as well.
 */
#include <kunit/test.h>
#include <linux/ring_buffer.h>
#include <linux/string.h>

#include "../events/events.h"
#include "../tests/counter.h"
#include "../tests/instance.h"
#include "../tests/suite.h"
#include "../trigger/trigger.h"
#include "synth_internal.h"

static struct synth_event *parsed(struct kunit *test, const char *line)
{
	struct synth_text text = { .whole = line, .name = line, .name_len = strcspn(line, " \t") };

	return synth_parse(&text);
}

static void lays_fields_out(struct kunit *test)
{
	static const char line[] =
		"ev s8 a; unsigned int b;char str[16] ; gfp_t c; char dyn[]; long[] st;u64 d;";
	static const struct {
		const char *type, *name;
		unsigned int offset, size;
		bool is_signed;
	} want[] = {
		{ "s8", "a", 8, 1, true },
		{ "unsigned int", "b", 16, 4, false },
		{ "char[16]", "str", 24, 16, true },
		{ "gfp_t", "c", 280, 4, false },
		{ "__data_loc char[]", "dyn", 288, 8, true },
		{ "__data_loc long[]", "st", 296, 8, true },
		{ "u64", "d", 304, 8, false },
	};
	struct synth_event *event = parsed(test, line);

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_ASSERT_EQ(test, event->n_fields, ARRAY_SIZE(want));
	for (int i = 0; i < ARRAY_SIZE(want); i++) {
		const struct synth_field *field = &event->fields[i];

		KUNIT_EXPECT_STREQ(test, field->type, want[i].type);
		KUNIT_EXPECT_STREQ(test, field->name, want[i].name);
		KUNIT_EXPECT_EQ(test, field->offset, want[i].offset);
		KUNIT_EXPECT_EQ(test, field->size, want[i].size);
		if (field->store == SYNTH_NUMBER)
			KUNIT_EXPECT_EQ(test, field->is_signed, want[i].is_signed);
	}
	KUNIT_EXPECT_EQ(test, event->bytes, 312);
	KUNIT_EXPECT_FALSE(test, event->plain);
	KUNIT_EXPECT_STREQ(test, event->name, "ev");
	synth_event_free(event);

	/* as it was before there were semicolons */
	event = parsed(test, "old u64 lat pid_t pid char comm[16]");
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, event->n_fields, 3);
	synth_event_free(event);
}

static void refuses_bad_lines(struct kunit *test)
{
	static const char *const lines[] = {
		"ev", "ev ", "ev u64", "ev; u64 a", "ev ;u64 a", "e-v u64 a", "9ev u64 a",
		"ev chr a", "ev unsigned a", "ev u64 a; int", "ev u64 a-b", "ev u64 a]",
		"ev char a[",
		"ev char a[x]", "ev char a[257]", "ev char a[1]b", "ev char a]2[", "ev u64 a[2]",
		"ev u64 a; []", "", ";", " ; u64 a",
	};
	char *many;

	for (int i = 0; i < ARRAY_SIZE(lines); i++)
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(parsed(test, lines[i])), -EINVAL, "%s",
				    lines[i]);

	many = kunit_kzalloc(test, 1024, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, many);
	strscpy(many, "ev", 1024);
	for (int i = 0; i <= SYNTH_FIELDS_MAX; i++)
		strlcat(many, " u8 a;", 1024);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(parsed(test, many)), -EINVAL);
}

static int nr_of_dyn_events(void)
{
	struct dyn_event *ev;
	int n = 0;

	guard(mutex)(&event_mutex);
	for_each_dyn_event(ev)
		n++;
	return n;
}

static void takes_all_away_or_nothing(struct kunit *test)
{
	int before = nr_of_dyn_events();
	struct synth_event *event;

	KUNIT_EXPECT_EQ(test, synth_event_command("kunit_a u64 x"), 0);
	KUNIT_EXPECT_EQ(test, dyn_event_command("s:kunit_b u64 x"), 0);
	KUNIT_EXPECT_EQ(test, dyn_event_command("s:synthetic/kunit_c u64 x"), 0);
	KUNIT_EXPECT_EQ(test, dyn_event_command("s:other/kunit_d u64 x"), -EINVAL);
	KUNIT_EXPECT_EQ(test, dyn_event_command("y:kunit_d u64 x"), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_command("kunit_b u32 y"), -EEXIST);
	KUNIT_EXPECT_EQ(test, nr_of_dyn_events(), before + 3);

	scoped_guard(mutex, &event_mutex) {
		event = synth_event_find("kunit_b");
		if (event)
			KUNIT_EXPECT_TRUE(test, trace_event_try_get_ref(&event->call));
	}
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_EXPECT_EQ(test, dyn_events_release("-:synthetic/", NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, dyn_events_release_all(event->dyn.kind), -EBUSY);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_b"), -EBUSY);
	KUNIT_EXPECT_EQ(test, nr_of_dyn_events(), before + 3);

	trace_event_put_ref(&event->call);
	KUNIT_EXPECT_EQ(test, dyn_events_release("-:kunit_b", NULL), 0);
	KUNIT_EXPECT_EQ(test, dyn_events_release("-:kunit_b", NULL), -ENOENT);
	KUNIT_EXPECT_EQ(test, dyn_events_release("!s:kunit_a u64 x", NULL), 0);
	KUNIT_EXPECT_EQ(test, dyn_events_release("-:", NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, dyn_events_release("-kunit_c", NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, dyn_events_release("-:nobody/kunit_c", NULL), -ENOENT);
	KUNIT_EXPECT_EQ(test, dyn_events_release("-:synthetic/", NULL), 0);
	KUNIT_EXPECT_EQ(test, nr_of_dyn_events(), before);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_c"), -ENOENT);
}

/* A hook of the event that lets the event happen again. */
static struct synth_event *again;
static int runs;

static void run_again(struct event_trigger_hook *hook, void *rec, u64 time)
{
	u64 val = ++runs;

	synth_event_fire(again, &val);
}

static struct event_trigger_hook hook = { .wants_record = true, .run = run_again };

static void fire(struct synth_event *event, u64 val)
{
	guard(preempt)();
	synth_event_fire(event, &val);
}

static void happens_where_it_is_on(struct kunit *test)
{
	struct trace_event_file *file, *top;
	struct synth_event *event;
	struct trace_array *tr;

	KUNIT_ASSERT_EQ(test, synth_event_command("kunit_f u64 x"), 0);
	tr = trace_array_get_by_name("kunit_synth", NULL);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	file = trace_get_event_file("kunit_synth", SYNTH_SYSTEM, "kunit_f");
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	top = trace_get_event_file(NULL, SYNTH_SYSTEM, "kunit_f");
	KUNIT_ASSERT_FALSE(test, IS_ERR(top));
	event = synth_event_of(file->event_call);
	KUNIT_ASSERT_NOT_NULL(test, event);

	fire(event, 1);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 0);
	KUNIT_EXPECT_EQ(test, synth_event_trace(file, 1, (u64)1), 0);
	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, SYNTH_SYSTEM, "kunit_f", true), 0);
	fire(event, 2);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 1);
	KUNIT_EXPECT_EQ(test, synth_event_trace(file, 1, (u64)3), 0);
	KUNIT_EXPECT_EQ(test, synth_event_trace(file, 2, (u64)3, (u64)3), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_trace(top, 1, (u64)3), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 2);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_f"), -EBUSY);

	/* it lets itself happen: that comes to an end */
	again = event;
	runs = 0;
	scoped_guard(mutex, &event_mutex)
		KUNIT_EXPECT_EQ(test, event_hook_add(file, &hook), 0);
	fire(event, 4);
	KUNIT_EXPECT_EQ(test, runs, 4);
	/* and each of them has been recorded, within those before it */
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 2 + 4);
	scoped_guard(mutex, &event_mutex)
		event_hook_remove(file, &hook);

	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, SYNTH_SYSTEM, "kunit_f", false), 0);
	trace_put_event_file(top);
	trace_put_event_file(file);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_f"), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 0);
	test_instance_end(test, tr);
}

/* On in the top instance and another: once in each, whether all fields are numbers or not. */
static void happens_once_in_each(struct kunit *test)
{
	static const char *const lines[] = { "kunit_i u64 x", "kunit_i u64 x; char s[]" };
	u64 vals[] = { 1, (u64)(long)"text" };

	for (int i = 0; i < ARRAY_SIZE(lines); i++) {
		struct trace_array *tr = trace_array_get_by_name("kunit_synth", NULL);
		struct trace_buffer *top, *other;
		struct trace_event_file *file;
		struct synth_event *event;
		unsigned long had;

		KUNIT_ASSERT_NOT_NULL(test, tr);
		KUNIT_ASSERT_EQ(test, synth_event_command(lines[i]), 0);
		file = trace_get_event_file(NULL, SYNTH_SYSTEM, "kunit_i");
		KUNIT_ASSERT_FALSE(test, IS_ERR(file));
		event = synth_event_of(file->event_call);
		KUNIT_ASSERT_NOT_NULL(test, event);
		KUNIT_EXPECT_EQ(test, event->plain, !i);
		top = file->tr->array_buffer.buffer;
		other = tr->array_buffer.buffer;
		KUNIT_EXPECT_EQ(test, trace_set_clr_event(SYNTH_SYSTEM, "kunit_i", 1), 0);
		KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, SYNTH_SYSTEM, "kunit_i", true),
				0);
		had = ring_buffer_entries(top) + ring_buffer_overruns(top);
		scoped_guard(preempt)
			synth_event_fire(event, vals);
		KUNIT_EXPECT_EQ(test, ring_buffer_entries(top) + ring_buffer_overruns(top) - had,
				1);
		KUNIT_EXPECT_EQ(test, ring_buffer_entries(other), 1);
		KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, SYNTH_SYSTEM, "kunit_i", false),
				0);
		KUNIT_EXPECT_EQ(test, trace_set_clr_event(SYNTH_SYSTEM, "kunit_i", 0), 0);
		trace_put_event_file(file);
		KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_i"), 0);
		test_instance_end(test, tr);
	}
}

static void is_recorded_piece_by_piece(struct kunit *test)
{
	struct synth_event_trace_state state;
	struct trace_event_file *file;

	KUNIT_ASSERT_EQ(test, synth_event_command("kunit_p u64 x; char s[8]; char d[]"), 0);
	file = trace_get_event_file(NULL, SYNTH_SYSTEM, "kunit_p");
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, synth_event_trace_start(file, &state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_val("x", 1, &state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_trace_end(&state), 0);

	KUNIT_EXPECT_EQ(test, trace_set_clr_event(SYNTH_SYSTEM, "kunit_p", 1), 0);
	KUNIT_EXPECT_EQ(test, synth_event_trace_start(file, &state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_next_val(1, &state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_val("x", 1, &state), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_add_next_val((u64)(long)"text", &state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_next_val((u64)(long)"text", &state), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_add_next_val(1, &state), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_trace_end(&state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_trace_start(file, &state), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_val("nobody", 1, &state), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_trace_end(&state), 0);
	KUNIT_EXPECT_EQ(test, trace_set_clr_event(SYNTH_SYSTEM, "kunit_p", 0), 0);
	trace_put_event_file(file);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_p"), 0);
}

#ifdef CONFIG_PERF_EVENTS
static u64 perf_number;
static int perf_records, perf_strange;

static void overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct perf_raw_frag *frag = &data->raw->frag;

	/*
	 * A number, then where the text is, which stands behind the fields; and nothing of the
	 * longer one before up to a multiple of 8 with the length in front.
	 */
	if (frag->size < 28 || *(u64 *)(frag->data + 8) != perf_number ||
	    (perf_number && (strcmp(frag->data + 24, "text") ||
			     memchr_inv(frag->data + 29, 0, 7))))
		perf_strange++;
	perf_records++;
}

static void is_seen_by_perf(struct kunit *test)
{
	struct perf_event_attr attr = { .sample_period = 1, .sample_type = PERF_SAMPLE_RAW };
	struct synth_event *event;
	struct perf_event *counter;
	static char many[1024];

	KUNIT_ASSERT_EQ(test, synth_event_command("kunit_q u64 x; char s[]"), 0);
	scoped_guard(mutex, &event_mutex)
		event = synth_event_find("kunit_q");
	KUNIT_ASSERT_NOT_NULL(test, event);
	/* Another CPU may see for a moment that perf has come, and nothing of what it came with. */
	WRITE_ONCE(event->perf, true);
	scoped_guard(preempt)
		synth_event_fire(event, (u64[]){ 1, (u64)(long)"text" });
	WRITE_ONCE(event->perf, false);
	KUNIT_EXPECT_EQ(test, perf_records, 0);
	attr.config = event->call.event.type;
	counter = test_counter(&attr, overflow, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_q"), -EBUSY);
	for (perf_number = 0; perf_number <= 3; perf_number++) {
		u64 vals[] = { perf_number, (u64)(long)(perf_number ? "text" : "a longer text") };

		guard(preempt)();
		synth_event_fire(event, vals);
	}
	perf_event_release_kernel(counter);
	KUNIT_EXPECT_EQ(test, perf_records, 4);
	KUNIT_EXPECT_EQ(test, perf_strange, 0);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_q"), 0);

	/* more than perf takes of a record */
	strscpy(many, "s:kunit_q", sizeof(many));
	for (char name[] = " char a[1];"; name[6] <= 'z'; name[6]++) {
		strlcat(many, name, sizeof(many));
		name[6] ^= 0x20;	/* the other case, too */
		strlcat(many, name, sizeof(many));
		name[6] ^= 0x20;
	}
	KUNIT_ASSERT_EQ(test, dyn_event_command(many), 0);
	scoped_guard(mutex, &event_mutex)
		event = synth_event_find("kunit_q");
	KUNIT_ASSERT_NOT_NULL(test, event);
	attr.config = event->call.event.type;
	counter = test_counter(&attr, overflow, NULL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(counter), -E2BIG);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_q"), 0);
}
#endif

static void is_made_step_by_step(struct kunit *test)
{
	static const char long_name[] =
		"a_name_that_is_too_long_for_the_room_that_there_is_in_the_buffer";
	struct dynevent_cmd cmd;
	char *buf = kunit_kzalloc(test, 64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, buf);
	synth_event_cmd_init(&cmd, buf, 64);
	KUNIT_EXPECT_EQ(test, synth_event_gen_cmd_start(&cmd, "kunit_g", NULL, "u64", "a"), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_field(&cmd, "u64", NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_add_field_str(&cmd, "char b[8]"), 0);
	KUNIT_EXPECT_EQ(test, synth_event_gen_cmd_end(&cmd), 0);
	KUNIT_EXPECT_EQ(test, synth_event_gen_cmd_end(&cmd), -EEXIST);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_g"), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_field(&cmd, "u64", long_name), -E2BIG);
	KUNIT_EXPECT_EQ(test, synth_event_gen_cmd_end(&cmd), -E2BIG);
}

/* As many fields as there may be, by arrays and by names, and none more. */
static void is_made_of_arrays(struct kunit *test)
{
	static struct synth_field_desc fields[SYNTH_FIELDS_MAX + 1], nameless[] = { { "u64" } };
	static char names[SYNTH_FIELDS_MAX + 1][16];
	char *buf = kunit_kzalloc(test, MAX_DYNEVENT_CMD_LEN, GFP_KERNEL);
	struct dynevent_cmd cmd;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	for (int i = 0; i <= SYNTH_FIELDS_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "f%d", i);
		fields[i].type = i % 2 ? "char[8]" : "u64";
		fields[i].name = names[i];
	}

	synth_event_cmd_init(&cmd, buf, MAX_DYNEVENT_CMD_LEN);
	cmd.type = DYNEVENT_TYPE_KPROBE;
	KUNIT_EXPECT_EQ(test, synth_event_gen_cmd_array_start(&cmd, "kunit_h", NULL, fields, 2),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_add_fields(&cmd, fields, 2), -EINVAL);

	synth_event_cmd_init(&cmd, buf, MAX_DYNEVENT_CMD_LEN);
	KUNIT_EXPECT_EQ(test, synth_event_gen_cmd_array_start(&cmd, "kunit_h", NULL, fields, 2), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_field(&cmd, fields[2].type, fields[2].name), 0);
	KUNIT_EXPECT_EQ(test, synth_event_add_fields(&cmd, nameless, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_add_fields(&cmd, fields + 3, 60), 0);
	/* the first of these is the last that there may be */
	KUNIT_EXPECT_EQ(test, synth_event_add_fields(&cmd, fields + 63, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_add_field(&cmd, "u64", "g"), -EINVAL);
	KUNIT_EXPECT_EQ(test, synth_event_add_field_str(&cmd, "u64 g"), -EINVAL);
	KUNIT_ASSERT_EQ(test, synth_event_gen_cmd_end(&cmd), 0);

	scoped_guard(mutex, &event_mutex) {
		struct synth_event *event = synth_event_find("kunit_h");

		KUNIT_EXPECT_EQ(test, event ? event->n_fields : 0, SYNTH_FIELDS_MAX);
		for (int i = 0; event && i < event->n_fields; i++) {
			KUNIT_EXPECT_STREQ(test, event->fields[i].type, fields[i].type);
			KUNIT_EXPECT_STREQ(test, event->fields[i].name, names[i]);
		}
	}
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_h"), 0);
}

#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_PROBE_EVENTS)
/* An event probe on it, for perf, for an instance, and for both */
static void has_probes_for_perf(struct kunit *test)
{
	struct perf_event_attr attr = { };
	struct trace_event_call *call;
	struct perf_event *counter;
	struct synth_event *event;
	u64 on, running;

	KUNIT_ASSERT_EQ(test, synth_event_command("kunit_e u64 x"), 0);
	KUNIT_ASSERT_EQ(test, dyn_event_command("e:kunit_ep/e synthetic.kunit_e x=$x if x < 8"), 0);
	scoped_guard(mutex, &event_mutex) {
		event = synth_event_find("kunit_e");
		call = trace_event_find_call("kunit_ep", "e");
	}
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, call);
	attr.config = call->event.type;
	for (int both = 0; both < 2; both++) {
		counter = test_counter(&attr, NULL, NULL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
		KUNIT_EXPECT_EQ(test, dyn_event_command("-:kunit_ep/e"), -EBUSY);
		if (both)
			KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_ep", "e", 1), 0);
		for (u64 x = 0; x < 12; x++) {
			guard(preempt)();
			synth_event_fire(event, &x);
		}
		KUNIT_EXPECT_EQ(test, perf_event_read_value(counter, &on, &running), 8);
		perf_event_release_kernel(counter);
		if (both)
			KUNIT_EXPECT_EQ(test, trace_set_clr_event("kunit_ep", "e", 0), 0);
	}
	KUNIT_EXPECT_EQ(test, dyn_event_command("-:kunit_ep/e"), 0);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_e"), 0);
}
#endif

static struct kunit_case cases[] = {
#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_PROBE_EVENTS)
	KUNIT_CASE(has_probes_for_perf),
#endif
	KUNIT_CASE(lays_fields_out),
	KUNIT_CASE(refuses_bad_lines),
	KUNIT_CASE(takes_all_away_or_nothing),
	KUNIT_CASE(happens_where_it_is_on),
	KUNIT_CASE(happens_once_in_each),
	KUNIT_CASE(is_recorded_piece_by_piece),
	KUNIT_CASE(is_made_step_by_step),
	KUNIT_CASE(is_made_of_arrays),
#ifdef CONFIG_PERF_EVENTS
	KUNIT_CASE(is_seen_by_perf),
#endif
	{}
};

TRACE_KUNIT_SUITE("trace_synthetic_events", cases);
