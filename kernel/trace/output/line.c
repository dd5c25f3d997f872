// SPDX-License-Identifier: GPL-2.0-only
/*
 * One entry as one line.
 *
 * The columns in front of an entry's own text are the same for every line, so
 * they are put together by hand: a line of a trace is printed some hundred
 * thousand times in a row, and printf would be half of its cost.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/unaligned.h>

#include <asm/word-at-a-time.h>

#include "../printf.h"
#include "../tasks/tasks.h"
#include "internal.h"

/* Longest text in front of an entry, numbers of full width included. */
#define CONTEXT_MAX	192

/*
 * @val right-aligned in @width characters or more, filled with @fill. What is behind it, up to
 * TRACE_DIGITS_MAX bytes from its begin, is overwritten with anything.
 */
static char *put_number(char *p, u64 val, int width, char fill)
{
	char tmp[2 * TRACE_DIGITS_MAX] __uninitialized, *end = tmp + TRACE_DIGITS_MAX;
	char *from = trace_digits_before(end, val);

	for (; width > end - from; width--)
		*p++ = fill;
	return trace_put_digits(p, from, end);
}

#define BLANKS	0x2020202020202020ULL	/* memset() would be a call */

/* A pid left-aligned in 7 characters or more. What is behind it is overwritten with anything. */
static char *put_task_nr(char *p, int val)
{
	char *end = p + 7;

	if (val < 0) {
		*p++ = '-';
		val = -val;
	}
	p = put_number(p, (unsigned int)val, 0, ' ');
	put_unaligned(BLANKS, (u64 *)p);
	return max(p, end);
}

/* A CPU in three digits or more, as put_number() does it with zeros. */
static char *put_cpu_nr(char *p, unsigned int cpu)
{
	if (unlikely(cpu >= 1000))
		return put_number(p, cpu, 3, '0');
	*p = '0' + cpu / 100;
	trace_put_pair(p + 1, cpu % 100);
	return p + 3;
}

static char *put_text_right(char *p, const char *text, int width, int max)
{
	int len = strnlen(text, max);

	for (; width > len; width--)
		*p++ = ' ';
	memcpy(p, text, len);
	return p + len;
}

/* strnlen() with no call */
static unsigned int comm_len(const char comm[TASK_COMM_LEN])
{
	const struct word_at_a_time zeros = WORD_AT_A_TIME_CONSTANTS;

	for (unsigned int i = 0; i < TASK_COMM_LEN; i += sizeof(long)) {
		unsigned long word = get_unaligned((const unsigned long *)(comm + i)), found;

		if (has_zero(word, &found, &zeros)) {
			found = prep_zero_mask(word, found, &zeros);
			return i + find_zero(create_zero_mask(found));
		}
	}
	return TASK_COMM_LEN;
}

/* The name of a task in 16 characters. As many behind it are overwritten with anything. */
static char *put_comm(char *p, const char comm[TASK_COMM_LEN])
{
	if (!IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS))
		return put_text_right(p, comm, TASK_COMM_LEN, TASK_COMM_LEN);
	for (int i = 0; i < TASK_COMM_LEN; i += sizeof(u64))
		put_unaligned(BLANKS, (u64 *)(p + i));
	memcpy(p + TASK_COMM_LEN - comm_len(comm), comm, TASK_COMM_LEN);
	return p + TASK_COMM_LEN;
}

static char *put_hex_digit(char *p, unsigned int val)
{
	*p++ = val ? "0123456789abcdef"[val & 15] : '.';
	return p;
}

static unsigned int flag_bit(unsigned int flags, unsigned int flag, int bit)
{
	return flags & flag ? BIT(bit) : 0;
}

/* The five letters of irq-info. */
static char *put_state(char *p, const struct trace_entry *ent)
{
	/* bit 0: hard irq, bit 1: soft irq, bit 2: NMI */
	static const char where[8] = { '.', 'h', 's', 'H', 'z', 'Z', 'z', 'Z' };
	/* bit 0: TIF_NEED_RESCHED, bit 1: in the preempt count */
	static const char resched[4] = { '.', 'n', 'p', 'N' };
	unsigned int flags = ent->flags;
	char irqs = '.';

	if (flags & TRACE_FLAG_IRQS_OFF)
		irqs = flags & TRACE_FLAG_BH_OFF ? 'D' : 'd';
	else if (flags & TRACE_FLAG_BH_OFF)
		irqs = 'b';
	else if (flags & TRACE_FLAG_IRQS_NOSUPPORT)
		irqs = 'X';
	*p++ = irqs;
	*p++ = resched[flag_bit(flags, TRACE_FLAG_NEED_RESCHED, 0) |
		       flag_bit(flags, TRACE_FLAG_PREEMPT_RESCHED, 1)];
	*p++ = where[flag_bit(flags, TRACE_FLAG_HARDIRQ, 0) |
		     flag_bit(flags, TRACE_FLAG_SOFTIRQ, 1) | flag_bit(flags, TRACE_FLAG_NMI, 2)];
	p = put_hex_digit(p, ent->preempt_count & 0xf);
	return put_hex_digit(p, ent->preempt_count >> 4);
}

/* Seconds and microseconds, or the plain number of a clock that does not count ns. */
static char *put_time(char *p, struct trace_iterator *iter, u64 ts)
{
	if (iter->iter_flags & TRACE_FILE_TIME_IN_NS) {
		u64 us = trace_ns_to_us(ts);
		u64 sec = div_u64(us, USEC_PER_SEC);

		us -= sec * USEC_PER_SEC;
		p = put_number(p, sec, 5, ' ');
		*p++ = '.';
		trace_put_pair(p, us / 10000);
		trace_put_pair(p + 2, us / 100 % 100);
		trace_put_pair(p + 4, us % 100);
		return p + 6;
	}
	return put_number(p, ts, 12, ' ');
}

/* Room for the columns, or NULL; line_end() says how much of it was used. */
static char *line_begin(struct trace_seq *s)
{
	if (s->full || s->seq.len + CONTEXT_MAX >= s->seq.size) {
		s->full = 1;
		return NULL;
	}
	return s->seq.buffer + s->seq.len;
}

static int line_end(struct trace_seq *s, char *p)
{
	s->seq.len = p - s->seq.buffer;
	return 1;
}

/**
 * trace_print_lat_fmt - print the letters for the state an entry was made in
 * @s:		sequence
 * @entry:	entry
 *
 * Context: any. Return: 0 when @s is full.
 */
int trace_print_lat_fmt(struct trace_seq *s, struct trace_entry *entry)
{
	char *p = line_begin(s);

	return p ? line_end(s, put_state(p, entry)) : 0;
}

/**
 * trace_print_context - print the columns in front of an entry
 * @iter:	iterator, on the entry
 *
 * Context: any. Return: 0 when the sequence is full.
 */
int trace_print_context(struct trace_iterator *iter)
{
	unsigned long flags = iter->tr->trace_flags;
	struct trace_entry *ent = iter->ent;
	struct trace_seq *s = &iter->seq;
	char comm[TASK_COMM_LEN];
	char *p = line_begin(s);

	if (!p)
		return 0;
	trace_find_cmdline(ent->pid, comm);
	p = put_comm(p, comm);
	*p++ = '-';
	p = put_task_nr(p, ent->pid);
	*p++ = ' ';
	if (flags & TRACE_ITER_RECORD_TGID) {
		int tgid = trace_find_tgid(ent->pid);

		if (tgid) {
			*p++ = '(';
			p = put_number(p, tgid, 7, ' ');
		} else {
			p = put_text_right(p, "(-------", 0, 8);
		}
		*p++ = ')';
		*p++ = ' ';
	}
	*p++ = '[';
	p = put_cpu_nr(p, iter->cpu);
	*p++ = ']';
	*p++ = ' ';
	if (flags & TRACE_ITER_IRQ_INFO)
		p = put_state(p, ent);
	*p++ = ' ';
	p = put_time(p, iter, iter->ts);
	*p++ = ':';
	*p++ = ' ';
	return line_end(s, p);
}

/* How long until the next entry, as a mark that strikes the eye; @delta in us. */
static char delay_mark(u64 delta)
{
	static const struct {
		u32	above;
		char	mark;
	} marks[] = {
		{ 1000000, '$' }, { 100000, '@' }, { 10000, '*' },
		{ 1000, '#' }, { 100, '!' }, { 10, '+' },
	};

	for (int i = 0; i < ARRAY_SIZE(marks); i++) {
		if (delta > marks[i].above)
			return marks[i].mark;
	}
	return ' ';
}

/* us as milliseconds with three digits behind the point */
static char *put_ms(char *p, u64 us)
{
	p = put_number(p, div_u64(us, 1000), 0, ' ');
	*p++ = '.';
	p = put_number(p, us % 1000, 3, '0');
	*p++ = 'm';
	*p++ = 's';
	return p;
}

static char *put_hex(char *p, u64 val, int width)
{
	return p + sprintf(p, "%0*llx", width, val);
}

/**
 * trace_print_lat_context - the same in the layout of the latency tracers
 * @iter:	iterator, on the entry
 *
 * Times count from the start of the trace; a mark shows how far off the next entry is.
 *
 * Context: task or ftrace_dump(). Return: 0 when the sequence is full.
 */
static noinline int trace_print_lat_context(struct trace_iterator *iter)
{
	bool ns = iter->iter_flags & TRACE_FILE_TIME_IN_NS;
	bool verbose = iter->tr->trace_flags & TRACE_ITER_VERBOSE;
	struct trace_seq *s = &iter->seq;
	struct trace_entry *ent;
	char comm[TASK_COMM_LEN];
	u64 abs, rel, next;
	char *p;

	/* may move iter->ent */
	if (!trace_find_next_time(iter, &next))
		next = iter->ts;
	ent = iter->ent;
	abs = iter->ts - iter->array_buffer->time_start;
	rel = next - iter->ts;
	if (ns) {
		abs = trace_ns_to_us(abs);
		rel = trace_ns_to_us(rel);
	}
	p = line_begin(s);
	if (!p)
		return 0;
	trace_find_cmdline(ent->pid, comm);
	if (verbose) {
		p = put_text_right(p, comm, 16, TASK_COMM_LEN);
		p += sprintf(p, " %7d %3d %d %08x ", ent->pid, iter->cpu, ent->flags,
			     ent->preempt_count & 0xf);
		p = put_hex(p, iter->idx, 8);
		p = put_text_right(p, " [", 0, 2);
		p = ns ? put_hex(p, trace_ns_to_us(iter->ts), 8) : put_hex(p, iter->ts, 16);
		p = put_text_right(p, "] ", 0, 2);
		p = ns ? put_ms(p, abs) : put_number(p, abs, 0, ' ');
		p = put_text_right(p, " (+", 0, 3);
		p = ns ? put_ms(p, rel) : put_number(p, rel, 0, ' ');
		p = put_text_right(p, "): ", 0, 3);
		return line_end(s, p);
	}
	p = put_text_right(p, comm, 8, 8);
	*p++ = '-';
	p = put_task_nr(p, ent->pid);
	*p++ = ' ';
	p = put_number(p, iter->cpu, 3, ' ');
	p = put_state(p, ent);
	*p++ = ' ';
	p = put_number(p, abs, 4, ' ');
	if (ns) {
		*p++ = 'u';
		*p++ = 's';
		*p++ = delay_mark(rel);
	}
	*p++ = ':';
	*p++ = ' ';
	return line_end(s, p);
}

/**
 * seq_print_ip_sym - print an address as a name
 * @s:		sequence
 * @ip:		address, 0 prints as such
 * @sym_flags:	TRACE_ITER_SYM_OFFSET and TRACE_ITER_SYM_ADDR
 *
 * Context: any. Return: 0 when @s is full.
 */
int seq_print_ip_sym(struct trace_seq *s, unsigned long ip, unsigned long sym_flags)
{
	char text[KSYM_SYMBOL_LEN];
	unsigned long size, offset;
	const char *name = text;
	char *module;

	if (!ip) {
		trace_seq_putc(s, '0');
		return !trace_seq_has_overflowed(s);
	}
	/* where a probed function returns to is not who called it */
	if (is_kretprobe_trampoline(ip))
		name = "[unknown/kretprobe'd]";
	else if (sym_flags & TRACE_ITER_SYM_OFFSET)
		sprint_symbol(text, ip);
	else
		name = kallsyms_lookup(ip, &size, &offset, &module, text);
	if (name && *name)
		trace_seq_puts(s, name);
	else
		trace_seq_printf(s, "0x%08lx", ip);
	if (sym_flags & TRACE_ITER_SYM_ADDR)
		trace_seq_printf(s, " <%016lx>", ip);
	return !trace_seq_has_overflowed(s);
}

/* After entries were lost to overwriting, say where the entries of a CPU begin. */
static void print_cpu_start(struct trace_iterator *iter)
{
	if (!(iter->tr->trace_flags & TRACE_ITER_ANNOTATE) ||
	    !(iter->iter_flags & TRACE_FILE_ANNOTATE) ||
	    !cpumask_available(iter->started) || cpumask_test_cpu(iter->cpu, iter->started))
		return;
	if (to_reader(iter)->cpu[iter->cpu].skipped)
		return;
	cpumask_set_cpu(iter->cpu, iter->started);
	/* the first line of all needs no mark */
	if (iter->idx > 1)
		trace_seq_printf(&iter->seq, "##### CPU %u buffer started ####\n", iter->cpu);
}

/* An event's fields are the business of who describes them. */
static enum print_line_t fields_unknown(struct trace_iterator *iter, struct trace_event *event)
{
	return trace_nop_print(iter, 0, event);
}

static enum print_line_t (*fields_printer)(struct trace_iterator *iter, struct trace_event *event)
	__ro_after_init = fields_unknown;

/**
 * trace_set_fields_printer - who prints an event with the option `fields`
 * @print:	prints one; context as print_trace_line()
 *
 * Context: boot.
 */
void __init trace_set_fields_printer(enum print_line_t (*print)(struct trace_iterator *iter,
								struct trace_event *event))
{
	fields_printer = print;
}

static enum print_line_t print_readable(struct trace_iterator *iter)
{
	struct trace_event *event;
	unsigned long flags = iter->tr->trace_flags;

	print_cpu_start(iter);
	event = ftrace_find_event(iter->ent->type);
	if (flags & TRACE_ITER_CONTEXT_INFO) {
		if (iter->iter_flags & TRACE_FILE_LAT_FMT)
			trace_print_lat_context(iter);
		else
			trace_print_context(iter);
	}
	if (trace_seq_has_overflowed(&iter->seq))
		return TRACE_TYPE_PARTIAL_LINE;
	if (unlikely(!event)) {
		trace_seq_printf(&iter->seq, "Unknown type %d\n", iter->ent->type);
		return trace_handle_return(&iter->seq);
	}
	if (flags & TRACE_ITER_FIELDS)
		return fields_printer(iter, event);
	/* The printer may be waited for by a module that unloads; see printer_registry.c */
	return event->funcs->trace(iter, flags & TRACE_ITER_SYM_MASK, event);
}

static enum print_line_t print_raw(struct trace_iterator *iter)
{
	struct trace_entry *ent = iter->ent;
	struct trace_event *event;

	if (iter->tr->trace_flags & TRACE_ITER_CONTEXT_INFO)
		trace_seq_printf(&iter->seq, "%d %d %llu ", ent->pid, iter->cpu, iter->ts);
	if (trace_seq_has_overflowed(&iter->seq))
		return TRACE_TYPE_PARTIAL_LINE;
	event = ftrace_find_event(ent->type);
	if (event)
		return event->funcs->raw(iter, 0, event);
	trace_seq_printf(&iter->seq, "%d ?\n", ent->type);
	return trace_handle_return(&iter->seq);
}

/* The numbers in front of an entry, as @put puts them. False: they do not fit. */
static bool put_head(struct trace_iterator *iter,
		     void (*put)(struct trace_seq *s, const void *number, unsigned int size))
{
	struct trace_seq *s = &iter->seq;

	if (!(iter->tr->trace_flags & TRACE_ITER_CONTEXT_INFO))
		return true;
	put(s, &iter->ent->pid, sizeof(iter->ent->pid));
	put(s, &iter->cpu, sizeof(iter->cpu));
	put(s, &iter->ts, sizeof(iter->ts));
	return !trace_seq_has_overflowed(s);
}

static enum print_line_t print_hex(struct trace_iterator *iter)
{
	struct trace_seq *s = &iter->seq;
	struct trace_event *event;
	enum print_line_t ret;

	if (!put_head(iter, trace_seq_putmem_hex))
		return TRACE_TYPE_PARTIAL_LINE;
	event = ftrace_find_event(iter->ent->type);
	if (event) {
		ret = event->funcs->hex(iter, 0, event);
		if (ret != TRACE_TYPE_HANDLED)
			return ret;
	}
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

static enum print_line_t print_binary(struct trace_iterator *iter)
{
	struct trace_event *event;

	if (!put_head(iter, trace_seq_putmem))
		return TRACE_TYPE_PARTIAL_LINE;
	event = ftrace_find_event(iter->ent->type);
	return event ? event->funcs->binary(iter, 0, event) : TRACE_TYPE_HANDLED;
}

/**
 * print_trace_line - print the current entry
 * @iter:	iterator, on the entry; its sequence is empty
 *
 * To be called once for an entry: some printers remember what they have shown.
 *
 * Context: task between trace_event_read_lock() and _unlock(), or ftrace_dump().
 * Return: TRACE_TYPE_PARTIAL_LINE when the sequence has no room for it; what was
 * printed of it is to be dropped.
 */
enum print_line_t print_trace_line(struct trace_iterator *iter)
{
	unsigned long flags = iter->tr->trace_flags;
	enum print_line_t ret;

	if (unlikely(iter->lost_events)) {
		if (iter->lost_events == ULONG_MAX)
			trace_seq_printf(&iter->seq, "CPU:%d [LOST EVENTS]\n", iter->cpu);
		else
			trace_seq_printf(&iter->seq, "CPU:%d [LOST %lu EVENTS]\n",
					 iter->cpu, iter->lost_events);
		if (trace_seq_has_overflowed(&iter->seq))
			return TRACE_TYPE_PARTIAL_LINE;
	}
	if (iter->trace && iter->trace->print_line) {
		ret = iter->trace->print_line(iter);
		if (ret != TRACE_TYPE_UNHANDLED)
			return ret;
	}
	if (unlikely((flags & TRACE_ITER_PRINTK) && (flags & TRACE_ITER_PRINTK_MSGONLY))) {
		ret = print_msg_only(iter);
		if (ret != TRACE_TYPE_UNHANDLED)
			return ret;
	}
	if (likely(!(flags & (TRACE_ITER_BIN | TRACE_ITER_HEX | TRACE_ITER_RAW))))
		return print_readable(iter);
	if (flags & TRACE_ITER_BIN)
		return print_binary(iter);
	return flags & TRACE_ITER_HEX ? print_hex(iter) : print_raw(iter);
}

/**
 * trace_print_whole_line - print the current entry, be it too long or not
 * @iter:	iterator, on the entry
 *
 * What does not fit iter->seq is cut off, and the line says so.
 *
 * Context: as print_trace_line().
 */
void trace_print_whole_line(struct trace_iterator *iter)
{
	static const char cut[] = "[LINE TOO BIG]\n";
	struct trace_seq *s = &iter->seq;

	trace_seq_init(s);
	if (print_trace_line(iter) != TRACE_TYPE_PARTIAL_LINE && !trace_seq_has_overflowed(s))
		return;
	s->full = 0;
	s->seq.len = min(s->seq.len, s->seq.size - sizeof(cut));
	trace_seq_puts(s, cut);
}
