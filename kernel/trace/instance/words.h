/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that take words. In a write that counts as a whole, all words are looked at before
 * the first of them does anything: struct trace_words. So is a command, which is one write.
 * A file that is written until it is closed takes one word after the other, and a word may go
 * on in the next write: struct trace_word_stream. What the command line says of tracing is lists
 * of words as well.
 */
#ifndef _KERNEL_TRACE_WORDS_H
#define _KERNEL_TRACE_WORDS_H

#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include <asm/setup.h>

struct trace_array;

/**
 * struct trace_words - one write, or a text of the kernel's own
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

int trace_words_read(struct trace_words *w, const char __user *ubuf, size_t count, size_t most);
int trace_words_copy(struct trace_words *w, const char *text);
int trace_words_command(struct trace_words *w, const char __user *ubuf, size_t count,
			int too_long);
char *trace_command_read(const char __user *ubuf, size_t count, bool *too_long);
char *trace_words_next(struct trace_words *w);
int trace_words_error(const struct trace_words *w, const char *at, int error, int ret);
int trace_words_whole(const struct trace_words *w, int too_long);
void trace_text_error(struct trace_array *tr, const char *loc, char *text, const char **errs,
		      int error, size_t pos);
void trace_words_free(struct trace_words *w);
char *trace_word_cut(char **at);
char *trace_list_cut(char **at, const char *seps);

/**
 * struct trace_word_error - why a word is refused
 * @error:	index of the text
 * @at:		what is wrong, in the word
 */
struct trace_word_error {
	int		error;
	const char	*at;
};

/**
 * struct trace_word_stream - what was written to an open file
 * @lock:	of its writers
 * @word:	the word that is not complete yet
 * @size:	of @word, for what ends the string as well
 * @len:	of what is there of it
 * @refused:	some word was not taken
 * @end:	a word is complete, and may be cut up; an error ends the write, and but for
 *		-ENOMEM error_log is told what it leaves in @why, which begins with the first
 *		text and the beginning of the word
 * @tr:		instance, for error_log
 * @loc:	what error_log says of where
 * @errs:	texts for error_log
 * @too_long:	index of the text for a word that is; it is dropped
 */
struct trace_word_stream {
	struct mutex		lock;	/* of those that write at once */
	char			*word;
	unsigned int		size;
	unsigned int		len;
	bool			refused;
	int			(*end)(struct trace_word_stream *s, char *word,
				       struct trace_word_error *why);
	struct trace_array	*tr;
	const char		*loc;
	const char		**errs;
	int			too_long;
};

ssize_t trace_stream_write(struct trace_word_stream *s, const char __user *ubuf, size_t count);
int trace_stream_end(struct trace_word_stream *s);

/*
 * Words of the command line, which is parsed long before they can be obeyed: NAME keeps them.
 * The last one counts that is given of TRACE_BOOT_WORDS(), which stays where it was parsed, and all
 * of TRACE_BOOT_LIST(), with @sep between them. TRACE_BOOT_PARAM() does with STR what @keep says.
 */
#define __TRACE_BOOT_WORDS(name, param, keep)						\
static int __init name##_setup(char *str)						\
{											\
	keep;										\
	return 1;									\
}											\
__setup(param "=", name##_setup)

#define TRACE_BOOT_PARAM(name, param, keep)						\
static char name[COMMAND_LINE_SIZE] __initdata;						\
__TRACE_BOOT_WORDS(name, param, keep)

#define TRACE_BOOT_WORDS(name, param)							\
static char *(name) __initdata = "";						\
__TRACE_BOOT_WORDS(name, param, (name) = str)

#define TRACE_BOOT_LIST(name, param, sep)						\
	TRACE_BOOT_PARAM(name, param, trace_boot_append(name, sep, str))

void trace_boot_append(char *list, const char *sep, const char *str);

#endif /* _KERNEL_TRACE_WORDS_H */
