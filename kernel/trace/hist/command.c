// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hist trigger is set, changed and removed: what is written to `trigger` behind "hist:".
 *
 *	who writes (event_mutex)			a hit (preemption off)
 *
 *	fields, references, actions, map
 *	actions get what they need
 *	into the list of the instance
 *	the trigger onto the event			not counted yet
 *	the clock					entry, sums, variables, actions
 *	off the event, wait
 *	out of the list; references of others
 *	lead nowhere, and wait, if there are any
 *	actions give back, free
 */
#include <linux/err.h>
#include <linux/init.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "internal.h"

static struct trace_action hist_action;

static bool same_condition(const struct hist *hist, const char *condition)
{
	return !strcmp(hist->trigger->condition, condition ?: "");
}

static bool is_same(const struct hist_parse *p, const struct hist *hist)
{
	return hist_same_text(hist->name, p->hist->name) &&
	       hist_same_fields(hist, p->hist) && same_condition(hist, p->params.condition);
}

/* The hist on the event that is like the one that was made. */
static struct hist *find_same(struct hist_parse *p)
{
	struct event_trigger *trigger;

	for_each_event_trigger(trigger, p->file) {
		if (trigger->use.action == &hist_action && !trigger->leaving &&
		    is_same(p, trigger->use.data))
			return trigger->use.data;
	}
	return NULL;
}

/*
 * Is it @hist that the words describe? What they say of variables means what @hist reads: what it
 * would mean now depends on who has set such variables since. 1, 0 or -ENOMEM.
 */
static int is_meant(struct hist_parse *p, const struct hist *hist)
{
	int ret;

	p->compares = true;
	p->like = hist;
	ret = PTR_ERR_OR_ZERO(hist_make(p));
	if (!ret) {
		ret = is_same(p, hist);
		hist_free(p->hist);
	} else if (ret != -ENOMEM) {
		ret = 0;
	}
	p->compares = false;
	p->like = NULL;
	return ret;
}

/* @found: the trigger of the hist that the words describe, or NULL. */
static int find_meant(struct hist_parse *p, struct event_trigger **found)
{
	struct event_trigger *trigger;

	*found = NULL;
	for_each_event_trigger(trigger, p->file) {
		int ret;

		if (trigger->use.action != &hist_action)
			continue;
		ret = is_meant(p, trigger->use.data);
		if (ret > 0)
			*found = trigger;
		if (ret)
			return min(ret, 0);
	}
	return 0;
}

static struct hist *find_named(struct hist_parse *p)
{
	struct hist *hist;

	if (!p->hist->name)
		return NULL;
	list_for_each_entry(hist, &hists_of(p->tr)->hists, list) {
		if (hist->name && !strcmp(hist->name, p->hist->name))
			return hist;
	}
	return NULL;
}

/* --- pause, continue, clear */

static void set_emptied(struct hist *hist, bool emptied)
{
	struct hist *other;

	/* all that share the map stand still */
	list_for_each_entry(other, &hists_of(hist->tr)->hists, list)
		if (other->map == hist->map)
			assign_bit(HIST_EMPTIED_BIT, &other->state, emptied);
}

/* A bit of its own, as enable_hist of another event may say meanwhile that it goes on. */
static void hist_clear(struct hist *hist)
{
	struct hist *other;

	set_emptied(hist, true);
	tracepoint_synchronize_unregister();
	hist_map_clear(hist->map, tracepoint_synchronize_unregister);
	list_for_each_entry(other, &hists_of(hist->tr)->hists, list)
		if (other->map == hist->map)
			hist_actions_clear(other);
	/* who sees the bit gone shall see nothing of what was there before */
	tracepoint_synchronize_unregister();
	set_emptied(hist, false);
	hist_poll_wake();	/* there are fewer hits than were read */
}

static bool wants_change(const struct hist_parse *p)
{
	return p->params.pause || p->params.cont || p->params.clear;
}

static void hist_change(const struct hist_parse *p, struct hist *hist)
{
	if (p->params.pause)
		set_bit(HIST_PAUSED_BIT, &hist->state);
	else if (p->params.cont)
		clear_bit(HIST_PAUSED_BIT, &hist->state);
	else
		hist_clear(hist);
}

/* --- setting */

static int set_clock(struct hist_parse *p)
{
	struct hist *hist = p->hist;
	int ret;

	/* whom a helper is made for may yet be refused, and then nothing has changed */
	if (p->is_helper || !(hist->nr_times || p->helper_times) ||
	    !strcmp(trace_clocks[READ_ONCE(p->tr->clock_id)].name, hist->clock))
		return 0;
	ret = tracing_set_clock(p->tr, hist->clock);
	if (ret)
		hist_refuse(p, HIST_ERR_SET_CLOCK_FAIL, hist->clock);
	return ret;
}

static int set_map(struct hist_parse *p)
{
	struct hist *named = find_named(p), *hist = p->hist;

	if (named && !hist_same_fields(named, hist))
		return hist_refuse(p, HIST_ERR_NAMED_MISMATCH, "name=");
	if (named) {
		hist_map_get(named->map);
		hist->map = named->map;
	} else {
		hist->map = hist_map_create(hist->size_bits, hist->key_words, hist->nr_values,
					    hist->data_bytes, hist->keeps_comm);
	}
	if (!hist->map)
		return -ENOMEM;
	hist->vars_from = hist->map->data + hist->vars_at;
	return 0;
}

static struct event_trigger *make_trigger(struct hist_parse *p)
{
	struct event_trigger *trigger = event_trigger_alloc(p->file, p->params.condition);

	if (IS_ERR(trigger))
		return trigger;
	trigger->use.action = &hist_action;
	trigger->use.tr = p->tr;
	trigger->use.data = p->hist;
	trigger->hook.run = p->hist->state == HIST_COUNTS ? hist_hit : hist_hit_more;
	atomic_long_set(&trigger->use.left, TRACE_ACTION_UNLIMITED);
	return trigger;
}

/* The hist is the trigger's when this returns 0; else it is @p's, or gone with @p->hist NULL. */
static int hist_set(struct hist_parse *p)
{
	struct hist *hist = p->hist;
	struct event_trigger *trigger = make_trigger(p);
	int ret;

	if (IS_ERR(trigger))
		return PTR_ERR(trigger);
	ret = hist_hit_init() ?: set_map(p) ?: hist_actions_start(hist);
	/* there is another snapshot() in the instance, or there are none in this kernel */
	if (ret == -EBUSY || ret == -ENODEV)
		hist_refuse(p, HIST_ERR_REFUSED, NULL);
	if (ret)
		goto fail;
	hist->trigger = trigger;
	hist->is_helper = p->is_helper;
	assign_bit(HIST_PAUSED_BIT, &hist->state, p->params.pause);
	/* not to be hit before all is well */
	set_bit(HIST_EMPTIED_BIT, &hist->state);
	list_add_tail(&hist->list, &hists_of(p->tr)->hists);
	ret = event_trigger_add(trigger);
	if (ret) {
		list_del_init(&hist->list);
		hist_actions_stop(hist);
		if (ret != -ENOMEM)
			hist_refuse(p, HIST_ERR_REFUSED, NULL);
		goto fail;
	}
	/* it empties the buffer: the last that may be refused */
	ret = set_clock(p);
	if (!ret) {
		clear_bit(HIST_EMPTIED_BIT, &hist->state);
		return 0;
	}
	p->hist = NULL;		/* it goes with the trigger */
	event_trigger_remove(trigger);
	return ret;
fail:
	event_trigger_free(trigger);
	return ret;
}

/* What is not there is no error, but what could never have been there is. */
static int remove_none(struct hist_parse *p)
{
	int ret;

	p->compares = true;
	ret = PTR_ERR_OR_ZERO(hist_make(p));
	if (!ret)
		hist_free(p->hist);
	return ret;
}

static int remove_meant(struct hist_parse *p)
{
	struct event_trigger *trigger;
	const struct hist *hist;
	int ret = find_meant(p, &trigger);

	if (ret)
		return ret;
	if (!trigger)
		return remove_none(p);
	/* it goes with what is written now */
	if (trigger->leaving)
		return 0;
	hist = trigger->use.data;
	if (hist->nr_users) {
		hist_refuse(p, HIST_ERR_IN_USE, NULL);
		return -EBUSY;
	}
	event_trigger_remove(trigger);
	return 0;
}

static int set_new(struct hist_parse *p)
{
	int ret = PTR_ERR_OR_ZERO(hist_make(p));

	if (ret)
		return ret;
	if (find_same(p)) {
		hist_refuse(p, HIST_ERR_TRIGGER_EEXIST, NULL);
		ret = -EEXIST;
	} else if (p->params.cont || p->params.clear) {
		hist_refuse(p, HIST_ERR_TRIGGER_ENOENT_CLEAR, NULL);
		ret = -ENOENT;
	} else {
		ret = hist_set(p);
		if (!ret)
			return 0;
	}
	hist_free(p->hist);
	return ret;
}

static int set_or_change(struct hist_parse *p)
{
	struct event_trigger *trigger;
	int ret;

	if (!wants_change(p))
		return set_new(p);
	ret = find_meant(p, &trigger);
	if (ret)
		return ret;
	/* one that goes with what is written now is not changed any more */
	if (!trigger || trigger->leaving)
		return set_new(p);
	hist_change(p, trigger->use.data);
	return 0;
}

static int do_command(struct trace_event_file *file, char *text, bool remove, bool is_helper)
{
	struct hist_parse *p;
	int ret;

	lockdep_assert_held(&event_mutex);
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	p->file = file;
	p->tr = file->tr;
	p->is_helper = is_helper;
	p->command = kasprintf(GFP_KERNEL, "hist:%s", text);
	ret = p->command ? hist_params_parse(p, text) : -ENOMEM;
	if (!ret)
		ret = remove ? remove_meant(p) : set_or_change(p);
	kfree(p->command);
	kfree(p);
	return ret;
}

/**
 * hist_command - do what was written about a hist
 * @file: the event in an instance
 * @text: the command without "hist:"; it is cut up
 * @remove: it began with !
 *
 * What is refused is told to error_log, and changes nothing. To remove what is not there is no
 * error.
 *
 * Context: task, event_mutex.
 * Return: 0; -EINVAL; -EDOM: it divides by zero; -EEXIST: there is such a hist; -ENOENT: there is
 * none; -EBUSY: others read its variables; -ENOMEM; or what the filter says.
 */
int hist_command(struct trace_event_file *file, char *text, bool remove)
{
	return do_command(file, text, remove, false);
}

/**
 * hist_helper_command - set a hist that an action needs
 * @file: the event in an instance
 * @text: the command without "hist:"; it is cut up
 *
 * It leaves the clock to the hist that it is made for.
 *
 * Context: task, event_mutex.
 * Return: as hist_command().
 */
int hist_helper_command(struct trace_event_file *file, char *text)
{
	return do_command(file, text, false, true);
}

/* --- what the room trigger/ calls */

/* Nobody hits it any more. */
static void hist_release(struct trace_action_use *use)
{
	struct hist *hist = use->data;

	list_del_init(&hist->list);
	hist_refs_cut(hist);
	hist_actions_stop(hist);
	hist_free(hist);
	hist_poll_wake();
}

/* A variable of it is read, if not @here by an event that keeps its triggers. */
static bool hist_busy(const struct trace_action_use *use, bool here)
{
	const struct hist *hist = use->data, *reader;

	if (here)
		return hist->nr_users;
	list_for_each_entry(reader, &hists_of(hist->tr)->hists, list) {
		if (reader->file == hist->file)
			continue;
		for (unsigned int i = 0; i < reader->nr_refs; i++) {
			if (reader->refs[i].hist == hist)
				return true;
		}
	}
	return false;
}

/* What looks for hists by name, variable or keys looks in the list of the instance. */
static void hist_hide(struct trace_action_use *use, bool hidden)
{
	struct hist *hist = use->data;

	if (hidden) {
		hist->before = hist->list.prev;
		list_move_tail(&hist->list, &hists_of(hist->tr)->leaving);
	} else {
		list_move(&hist->list, hist->before);
	}
}

static u8 hist_reads(const struct trace_action_use *use)
{
	const struct hist *hist = use->data;

	return (hist->needs_header ? EVENT_HOOK_HEADER : 0) |
	       (hist->nr_times ? EVENT_HOOK_TIME : 0);
}

static void hist_show(struct seq_file *m, const struct trace_action_use *use)
{
	hist_show_line(m, use->data);
}

static struct trace_action hist_action = {
	.name		= "hist",
	.flags		= TRACE_ACTION_EVENT | TRACE_ACTION_RECORD | TRACE_ACTION_REPLACED,
	.type		= ETT_EVENT_HIST,
	.command	= hist_command,
	.hit		= hist_hit,
	.reads		= hist_reads,
	.busy		= hist_busy,
	.release	= hist_release,
	.hide		= hist_hide,
	.print		= hist_show,
};

void __init hist_triggers_register(void)
{
	/* in the order in which they have always been listed */
	hist_switches_register();
	trace_actions_register(&hist_action, 1);
}
