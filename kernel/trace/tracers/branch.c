// SPDX-License-Identifier: GPL-2.0-only
/*
 * likely(), unlikely(), and with PROFILE_ALL_BRANCHES every if: counted, and with BRANCH_TRACER
 * each likely() and unlikely() recorded.
 *
 * The compiler leaves a structure at each of them (<linux/compiler.h>), which the linker gathers;
 * those of modules are counted and not listed. Counts are plain words that all CPUs add to: they
 * may lose some. The functions here are called from anywhere, before a CPU is set up and where RCU
 * does not watch too; this file is built without branches that are counted.
 */
#include <linux/cleanup.h>
#include <linux/compiler.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/trace_recursion.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "../grace.h"
#include "../instance/instance.h"
#include "../instance/text.h"
#include "../instance/tracer.h"
#include "../output/output.h"
#include "../record/entries.h"
#include "../record/write.h"
#include "branch.h"

/* The last part of a path, which may be as the compiler was called. */
static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#ifdef CONFIG_BRANCH_TRACER

struct branch_entry {
	struct trace_entry	ent;
	unsigned int		line;
	char			func[31];
	char			file[21];
	char			correct;
	char			constant;
};

/* What is written must be what the format says. */
static_assert(offsetof(struct branch_entry, line) == 8);
static_assert(offsetof(struct branch_entry, func) == 12);
static_assert(offsetof(struct branch_entry, file) == 43);
static_assert(offsetof(struct branch_entry, correct) == 64);
static_assert(offsetof(struct branch_entry, constant) == 65);

/**
 * struct branch_user - an instance that records branches
 * @list:	in users
 * @tr:		the instance
 * @asked:	by the option and by the tracer; without either it goes
 */
struct branch_user {
	struct list_head	list;
	struct trace_array	*tr;
	unsigned long		asked;
};

#define ASKED_BY_OPTION	BIT(0)
#define ASKED_BY_TRACER	BIT(1)

/* trace_types_lock; who records walks it under RCU, with interrupts off */
static LIST_HEAD(users);

static void record_branch(struct trace_array *tr, const struct ftrace_likely_data *f, bool correct,
			  unsigned int trace_ctx)
{
	struct ring_buffer_slot slot;
	struct branch_entry *entry;

	entry = trace_slot_reserve(tr->array_buffer.buffer, TRACE_BRANCH, sizeof(*entry),
				   trace_ctx, &slot);
	if (!entry)
		return;
	entry->line = f->data.line;
	strscpy_pad(entry->func, f->data.func, sizeof(entry->func));
	strscpy_pad(entry->file, file_name(f->data.file), sizeof(entry->file));
	entry->correct = correct;
	entry->constant = !!f->constant;
	ring_buffer_slot_commit(&slot);
}

/*
 * What recording calls has branches too. An interrupt would find the task's bit taken, and its
 * branches were lost, so there is none; those of an NMI that comes in here are.
 */
static noinline void trace_branch(const struct ftrace_likely_data *f, bool correct)
{
	struct branch_user *user;
	unsigned int trace_ctx;
	unsigned long flags;

	if (trace_recursion_test(TRACE_BRANCH_BIT))
		return;
	raw_local_save_flags(flags);
	trace_ctx = tracing_gen_ctx_flags(flags);
	raw_local_irq_save(flags);
	trace_recursion_set(TRACE_BRANCH_BIT);
	/* Who waits for us would not know of us. */
	if (rcu_is_watching()) {
		list_for_each_entry_rcu(user, &users, list, true)
			record_branch(user->tr, f, correct, trace_ctx);
	}
	trace_recursion_clear(TRACE_BRANCH_BIT);
	raw_local_irq_restore(flags);
}

static struct branch_user *user_of(const struct trace_array *tr)
{
	struct branch_user *user;

	list_for_each_entry(user, &users, list) {
		if (user->tr == tr)
			return user;
	}
	return NULL;
}

/* trace_types_lock */
static int branch_ask(struct trace_array *tr, unsigned long who)
{
	struct branch_user *user = user_of(tr);
	int ret;

	if (user) {
		user->asked |= who;
		return 0;
	}
	ret = __trace_array_use(tr);
	if (ret)
		return ret;
	user = kzalloc(sizeof(*user), GFP_KERNEL);
	if (!user)
		return -ENOMEM;
	user->tr = tr;
	user->asked = who;
	list_add_rcu(&user->list, &users);
	return 0;
}

/* trace_types_lock */
static void branch_leave(struct trace_array *tr, unsigned long who)
{
	struct branch_user *user = user_of(tr);

	if (!user)
		return;
	user->asked &= ~who;
	if (user->asked)
		return;
	list_del_rcu(&user->list);
	/* Nobody writes to the buffer any more, either. */
	trace_synchronize_rcu();
	kfree(user);
}

static int branch_flag_changed(struct trace_array *tr, unsigned long mask, bool enable)
{
	if (mask != TRACE_ITER_BRANCH)
		return 0;
	if (enable)
		return branch_ask(tr, ASKED_BY_OPTION);
	branch_leave(tr, ASKED_BY_OPTION);
	return 0;
}

static void branch_exit(struct trace_array *tr)
{
	branch_leave(tr, ASKED_BY_OPTION | ASKED_BY_TRACER);
}

static int branch_tracer_init(struct trace_array *tr)
{
	return branch_ask(tr, ASKED_BY_TRACER);
}

static void branch_tracer_reset(struct trace_array *tr)
{
	branch_leave(tr, ASKED_BY_TRACER);
}

static void branch_print_header(struct seq_file *m)
{
	seq_puts(m, "#           TASK-PID    CPU#    TIMESTAMP  CORRECT  FUNC:FILE:LINE\n"
		    "#              | |       |          |         |       |\n");
}

/* Texts end where their array does, whatever is in the buffer. */
static enum print_line_t branch_print(struct trace_iterator *iter, int flags,
				      struct trace_event *event)
{
	const struct branch_entry *entry = (const struct branch_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "[%s] %.*s:%.*s:%u\n", entry->correct ? "  ok  " : " MISS ",
			 (int)sizeof(entry->func), entry->func,
			 (int)sizeof(entry->file), entry->file, entry->line);
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions branch_printers = {
	.trace	= branch_print,
};

static struct trace_event branch_event = {
	.type	= TRACE_BRANCH,
	.funcs	= &branch_printers,
};

static struct tracer branch_tracer = {
	.name		 = "branch",
	.init		 = branch_tracer_init,
	.reset		 = branch_tracer_reset,
	.print_header	 = branch_print_header,
	.allow_instances = true,
};

static int __init branch_register(void)
{
	if (!register_trace_event(&branch_event))
		pr_warn("branch tracer: records cannot be printed\n");
	return register_tracer(&branch_tracer);
}
core_initcall(branch_register);

#endif /* CONFIG_BRANCH_TRACER */

/**
 * ftrace_likely_update - likely() or unlikely() was asked
 * @f: which
 * @val: what came out of it
 * @expect: what it said
 * @is_constant: the compiler knew
 *
 * Context: any, between user_access_begin() and user_access_end() too.
 */
void ftrace_likely_update(struct ftrace_likely_data *f, int val, int expect, int is_constant)
{
	unsigned long access = user_access_save();
	bool correct = is_constant || val == expect;

	if (is_constant)
		f->constant++;
#ifdef CONFIG_BRANCH_TRACER
	if (!list_empty(&users))
		trace_branch(f, correct);
#endif
	if (correct)
		f->data.correct++;
	else
		f->data.incorrect++;
	user_access_restore(access);
}
EXPORT_SYMBOL(ftrace_likely_update);

/* A line of a list: as the counts were when it was opened. */
struct branch_line {
	struct ftrace_branch_data	data;
	unsigned long			constant;
	int				percent;	/* missed, or taken; -1: none */
};

static int percent_of(unsigned long part, unsigned long other)
{
	return part + other ? div64_u64((u64)part * 100, (u64)part + other) : -1;
}

/* Those that are most often wrong, and of these the most frequent ones. */
static int line_cmp(const void *a, const void *b)
{
	const struct branch_line *x = a, *y = b;

	if (x->percent != y->percent)
		return y->percent - x->percent;
	if (x->data.incorrect != y->data.incorrect)
		return x->data.incorrect < y->data.incorrect ? 1 : -1;
	if (x->data.correct != y->data.correct)
		return x->data.correct > y->data.correct ? 1 : -1;
	return 0;
}

static void put_line(struct ftrace_text *text, const struct branch_line *line)
{
	const struct ftrace_branch_data *data = &line->data;

	if (line->constant) {
		char known[24];
		/* those of the right ones that the compiler knew, and the next column less */
		int len = scnprintf(known, sizeof(known), "/%lu", line->constant);

		ftrace_text_printf(text, "%8lu%s %*lu ", data->correct, known, max(0, 8 - len),
				   data->incorrect);
	} else {
		ftrace_text_printf(text, "%8lu %8lu ", data->correct, data->incorrect);
	}
	if (line->percent < 0)
		ftrace_text_printf(text, "  X ");
	else
		ftrace_text_printf(text, "%3d ", line->percent);
	ftrace_text_printf(text, "%-30.30s %-20.20s %d\n", data->func, file_name(data->file),
			   data->line);
}

static void put_lines(struct ftrace_text *text, struct branch_line *lines, unsigned int nr,
		      const char *counts)
{
	ftrace_text_printf(text,
			   "%s       Function                  File              Line\n", counts);
	ftrace_text_printf(text,
			   " ------- ---------  -        --------                  ----              ----\n");
	for (unsigned int i = 0; i < nr; i++)
		put_line(text, &lines[i]);
}

/* Room for the lines of @nr branches; NULL: what is shown is that there is no memory. */
static struct branch_line *lines_alloc(struct ftrace_text *text, unsigned int nr)
{
	struct branch_line *lines = kvmalloc_array(nr, sizeof(*lines), GFP_KERNEL);

	if (!lines)
		text->error = -ENOMEM;
	return lines;
}

static void annotated_fill(struct ftrace_text *text, void *data)
{
	unsigned int nr = __stop_annotated_branch_profile - __start_annotated_branch_profile;
	struct branch_line *lines = lines_alloc(text, nr);

	if (!lines)
		return;
	for (unsigned int i = 0; i < nr; i++) {
		const struct ftrace_likely_data *f = &__start_annotated_branch_profile[i];

		lines[i] = (struct branch_line) {
			.data		= f->data,
			.constant	= f->constant,
			.percent	= percent_of(f->data.incorrect, f->data.correct),
		};
	}
	sort(lines, nr, sizeof(*lines), line_cmp, NULL);
	put_lines(text, lines, nr, " correct incorrect  % ");
	kvfree(lines);
}

#ifdef CONFIG_PROFILE_ALL_BRANCHES
/* In the order of the kernel's text, where those of a function stand together. */
static void all_fill(struct ftrace_text *text, void *data)
{
	unsigned int nr = __stop_branch_profile - __start_branch_profile;
	struct branch_line *lines = lines_alloc(text, nr);

	if (!lines)
		return;
	for (unsigned int i = 0; i < nr; i++) {
		const struct ftrace_branch_data *f = &__start_branch_profile[i];

		lines[i] = (struct branch_line) {
			.data		= *f,
			.percent	= percent_of(f->hit, f->miss),
		};
	}
	put_lines(text, lines, nr, "   miss      hit    % ");
	kvfree(lines);
}
#endif

static int annotated_open(struct inode *inode, struct file *file)
{
	return ftrace_text_open_tr(inode->i_private, file, annotated_fill, NULL);
}

static const struct file_operations annotated_fops = {
	TRACE_READ_OPS(annotated_open, ftrace_text_read, ftrace_text_release),
};

#ifdef CONFIG_PROFILE_ALL_BRANCHES
static int all_open(struct inode *inode, struct file *file)
{
	return ftrace_text_open_tr(inode->i_private, file, all_fill, NULL);
}

static const struct file_operations all_fops = {
	TRACE_READ_OPS(all_open, ftrace_text_read, ftrace_text_release),
};
#endif

static void branch_files(struct trace_array *tr, struct dentry *dir)
{
	struct dentry *stat = trace_stat_dir(tr, dir);

	if (!stat)
		return;
	trace_create_file("branch_annotated", TRACE_MODE_WRITE, stat, tr, &annotated_fops);
#ifdef CONFIG_PROFILE_ALL_BRANCHES
	trace_create_file("branch_all", TRACE_MODE_WRITE, stat, tr, &all_fops);
#endif
}

const struct instance_feature branch_feature = {
	.name		= "branches",
#ifdef CONFIG_BRANCH_TRACER
	.exit		= branch_exit,
	.flag_changed	= branch_flag_changed,
#endif
	.top_files	= branch_files,
};
