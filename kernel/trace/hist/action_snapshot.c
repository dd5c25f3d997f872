// SPDX-License-Identifier: GPL-2.0-only
/*
 * snapshot(): keep the buffer of the instance when a variable has a new maximum, or changes, over
 * all entries. While a hist has it, nobody else takes snapshots of the instance.
 */
#include <linux/seq_file.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../snapshot/snapshot.h"
#include "actions.h"

/**
 * struct snapshot_track - the hit that the snapshot was taken for
 * @seq:	it is written with interrupts off, one CPU at a time, also in an NMI
 * @taken:	there was one
 * @value:	of the variable
 * @entry:	a copy of the entry, without variables
 * @bytes:	of the copy
 */
struct snapshot_track {
	seqcount_t		seq;
	bool			taken;
	u64			value;
	struct hist_entry	*entry;
	size_t			bytes;
};

struct snapshot_hit {
	const struct hist_action	*action;
	const struct hist_entry		*entry;
	u64				value;
};

/* The lock of the instance's snapshots is held; NULL: somebody else asks. */
static bool wants(struct trace_array *tr, void *data)
{
	const struct snapshot_hit *hit = data;
	struct snapshot_track *track;

	if (!hit)
		return false;
	track = hit->action->data;
	if (!hist_action_wants(hit->action, track->value, hit->value))
		return false;
	raw_write_seqcount_begin(&track->seq);
	track->value = hit->value;
	memcpy(track->entry, hit->entry, track->bytes);
	track->taken = true;
	raw_write_seqcount_end(&track->seq);
	return true;
}

/* The one that has the snapshots of @a's instance goes when the command that sets @a is done. */
static struct hist_action *leaving_owner(const struct hist_action *a)
{
	struct hist_action *owner;
	struct hist *hist;

	list_for_each_entry(hist, &hists_of(a->hist->tr)->leaving, list)
		list_for_each_entry(owner, &hist->actions, list)
			if (owner->kind == &hist_action_snapshot && owner != a)
				return owner;
	return NULL;
}

/* The condition is asked about an action that hits, so it is the same for all of them. */
static int own_snapshots(struct hist_action *a)
{
	struct hist_instance *hists = hists_of(a->hist->tr);
	int ret = 0;

	if (!hists->snapshot || hists->snapshot != leaving_owner(a))
		ret = tracing_snapshot_cond_enable(a->hist->tr, hists, wants);
	if (!ret)
		hists->snapshot = a;
	return ret;
}

static void disown_snapshots(struct hist_action *a)
{
	struct hist_instance *hists = hists_of(a->hist->tr);

	if (hists->snapshot != a)
		return;	/* what has replaced it has them */
	hists->snapshot = leaving_owner(a);
	if (!hists->snapshot)
		tracing_snapshot_cond_disable(a->hist->tr);
}

static int snapshot_start(struct hist_action *a)
{
	const struct hist_map *map = a->hist->map;
	struct snapshot_track *track = kzalloc(sizeof(*track), GFP_KERNEL);
	int ret;

	if (!track)
		return -ENOMEM;
	seqcount_init(&track->seq);
	track->bytes = map->data + (map->keeps_comm ? TASK_COMM_LEN : 0);
	track->entry = kzalloc(max_t(size_t, map->stride, track->bytes), GFP_KERNEL);
	a->data = track;
	ret = track->entry ? own_snapshots(a) : -ENOMEM;
	if (ret) {
		kfree(track->entry);
		kfree(track);
		a->data = NULL;
	}
	return ret;
}

static void snapshot_stop(struct hist_action *a)
{
	struct snapshot_track *track = a->data;

	disown_snapshots(a);
	kfree(track->entry);
	kfree(track);
	a->data = NULL;
}

/* The snapshot itself stays. Readers are kept out by event_mutex, hits have come to an end. */
static void snapshot_clear(struct hist_action *a)
{
	struct snapshot_track *track = a->data;

	track->value = 0;
	track->taken = false;
}

static void snapshot_run(struct hist_action *a, struct hist_hit *hit, u64 value)
{
	struct snapshot_hit cond = { .action = a, .entry = hit->entry, .value = value };

	tracing_snapshot_cond(a->hist->tr, &cond);
}

static void snapshot_print_end(struct seq_file *m, const struct hist_action *a)
{
	struct snapshot_track *track = a->data;
	struct hist_entry *entry;
	unsigned int seq;
	u64 value;

	if (!track || !READ_ONCE(track->taken))
		return;
	entry = kzalloc(max_t(size_t, a->hist->map->stride, track->bytes), GFP_KERNEL);
	if (!entry)
		return;
	do {
		seq = read_seqcount_begin(&track->seq);
		value = track->value;
		memcpy(entry, track->entry, track->bytes);
	} while (read_seqcount_retry(&track->seq, seq));

	seq_puts(m, "\nSnapshot taken (see tracing/snapshot).  Details:\n");
	seq_printf(m, "\ttriggering value { %s(%s) }: %10llu",
		   a->handler == HIST_ON_MAX ? "onmax" : "onchange", a->tracked_name, value);
	seq_puts(m, "\ttriggered by event with key: ");
	hist_print_key(m, a->hist, entry);
	seq_putc(m, '\n');
	kfree(entry);
}

const struct hist_action_kind hist_action_snapshot = {
	.start		= snapshot_start,
	.stop		= snapshot_stop,
	.clear		= snapshot_clear,
	.run		= snapshot_run,
	.print_end	= snapshot_print_end,
};
