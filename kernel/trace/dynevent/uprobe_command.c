// SPDX-License-Identifier: GPL-2.0-only
/*
 * The language of uprobe events, the lines that show them, and those of uprobe_profile.
 *
 *	p[:[GROUP/][EVENT]] PATH:OFFSET[%return][(COUNTER)] [ARGUMENTS]
 *	r[:[GROUP/][EVENT]] PATH:OFFSET[(COUNTER)] [ARGUMENTS]
 */
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/kernel.h>
#include <linux/namei.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "command.h"
#include "uprobe.h"

struct uprobe_line {
	bool		returns;
	char		*group;
	char		*event;
	char		*filename;
	struct path	path;
	unsigned long	offset;
	unsigned long	ref_ctr;
};

/* (COUNTER), whose ( is at @open */
static int parse_counter(struct dyn_command *cmd, struct uprobe_line *line, char *open)
{
	char *close = strchr(open, ')');

	if (!close)
		return dyn_command_error(cmd, open + strlen(open), PROBE_ERR_REFCNT_OPEN_BRACE,
					 -EINVAL);
	if (close[1])
		return dyn_command_error(cmd, close + 1, PROBE_ERR_BAD_REFCNT_SUFFIX, -EINVAL);
	*open++ = '\0';
	*close = '\0';
	if (kstrtoul(open, 0, &line->ref_ctr))
		return dyn_command_error(cmd, open, PROBE_ERR_BAD_REFCNT, -EINVAL);
	return 0;
}

static int parse_offset(struct dyn_command *cmd, struct uprobe_line *line, char *at)
{
	char *open = strchr(at, '(');
	int ret = open ? parse_counter(cmd, line, open) : 0;

	ret = ret ?: probe_parse_return(cmd, at, &line->returns);
	if (ret)
		return ret;
	if (kstrtoul(at, 0, &line->offset))
		return dyn_command_error(cmd, at, PROBE_ERR_BAD_UPROBE_OFFS, -EINVAL);
	return 0;
}

/* -ECANCELED: the line is another kind's. After 0 the path is held. */
static int parse_line(struct dyn_command *cmd, struct uprobe_line *line)
{
	char *word = (char *)cmd->argv[0], *colon;
	int ret;

	line->returns = *word == 'r';
	line->filename = (char *)cmd->argv[1];
	if (!strchr(line->filename, '/'))
		return -ECANCELED;
	/* the path may have some itself */
	colon = strrchr(line->filename, ':');
	if (!colon || !isdigit(colon[1]))
		return -ECANCELED;
	*colon = '\0';

	ret = kern_path(line->filename, LOOKUP_FOLLOW, &line->path);
	if (ret)
		return dyn_command_error(cmd, line->filename, PROBE_ERR_FILE_NOT_FOUND, ret);
	if (!d_is_reg(line->path.dentry))
		ret = dyn_command_error(cmd, line->filename, PROBE_ERR_NO_REGULAR_FILE, -EINVAL);
	else
		ret = parse_offset(cmd, line, colon + 1);
	if (!ret && word[1] == ':')
		ret = probe_parse_name(cmd, word + 2, &line->group, &line->event);
	if (ret)
		path_put(&line->path);
	return ret;
}

static char *auto_name(const struct uprobe_line *line)
{
	const char *base = kbasename(line->filename);
	char *name = kmalloc(PROBE_MAX_NAME, GFP_KERNEL);

	/* a file's name stays what it is: p_g++_0x1000 */
	if (name)
		snprintf(name, PROBE_MAX_NAME, "p_%.*s_0x%lx", (int)strcspn(base, ".-_"), base,
			 line->offset);
	return name;
}

static int place_parse(struct uprobe_place *up, struct dyn_command *cmd,
		       const struct uprobe_line *line)
{
	struct probe_parse ctx = {
		.cmd	= cmd,
		.at	= PROBE_USER | (line->returns ? PROBE_RETURN : 0),
	};

	return probe_init_named(&up->probe, &uprobe_kind, ctx.at, line->group, line->event,
				line->event ? NULL : auto_name(line)) ?:
	       probe_parse_args(&up->probe, &ctx, 2) ?:
	       probe_add(&up->probe, cmd, 2);
}

int uprobe_create(struct dyn_command *cmd)
{
	struct uprobe_line line = { };
	struct uprobe_place *up;
	int ret = parse_line(cmd, &line);

	if (ret)
		return ret;
	up = uprobe_place_alloc(line.filename, &line.path, line.offset, line.ref_ctr);
	if (!up) {
		path_put(&line.path);
		return -ENOMEM;
	}
	ret = place_parse(up, cmd, &line);
	if (ret) {
		probe_destroy(&up->probe);
		uprobe_place_free(up);
	}
	return ret;
}

/* --- showing and finding */

void uprobe_show_type(struct seq_file *m, const struct probe *p)
{
	seq_putc(m, probe_returns(p) ? 'r' : 'p');
}

void uprobe_show_place(struct seq_file *m, const struct probe *p)
{
	const struct uprobe_place *up = uprobe_place_of(p);

	seq_printf(m, "%s:0x%016lx", up->filename, up->offset);
	if (up->ref_ctr)
		seq_printf(m, "(0x%lx)", up->ref_ctr);
}

bool uprobe_is_at(const struct probe *p, const char *word)
{
	const struct uprobe_place *up = uprobe_place_of(p);
	size_t len = strlen(up->filename);
	char text[64];

	if (strncmp(up->filename, word, len) || word[len] != ':')
		return false;
	if (up->ref_ctr)
		snprintf(text, sizeof(text), "0x%016lx(0x%lx)", up->offset, up->ref_ctr);
	else
		snprintf(text, sizeof(text), "0x%016lx", up->offset);
	return !strcmp(text, word + len + 1);
}

void uprobe_free(struct dyn_event *ev)
{
	uprobe_place_free_later(uprobe_place_of(probe_of(ev)));
}

int uprobe_show_profile(struct seq_file *m, struct dyn_event *ev)
{
	const struct uprobe_place *up = uprobe_place_of(probe_of(ev));

	seq_printf(m, "  %s %-44s %15lu\n", up->filename, probe_name(&up->probe),
		   probe_hits(up->hits));
	return 0;
}
