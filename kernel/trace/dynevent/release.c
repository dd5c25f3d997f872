// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking away events that were made at run time: by name, with their group, or all of a kind.
 *
 *	-:[GROUP/]EVENT [WORDS]		WORDS: only what was defined with these
 *	-:GROUP/
 *	!X:[GROUP/]EVENT [WORDS]	what defined it, with a ! in front
 *
 * Those that are meant are chosen first. If one of them is in use all stay.
 */
#include <linux/string.h>

#include "../events/events.h"
#include "command.h"
#include "internal.h"

enum release_error {
	RELEASE_NO_NAME,
	RELEASE_NO_EVENT,
	RELEASE_BUSY,
	RELEASE_UNKNOWN,
};

static const char *release_errors[] = {
	[RELEASE_NO_NAME]	= "Which event is to be removed is not said",
	[RELEASE_NO_EVENT]	= "There is no such dynamic event",
	[RELEASE_BUSY]		= "The event is in use",
	[RELEASE_UNKNOWN]	= "No kind of dynamic event begins like this",
};

/*
 * @go: mark those events as going of which every dyn_event is chosen; else mark none. One that is
 * not chosen takes the mark off its event again: hence two passes.
 */
static void calls_go(bool go)
{
	struct dyn_event *ev;

	for_each_dyn_event(ev)
		if (ev->chosen && go)
			event_call_goes(ev->call);
	for_each_dyn_event(ev)
		if (!ev->chosen || !go)
			event_call_stays(ev->call);
}

static bool chosen_are_busy(void)
{
	struct dyn_event *ev;

	for_each_dyn_event(ev)
		if (ev->chosen && ev->kind->is_busy && ev->kind->is_busy(ev))
			return true;
	/* where something remains, that may be what is in use */
	return event_calls_busy();
}

/**
 * dyn_events_remove_chosen - take away what is chosen
 *
 * Nothing is chosen afterwards.
 *
 * Context: task, event_mutex; takes trace_types_lock, may wait for RCU.
 * Return: 0, or -EBUSY when one of them is in use; then all of them stay.
 */
int dyn_events_remove_chosen(void)
{
	struct dyn_event *ev, *next;
	LIST_HEAD(gone);
	bool busy;

	lockdep_assert_held(&event_mutex);
	calls_go(true);
	busy = chosen_are_busy();
	if (busy)
		calls_go(false);
	list_for_each_entry_safe(ev, next, &dyn_events, list) {
		if (ev->chosen && !busy)
			list_move_tail(&ev->list, &gone);
		ev->chosen = false;
	}
	if (!list_empty(&gone))
		dyn_events_take_away(&gone);
	return busy ? -EBUSY : 0;
}

/**
 * dyn_events_release_all - take all events of a kind away
 * @kind: NULL: all kinds
 *
 * Context: task, takes event_mutex and trace_types_lock, may wait for RCU.
 * Return: 0, or -EBUSY when one of them is in use; then all of them stay.
 */
int dyn_events_release_all(const struct dyn_event_kind *kind)
{
	struct dyn_event *ev;

	guard(mutex)(&event_mutex);
	for_each_dyn_event(ev)
		ev->chosen = !kind || ev->kind == kind;
	return dyn_events_remove_chosen();
}

/*
 * [GROUP/]EVENT or GROUP/, which is cut in two; @argv: words that its definition has to have.
 * Return: 0; -EINVAL: @name is empty; -ENOENT; -EBUSY.
 */
static int remove_named(char *name, int argc, const char **argv, const struct dyn_event_kind *kind)
{
	char *event = strpbrk(name, "/."), *system = NULL;
	struct dyn_event *ev;
	bool some = false;

	if (event) {
		*event++ = '\0';
		system = name;
	} else {
		event = name;
	}
	if (!*event)
		event = NULL;
	if (!system && !event)
		return -EINVAL;

	guard(mutex)(&event_mutex);
	for_each_dyn_event(ev) {
		ev->chosen = (!kind || ev->kind == kind) &&
			     ev->kind->match(ev, system, event, argc, argv);
		some |= ev->chosen;
	}
	return some ? dyn_events_remove_chosen() : -ENOENT;
}

static int release_named(const struct dyn_command *cmd, char *name,
			 const struct dyn_event_kind *kind)
{
	int ret = remove_named(name, cmd->argc - 1, cmd->argv + 1, kind);

	if (!ret)
		return 0;
	return dyn_command_error(cmd, name, ret == -EINVAL ? RELEASE_NO_NAME :
				 ret == -ENOENT ? RELEASE_NO_EVENT : RELEASE_BUSY, ret);
}

/**
 * dyn_event_delete - take an event away that the kernel itself has made
 * @name: [GROUP/]EVENT, which is cut in two
 * @kind: of which it is
 *
 * It wants no memory, since who takes away has to succeed without.
 *
 * Context: task, takes event_mutex and trace_types_lock, may wait for RCU.
 * Return: 0; -EINVAL: no name; -ENOENT: there is none; -EBUSY: it is in use, and stays.
 */
int dyn_event_delete(char *name, const struct dyn_event_kind *kind)
{
	return remove_named(name, 0, NULL, kind);
}

/**
 * dyn_events_release - do what a line says that begins with - or !
 * @text: the line
 * @kind: only events of this kind are meant; NULL: of all
 *
 * Context: task, takes event_mutex and trace_types_lock, may wait for RCU.
 * Return: 0; -EINVAL: the line does not name an event; -ENOENT: there is none; -EBUSY: one of those
 * that are meant is in use, and all stay; -ENOMEM.
 */
int dyn_events_release(const char *text, const struct dyn_event_kind *kind)
{
	struct dyn_command cmd = {
		.loc	= kind && kind->file ? kind->file : "dynamic_events",
		.errs	= release_errors,
	};
	char *name;
	int ret = dyn_command_split(&cmd, text);

	if (ret)
		return ret;
	name = cmd.argc ? strchr(cmd.argv[0], ':') : NULL;
	if (!name || (*cmd.argv[0] == '-' && name != cmd.argv[0] + 1))
		ret = dyn_command_error(&cmd, cmd.argc ? cmd.argv[0] : cmd.copy, RELEASE_NO_NAME,
					-EINVAL);
	else
		ret = release_named(&cmd, name + 1, kind);
	dyn_command_free(&cmd);
	return ret;
}

/**
 * dyn_event_unknown - tell error_log of a line that nobody takes
 * @file: that it was written to
 * @text: the line
 *
 * Context: task.
 * Return: -EINVAL, -ENOMEM.
 */
int dyn_event_unknown(const char *file, const char *text)
{
	struct dyn_command cmd = { .loc = file, .errs = release_errors };
	int ret = dyn_command_split(&cmd, text);

	if (ret)
		return ret;
	ret = dyn_command_error(&cmd, cmd.copy, RELEASE_UNKNOWN, -EINVAL);
	dyn_command_free(&cmd);
	return ret;
}
