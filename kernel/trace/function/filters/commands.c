// SPDX-License-Identifier: GPL-2.0-only
/*
 * Function commands: FUNC:COMMAND[:...][:COUNT] in set_ftrace_filter does something when a
 * function is called. !FUNC:COMMAND takes it away.
 *
 * What a command does is an action (../../trigger/action.h), which events can have as well.
 *
 * An instance has one probe for each command that is used in it: an ops whose filter is
 * its functions. What a function's command needs to know, first of all how often it
 * may still run, is found by address at the time of the call. A function may have a command
 * several times, each of them with another parameter.
 *
 * What an action needs it gets once for all functions of a word, and gives back after the last
 * one has gone: under event_mutex, which comes before ftrace_lock, so not where functions go.
 */
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "../../grace.h"
#include "../../instance/text.h"
#include "../../trigger/action.h"
#include "../sites/sites.h"
#include "filters.h"
#include "internal.h"

/* A traced call walks over all of its slot: fifteen, if each of 60,000 functions has one. */
#define PROBE_HASH_BITS	12

/* A word that was written: its action has been started. */
struct command {
	struct list_head	list;		/* in stopping */
	unsigned int		sites;		/* that have it; ftrace_lock */
	bool			wait;		/* it may run still */
	struct trace_action_use	use;
};

/* A function with the command. */
struct probe_site {
	struct hlist_node	node;
	struct hlist_node	gone;		/* going, while others walk over @node */
	unsigned long		ip;
	struct command		*command;
	struct trace_action_use	use;		/* the command's, with a count of its own */
};

struct ftrace_probe {
	struct ftrace_ops		ops;
	struct list_head		list;
	struct trace_function		*fn;
	const struct trace_action	*action;
	unsigned int			count;
	struct hlist_head		sites[1 << PROBE_HASH_BITS];
};

/* Commands without a site; ftrace_lock. Taken off with event_mutex held, so by one at a time. */
static LIST_HEAD(stopping);

/* Sites whose text is gone, freed with those commands; ftrace_lock. */
static HLIST_HEAD(forgotten);

static struct hlist_head *sites_of(struct ftrace_probe *probe, unsigned long ip)
{
	return &probe->sites[hash_long(ip, PROBE_HASH_BITS)];
}

/*
 * A function may have an action with a count and without, of which users take away the one that
 * they mean: !FUNC:COMMAND:0 and !FUNC:COMMAND, says ftrace.rst.
 */
static bool use_same(const struct trace_action_use *use, const struct trace_action_use *other)
{
	return trace_action_same(use, other) &&
	       trace_action_has_limit(use) == trace_action_has_limit(other);
}

/* Any site for NULL, else the one that @use would be one too many beside. */
static struct probe_site *site_find(struct ftrace_probe *probe, unsigned long ip,
				    const struct trace_action_use *use)
{
	struct probe_site *site;

	hlist_for_each_entry(site, sites_of(probe, ip), node) {
		if (site->ip == ip && (!use || use_same(&site->use, use)))
			return site;
	}
	return NULL;
}

/* ops::func; RECURSION is set: preemption is off. */
static void notrace probe_call(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct ftrace_probe *probe = container_of(op, struct ftrace_probe, ops);
	struct trace_action_call call = { .ip = ip, .parent_ip = parent_ip };
	struct probe_site *site;

	hlist_for_each_entry_rcu(site, sites_of(probe, ip), node, true) {
		if (site->ip == ip)
			trace_action_run(&site->use, &call);
	}
}

static struct ftrace_probe *probe_find(struct trace_function *fn,
				       const struct trace_action *action)
{
	struct ftrace_probe *probe;

	list_for_each_entry(probe, &fn->probes, list) {
		if (probe->action == action)
			return probe;
	}
	return NULL;
}

/* Whoever walks over sites has preemption off; RCU may not watch him. */
static void wait_for_calls(void)
{
	trace_synchronize_rcu();
	synchronize_rcu_tasks_rude();
}

/* A site has gone; @wait: what it called may run still. ftrace_lock */
static void command_put(struct command *command, bool wait)
{
	command->wait |= wait;
	if (!--command->sites)
		list_add_tail(&command->list, &stopping);
}

/**
 * ftrace_commands_stop - let the actions go that no function has any more
 *
 * Context: task, event_mutex held, ftrace_lock not.
 */
void ftrace_commands_stop(void)
{
	struct command *command, *next;
	struct probe_site *site;
	struct hlist_node *after;
	HLIST_HEAD(sites);
	LIST_HEAD(gone);
	bool wait;

	lockdep_assert_held(&event_mutex);
	mutex_lock(&ftrace_lock);
	list_splice_init(&stopping, &gone);
	hlist_move_list(&forgotten, &sites);
	mutex_unlock(&ftrace_lock);

	wait = !hlist_empty(&sites);
	list_for_each_entry(command, &gone, list)
		wait |= command->wait;
	if (wait)
		wait_for_calls();
	hlist_for_each_entry_safe(site, after, &sites, gone)
		kfree(site);
	list_for_each_entry_safe(command, next, &gone, list) {
		trace_action_stop(&command->use);
		kfree(command);
	}
}

static void stop_later(struct work_struct *work)
{
	guard(mutex)(&event_mutex);
	ftrace_commands_stop();
}

static DECLARE_WORK(stop_work, stop_later);

static void sites_free(struct hlist_head *gone)
{
	struct probe_site *site;
	struct hlist_node *next;

	hlist_for_each_entry_safe(site, next, gone, gone) {
		command_put(site->command, false);
		kfree(site);
	}
}

/* The ops' filter is the functions in @probe->sites, of which some are new. */
static int probe_refilter(struct ftrace_probe *probe)
{
	struct ftrace_hash *hash = ftrace_hash_alloc(probe->count);
	struct probe_site *site;
	int i, ret = 0;

	if (!hash)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(probe->sites); i++) {
		hlist_for_each_entry(site, &probe->sites[i], node)
			ret = ret ?: ftrace_hash_add(hash, site->ip);
	}
	if (ret) {
		ftrace_hash_free(hash);
		return ret;
	}
	return ftrace_hash_install(&probe->ops, hash, false);
}

static void probe_unlink(struct ftrace_probe *probe, struct probe_site *site,
			 struct hlist_head *gone)
{
	hlist_del_rcu(&site->node);
	probe->count--;
	hlist_add_head(&site->gone, gone);
}

/* 0, or an error and nothing has changed. ftrace_lock */
static int probe_add(struct trace_function *fn, struct command *command,
		     const struct ftrace_pattern *pattern)
{
	struct ftrace_probe *probe = probe_find(fn, command->use.action);
	struct ftrace_hash *hash = ftrace_match_all(pattern, NULL);
	struct probe_site *site;
	bool fresh = !probe;
	unsigned long ip;
	unsigned int i;
	int ret;

	if (IS_ERR(hash))
		return PTR_ERR(hash);
	if (!hash->count) {
		ret = -EINVAL;
		goto out;
	}
	if (fresh) {
		probe = kvzalloc(sizeof(*probe), GFP_KERNEL);
		if (!probe) {
			ret = -ENOMEM;
			goto out;
		}
		probe->fn = fn;
		probe->action = command->use.action;
		probe->ops.func = probe_call;
		probe->ops.flags = FTRACE_OPS_FL_RECURSION;
		ftrace_ops_init(&probe->ops);
		list_add_tail(&probe->list, &fn->probes);
	}

	ret = 0;
	for_each_ftrace_hash_ip(ip, hash, i) {
		cond_resched();
		if (ret || site_find(probe, ip, &command->use))
			continue;
		site = kzalloc(sizeof(*site), GFP_KERNEL);
		if (!site) {
			ret = -ENOMEM;
			continue;
		}
		site->ip = ip;
		site->command = command;
		site->use = command->use;
		hlist_add_head_rcu(&site->node, sites_of(probe, ip));
		probe->count++;
		command->sites++;
	}
	/* all of them have it already */
	if (!ret && !command->sites)
		ret = -EINVAL;
	if (!ret)
		ret = probe_refilter(probe);
	if (!ret && fresh)
		ret = ftrace_startup(&probe->ops);
	if (ret) {
		HLIST_HEAD(gone);
		struct hlist_node *next;

		/* The caller is to stop the command, so it does not go where others do. */
		command->sites++;
		for (i = 0; i < ARRAY_SIZE(probe->sites); i++) {
			hlist_for_each_entry_safe(site, next, &probe->sites[i], node) {
				if (site->command == command)
					probe_unlink(probe, site, &gone);
			}
		}
		wait_for_calls();
		sites_free(&gone);
		command->sites--;
		if (fresh) {
			ftrace_hash_install(&probe->ops, NULL, false);
			list_del(&probe->list);
			/* as in probe_del() */
			if (!ftrace_text_stuck)
				kvfree(probe);
		}
	}
out:
	ftrace_hash_free(hash);
	return ret;
}

/*
 * Take the command from the functions that @pattern means, NULL: from all. Of those that a
 * function has several times it is the one with the parameter of @use. It needs no
 * memory. Return: how many they were. ftrace_lock
 */
static int probe_del(struct ftrace_probe *probe, const struct ftrace_pattern *pattern,
		     const struct trace_action_use *use)
{
	static char name[KSYM_NAME_LEN];	/* ftrace_lock */
	struct probe_site *site;
	struct hlist_node *next;
	unsigned long size, offset;
	HLIST_HEAD(gone);
	int i, n = 0, ret = 0;
	char *module;

	for (i = 0; i < ARRAY_SIZE(probe->sites); i++) {
		cond_resched();
		hlist_for_each_entry_safe(site, next, &probe->sites[i], node) {
			if (pattern &&
			    (!use_same(&site->use, use) ||
			     !kallsyms_lookup(site->ip, &size, &offset, &module, name) ||
			     !ftrace_pattern_match(pattern, name, strlen(name))))
				continue;
			probe_unlink(probe, site, &gone);
			if (!site_find(probe, site->ip, NULL))
				ftrace_hash_del(ftrace_ops_filter(&probe->ops), site->ip);
			n++;
		}
	}
	if (!n && (pattern || probe->count))
		return 0;
	if (probe->count)
		ftrace_filter_reduced(&probe->ops);
	else
		ret = ftrace_shutdown_nosync(&probe->ops);
	if (probe->count)
		wait_for_calls();	/* it stays */
	else
		ftrace_ops_sync();
	sites_free(&gone);
	if (!probe->count) {
		ftrace_hash_install(&probe->ops, NULL, false);
		list_del(&probe->list);
		ftrace_ops_drop_trampoline(&probe->ops);
		/* Text that cannot be written calls it for ever, and it finds no site. */
		if (!ret)
			kvfree(probe);
	}
	return n;
}

/* What stands behind the name. What is wrong of it is @at. event_mutex */
static int parse(struct trace_action_use *use, char *param, bool not, const char **at)
{
	struct trace_action_text text = { .at = param };
	int ret;

	if (!use->action->parse && param && !*param)
		text.at = NULL;
	if (not) {
		ret = trace_action_parse_own(use, NULL, &text);
		/* also as the file shows it */
		trace_action_set_count(use, text.at && strcmp(text.at, "unlimited") ?
					    0 : TRACE_ACTION_UNLIMITED);
	} else {
		ret = trace_action_parse(use, NULL, &text);
	}
	if (!ret && !not && (text.at || atomic_long_read(&use->left) < TRACE_ACTION_UNLIMITED)) {
		text.bad = text.at;
		ret = -EINVAL;
	}
	if (ret)
		*at = text.bad ?: param ?: *at;
	return ret == -ERANGE ? -EINVAL : ret;
}

static int command_add(struct trace_function *fn, const struct trace_action_use *use,
		       const struct ftrace_pattern *pattern)
{
	struct command *command = kzalloc(sizeof(*command), GFP_KERNEL);
	int ret;

	if (!command)
		return -ENOMEM;
	command->use = *use;
	ret = trace_action_start(&command->use);
	if (ret) {
		kfree(command);
		return ret;
	}
	mutex_lock(&ftrace_lock);
	ret = ftrace_disabled ? -ENODEV : probe_add(fn, command, pattern);
	mutex_unlock(&ftrace_lock);
	if (ret) {
		trace_action_stop(&command->use);
		kfree(command);
	}
	return ret;
}

/* Is there a function from which a word of this kind could take it? */
static bool any_has(struct ftrace_probe *probe, const struct trace_action_use *use)
{
	bool limit = trace_action_has_limit(use);
	struct probe_site *site;

	for (int i = 0; i < ARRAY_SIZE(probe->sites); i++) {
		cond_resched();
		hlist_for_each_entry(site, &probe->sites[i], node)
			if (trace_action_has_limit(&site->use) == limit)
				return true;
	}
	return false;
}

static int command_del(struct trace_function *fn, const struct trace_action_use *use,
		       const struct ftrace_pattern *pattern)
{
	struct ftrace_probe *probe;
	int ret;

	mutex_lock(&ftrace_lock);
	probe = probe_find(fn, use->action);
	if (ftrace_disabled || !probe || !any_has(probe, use))
		ret = -ENODEV;
	else
		ret = probe_del(probe, pattern, use) ? 0 : -EINVAL;
	mutex_unlock(&ftrace_lock);
	ftrace_commands_stop();
	return ret;
}

/*
 * FUNC:NAME[:PARAM] was written; all of it is changed. Task, takes event_mutex and ftrace_lock.
 *
 * An error about a part of it is told of in @at.
 *
 * Return: 0; -EINVAL for a command that is not known, a parameter it does not take, or when no
 * function matches, all have it, or none of those that match has it that is to lose it; -ENODEV
 * when none at all has it; -EBUSY; -ENOMEM.
 */
int ftrace_command_run(struct trace_function *fn, char *func, char *name, char *param,
		       const char **at)
{
	struct trace_action_use use = { .tr = fn->shared.tr };
	struct ftrace_pattern pattern;
	int ret;

	use.action = trace_action_find(name, TRACE_ACTION_FUNCTION);
	if (!use.action) {
		*at = name;
		return -EINVAL;
	}
	ftrace_pattern_parse(func, &pattern);
	/* It may record, or what it starts may, from any context. */
	if (!pattern.not) {
		ret = use.action->start ? tracing_update_buffers(use.tr) : trace_array_use(use.tr);
		if (ret)
			return ret;
	}
	guard(mutex)(&event_mutex);
	ret = parse(&use, param, pattern.not, at);
	if (ret)
		return ret;
	return pattern.not ? command_del(fn, &use, &pattern) : command_add(fn, &use, &pattern);
}

void ftrace_commands_show(struct trace_function *fn, struct ftrace_text *text)
{
	struct ftrace_probe *probe;
	struct probe_site *site;
	int i;

	list_for_each_entry(probe, &fn->probes, list) {
		for (i = 0; i < ARRAY_SIZE(probe->sites); i++) {
			hlist_for_each_entry(site, &probe->sites[i], node) {
				DECLARE_SEQ_BUF(words, 256);

				trace_action_show(&site->use, &words);
				ftrace_text_printf(text, "%ps:%s\n", (void *)site->ip,
						   seq_buf_str(&words));
			}
		}
	}
}

/* ftrace_lock; ftrace_commands_stop() has to follow */
void ftrace_commands_free(struct trace_function *fn)
{
	struct ftrace_probe *probe, *next;

	list_for_each_entry_safe(probe, next, &fn->probes, list)
		probe_del(probe, NULL, NULL);
}

/* The text is gone, its sites with it; the caller rewrites filters. */
void ftrace_commands_forget(struct trace_function *fn, unsigned long start, unsigned long end)
{
	struct ftrace_probe *probe;
	struct probe_site *site;
	struct hlist_node *next;
	int i;

	list_for_each_entry(probe, &fn->probes, list) {
		for (i = 0; i < ARRAY_SIZE(probe->sites); i++) {
			hlist_for_each_entry_safe(site, next, &probe->sites[i], node) {
				if (site->ip < start || site->ip >= end)
					continue;
				hlist_del_rcu(&site->node);
				probe->count--;
				command_put(site->command, true);
				hlist_add_head(&site->gone, &forgotten);
				schedule_work(&stop_work);
			}
		}
	}
}
