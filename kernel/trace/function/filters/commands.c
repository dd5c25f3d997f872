// SPDX-License-Identifier: GPL-2.0-only
/*
 * Function commands: FUNC:COMMAND[:...][:COUNT] in set_ftrace_filter does something when a
 * function is called. !FUNC:COMMAND takes it away.
 *
 * An instance has one probe for each command that is used in it: an ops whose filter is
 * its functions. What a function's command needs to know, first of all how often it
 * may still run, is found by address at the time of the call.
 */
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../sites/sites.h"
#include "filters.h"
#include "instances.h"
#include "../../instance/text.h"

#define PROBE_HASH_BITS	6

/* A function with the command. */
struct probe_site {
	struct hlist_node	node;
	struct hlist_node	gone;		/* going, while others walk over @node */
	struct rcu_head		rcu;
	unsigned long		ip;
	atomic_long_t		left;		/* calls, or -1 for no limit */
	void			*data;
};

struct ftrace_probe {
	struct ftrace_ops		ops;
	struct list_head		list;
	struct trace_function		*fn;
	struct ftrace_probe_type	*type;
	unsigned int			count;
	struct hlist_head		sites[1 << PROBE_HASH_BITS];
};

static LIST_HEAD(commands);	/* ftrace_lock; never removed from */

void ftrace_register_command(struct ftrace_probe_type *type)
{
	mutex_lock(&ftrace_lock);
	list_add(&type->list, &commands);
	mutex_unlock(&ftrace_lock);
}

static struct probe_site *site_find(struct ftrace_probe *probe, unsigned long ip)
{
	struct probe_site *site;

	hlist_for_each_entry_rcu(site, &probe->sites[hash_long(ip, PROBE_HASH_BITS)], node, true) {
		if (site->ip == ip)
			return site;
	}
	return NULL;
}

/*
 * A command that makes itself idle, on several CPUs at the same time: all that read the
 * same count may run it, which is the same as once, and one of them takes the count down. Who
 * reads the new count sees the command idle: the count is read before idle() looks (acquire),
 * and taken down after the call (cmpxchg).
 */
static __always_inline void call_latching(struct ftrace_probe_type *type, struct trace_array *tr,
					  struct probe_site *site, unsigned long ip,
					  unsigned long parent_ip)
{
	long left = atomic_long_read_acquire(&site->left);

	if (!left || type->idle(tr, site->data))
		return;
	type->call(tr, ip, parent_ip, site->data);
	if (left > 0)
		atomic_long_cmpxchg(&site->left, left, left - 1);
}

/* ops::func; RECURSION is set: preemption is off. */
static void notrace probe_call(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct ftrace_probe *probe = container_of(op, struct ftrace_probe, ops);
	struct ftrace_probe_type *type = probe->type;
	struct probe_site *site = site_find(probe, ip);
	struct trace_array *tr;

	if (!site)
		return;
	tr = probe->fn->tr;
	if (type->latches) {
		call_latching(type, tr, site, ip, parent_ip);
		return;
	}
	if (type->idle && type->idle(tr, site->data))
		return;
	if (atomic_long_read(&site->left) >= 0 && atomic_long_dec_if_positive(&site->left) < 0)
		return;
	type->call(tr, ip, parent_ip, site->data);
}

static struct ftrace_probe *probe_find(struct trace_function *fn, struct ftrace_probe_type *type)
{
	struct ftrace_probe *probe;

	list_for_each_entry(probe, &fn->probes, list) {
		if (probe->type == type)
			return probe;
	}
	return NULL;
}

static void site_free(struct ftrace_probe *probe, struct probe_site *site)
{
	if (site->data && probe->type->free)
		probe->type->free(probe->fn->tr, site->data);
	kfree(site);
}

static void sites_free(struct ftrace_probe *probe, struct hlist_head *gone)
{
	struct probe_site *site;
	struct hlist_node *next;

	hlist_for_each_entry_safe(site, next, gone, gone)
		site_free(probe, site);
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

static int probe_add(struct trace_function *fn, struct ftrace_probe_type *type,
		     const struct ftrace_pattern *pattern, char *param)
{
	struct ftrace_probe *probe = probe_find(fn, type);
	struct ftrace_hash *hash = ftrace_hash_alloc(0);
	struct probe_site *site;
	bool fresh = !probe;
	unsigned long ip, count;
	void *data = NULL;
	unsigned int i;
	char *word;
	long left;
	int ret;

	if (!hash)
		return -ENOMEM;
	ret = ftrace_match_records(pattern, NULL, ftrace_match_add, hash);
	if (ret <= 0) {
		ret = ret ?: -EINVAL;
		goto out;
	}
	if (fresh) {
		probe = kzalloc(sizeof(*probe), GFP_KERNEL);
		if (!probe) {
			ret = -ENOMEM;
			goto out;
		}
		probe->fn = fn;
		probe->type = type;
		probe->ops.func = probe_call;
		probe->ops.flags = FTRACE_OPS_FL_RECURSION;
		ftrace_ops_init(&probe->ops);
		list_add_tail(&probe->list, &fn->probes);
	}

	ret = 0;
	for_each_ftrace_hash_ip(ip, hash, i) {
		char *copy = NULL, *at = NULL;

		if (ret || site_find(probe, ip))
			continue;
		if (param) {
			copy = kstrdup(param, GFP_KERNEL);
			at = copy;
			if (!copy) {
				ret = -ENOMEM;
				continue;
			}
		}
		left = -1;
		data = type->parse ? type->parse(fn->tr, &at) : NULL;
		if (IS_ERR(data)) {
			ret = PTR_ERR(data);
			data = NULL;
		} else if (at && *at) {
			word = strsep(&at, ":");
			if (at || kstrtoul(word, 0, &count) || count > LONG_MAX)
				ret = -EINVAL;
			else
				left = count;
		}
		kfree(copy);
		site = ret ? NULL : kzalloc(sizeof(*site), GFP_KERNEL);
		if (!site) {
			ret = ret ?: -ENOMEM;
			if (data && type->free)
				type->free(fn->tr, data);
			continue;
		}
		site->ip = ip;
		site->data = data;
		atomic_long_set(&site->left, left);
		hlist_add_head_rcu(&site->node, &probe->sites[hash_long(ip, PROBE_HASH_BITS)]);
		probe->count++;
	}
	if (!ret)
		ret = probe_refilter(probe);
	if (!ret && fresh)
		ret = ftrace_startup(&probe->ops);
	if (ret) {
		/* Those that are new go again: they are not in the filter that is in force. */
		struct ftrace_hash *in_force = ftrace_ops_filter(&probe->ops);
		HLIST_HEAD(gone);
		struct hlist_node *next;

		for (i = 0; i < ARRAY_SIZE(probe->sites); i++) {
			hlist_for_each_entry_safe(site, next, &probe->sites[i], node) {
				if (fresh || !in_force || !ftrace_hash_has(in_force, site->ip))
					probe_unlink(probe, site, &gone);
			}
		}
		synchronize_rcu();
		sites_free(probe, &gone);
		if (fresh) {
			ftrace_hash_install(&probe->ops, NULL, false);
			list_del(&probe->list);
			/* as in probe_del() */
			if (!ftrace_text_stuck)
				kfree(probe);
		}
	}
out:
	ftrace_hash_free(hash);
	return ret;
}

/*
 * Take the command from the functions that @pattern means, NULL: from all. It needs no
 * memory. Return: how many they were. ftrace_lock
 */
static int probe_del(struct ftrace_probe *probe, const struct ftrace_pattern *pattern)
{
	static char name[KSYM_NAME_LEN];	/* ftrace_lock */
	struct probe_site *site;
	struct hlist_node *next;
	unsigned long size, offset;
	HLIST_HEAD(gone);
	int i, n = 0, ret = 0;
	char *module;

	for (i = 0; i < ARRAY_SIZE(probe->sites); i++) {
		hlist_for_each_entry_safe(site, next, &probe->sites[i], node) {
			if (pattern &&
			    (!kallsyms_lookup(site->ip, &size, &offset, &module, name) ||
			     !ftrace_pattern_match(pattern, name, strlen(name))))
				continue;
			ftrace_hash_del(ftrace_ops_filter(&probe->ops), site->ip);
			probe_unlink(probe, site, &gone);
			n++;
		}
	}
	if (!n && (pattern || probe->count))
		return 0;
	if (probe->count)
		ftrace_filter_reduced(&probe->ops);
	else
		ret = ftrace_shutdown_nosync(&probe->ops);
	ftrace_ops_sync();
	sites_free(probe, &gone);
	if (!probe->count) {
		ftrace_hash_install(&probe->ops, NULL, false);
		list_del(&probe->list);
		ftrace_ops_drop_trampoline(&probe->ops);
		/* Text that cannot be written calls it for ever, and it finds no site. */
		if (!ret)
			kfree(probe);
	}
	return n;
}

/*
 * FUNC:NAME[:PARAM] was written. ftrace_lock.
 *
 * Return: 0; -EINVAL for a command that is not known, a parameter it does not
 * take, or when no function matches or has it; -ENOMEM.
 */
int ftrace_command_run(struct trace_function *fn, char *func, char *name, char *param)
{
	struct ftrace_probe_type *type;
	struct ftrace_pattern pattern;
	struct ftrace_probe *probe;
	int ret;

	list_for_each_entry(type, &commands, list) {
		if (strcmp(type->name, name))
			continue;
		ftrace_pattern_parse(func, &pattern);
		if (!pattern.not)
			return probe_add(fn, type, &pattern, param);
		probe = probe_find(fn, type);
		if (!probe)
			return -EINVAL;
		ret = probe_del(probe, &pattern);
		return ret > 0 ? 0 : ret ?: -EINVAL;
	}
	return -EINVAL;
}

void ftrace_commands_show(struct trace_function *fn, struct ftrace_text *text)
{
	struct ftrace_probe *probe;
	struct probe_site *site;
	long left;
	int i;

	list_for_each_entry(probe, &fn->probes, list) {
		for (i = 0; i < ARRAY_SIZE(probe->sites); i++) {
			hlist_for_each_entry(site, &probe->sites[i], node) {
				ftrace_text_printf(text, "%ps:%s", (void *)site->ip,
						   probe->type->name);
				if (probe->type->show)
					probe->type->show(text, site->data);
				left = atomic_long_read(&site->left);
				if (left < 0)
					ftrace_text_printf(text, ":unlimited\n");
				else
					ftrace_text_printf(text, ":count=%ld\n", left);
			}
		}
	}
}

void ftrace_commands_free(struct trace_function *fn)
{
	struct ftrace_probe *probe, *next;

	list_for_each_entry_safe(probe, next, &fn->probes, list)
		probe_del(probe, NULL);
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
				if (site->data && probe->type->free)
					probe->type->free(fn->tr, site->data);
				kfree_rcu(site, rcu);
			}
		}
	}
}
