// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_event and available_events, and the words that name events.
 *
 * A word is [!]NAME, a system or an event of any system, or [!]SYSTEM:EVENT,
 * where either side may be empty or '*' for all, or a glob. Behind it, or behind nothing,
 * :mod:MODULE means only that module's, now or when it comes. A write holds any
 * number of words; all of them are looked up before the first one acts.
 */
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>

#include "../glob.h"
#include "../instance/words.h"
#include "internal.h"

#define EVENT_WORD_MAX	127

enum {
	EVENT_ERR_NOT_FOUND,
	EVENT_ERR_TOO_LONG,
	EVENT_ERR_BINARY,
	EVENT_ERR_REFUSED,
	EVENT_ERRS
};

static const char *event_errors[EVENT_ERRS] = {
	[EVENT_ERR_NOT_FOUND]	= "Event not found",
	[EVENT_ERR_TOO_LONG]	= "Name is too long",
	[EVENT_ERR_BINARY]	= "Not a name",
	[EVENT_ERR_REFUSED]	= "Event could not be switched",
};

static const char *any_is_null(const char *name)
{
	return !*name || !strcmp(name, "*") ? NULL : name;
}

/**
 * event_query_parse - take a word apart
 * @token: the word; changed, and @query keeps pointing into it
 * @query: where the parts go
 *
 * Context: any.
 */
void event_query_parse(char *token, struct event_query *query)
{
	char *colon;

	*query = (struct event_query){ .on = *token != '!' };
	if (!query->on)
		token++;

	colon = strstr(token, ":mod:");
	if (colon) {
		*colon = '\0';
		/* The name of its file may have dashes, where its own has underscores. */
		query->module = strreplace(colon + strlen(":mod:"), '-', '_');
		if (!*token)
			return;
	}
	colon = strchr(token, ':');
	if (!colon) {
		query->either = strcmp(token, "*") ? token : NULL;
		return;
	}
	*colon = '\0';
	query->system = any_is_null(token);
	query->event = any_is_null(colon + 1);
}

static bool name_matches(const char *pattern, const char *name)
{
	return trace_glob(pattern, name, strlen(name));
}

/**
 * event_query_matches - is it this event?
 * @query: what was asked for
 * @system: of the event
 * @name: of the event
 *
 * Context: any.
 * Return: true if it is.
 */
bool event_query_matches(const struct event_query *query, const char *system, const char *name)
{
	if (query->either)
		return name_matches(query->either, system) || name_matches(query->either, name);
	return (!query->system || name_matches(query->system, system)) &&
	       (!query->event || name_matches(query->event, name));
}

static bool query_finds(struct trace_array *tr, const struct event_query *query)
{
	if (event_query_takes_any(tr, query))
		return true;
	return query->on ? event_query_may_wait(query) :
			   query->module && event_waiting_find(tr, query);
}

struct event_write {
	struct trace_words	words;
	unsigned int		nr;	/* of words; check_words() */
	bool			on;	/* one of them switches on */
};

static int write_error(const struct event_write *w, const char *at, int error, int ret)
{
	return trace_words_error(&w->words, at, error, ret);
}

/* Does @query, parsed from @token, take back what a word before it in the same write has wait? */
static bool query_takes_back(const struct event_write *w, const char *token,
			     const struct event_query *query)
{
	struct event_query earlier;

	if (query->on || !query->module)
		return false;
	for (const char *at = w->words.copy; at < token; at += strlen(at) + 1) {
		char word[EVENT_WORD_MAX + 1];

		strscpy(word, at);
		event_query_parse(word, &earlier);
		/* What has found events did not wait, but then @query has found them, too. */
		if (earlier.on && event_query_is_for(query, &earlier))
			return true;
	}
	return false;
}

static int check_words(struct event_write *w)
{
	struct event_query query;
	char *token;

	while ((token = trace_words_next(&w->words))) {
		char word[EVENT_WORD_MAX + 1];

		if (strscpy(word, token) < 0)
			return write_error(w, token, EVENT_ERR_TOO_LONG, -EINVAL);
		for (const char *p = token; *p; p++)
			if (!isprint(*p))
				return write_error(w, p, EVENT_ERR_BINARY, -EINVAL);
		event_query_parse(word, &query);
		if (!query_finds(w->words.tr, &query) && !query_takes_back(w, token, &query))
			return write_error(w, token + !query.on, EVENT_ERR_NOT_FOUND, -EINVAL);
		w->on |= query.on;
		w->nr++;
	}
	return 0;
}

/* check_words() left the words as strings, with the separators gone. */
static int apply_words(const struct event_write *w)
{
	struct event_query *queries __free(kvfree) = NULL;
	char **words __free(kvfree) = NULL;
	const struct event_query *bad;
	char *at = w->words.copy;
	char *end = at + w->words.len;
	unsigned int n = 0;
	int ret;

	if (!w->nr)
		return 0;
	queries = kvmalloc_array(w->nr, sizeof(*queries), GFP_KERNEL);
	words = kvmalloc_array(w->nr, sizeof(*words), GFP_KERNEL);
	if (!queries || !words)
		return -ENOMEM;
	while (at < end && n < w->nr) {
		size_t len = strlen(at);

		if (len) {
			words[n] = at;
			event_query_parse(at, &queries[n++]);
		}
		at += len + 1;
	}
	ret = event_queries_apply(w->words.tr, queries, n, &bad);
	if (ret)
		write_error(w, words[bad - queries], EVENT_ERR_REFUSED, ret);
	return ret;
}

static ssize_t set_event_write(struct file *filp, const char __user *ubuf, size_t count,
			       loff_t *ppos)
{
	struct seq_file *m = filp->private_data;
	struct trace_array *tr = m->private;
	struct event_write w = {
		.words	= { .tr = tr, .loc = "event: set_event", .errs = event_errors },
	};
	struct trace_words *words = &w.words;
	int ret;

	if (!count)
		return 0;

	ret = trace_words_read(words, ubuf, count, PAGE_SIZE);
	if (ret)
		return ret;

	mutex_lock(&event_mutex);
	ret = trace_words_whole(words, EVENT_ERR_TOO_LONG);
	if (!ret)
		ret = event_files_get_ready(tr) ?: check_words(&w);
	if (!ret)
		ret = event_make_room(tr, w.on);
	if (!ret)
		ret = apply_words(&w);
	mutex_unlock(&event_mutex);

	if (!ret) {
		ret = words->len;
		*ppos += words->len;
	}
	trace_words_free(words);
	return ret;
}

/* --- reading: one line an event, those that are on or all */

static bool file_is_listed(struct trace_event_file *file, bool all)
{
	return event_can_be_enabled(file->event_call) &&
	       (all || (file->flags & EVENT_FILE_FL_ENABLED));
}

static struct trace_event_file *listed_from(struct trace_array *tr, struct list_head *at, bool all)
{
	for (; at != &events_of(tr)->files; at = at->next) {
		struct trace_event_file *file = list_entry(at, struct trace_event_file, list);

		if (file_is_listed(file, all))
			return file;
	}
	return NULL;
}

static void *list_start(struct seq_file *m, loff_t *pos, bool all)
{
	struct trace_array *tr = m->private;
	struct trace_event_file *file;
	loff_t n = *pos;

	mutex_lock(&event_mutex);
	file = listed_from(tr, events_of(tr)->files.next, all);
	while (file && n--)
		file = listed_from(tr, file->list.next, all);
	return file;
}

static void *list_next(struct seq_file *m, void *v, loff_t *pos, bool all)
{
	struct trace_event_file *file = v;

	++*pos;
	return listed_from(m->private, file->list.next, all);
}

/* Behind the events that are on come the words that wait; their pointers carry a bit. */
#define WAITING_BIT	1UL

static bool is_waiting(const void *v)
{
	return (unsigned long)v & WAITING_BIT;
}

static struct event_waiting *to_waiting(void *v)
{
	return (struct event_waiting *)((unsigned long)v & ~WAITING_BIT);
}

static void *waiting_next(struct trace_array *tr, struct event_waiting *w)
{
	w = event_waiting_next(tr, w);
	return w ? (void *)((unsigned long)w | WAITING_BIT) : NULL;
}

static void *enabled_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct trace_array *tr = m->private;
	void *next;

	if (is_waiting(v)) {
		++*pos;
		return waiting_next(tr, to_waiting(v));
	}
	next = list_next(m, v, pos, false);
	return next ?: waiting_next(tr, NULL);
}

static void *enabled_start(struct seq_file *m, loff_t *pos)
{
	struct trace_array *tr = m->private;
	loff_t first = 0, n = 0;
	void *v;

	v = list_start(m, &first, false) ?: waiting_next(tr, NULL);
	while (v && n < *pos)
		v = enabled_next(m, v, &n);
	return v;
}

static void *available_start(struct seq_file *m, loff_t *pos)
{
	return list_start(m, pos, true);
}

static void *available_next(struct seq_file *m, void *v, loff_t *pos)
{
	return list_next(m, v, pos, true);
}

static void list_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&event_mutex);
}

static int list_show(struct seq_file *m, void *v)
{
	struct trace_event_file *file = v;

	seq_printf(m, "%s:%s\n", file->event_call->class->system,
		   trace_event_name(file->event_call));
	return 0;
}

static int enabled_show(struct seq_file *m, void *v)
{
	if (!is_waiting(v))
		return list_show(m, v);
	event_waiting_show(m, to_waiting(v));
	return 0;
}

static const struct seq_operations enabled_seq_ops = {
	.start	= enabled_start,
	.next	= enabled_next,
	.stop	= list_stop,
	.show	= enabled_show,
};

static const struct seq_operations available_seq_ops = {
	.start	= available_start,
	.next	= available_next,
	.stop	= list_stop,
	.show	= list_show,
};

static int set_event_open(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	int ret = tracing_seq_open_tr(inode, filp, &enabled_seq_ops);

	if (!ret && (filp->f_mode & FMODE_WRITE) && (filp->f_flags & O_TRUNC)) {
		guard(mutex)(&event_mutex);
		event_disable_all(tr);
		event_waiting_free(tr);
	}
	return ret;
}

static int available_events_open(struct inode *inode, struct file *filp)
{
	return tracing_seq_open_tr(inode, filp, &available_seq_ops);
}

const struct file_operations set_event_fops = {
	TRACE_SEQ_OPS(set_event_open, tracing_seq_release_tr),
	.write		= set_event_write,
};

const struct file_operations available_events_fops = {
	TRACE_SEQ_OPS(available_events_open, tracing_seq_release_tr),
};
