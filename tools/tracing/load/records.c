// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the numbered markers in what readers get, as text and as raw sub-buffers, and checks
 * what holds for them whatever else happens: a writer's numbers grow, times of one CPU do not
 * go back, and a sub-buffer is of the documented form.
 */
#include <stdio.h>
#include <string.h>
#include "load.h"

static void marked(unsigned long *last, const char *text, const char *who)
{
	unsigned long n;
	int from;

	if (sscanf(text, MARK, &from, &n) != 2 || from < 0 || from >= cpus) {
		complain("%s: torn marker '%.40s'", who, text);
		return;
	}
	/*
	 * A writer that was moved has records on several CPUs, which readers of all merge; and
	 * a snapshot that is taken brings what was in it before.
	 */
	if (n <= last[from] && !(shared->flags & (MOVES | SWAPS)))
		complain("%s: marker %lu of writer %d came after %lu", who, n, from, last[from]);
	last[from] = n;
}

/* "CPU:1 [LOST 7 EVENTS]", where their number is not always known. */
static bool tells_of_lost(const char *line)
{
	int cpu, end = 0;

	if (sscanf(line, "CPU:%d [LOST EVENTS]%n", &cpu, &end) != 1)
		return false;
	if (!end && sscanf(line, "CPU:%d [LOST %*u EVENTS]%n", &cpu, &end) != 1)
		return false;
	return end && !line[end] && cpu >= 0 && cpu < cpus;
}

static void text_line(struct text *t, const char *who)
{
	const char *mark = strstr(t->line, "tracing_mark_write: load: ");

	if (t->line[0] == '#' || !t->line[0] || tells_of_lost(t->line))
		return;
	t->lines++;
	if (!mark) {
		if (!(shared->flags & (EXTRA | RETEXTS)))
			complain("%s: no marker: '%.80s'", who, t->line);
		return;
	}
	marked(t->last, strstr(mark, "load: "), who);
	t->marks++;
}

/* What a read gave; a line may come in several. */
void text_feed(struct text *t, const char *buf, size_t n, const char *who)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (buf[i] == '\n') {
			t->line[t->len] = 0;
			text_line(t, who);
			t->len = 0;
		} else if (t->len < (int)sizeof(t->line) - 1) {
			t->line[t->len++] = buf[i];
		}
	}
}

/* See events/header_page and events/header_event. */
#define PAGE_DATA	16
#define SIZE_MASK	0xfffff
#define TYPE_PADDING	29
#define TYPE_EXTEND	30
#define TYPE_STAMP	31
#define PRINT_ID	5	/* events/ftrace/print/format */
#define PRINT_TEXT	16

/* One sub-buffer. @p keeps the time for the next one of the same CPU; 0 forgets it. */
void page_feed(struct pages *p, const unsigned char *page, size_t n, const char *who)
{
	uint64_t time, commit, stamp;
	uint32_t head, word;
	size_t at = PAGE_DATA, size, end;

	if (n < PAGE_DATA) {
		complain("%s: %zu bytes of a sub-buffer", who, n);
		return;
	}
	memcpy(&time, page, 8);
	memcpy(&commit, page + 8, 8);
	end = PAGE_DATA + (commit & SIZE_MASK);
	if (end > n) {
		complain("%s: %zu bytes of data in a sub-buffer of %zu", who, end, n);
		return;
	}
	if (time < p->time && !(shared->flags & RESETS) &&
	    !(shared->flags & PUTS_BACK && p->time - time >= 1 << 30))
		complain("%s: a sub-buffer of time %llu after %llu", who,
			 (unsigned long long)time, (unsigned long long)p->time);
	for (; at + 4 <= end; at += size) {
		memcpy(&head, page + at, 4);
		memcpy(&word, page + at + 4 <= page + n - 4 ? page + at + 4 : page + n - 4, 4);
		switch (head & 31) {
		case TYPE_PADDING:
			size = head >> 5 ? 4 + word : end - at;
			time += head >> 5;
			break;
		case TYPE_EXTEND:
			size = 8;
			time += (head >> 5) + ((uint64_t)word << 27);
			break;
		case TYPE_STAMP:
			size = 8;
			stamp = (head >> 5) + ((uint64_t)word << 27);
			/* 59 bits of it; what is above stays. */
			stamp |= time & ~((1ull << 59) - 1);
			if (stamp < time && !(shared->flags & (RESETS | PUTS_BACK)))
				complain("%s: a time stamp of %llu after %llu", who,
					 (unsigned long long)stamp, (unsigned long long)time);
			time = stamp;
			break;
		default:
			time += head >> 5;
			size = head & 31 ? 4 + (head & 31) * 4 : 4 + word;
			/* Longer records say so in a word of their own. */
			if (at + size <= end) {
				const unsigned char *data = page + at + (head & 31 ? 4 : 8);
				size_t room = page + at + size - data;
				uint16_t type;

				memcpy(&type, data, 2);
				if (type == PRINT_ID && room > PRINT_TEXT + 6 &&
				    !memcmp(data + PRINT_TEXT, "load: ", 6)) {
					char text[64] = "";

					room -= PRINT_TEXT;
					memcpy(text, data + PRINT_TEXT,
					       room < sizeof(text) ? room : sizeof(text) - 1);
					marked(p->last, text, who);
					p->marks++;
				} else if (!(shared->flags & EXTRA)) {
					complain("%s: no marker: a record of type %u", who, type);
				}
			}
		}
		if (!size || at + size > end) {
			complain("%s: record of %zu bytes at %zu of %zu", who, size, at, end);
			return;
		}
	}
	p->time = time;
}
