// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf's function event, ftrace:function.
 *
 * Each perf event has an ops of its own. It is on its functions from open to close; in between
 * the perf core puts the event on a CPU and takes it off, with interrupts off,
 * which only sets the CPU that the callback obeys.
 *
 * It is not the one in struct perf_event: perf frees that, and text that cannot be written any more
 * may call an ops for ever.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../events/perf.h"
#include "../../instance/words.h"
#include "../../record/entries.h"
#include "../../record/function_entries.h"
#include "../sites/sites.h"
#include "filters.h"
#include "../sites/guard.h"

/**
 * struct perf_function - the ops of a function event
 * @ops:	on its functions; its private is the CPU that the event is on, nr_cpu_ids for none
 * @alone:	as if it were the list of a CPU: the perf_event alone
 */
struct perf_function {
	struct ftrace_ops	ops;
	struct hlist_head	alone;
};

/* Of an open event. */
static struct perf_function *perf_function_of(const struct perf_event *event)
{
	return event->ftrace_ops.private;
}

static void notrace perf_function_call(unsigned long ip, unsigned long parent_ip,
				       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct perf_function *pf = container_of(ops, struct perf_function, ops);
	const int size = PERF_RECORD_SIZE(sizeof(struct ftrace_entry));
	struct ftrace_entry *entry;
	struct trace_guard guard;
	struct pt_regs here, *regs = &here;
	int rctx;

	/* As good as preemption off: a task that moves on finds another CPU's event. */
	if ((unsigned long)READ_ONCE(ops->private) != raw_smp_processor_id())
		return;
	if (!trace_guard_enter(&guard, ip, parent_ip))
		return;
	if ((unsigned long)READ_ONCE(ops->private) != smp_processor_id())
		goto out;

	entry = perf_trace_buf_alloc(size, NULL, &rctx);
	if (!entry)
		goto out;
	memset(regs, 0, sizeof(*regs));
	perf_arch_fetch_caller_regs(regs, ip);
	entry->ip = ip;
	entry->parent_ip = parent_ip;
	perf_trace_buf_submit(entry, size, rctx, TRACE_FN, 1, regs, &pf->alone, NULL);
out:
	trace_guard_leave(&guard);
}

static int perf_function_open(struct perf_event *event)
{
	struct perf_function *pf = kzalloc(sizeof(*pf), GFP_KERNEL);
	int ret;

	if (!pf)
		return -ENOMEM;
	pf->alone.first = &event->hlist_entry;
	pf->ops.func = perf_function_call;
	pf->ops.private = (void *)(unsigned long)nr_cpu_ids;
	pf->ops.flags = FTRACE_OPS_FL_RCU;
	/* a child's is on the functions of its parent's, which stays open for so long */
	if (event->parent)
		pf->ops.func_hash = perf_function_of(event->parent)->ops.func_hash;
	ret = register_ftrace_function(&pf->ops);
	if (ret) {
		if (!ftrace_ops_keep(&pf->ops))
			kfree(pf);
		return ret;
	}
	event->ftrace_ops.private = pf;
	return 0;
}

static int perf_function_close(struct perf_event *event)
{
	struct perf_function *pf = perf_function_of(event);
	int ret = unregister_ftrace_function(&pf->ops);
	bool keep = ftrace_ops_keep(&pf->ops);

	if (!event->parent)
		ftrace_free_filter(&pf->ops);
	event->ftrace_ops.private = NULL;
	if (!keep)
		kfree(pf);
	return ret;
}

static void perf_function_move(struct perf_event *event, unsigned long cpu)
{
	WRITE_ONCE(perf_function_of(event)->ops.private, (void *)cpu);
}

/**
 * perf_function_reg - the function event's trace_event_class.reg
 * @call: event
 * @type: what perf wants
 * @data: perf's event; NULL for registration
 *
 * Context: open and close: task, event_mutex but for what a child inherits. Add and delete: the
 * perf core's, interrupts off.
 * Return: 0, or an error of register_ftrace_function(); 1 for add and delete: the event does
 * not go on the list of a CPU. -EINVAL for what trace events can and this one cannot.
 */
int perf_function_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct perf_event *event = data;

	switch (type) {
	case TRACE_REG_PERF_REGISTER:
	case TRACE_REG_PERF_UNREGISTER:
		return 0;
	case TRACE_REG_PERF_OPEN:
		return perf_function_open(event);
	case TRACE_REG_PERF_CLOSE:
		return perf_function_close(event);
	case TRACE_REG_PERF_ADD:
		perf_function_move(event, smp_processor_id());
		return 1;
	case TRACE_REG_PERF_DEL:
		perf_function_move(event, nr_cpu_ids);
		return 1;
	default:
		return -EINVAL;
	}
}

/**
 * perf_function_may_open - is a function event with these attributes allowed?
 * @call: event
 * @event: perf's event
 *
 * A user's stack may fault when it is read, and the functions that handle the fault are traced as
 * well: samples of this event have no part of user space.
 *
 * Context: task.
 * Return: 0, -EACCES or -EPERM by perf's settings, -EINVAL for a sample with a user's stack.
 */
int perf_function_may_open(struct trace_event_call *call, struct perf_event *event)
{
	int ret;

	if (event->parent)
		return 0;
	ret = perf_allow_tracepoint();
	if (ret || !is_sampling_event(event))
		return ret;
	if (event->attr.sample_type & PERF_SAMPLE_STACK_USER)
		return -EINVAL;
	if (!(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return 0;
	return event->attr.exclude_callchain_user ? 0 : -EINVAL;
}

/*
 * @text without blanks and parentheses at its ends. Between clauses there is nothing but ||, so
 * parentheses change nothing; @depth says how many are open. NULL: one is closed that is not open.
 */
static char *strip_parentheses(char *text, int *depth)
{
	char *end;

	for (text = skip_spaces(text); *text == '('; text = skip_spaces(text + 1))
		++*depth;
	for (end = text + strlen(text); end > text; *end = '\0') {
		if (!isspace(end[-1]) && end[-1] != ')')
			break;
		if (*--end == ')' && --*depth < 0)
			return NULL;
	}
	return text;
}

/* "ip == a b", or with !=; a comma for a space, quotes around the names. */
struct clause {
	bool	exclude;
	char	*names;
};

static int parse_clause(char *text, struct clause *clause)
{
	char *names;

	if (strncmp(text, "ip", 2))
		return -EINVAL;
	text = skip_spaces(text + 2);
	if (strncmp(text, "==", 2) && strncmp(text, "!=", 2))
		return -EINVAL;
	clause->exclude = *text == '!';

	names = skip_spaces(text + 2);
	if (*names == '"' || *names == '\'') {
		char *end = strchr(names + 1, *names);

		if (!end || end[1])
			return -EINVAL;
		*end = '\0';
		names++;
	}
	clause->names = names;
	return *names ? 0 : -EINVAL;
}

/* -EINVAL also if there is none among the separators. ftrace_lock */
static int add_names(struct ftrace_hash *hash, char *names)
{
	struct ftrace_pattern pattern;
	int ret = -EINVAL;
	char *name;

	while ((name = trace_list_cut(&names, " \t,"))) {
		ftrace_pattern_parse(name, &pattern);
		if (pattern.not)
			return -EINVAL;
		ret = ftrace_match_hash(&pattern, hash);
		if (ret <= 0)
			return ret ?: -EINVAL;
	}
	return min(ret, 0);
}

/* The hashes that @text asks for, [1] excludes; NULL where it does not say. ftrace_lock */
static int parse_filter(char *text, struct ftrace_hash *hashes[2])
{
	struct clause clause;
	char *part, *next;
	int depth = 0;
	int ret;

	for (part = text; part; part = next) {
		next = strstr(part, "||");
		if (next) {
			*next = '\0';
			next += 2;
		}
		part = strip_parentheses(part, &depth);
		ret = part ? parse_clause(part, &clause) : -EINVAL;
		if (ret)
			return ret;
		if (!hashes[clause.exclude])
			hashes[clause.exclude] = ftrace_hash_alloc(0);
		if (!hashes[clause.exclude])
			return -ENOMEM;
		ret = add_names(hashes[clause.exclude], clause.names);
		if (ret)
			return ret;
	}
	return depth ? -EINVAL : 0;
}

/**
 * perf_function_set_filter - choose the functions of a function event
 * @event: perf's event
 * @filter: clauses "ip == names" and "ip != names" with || between them; names are separated by
 *	    spaces or commas and may be globs; parentheses go around clauses
 *
 * The filter replaces the one before it.
 *
 * Context: task, sleeps.
 * Return: 0; -EINVAL for another syntax, no name, or one that matches nothing, -ENOMEM: the old
 * filter stays.
 */
int perf_function_set_filter(struct perf_event *event, const char *filter)
{
	struct ftrace_hash *hashes[2] = {};
	char *text = kstrdup(filter, GFP_KERNEL);
	int ret;

	if (!text)
		return -ENOMEM;
	mutex_lock(&ftrace_lock);
	ret = parse_filter(text, hashes);
	if (ret) {
		ftrace_hash_free(hashes[0]);
		ftrace_hash_free(hashes[1]);
	} else {
		ret = ftrace_hashes_install(&perf_function_of(event)->ops, hashes[0], hashes[1]);
	}
	mutex_unlock(&ftrace_lock);
	kfree(text);
	return ret;
}
