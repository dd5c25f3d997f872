// SPDX-License-Identifier: GPL-2.0-only
/*
 * available_filter_functions and _addrs, enabled_functions, touched_functions,
 * dyn_ftrace_total_info: what there is and what is traced, for all instances.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "sites.h"
#include "../../instance/instance.h"
#include "../../instance/text.h"

enum list_kind {
	LIST_AVAILABLE,
	LIST_ADDRS,
	LIST_ENABLED,
	LIST_TOUCHED,
};

/**
 * struct list_lines - a list that is being made
 * @text:	the list
 * @kind:	which
 * @state:	what enabled_functions says of a site with @set and @flags
 * @set:	set of the site before
 * @flags:	dyn_ftrace.flags of the site before
 *
 * Most sites are like the one before. Symbols of ops are not looked up again for each of
 * 22,000 lines: it would take ftrace_lock for long, the longer the more is traced.
 */
struct list_lines {
	struct ftrace_text		*text;
	enum list_kind			kind;
	struct ftrace_text		state;
	const struct ftrace_op_set	*set;
	unsigned long			flags;
};

static void state_text(struct ftrace_text *text, const struct dyn_ftrace *rec)
{
	const struct ftrace_op_set *set = rec->set;
	bool own_entry;
	unsigned int i;

	ftrace_text_printf(text, " (%ld)%s%s%s%s%s", (long)ftrace_rec_count(rec),
			   rec->flags & FTRACE_FL_REGS ? " R" : "  ",
			   rec->flags & FTRACE_FL_IPMODIFY ? " I" : "  ",
			   rec->flags & FTRACE_FL_DIRECT ? " D" : "  ",
			   rec->flags & FTRACE_FL_CALL_OPS ? " O" : "  ",
			   rec->flags & FTRACE_FL_MODIFIED ? " M " : "   ");
	if (!set)
		return;
	/* Users know the trampoline of an only ops; who shares one is listed. */
	own_entry = (rec->flags & FTRACE_FL_TRAMP_EN) && set->nr == 1;
	if (own_entry)
		ftrace_text_printf(text, "\ttramp: %pS (%pS)", (void *)set->ops[0]->trampoline,
				   (void *)set->ops[0]->func);
	for (i = 0; i < set->nr; i++) {
		const struct ftrace_ops *op = set->ops[i];

		if (op == &ftrace_gone_ops)
			continue;
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
		if (op->flags & FTRACE_OPS_FL_DIRECT) {
			ftrace_text_printf(text, "\n\tdirect-->%pS", (void *)op->direct_call);
			continue;
		}
#endif
		if (rec->flags & FTRACE_FL_CALL_OPS)
			ftrace_text_printf(text, "\tops: %pS (%pS)", op, (void *)op->func);
		else if (!own_entry)
			ftrace_text_printf(text, "\t->%pS", (void *)op->func);
	}
}

static void line_state(struct list_lines *lines, const struct dyn_ftrace *rec)
{
	if (!lines->state.len || lines->set != rec->set || lines->flags != rec->flags) {
		lines->state.len = 0;
		lines->set = rec->set;
		lines->flags = rec->flags;
		state_text(&lines->state, rec);
	}
	if (lines->state.error)
		lines->text->error = lines->state.error;
	else
		ftrace_text_put(lines->text, lines->state.buf, lines->state.len);
}

static bool list_wants(const struct dyn_ftrace *rec, void *data)
{
	const struct list_lines *lines = data;

	switch (lines->kind) {
	case LIST_ENABLED:
		return rec->flags & FTRACE_FL_ENABLED;
	case LIST_TOUCHED:
		return rec->flags & FTRACE_FL_TOUCHED;
	default:
		return true;
	}
}

static int list_line(struct dyn_ftrace *rec, const char *name, unsigned int len,
		     struct module *mod, void *data)
{
	struct list_lines *lines = data;
	struct ftrace_text *text = lines->text;

	if (lines->kind == LIST_ADDRS)
		ftrace_text_printf(text, "%lx ", rec->ip);
	ftrace_text_put(text, name, len);
	if (mod)
		ftrace_text_printf(text, " [%s]", module_name(mod));
	if (lines->kind == LIST_ENABLED || lines->kind == LIST_TOUCHED)
		line_state(lines, rec);
	ftrace_text_put(text, "\n", 1);
	return text->error;
}

static void list_fill(struct ftrace_text *text, void *data)
{
	struct list_lines lines = { .text = text, .kind = (uintptr_t)data };

	mutex_lock(&ftrace_lock);
	ftrace_for_each_name(list_wants, list_line, &lines);
	mutex_unlock(&ftrace_lock);
	kvfree(lines.state.buf);
}

static int list_open(struct inode *inode, struct file *file)
{
	int ret = tracing_check_open_get_tr(NULL);

	if (ret)
		return ret;
	if (ftrace_disabled)
		return -ENODEV;
	return ftrace_text_open(file, list_fill, inode->i_private);
}

static const struct file_operations list_fops = {
	TRACE_READ_OPS(list_open, ftrace_text_read, ftrace_text_release),
};

static void total_fill(struct ftrace_text *text, void *data)
{
	struct ftrace_totals totals;

	mutex_lock(&ftrace_lock);
	ftrace_count_tables(&totals);
	mutex_unlock(&ftrace_lock);
	ftrace_text_printf(text, "%lu pages:%lu groups: %u\n", totals.sites,
			   DIV_ROUND_UP(totals.bytes, PAGE_SIZE), totals.tables);
}

static int total_open(struct inode *inode, struct file *file)
{
	int ret = tracing_check_open_get_tr(NULL);

	return ret ?: ftrace_text_open(file, total_fill, NULL);
}

static const struct file_operations total_fops = {
	TRACE_READ_OPS(total_open, ftrace_text_read, ftrace_text_release),
};

void function_list_files(struct trace_array *tr, struct dentry *dir)
{
	static const struct {
		const char	*name;
		enum list_kind	kind;
	} files[] = {
		{ "available_filter_functions",		LIST_AVAILABLE },
		{ "available_filter_functions_addrs",	LIST_ADDRS },
		{ "enabled_functions",			LIST_ENABLED },
		{ "touched_functions",			LIST_TOUCHED },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		trace_create_file(files[i].name, TRACE_MODE_READ, dir,
				  (void *)(uintptr_t)files[i].kind, &list_fops);
	trace_create_file("dyn_ftrace_total_info", TRACE_MODE_READ, dir, NULL, &total_fops);
	function_recursion_file(dir);
}
