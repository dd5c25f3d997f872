// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event probes: an event that happens when another one does, with what that one's record tells.
 *
 *	e[:[GROUP/][EVENT]] SYSTEM.EVENT [ARGUMENTS] [if FILTER]
 *
 * One that is on in an instance hangs on the other event there, as a trigger does. For perf, which
 * has no instance, it hangs on that in the top one.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../events/events.h"
#include "../filter/filter.h"
#include "../trigger/trigger.h"
#include "command.h"
#include "probe.h"
#include "probe_hit.h"

/**
 * struct eprobe - an event on another one
 * @probe:	its line
 * @attached:	the other event, of which it has a reference
 * @system:	that one's system
 * @name:	and name
 * @condition:	text of @filter, NULL for none
 * @filter:	which of the other event's records make it happen, NULL: all
 * @hooks:	struct eprobe_hook; event_mutex
 * @for_perf:	the one that perf counts, NULL while it does not. event_mutex
 */
struct eprobe {
	struct probe		probe;
	struct trace_event_call	*attached;
	char			*system;
	char			*name;
	char			*condition;
	struct event_filter	*filter;
	struct list_head	hooks;
	struct eprobe_hook	*for_perf;
};

/* Where it is on: it hangs on @source, and records for @file; NULL: for perf. */
struct eprobe_hook {
	struct event_trigger_hook	hook;
	struct list_head		list;
	struct eprobe			*eprobe;
	struct trace_event_file		*source;
	struct trace_event_file		*file;
};

static struct eprobe *eprobe_of(const struct probe *p)
{
	return container_of(p, struct eprobe, probe);
}

/* --- hits */

static bool passes(const struct event_trigger_hook *hook, void *rec)
{
	const struct eprobe_hook *eh = container_of(hook, struct eprobe_hook, hook);

	return filter_match_preds(eh->eprobe->filter, rec);
}

static void eprobe_hit(struct event_trigger_hook *hook, void *rec, u64 time)
{
	struct eprobe_hook *eh = container_of(hook, struct eprobe_hook, hook);
	struct probe *p = &eh->eprobe->probe;
	struct probe_source src = { .record = rec };

	if (!rec)
		return;
	if (likely(probe_moves(p)))
		probe_record_moves(p, eh->file, NULL, 0, NULL, NULL, rec);
	else
		probe_record_file(p, &src, NULL, NULL, eh->file);
}

static void eprobe_print_head(struct trace_iterator *iter, int flags, const struct probe_event *e,
			      const unsigned long *head)
{
	const struct eprobe *ep = e->private;

	trace_seq_printf(&iter->seq, "(%s.%s)", ep->system, ep->name);
}

/* --- switching */

/* It happens where the other event does in @tr, and @run is what it does. event_mutex */
static struct eprobe_hook *hang(struct eprobe *ep, struct trace_array *tr,
				struct trace_event_file *file,
				void (*run)(struct event_trigger_hook *hook, void *rec, u64 time))
{
	struct trace_event_file *source = find_event_file(tr, ep->system, ep->name);
	struct eprobe_hook *eh;
	int ret;

	if (!source)
		return ERR_PTR(-ENOENT);
	eh = kzalloc(sizeof(*eh), GFP_KERNEL);
	if (!eh)
		return ERR_PTR(-ENOMEM);
	eh->eprobe = ep;
	eh->source = source;
	eh->file = file;
	eh->hook.wants_record = true;
	eh->hook.reads = EVENT_HOOK_HEADER;
	eh->hook.passes = ep->filter ? passes : NULL;
	eh->hook.run = run;
	ret = event_hook_add(source, &eh->hook);
	if (!ret)
		return eh;
	kfree(eh);
	return ERR_PTR(ret);
}

static void unhang(struct eprobe_hook *eh)
{
	event_hook_remove(eh->source, &eh->hook);
	kfree(eh);
}

static int eprobe_file_arm(struct probe_event *e, struct trace_event_file *file)
{
	struct eprobe *ep = e->private;
	struct eprobe_hook *eh = hang(ep, file->tr, file, eprobe_hit);

	if (IS_ERR(eh))
		return PTR_ERR(eh);
	list_add(&eh->list, &ep->hooks);
	return 0;
}

static void eprobe_file_disarm(struct probe_event *e, struct trace_event_file *file)
{
	struct eprobe *ep = e->private;
	struct eprobe_hook *eh;

	list_for_each_entry(eh, &ep->hooks, list) {
		if (eh->file != file)
			continue;
		list_del(&eh->list);
		unhang(eh);
		return;
	}
}

#ifdef CONFIG_PERF_EVENTS
static void eprobe_perf_hit(struct event_trigger_hook *hook, void *rec, u64 time)
{
	const struct eprobe_hook *eh = container_of(hook, struct eprobe_hook, hook);
	struct probe_source src = { .record = rec };
	struct pt_regs regs = { };

	if (!rec)
		return;
	perf_fetch_caller_regs(&regs);
	probe_record_perf(&eh->eprobe->probe, &src, NULL, &regs);
}

/* perf has come, or gone, or it is about an instance. */
static int eprobe_users_changed(struct probe_event *e, unsigned int before)
{
	struct eprobe *ep = e->private;
	struct eprobe_hook *eh;
	bool wanted = e->users & PROBE_FOR_PERF;

	if (wanted == !!ep->for_perf)
		return 0;
	if (!wanted) {
		unhang(ep->for_perf);
		ep->for_perf = NULL;
		return 0;
	}
	eh = hang(ep, &global_trace, NULL, eprobe_perf_hit);
	if (IS_ERR(eh))
		return PTR_ERR(eh);
	ep->for_perf = eh;
	return 0;
}

static int eprobe_arm(struct probe *p)
{
	return eprobe_users_changed(p->event, 0);
}

static void eprobe_disarm(struct probe *p)
{
	eprobe_users_changed(p->event, 0);
}
#endif

static int eprobe_install(struct probe *p, const struct dyn_command *cmd)
{
	int ret;

	p->event->private = eprobe_of(p);
	ret = probe_update_symbols(p);
	return ret ? dyn_command_error(cmd, cmd->argv[0], PROBE_ERR_FAIL_REG_PROBE, ret) : 0;
}

static struct probe_kind eprobe_kind;

/* --- coming and going */

/* No lock, or event_mutex; its probe is freed already. */
static void eprobe_destroy(struct eprobe *ep)
{
	if (ep->attached)
		trace_event_put_ref(ep->attached);
	event_filter_free(ep->filter);
	kfree(ep->condition);
	kfree(ep->system);
	kfree(ep->name);
	kfree(ep);
}

#define NOT_ATTACHED_TO	(TRACE_EVENT_FL_IGNORE_ENABLE | TRACE_EVENT_FL_UPROBE |	\
			 TRACE_EVENT_FL_EPROBE)

/* -ENODEV: there is no such event, or none that can be attached to */
static int eprobe_attach(struct eprobe *ep)
{
	struct trace_event_call *call;

	guard(mutex)(&event_mutex);
	call = trace_event_find_call(ep->system, ep->name);
	if (!call || !event_can_be_enabled(call) || call->flags & NOT_ATTACHED_TO ||
	    !event_try_get(call))
		return -ENODEV;
	ep->attached = call;
	return 0;
}

/* Words from @word on are the filter. */
static int parse_filter(struct eprobe *ep, const struct dyn_command *cmd, int word)
{
	const char *from;

	if (word == cmd->argc)
		return dyn_command_error(cmd, cmd->copy + strlen(cmd->text) + 1,
					 PROBE_ERR_NO_EP_FILTER, -EINVAL);
	from = cmd->text + (cmd->argv[word] - cmd->copy);
	ep->condition = kstrdup(from, GFP_KERNEL);
	if (!ep->condition)
		return -ENOMEM;
	guard(mutex)(&event_mutex);
	return event_filter_create(&global_trace, ep->attached, ep->condition, &ep->filter);
}

static int filter_word(const struct dyn_command *cmd)
{
	for (int i = 2; i < cmd->argc; i++)
		if (!strcmp(cmd->argv[i], "if"))
			return i;
	return 0;
}

/* The rest of the command, which names the event that it is attached to. */
static int eprobe_parse(struct eprobe *ep, struct dyn_command *cmd, const char *group,
			const char *event)
{
	struct probe_parse ctx = {
		.cmd	= cmd,
		.at	= PROBE_KERNEL | PROBE_ATTACHED,
	};
	int word = filter_word(cmd), argc = cmd->argc, ret;

	ret = eprobe_attach(ep);
	if (ret)
		return dyn_command_error(cmd, cmd->argv[1], PROBE_ERR_BAD_ATTACH_EVENT, ret);
	if (word) {
		ret = parse_filter(ep, cmd, word + 1);
		if (ret)
			return ret;
		cmd->argc = word;
	}
	ctx.attached = ep->attached;
	ret = probe_init(&ep->probe, &eprobe_kind, ctx.at, group, event ?: ep->name) ?:
	      probe_parse_args(&ep->probe, &ctx, 2) ?:
	      probe_add(&ep->probe, cmd, 2);
	cmd->argc = argc;
	return ret;
}

static int eprobe_create(struct dyn_command *cmd)
{
	char *word = (char *)cmd->argv[0], *colon, *group = NULL, *event = NULL;
	char *system = NULL, *name = NULL;
	struct eprobe *ep;
	int ret = 0;

	colon = strchr(word, ':');
	if (colon)
		ret = probe_parse_name(cmd, colon + 1, &group, &event);
	if (ret)
		return ret;
	ret = probe_parse_name(cmd, (char *)cmd->argv[1], &system, &name);
	if (ret || !system || !name)
		return dyn_command_error(cmd, cmd->argv[1], PROBE_ERR_NO_EVENT_INFO, -EINVAL);

	ep = kzalloc(sizeof(*ep), GFP_KERNEL);
	if (!ep)
		return -ENOMEM;
	INIT_LIST_HEAD(&ep->hooks);
	ep->system = kstrdup(system, GFP_KERNEL);
	ep->name = kstrdup(name, GFP_KERNEL);
	ret = ep->system && ep->name ? eprobe_parse(ep, cmd, group, event) : -ENOMEM;
	if (ret) {
		probe_destroy(&ep->probe);
		eprobe_destroy(ep);
	}
	return ret;
}

static void show_type(struct seq_file *m, const struct probe *p)
{
	seq_putc(m, 'e');
}

static void show_place(struct seq_file *m, const struct probe *p)
{
	seq_printf(m, "%s.%s", eprobe_of(p)->system, eprobe_of(p)->name);
}

static bool is_attached_to(const struct probe *p, const char *word)
{
	const struct eprobe *ep = eprobe_of(p);
	size_t len = strlen(ep->system);

	return !strncmp(word, ep->system, len) && (word[len] == '/' || word[len] == '.') &&
	       !strcmp(word + len + 1, ep->name);
}

static void eprobe_free(struct dyn_event *ev)
{
	struct eprobe *ep = eprobe_of(probe_of(ev));

	probe_free(&ep->probe);
	eprobe_destroy(ep);
}

static struct probe_kind eprobe_kind = {
	.dyn		= { .free = eprobe_free },
	.letters	= "e",
	.loc		= "event_probe",
	.group		= "eprobes",
	.create		= eprobe_create,
	.show_type	= show_type,
	.show_place	= show_place,
	.is_at		= is_attached_to,
	.headless	= true,
	.print_head	= eprobe_print_head,
	.install	= eprobe_install,
	.file_arm	= eprobe_file_arm,
	.file_disarm	= eprobe_file_disarm,
#ifdef CONFIG_PERF_EVENTS
	.arm		= eprobe_arm,
	.disarm		= eprobe_disarm,
	.users_changed	= eprobe_users_changed,
#endif
	.call_flag	= TRACE_EVENT_FL_EPROBE,
};

PROBE_KIND_INITCALL(eprobe_kind);
