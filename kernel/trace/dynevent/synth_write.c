// SPDX-License-Identifier: GPL-2.0-only
/*
 * A synthetic event happens: its records, in each instance that it is on in, and perf's.
 *
 * A number takes 8 bytes of the record, of which it fills the first ones. Strings with a size of
 * their own lie between the numbers; those without, and stacks, lie behind all fields, as long as
 * they are, and their field says where.
 */
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../events/perf.h"
#include "synth_internal.h"

#define FAULT_TEXT	"(fault)"

/*
 * An event may be counted by a histogram that lets another one happen, and so on round to the
 * first. Beyond this many, one within the other on a CPU and in a context, it is lost.
 */
#define NESTED_MAX	4

static DEFINE_PER_CPU(unsigned char[4], nested);

/*
 * How long the parts behind the fields are, in the order of their fields. It is not cleared first,
 * as what there is on a stack is with CONFIG_INIT_STACK_ALL_ZERO.
 */
struct dyn_lengths {
	u16	bytes[SYNTH_FIELDS_MAX];
};

static bool is_user_address(const char *s)
{
	return (unsigned long)s < TASK_SIZE_MAX;
}

/* Bytes of a string, with what ends it; it may be anywhere, or nowhere. */
static unsigned int string_length(const char *s)
{
	unsigned int len;
	char c;

	if (is_user_address(s)) {
		long n = strnlen_user_nofault((const void __user *)s, SYNTH_STRING_MAX);

		return n <= 0 ? sizeof(FAULT_TEXT) : min_t(long, n, SYNTH_STRING_MAX);
	}
	for (len = 0; len < SYNTH_STRING_MAX - 1; len++) {
		if (get_kernel_nofault(c, s + len))
			return sizeof(FAULT_TEXT);
		if (!c)
			break;
	}
	return len + 1;
}

/* At most @size bytes with what ends it. It may have changed since its length was looked at. */
static void string_copy(char *to, const char *s, unsigned int size)
{
	long n;

	if (is_user_address(s))
		n = strncpy_from_user_nofault(to, (const void __user *)s, size);
	else
		n = strncpy_from_kernel_nofault(to, s, size);
	if (n <= 0)
		strscpy(to, n < 0 ? FAULT_TEXT : "", size);
	to[size - 1] = '\0';
}

/* Its words up to the first that is 0. */
static unsigned int stack_length(const unsigned long *stack)
{
	unsigned int n = 0;

	while (n < SYNTH_STACK_MAX && stack[n])
		n++;
	return n * sizeof(*stack);
}

static unsigned int measure(const struct synth_event *event, const u64 *vals,
			    struct dyn_lengths *lengths)
{
	unsigned int total = 0, n = 0;

	for (unsigned int i = 0; i < event->n_fields; i++) {
		void *val = (void *)(unsigned long)vals[i];

		switch (event->fields[i].store) {
		case SYNTH_DYN_STRING:
			lengths->bytes[n] = string_length(val);
			break;
		case SYNTH_STACK:
			total = ALIGN(total, sizeof(long));
			lengths->bytes[n] = stack_length(val);
			break;
		default:
			continue;
		}
		total += lengths->bytes[n++];
	}
	return total;
}

static __always_inline void put_number(const struct synth_field *field, void *rec, u64 val)
{
	val &= field->mask;
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		val <<= 64 - field->size * BITS_PER_BYTE;
	*(u64 *)(rec + field->offset) = val;
}

static void put_place(void *at, unsigned int offset, unsigned int len)
{
	struct trace_dynamic_info place = { .offset = offset, .len = len };

	*(u64 *)at = 0;
	memcpy(at, &place, sizeof(place));
}

static noinline void fill_mixed(const struct synth_event *event, void *rec, const u64 *vals,
				const struct dyn_lengths *lengths)
{
	unsigned int end = event->bytes, n = 0;

	for (unsigned int i = 0; i < event->n_fields; i++) {
		const struct synth_field *field = &event->fields[i];
		void *val = (void *)(unsigned long)vals[i];

		switch (field->store) {
		case SYNTH_NUMBER:
			put_number(field, rec, vals[i]);
			continue;
		case SYNTH_STRING:
			string_copy(rec + field->offset, val, SYNTH_STRING_MAX);
			continue;
		case SYNTH_DYN_STRING:
			string_copy(rec + end, val, lengths->bytes[n]);
			break;
		case SYNTH_STACK:
			end = event->bytes + ALIGN(end - event->bytes, sizeof(long));
			memcpy(rec + end, val, lengths->bytes[n]);
			break;
		}
		put_place(rec + field->offset, end, lengths->bytes[n]);
		end += lengths->bytes[n++];
	}
}

static __always_inline void fill(const struct synth_event *event, void *rec, const u64 *vals,
				 const struct dyn_lengths *lengths)
{
	if (unlikely(!event->plain)) {
		fill_mixed(event, rec, vals, lengths);
		return;
	}
	for (unsigned int i = 0; i < event->n_fields; i++)
		put_number(&event->fields[i], rec, vals[i]);
}

/* -EINVAL when there is no room or recording is off. */
static __always_inline int record(const struct synth_event *event, struct trace_event_file *file,
				  const u64 *vals, const struct dyn_lengths *lengths,
				  unsigned int len)
{
	struct trace_buffer *buffer = file->tr->array_buffer.buffer;
	struct trace_event_buffer fbuffer __uninitialized;
	void *rec;

	if (trace_trigger_soft_disabled(file))
		return 0;
	/* What it hangs on is not committed yet, nor is this when what hangs on it comes. */
	ring_buffer_nest_start(buffer);
	rec = trace_event_buffer_reserve(&fbuffer, file, len);
	if (likely(rec)) {
		fill(event, rec, vals, lengths);
		trace_event_buffer_commit(&fbuffer);
	}
	ring_buffer_nest_end(buffer);
	return rec ? 0 : -EINVAL;
}

/* Of any layout; for the plain ones that a histogram fires record() is in line. */
static noinline int record_mixed(const struct synth_event *event, struct trace_event_file *file,
				 const u64 *vals, const struct dyn_lengths *lengths,
				 unsigned int len)
{
	return record(event, file, vals, lengths, len);
}

#ifdef CONFIG_PERF_EVENTS
static noinline void record_perf(struct synth_event *event, const u64 *vals,
				 const struct dyn_lengths *lengths, unsigned int len)
{
	struct trace_event_call *call = &event->call;
	struct hlist_head *head = perf_trace_list(call);
	struct pt_regs *regs;
	void *rec;
	int rctx;

	if (!head || (hlist_empty(head) && !bpf_prog_array_valid(call)))
		return;
	len = PERF_RECORD_SIZE(len);
	rec = perf_trace_buf_alloc(len, &regs, &rctx);
	if (!rec)
		return;
	perf_fetch_caller_regs(regs);
	fill(event, rec, vals, lengths);
	perf_trace_run_bpf_submit(rec, len, rctx, call, 1, regs, head, NULL);
}
#else
static inline void record_perf(struct synth_event *event, const u64 *vals,
			       const struct dyn_lengths *lengths, unsigned int len) { }
#endif

/* What is not plain needs a place for lengths, which others do not pay for. */
static noinline void fire_mixed(struct synth_event *event, const u64 *vals)
{
	struct synth_target *target;
	struct dyn_lengths lengths __uninitialized;
	unsigned int len = event->bytes + measure(event, vals, &lengths);

	list_for_each_entry_rcu(target, &event->targets, list)
		record_mixed(event, target->file, vals, &lengths, len);
	if (READ_ONCE(event->perf))
		record_perf(event, vals, &lengths, len);
}

/**
 * synth_event_fire - a synthetic event happens
 * @event: the event, which cannot go meanwhile
 * @vals: a value for each field, see synth.h
 *
 * Context: any, preemption off as by a tracepoint.
 * Return: true; false if it is lost, as too many happen within each other.
 */
bool synth_event_fire(struct synth_event *event, const u64 *vals)
{
	unsigned char *level = this_cpu_ptr(nested) + interrupt_context_level();
	struct synth_target *target;

	if (unlikely(*level >= NESTED_MAX))
		return false;
	++*level;
	barrier();
	if (likely(event->plain)) {
		list_for_each_entry_rcu(target, &event->targets, list)
			record(event, target->file, vals, NULL, event->bytes);
		if (unlikely(READ_ONCE(event->perf)))
			record_perf(event, vals, NULL, event->bytes);
	} else {
		fire_mixed(event, vals);
	}
	barrier();
	--*level;
	return true;
}

/* --- the kernel's own callers, who have found the event in an instance */

static int trace_array_vals(struct trace_event_file *file, const u64 *vals, unsigned int n_vals)
{
	struct synth_event *event = synth_event_of(file->event_call);
	struct dyn_lengths lengths __uninitialized;
	unsigned int len;
	int ret;

	if (!event || n_vals != event->n_fields)
		return -EINVAL;
	if (!(READ_ONCE(file->flags) & EVENT_FILE_FL_ENABLED) && !READ_ONCE(event->perf))
		return 0;
	guard(preempt_notrace)();
	len = event->bytes + measure(event, vals, &lengths);
	ret = READ_ONCE(file->flags) & EVENT_FILE_FL_ENABLED ?
	      record_mixed(event, file, vals, &lengths, len) : 0;
	if (READ_ONCE(event->perf))
		record_perf(event, vals, &lengths, len);
	return ret;
}

/**
 * synth_event_trace_array - record a synthetic event in an instance
 * @file: the event, from trace_get_event_file()
 * @vals: a value for each field; of strings the address
 * @n_vals: how many
 *
 * Context: any.
 * Return: 0, also while the event is off; -EINVAL for another number of values, and when there is
 * no room or recording is off.
 */
int synth_event_trace_array(struct trace_event_file *file, u64 *vals, unsigned int n_vals)
{
	return trace_array_vals(file, vals, n_vals);
}
EXPORT_SYMBOL_GPL(synth_event_trace_array);

/**
 * synth_event_trace - record a synthetic event in an instance
 * @file: the event, from trace_get_event_file()
 * @n_vals: how many values follow, each a u64
 *
 * Context: any.
 * Return: as synth_event_trace_array().
 */
int synth_event_trace(struct trace_event_file *file, unsigned int n_vals, ...)
{
	u64 vals[SYNTH_FIELDS_MAX] __uninitialized;
	va_list args;

	if (n_vals > SYNTH_FIELDS_MAX)
		return -EINVAL;
	va_start(args, n_vals);
	for (unsigned int i = 0; i < n_vals; i++)
		vals[i] = va_arg(args, u64);
	va_end(args);
	return trace_array_vals(file, vals, n_vals);
}
EXPORT_SYMBOL_GPL(synth_event_trace);

/**
 * synth_event_trace_start - begin to record a synthetic event, value by value
 * @file: the event, from trace_get_event_file()
 * @trace_state: keeps where it is
 *
 * What gets no value is 0.
 *
 * Context: any. Preemption is off until synth_event_trace_end().
 * Return: 0, also while the event is off; -EINVAL when there is no room or recording is off, and
 * there is nothing to end.
 */
int synth_event_trace_start(struct trace_event_file *file,
			    struct synth_event_trace_state *trace_state)
{
	struct synth_event *event = synth_event_of(file->event_call);

	memset(trace_state, 0, sizeof(*trace_state));
	if (!event)
		return -EINVAL;
	trace_state->event = event;
	preempt_disable_notrace();
	if (!(READ_ONCE(file->flags) & EVENT_FILE_FL_ENABLED) ||
	    trace_trigger_soft_disabled(file)) {
		trace_state->disabled = true;
		preempt_enable_notrace();
		return 0;
	}
	trace_state->buffer = file->tr->array_buffer.buffer;
	ring_buffer_nest_start(trace_state->buffer);
	trace_state->entry = trace_event_buffer_reserve(&trace_state->fbuffer, file, event->bytes);
	if (!trace_state->entry) {
		trace_state->disabled = true;
		ring_buffer_nest_end(trace_state->buffer);
		preempt_enable_notrace();
		return -EINVAL;
	}
	memset((void *)trace_state->entry + sizeof(struct trace_entry), 0,
	       event->bytes - sizeof(struct trace_entry));
	return 0;
}
EXPORT_SYMBOL_GPL(synth_event_trace_start);

/* What has no size before it is known cannot be added to a record that was begun. */
static int put_value(struct synth_event_trace_state *state, const struct synth_field *field,
		     u64 val)
{
	void *rec = state->entry;

	switch (field->store) {
	case SYNTH_NUMBER:
		put_number(field, rec, val);
		return 0;
	case SYNTH_STRING:
		string_copy(rec + field->offset, (const char *)(unsigned long)val,
			    SYNTH_STRING_MAX);
		return 0;
	default:
		return -EINVAL;
	}
}

/**
 * synth_event_add_next_val - a value for the next field
 * @val: the value; of a string the address
 * @trace_state: from synth_event_trace_start()
 *
 * Context: any.
 * Return: 0; -EINVAL when there is no other field, after synth_event_add_val(), and for a field
 * without a size.
 */
int synth_event_add_next_val(u64 val, struct synth_event_trace_state *trace_state)
{
	const struct synth_event *event = trace_state->event;

	if (!event || trace_state->add_name)
		return -EINVAL;
	trace_state->add_next = true;
	if (trace_state->disabled)
		return 0;
	if (trace_state->cur_field >= event->n_fields)
		return -EINVAL;
	return put_value(trace_state, &event->fields[trace_state->cur_field++], val);
}
EXPORT_SYMBOL_GPL(synth_event_add_next_val);

/**
 * synth_event_add_val - a value for a field
 * @field_name: of the field
 * @val: the value; of a string the address
 * @trace_state: from synth_event_trace_start()
 *
 * Context: any.
 * Return: 0; -EINVAL when there is no such field, after synth_event_add_next_val(), and for a
 * field without a size.
 */
int synth_event_add_val(const char *field_name, u64 val,
			struct synth_event_trace_state *trace_state)
{
	const struct synth_event *event = trace_state->event;

	if (!event || trace_state->add_next)
		return -EINVAL;
	trace_state->add_name = true;
	if (trace_state->disabled)
		return 0;
	for (unsigned int i = 0; i < event->n_fields; i++)
		if (!strcmp(event->fields[i].name, field_name))
			return put_value(trace_state, &event->fields[i], val);
	return -EINVAL;
}
EXPORT_SYMBOL_GPL(synth_event_add_val);

/**
 * synth_event_trace_end - the record of a synthetic event is complete
 * @trace_state: from synth_event_trace_start(), which returned 0
 *
 * Context: any.
 * Return: 0, -EINVAL without a record.
 */
int synth_event_trace_end(struct synth_event_trace_state *trace_state)
{
	if (!trace_state || !trace_state->event)
		return -EINVAL;
	if (trace_state->disabled)
		return 0;
	trace_event_buffer_commit(&trace_state->fbuffer);
	ring_buffer_nest_end(trace_state->buffer);
	trace_state->disabled = true;
	preempt_enable_notrace();
	return 0;
}
EXPORT_SYMBOL_GPL(synth_event_trace_end);
