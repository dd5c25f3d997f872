// SPDX-License-Identifier: GPL-2.0-only
/*
 * The language of events on functions and on tracepoints, the lines that show them, and
 * fprobe_profile.
 *
 *	f[:[GROUP/][EVENT]] FUNCTION [ARGUMENTS]
 *	f[MAXACTIVE][:[GROUP/][EVENT]] FUNCTION%return [ARGUMENTS]
 *	t[:[GROUP/][EVENT]] TRACEPOINT [ARGUMENTS]
 *
 * An argument with $retval stands for the %return as well.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "command.h"
#include "fprobe.h"

/* What the first two words say. */
struct fprobe_line {
	bool	traces;
	bool	returns;
	int	maxactive;
	char	*group;
	char	*event;
	char	*symbol;
};

/* The first $retval, or NULL. */
static const char *find_retval(const struct dyn_command *cmd)
{
	for (int i = 2; i < cmd->argc; i++) {
		const char *at = strstr(cmd->argv[i], "$retval");
		char next = at ? at[strlen("$retval")] : 0;

		if (at && !isalnum(next) && next != '_')
			return at;
	}
	return NULL;
}

static int parse_tracepoint(struct dyn_command *cmd, const char *name)
{
	const char *at = strchr(name, '%');

	if (at)
		return dyn_command_error(cmd, at, PROBE_ERR_BAD_ADDR_SUFFIX, -EINVAL);
	for (at = name; *at; at++)
		if (!isalnum(*at) && *at != '_')
			return dyn_command_error(cmd, at, PROBE_ERR_BAD_TP_NAME, -EINVAL);
	at = find_retval(cmd);
	return at ? dyn_command_error(cmd, at, PROBE_ERR_RETVAL_ON_PROBE, -EINVAL) : 0;
}

static int parse_place(struct dyn_command *cmd, struct fprobe_line *line)
{
	int ret;

	line->symbol = (char *)cmd->argv[1];
	if (line->traces)
		return parse_tracepoint(cmd, line->symbol);
	ret = probe_parse_return(cmd, line->symbol, &line->returns);
	if (!ret && find_retval(cmd))
		line->returns = true;
	return ret;
}

static int parse_line(struct dyn_command *cmd, struct fprobe_line *line)
{
	char *word = (char *)cmd->argv[0], *colon;
	int ret;

	line->traces = *word++ == 't';
	colon = strchr(word, ':');
	ret = probe_parse_maxactive(cmd, word, colon, &line->maxactive) ?: parse_place(cmd, line);
	if (ret)
		return ret;
	if (isdigit(*word) && !line->returns)
		return dyn_command_error(cmd, word, PROBE_ERR_BAD_MAXACT_TYPE, -EINVAL);
	return colon ? probe_parse_name(cmd, colon + 1, &line->group, &line->event) : 0;
}

static char *auto_name(const struct fprobe_line *line)
{
	if (line->traces)
		return probe_auto_name("%s%s", isdigit(*line->symbol) ? "_" : "", line->symbol);
	return probe_auto_name("%s__%s", line->symbol, line->returns ? "exit" : "entry");
}

static int place_fill(struct fprobe_place *f, const struct fprobe_line *line)
{
	unsigned int at = PROBE_KERNEL | PROBE_FREGS;
	char *group = line->group;

	f->symbol = kstrdup(line->symbol, GFP_KERNEL);
	if (!f->symbol)
		return -ENOMEM;
	f->maxactive = line->maxactive;
	f->probe.missed = &f->missed;
	if (line->traces)
		at |= PROBE_TRACEPOINT;
	else
		at |= PROBE_ENTRY | (line->returns ? PROBE_RETURN : 0);
	if (!group && line->traces)
		group = "tracepoints";
	return probe_init_named(&f->probe, &fprobe_kind, at, group, line->event,
				line->event ? NULL : auto_name(line));
}

static int read_args(struct fprobe_place *f, struct dyn_command *cmd)
{
	struct probe_parse ctx = { .cmd = cmd, .at = f->probe.at, .function = f->symbol };
	char *stub = NULL;
	int ret;

	if (fprobe_place_traces(f)) {
		stub = kasprintf(GFP_KERNEL, "__probestub_%s", f->symbol);
		if (!stub)
			return -ENOMEM;
		ctx.function = stub;
	}
	ret = probe_parse_args(&f->probe, &ctx, 2);
	kfree(stub);
	return ret;
}

int fprobe_create(struct dyn_command *cmd)
{
	struct fprobe_line line = { };
	struct fprobe_place *f;
	int ret = parse_line(cmd, &line);

	if (ret)
		return ret;
	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	ret = place_fill(f, &line) ?: read_args(f, cmd) ?: probe_add(&f->probe, cmd, 2);
	if (ret && !fprobe_place_keep(f)) {
		probe_destroy(&f->probe);
		fprobe_place_free(f);
	}
	return ret;
}

void fprobe_show_type(struct seq_file *m, const struct probe *p)
{
	const struct fprobe_place *f = fprobe_place_of(p);

	seq_putc(m, fprobe_place_traces(f) ? 't' : 'f');
	if (f->maxactive)
		seq_printf(m, "%d", f->maxactive);
}

void fprobe_show_place(struct seq_file *m, const struct probe *p)
{
	seq_printf(m, "%s%s", fprobe_place_of(p)->symbol, probe_returns(p) ? "%return" : "");
}

/* Does @word name the place of @f, with or without the %return? */
bool fprobe_is_at(const struct probe *p, const char *word)
{
	const struct fprobe_place *f = fprobe_place_of(p);
	size_t len = strlen(f->symbol);

	if (strncmp(word, f->symbol, len))
		return false;
	return !word[len] || (probe_returns(&f->probe) && !strcmp(word + len, "%return"));
}

/* No column of hits, as in kprobe_profile: a hit would have to count itself. */
int fprobe_show_profile(struct seq_file *m, struct dyn_event *ev)
{
	const struct fprobe_place *f = fprobe_place_of(probe_of(ev));

	seq_printf(m, "  %-44s %15lu\n", probe_name(&f->probe), READ_ONCE(f->missed));
	return 0;
}

void fprobe_free(struct dyn_event *ev)
{
	fprobe_place_free_later(fprobe_place_of(probe_of(ev)));
}
