// SPDX-License-Identifier: GPL-2.0-only
/* Reading the words that somebody writes into a file; see words.h. */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "error_log.h"
#include "words.h"

#define WORDS_MAX	((size_t)PAGE_SIZE)

/* Of a command that is longer, error_log begins with the word that is wrong. */
#define LOG_LEAD	128

/* What is quoted of a word that is too long. */
#define QUOTED_MAX	32

/**
 * trace_word_cut - cut the next word off a string
 * @at: where to go on; NULL behind the last word
 *
 * Context: any. Return: the word as a string or NULL.
 */
char *trace_word_cut(char **at)
{
	char *word;

	do {
		word = strsep(at, " \t\r\n\v\f");
	} while (word && !*word);
	return word;
}

/**
 * trace_words_next - cut the next word off a write
 * @w: the write
 *
 * Context: any. Return: the word as a string or NULL.
 */
char *trace_words_next(struct trace_words *w)
{
	return trace_word_cut(&w->at);
}

/* The text, up to the last word that ends in it. */
static char *copy_words(const char __user *ubuf, size_t count, size_t *len)
{
	char *text;

	*len = min(count, WORDS_MAX);
	text = memdup_user_nul(ubuf, *len);
	if (IS_ERR(text) || *len == count)
		return text;

	while (*len && !isspace(text[*len - 1]))
		--*len;
	if (*len)
		text[*len] = '\0';
	return text;
}

/**
 * trace_words_read - take over as much of a write as ends with a word
 * @w: its tr, loc and errs are set
 * @ubuf: the user's text
 * @count: its bytes, not 0
 *
 * The last word of a write needs no blank behind it. What is not taken of a
 * long write comes with the caller's next try. w->len is 0 when not even the first word ends
 * within a page.
 *
 * Context: task, may sleep.
 * Return: 0 and @w is to be freed with trace_words_free(), -ENOMEM, -EFAULT.
 */
int trace_words_read(struct trace_words *w, const char __user *ubuf, size_t count)
{
	w->text = copy_words(ubuf, count, &w->len);
	if (IS_ERR(w->text))
		return PTR_ERR(w->text);
	w->copy = kmemdup(w->text, w->len + 1, GFP_KERNEL);
	if (!w->copy) {
		kfree(w->text);
		return -ENOMEM;
	}
	w->at = w->copy;
	return 0;
}

/**
 * trace_words_free - forget a write
 * @w: from trace_words_read()
 */
void trace_words_free(struct trace_words *w)
{
	kfree(w->copy);
	kfree(w->text);
}

/**
 * trace_text_error - tell error_log about a place in what a user wrote
 * @tr: the instance
 * @loc: the file that was written to
 * @text: what the user wrote; its lines become one
 * @errs: texts
 * @error: index of the text
 * @pos: of what is wrong
 *
 * Context: task.
 */
void trace_text_error(struct trace_array *tr, const char *loc, char *text, const char **errs,
		      int error, size_t pos)
{
	/* the log keeps the beginning of a long command; here it is the end that matters */
	if (pos >= LOG_LEAD) {
		text += pos;
		pos = 0;
	}
	for (char *p = text; *p; p++)
		if (isspace(*p))
			*p = ' ';
	strim(text);	/* blanks in front count for the position, so they stay */
	tracing_log_err(tr, loc, text, errs, error, pos);
}

/**
 * trace_words_error - tell error_log about a word of a write
 * @w: the write; its text is not as it was any more
 * @at: in its copy, what is wrong
 * @error: index of the text
 * @ret: the error
 *
 * Context: task. Return: @ret.
 */
int trace_words_error(const struct trace_words *w, const char *at, int error, int ret)
{
	trace_text_error(w->tr, w->loc, w->text, w->errs, error, at - w->copy);
	return ret;
}

/**
 * trace_stream_end - the word ends here
 * @s: the stream
 *
 * Context: as its end(). Return: 0 or what end() says.
 */
int trace_stream_end(struct trace_word_stream *s)
{
	if (!s->len)
		return 0;
	s->word[s->len] = '\0';
	s->len = 0;
	return s->end(s, s->word);
}

static int stream_put(struct trace_word_stream *s, char c)
{
	if (isspace(c) || !c)
		return trace_stream_end(s);
	if (s->len < s->size - 1) {
		s->word[s->len++] = c;
		return 0;
	}
	s->word[QUOTED_MAX] = '\0';
	s->len = 0;
	s->too_long(s, s->word);
	return -EINVAL;
}

/**
 * trace_stream_write - a write to an open file
 * @s: its stream; the caller lets in one at a time
 * @ubuf: the user's text
 * @count: its bytes
 *
 * Context: task, may sleep.
 * Return: how many bytes were taken, fewer than @count for a signal; the first error of a word:
 * those before it have done what they do.
 */
ssize_t trace_stream_write(struct trace_word_stream *s, const char __user *ubuf, size_t count)
{
	size_t done = 0, n, i;
	int ret = 0;
	char *buf;

	buf = (char *)__get_free_page(GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	while (!ret && done < count) {
		n = min_t(size_t, count - done, PAGE_SIZE);
		if (copy_from_user(buf, ubuf + done, n)) {
			ret = -EFAULT;
			break;
		}
		for (i = 0; !ret && i < n; i++)
			ret = stream_put(s, buf[i]);
		done += i;
		if (signal_pending(current) && !ret)
			break;
		cond_resched();
	}
	free_page((unsigned long)buf);
	return ret ?: done;
}
