/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that take words. In a write that counts as a whole, all words are looked at before
 * the first of them does anything: struct trace_words. A file that is written until it is closed
 * takes one word after the other, and a word may go on in the next write: struct trace_word_stream.
 */
#ifndef _KERNEL_TRACE_WORDS_H
#define _KERNEL_TRACE_WORDS_H

#include <linux/types.h>

struct trace_array;

/**
 * struct trace_words - one write
 * @tr:		instance, for error_log
 * @loc:	what error_log says of where, "event: set_event"
 * @errs:	texts for error_log
 * @text:	what the user wrote, as a string
 * @copy:	the same, cut into words as they are asked for
 * @at:		in @copy, where the next word is looked for
 * @len:	bytes that were taken, 0 when the first word has no end
 */
struct trace_words {
	struct trace_array	*tr;
	const char		*loc;
	const char		**errs;
	char			*text;
	char			*copy;
	char			*at;
	size_t			len;
};

int trace_words_read(struct trace_words *w, const char __user *ubuf, size_t count);
char *trace_words_next(struct trace_words *w);
int trace_words_error(const struct trace_words *w, const char *at, int error, int ret);
void trace_text_error(struct trace_array *tr, const char *loc, char *text, const char **errs,
		      int error, size_t pos);
void trace_words_free(struct trace_words *w);
char *trace_word_cut(char **at);

/**
 * struct trace_word_stream - what was written to an open file
 * @word:	the word that is not complete yet
 * @size:	of @word, for what ends the string as well
 * @len:	of what is there of it
 * @end:	a word is complete, and may be cut up; an error ends the write
 * @too_long:	a word is, and is dropped: its beginning
 */
struct trace_word_stream {
	char		*word;
	unsigned int	size;
	unsigned int	len;
	int		(*end)(struct trace_word_stream *s, char *word);
	void		(*too_long)(struct trace_word_stream *s, const char *word);
};

ssize_t trace_stream_write(struct trace_word_stream *s, const char __user *ubuf, size_t count);
int trace_stream_end(struct trace_word_stream *s);

#endif /* _KERNEL_TRACE_WORDS_H */
