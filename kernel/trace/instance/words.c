// SPDX-License-Identifier: GPL-2.0-only
/* Reading the words that somebody writes into a file; see words.h. */
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "error_log.h"
#include "words.h"

#define WORDS_MAX	((size_t)PAGE_SIZE)	/* of a command */

/* What is quoted of a word that is too long. */
#define QUOTED_MAX	32

/**
 * trace_list_cut - cut the next word off a list
 * @at: where to go on; NULL behind the last word
 * @seps: the characters between words, as many of them as there may be
 *
 * Context: any. Return: the word as a string or NULL.
 */
char *trace_list_cut(char **at, const char *seps)
{
	char *word;

	do {
		word = strsep(at, seps);
	} while (word && !*word);
	return word;
}

/**
 * trace_word_cut - cut the next word off a string
 * @at: where to go on; NULL behind the last word
 *
 * Context: any. Return: the word as a string or NULL.
 */
char *trace_word_cut(char **at)
{
	return trace_list_cut(at, " \t\r\n\v\f");
}

/**
 * trace_boot_append - keep what is said of a list on the command line
 * @list: with room for COMMAND_LINE_SIZE
 * @sep: what goes between, where the list has been given already
 * @str: what is said
 */
void __init trace_boot_append(char *list, const char *sep, const char *str)
{
	if (*list)
		strlcat(list, sep, COMMAND_LINE_SIZE);
	strlcat(list, str, COMMAND_LINE_SIZE);
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

/*
 * The text, up to the last word that ends in it. A NUL ends a word as a blank does: programs in C
 * write the end of their string as well.
 */
static char *copy_words(const char __user *ubuf, size_t count, size_t most, size_t *len)
{
	char *text, *nul;

	*len = min(count, most);
	text = kvmalloc(*len + 1, GFP_KERNEL);
	if (!text)
		return ERR_PTR(-ENOMEM);
	if (copy_from_user(text, ubuf, *len)) {
		kvfree(text);
		return ERR_PTR(-EFAULT);
	}
	text[*len] = '\0';
	for (nul = text; (nul = memchr(nul, '\0', text + *len - nul)); )
		*nul = ' ';
	if (*len == count)
		return text;

	while (*len && !isspace(text[*len - 1]))
		--*len;
	if (*len)
		text[*len] = '\0';
	return text;
}

/* @text: allocated, or NULL; w->len bytes */
static int words_start(struct trace_words *w, char *text)
{
	w->text = text;
	w->copy = text ? kvmemdup(text, w->len + 1, GFP_KERNEL) : NULL;
	w->at = w->copy;
	if (w->copy)
		return 0;
	kvfree(text);
	return -ENOMEM;
}

/**
 * trace_words_read - take over as much of a write as ends with a word
 * @w: its tr, loc and errs are set
 * @ubuf: the user's text
 * @count: its bytes, not 0
 * @most: bytes to take at once
 *
 * The last word of a write needs no blank behind it. What is not taken of a
 * long write comes with the caller's next try. w->len is 0 when not even the first word ends
 * within @most.
 *
 * Context: task, may sleep.
 * Return: 0 and @w is to be freed with trace_words_free(), -ENOMEM, -EFAULT.
 */
int trace_words_read(struct trace_words *w, const char __user *ubuf, size_t count, size_t most)
{
	char *text = copy_words(ubuf, count, most, &w->len);

	return IS_ERR(text) ? PTR_ERR(text) : words_start(w, text);
}

/**
 * trace_words_copy - the same with a text of the kernel's own
 * @w: its tr, loc and errs are set
 * @text: the text
 *
 * Context: task. Return: 0 and @w is to be freed with trace_words_free(), -ENOMEM.
 */
int trace_words_copy(struct trace_words *w, const char *text)
{
	w->len = strlen(text);
	return words_start(w, kmemdup_nul(text, w->len, GFP_KERNEL));
}

/**
 * trace_command_read - the text of a write that is one command
 * @ubuf: the user's text
 * @count: its bytes
 * @too_long: says so of more than fits on a page; the text is its beginning then, which is
 *	enough to say what is refused
 *
 * Context: task, may sleep.
 * Return: the text, to be freed, without white space at its end; ERR_PTR(-ENOMEM), -EFAULT.
 */
char *trace_command_read(const char __user *ubuf, size_t count, bool *too_long)
{
	char *text = memdup_user_nul(ubuf, min(count, WORDS_MAX - 1));

	*too_long = count >= WORDS_MAX;
	if (!IS_ERR(text) && !*too_long)
		strim(text);
	return text;
}

/**
 * trace_words_command - take over a write that is one command
 * @w: its tr, loc and errs are set
 * @ubuf: the user's text
 * @count: its bytes
 * @too_long: index of the text for one that does not fit on a page
 *
 * There is no white space around w->text.
 *
 * Context: task, may sleep.
 * Return: 0 and @w is to be freed with trace_words_free(), -ENOMEM, -EFAULT; -EINVAL, and
 * error_log has been told.
 */
int trace_words_command(struct trace_words *w, const char __user *ubuf, size_t count,
			int too_long)
{
	bool refused;
	char *text = trace_command_read(ubuf, count, &refused);
	int ret = -EINVAL;

	if (IS_ERR(text))
		return PTR_ERR(text);
	if (refused)
		trace_text_error(w->tr, w->loc, text, w->errs, too_long, 0);
	else
		ret = trace_words_copy(w, skip_spaces(text));
	kfree(text);
	return ret;
}

/**
 * trace_words_free - forget a write
 * @w: from trace_words_read()
 */
void trace_words_free(struct trace_words *w)
{
	kvfree(w->copy);
	kvfree(w->text);
}

/**
 * trace_text_error - tell error_log about a place in what a user wrote
 * @tr: the instance
 * @loc: the file that was written to
 * @text: what the user wrote; its lines become one
 * @errs: texts
 * @error: index of the text
 * @pos: of what is wrong; what is missing may be thought behind the end
 *
 * Context: task.
 */
void trace_text_error(struct trace_array *tr, const char *loc, char *text, const char **errs,
		      int error, size_t pos)
{
	/* the log keeps the beginning of a command; a place that is not in it is shown instead */
	if (pos >= ERROR_COMMAND_MAX) {
		const size_t from = min(pos, strlen(text));

		text += from;
		pos -= from;
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
 * trace_words_whole - is there a whole word?
 * @w: from trace_words_read(), before the first word was asked for
 * @too_long: index of the text for a word that does not end in what was taken
 *
 * Context: task. Return: 0; -EINVAL, and error_log has been told.
 */
int trace_words_whole(const struct trace_words *w, int too_long)
{
	return w->len ? 0 : trace_words_error(w, w->copy, too_long, -EINVAL);
}

/**
 * trace_stream_end - the word ends here
 * @s: the stream
 *
 * Context: as its end(). Return: 0, -ENOMEM, or what end() says.
 */
int trace_stream_end(struct trace_word_stream *s)
{
	struct trace_word_error why = { .at = s->word };
	char *copy;
	int ret;

	if (!s->len)
		return 0;
	s->word[s->len] = '\0';
	s->len = 0;
	copy = kstrdup(s->word, GFP_KERNEL);
	if (!copy) {
		s->refused = true;
		return -ENOMEM;
	}
	ret = s->end(s, s->word, &why);
	s->refused |= !!ret;
	if (ret && ret != -ENOMEM)
		tracing_log_err(s->tr, s->loc, copy, s->errs, why.error, why.at - s->word);
	kfree(copy);
	return ret;
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
	s->refused = true;
	tracing_log_err(s->tr, s->loc, s->word, s->errs, s->too_long, 0);
	return -EINVAL;
}

/**
 * trace_stream_write - a write to an open file
 * @s: its stream
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

	guard(mutex)(&s->lock);
	buf = (char *)__get_free_page(GFP_KERNEL);
	if (!buf) {
		s->refused = true;
		return -ENOMEM;
	}
	while (!ret && done < count) {
		n = min_t(size_t, count - done, PAGE_SIZE);
		if (copy_from_user(buf, ubuf + done, n)) {
			/* a word may have been cut there, which is none */
			s->len = 0;
			s->refused = true;
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
