// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uprobe events: what happens when one is hit, and when they are switched.
 *
 * A hit is in a task that may sleep, and has to, as what it reads may be paged out. So a record
 * is made in a scratch buffer under a mutex, and copied with preemption off. How long a page takes
 * may be up to the user (userfaultfd, FUSE). So nobody waits for a buffer that is in use, but
 * allocates one for the hit, as long as there is memory; and switching a probe off, or removing it,
 * does not wait for hits.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/rculist.h>
#include <linux/rcupdate_trace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../events/events.h"
#include "command.h"
#include "probe_prog.h"
#include "uprobe.h"

/* --- scratch buffers for records */

#define SCRATCH_SIZE	4000	/* what a sub-buffer of the usual size takes */

static_assert(sizeof(struct trace_entry) + 2 * sizeof(long) + PROBE_MAX_SIZE <= SCRATCH_SIZE);

/* One for each CPU, so that there is one nearly always. */
struct uprobe_scratch {
	struct mutex	lock;		/* who makes a record in it */
	void		*record;
};

static struct uprobe_scratch __percpu *scratches;

static void scratches_free(struct uprobe_scratch __percpu *r)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kfree(per_cpu_ptr(r, cpu)->record);
	free_percpu(r);
}

/* They stay for ever; event_mutex. */
static int scratches_alloc(void)
{
	struct uprobe_scratch __percpu *r;
	int cpu;

	lockdep_assert_held(&event_mutex);
	if (scratches)
		return 0;
	r = alloc_percpu(struct uprobe_scratch);
	if (!r)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct uprobe_scratch *scratch = per_cpu_ptr(r, cpu);

		mutex_init(&scratch->lock);
		scratch->record = kmalloc_node(SCRATCH_SIZE, GFP_KERNEL, cpu_to_node(cpu));
		if (!scratch->record) {
			scratches_free(r);
			return -ENOMEM;
		}
	}
	scratches = r;
	return 0;
}

/* --- hits */

static void record_trace(const struct uprobe_place *up, const void *record, unsigned int size)
{
	const struct probe_file *pf;

	guard(preempt_notrace)();
	list_for_each_entry_rcu(pf, &up->probe.event->files, list, true)
		probe_record_copy(pf->file, record, size);
}

/* Memory for a record: that of *@scratch; or *@scratch is NULL, and it is freed afterwards. */
static void *uprobe_scratch_get(struct uprobe_scratch **scratch)
{
	void *record;

	*scratch = raw_cpu_ptr(scratches);
	if (mutex_trylock(&(*scratch)->lock))
		return (*scratch)->record;
	record = kmalloc(SCRATCH_SIZE, GFP_KERNEL);
	if (record)
		*scratch = NULL;
	else
		mutex_lock(&(*scratch)->lock);
	return record ?: (*scratch)->record;
}

static void uprobe_scratch_put(struct uprobe_scratch *scratch, void *record)
{
	if (scratch)
		mutex_unlock(&scratch->lock);
	else
		kfree(record);
}

static void uprobe_event_hit(struct uprobe_place *up, const unsigned long *head,
			     unsigned int nr_heads, struct pt_regs *regs)
{
	const struct probe_prog *prog = up->probe.prog;
	struct probe_source src = { .regs = regs, .user_base = head[0] - up->offset };
	unsigned int users = READ_ONCE(up->probe.event->users), size;
	struct uprobe_scratch *scratch;
	void *record;

	if (WARN_ON_ONCE(!scratches))
		return;
	record = uprobe_scratch_get(&scratch);
	memcpy(record + sizeof(struct trace_entry), head, nr_heads * sizeof(*head));
	size = probe_run(prog, &src, record, SCRATCH_SIZE);
	if (users & PROBE_FOR_TRACE)
		record_trace(up, record, size);
	if (users & PROBE_FOR_PERF)
		uprobe_perf_hit(up, record, size, regs);
	uprobe_scratch_put(scratch, record);
}

static struct uprobe_place *place_of(struct uprobe_consumer *consumer)
{
	return container_of(consumer, struct uprobe_armed, consumer)->up;
}

/* Does somebody want to hear of hits in this address space? Any context; does not sleep. */
static bool wanted_in(struct uprobe_consumer *consumer, struct mm_struct *mm)
{
	struct probe_event *e = place_of(consumer)->probe.event;

	return READ_ONCE(e->users) & PROBE_FOR_TRACE ||
	       uprobe_targets_want(e->private, mm, true);
}

static int uprobe_hit(struct uprobe_consumer *consumer, struct pt_regs *regs)
{
	struct uprobe_place *up = place_of(consumer);
	unsigned long head = instruction_pointer(regs);

	this_cpu_inc(*up->hits);
	if (!probe_returns(&up->probe))
		uprobe_event_hit(up, &head, 1, regs);
	return wanted_in(consumer, current->mm) ? 0 : UPROBE_HANDLER_REMOVE;
}

static int uretprobe_hit(struct uprobe_consumer *consumer, unsigned long func,
			 struct pt_regs *regs)
{
	unsigned long head[2] = { func, instruction_pointer(regs) };

	uprobe_event_hit(place_of(consumer), head, 2, regs);
	return 0;
}

static void uprobe_event_print_head(struct trace_iterator *iter, int flags,
				    const struct probe_event *e, const unsigned long *head)
{
	if (e->at & PROBE_RETURN)
		trace_seq_printf(&iter->seq, "(0x%lx <- 0x%lx)", head[1], head[0]);
	else
		trace_seq_printf(&iter->seq, "(0x%lx)", head[0]);
}

/* --- what struct probe_kind wants */

struct uprobe_place *uprobe_place_alloc(const char *filename, const struct path *path,
					unsigned long offset, unsigned long ref_ctr)
{
	struct uprobe_place *up = kzalloc(sizeof(*up), GFP_KERNEL);

	if (!up)
		return NULL;
	up->filename = probe_text_dup(filename);
	up->hits = alloc_percpu(unsigned long);
	if (!up->filename || !up->hits) {
		probe_text_free(up->filename);
		free_percpu(up->hits);
		kfree(up);
		return NULL;
	}
	up->path = *path;
	up->offset = offset;
	up->ref_ctr = ref_ctr;
	return up;
}

void uprobe_place_free(struct uprobe_place *up)
{
	path_put(&up->path);
	free_percpu(up->hits);
	probe_text_free(up->filename);
	kfree(up);
}

static void place_reap(struct work_struct *work)
{
	struct uprobe_place *up = container_of(work, struct uprobe_place, reap);

	guard(mutex)(&event_mutex);
	probe_text_put(&up->probe, up->filename);
	up->filename = NULL;
	probe_free(&up->probe);
	uprobe_place_free(up);
}

static void place_hits_are_over(struct rcu_head *rcu)
{
	schedule_work(&container_of(rcu, struct uprobe_place, rcu)->reap);
}

/**
 * uprobe_place_free_later - a probe was disarmed
 * @up:	the probe; freed when nobody is in a hit of it any more
 *
 * Its file is given back at once: what it is on may be unmounted.
 *
 * Context: task, event_mutex.
 */
void uprobe_place_free_later(struct uprobe_place *up)
{
	lockdep_assert_held(&event_mutex);
	path_put(&up->path);
	up->path = (struct path) { };
	INIT_WORK(&up->reap, place_reap);
	call_rcu_tasks_trace(&up->rcu, place_hits_are_over);
}

static struct inode *inode_of(const struct uprobe_place *up)
{
	return d_real_inode(up->path.dentry);
}

/*
 * Lines at the same place have to have the same counter there. perf's own uprobes do not have to be
 * as a line that nobody uses: of what is armed the core sees to it.
 */
static bool counter_differs(const struct uprobe_place *up)
{
	struct probe *p;

	for_each_probe(p, &uprobe_kind) {
		const struct uprobe_place *other = uprobe_place_of(p);

		if (inode_of(other) == inode_of(up) && other->offset == up->offset &&
		    other->ref_ctr != up->ref_ctr)
			return true;
	}
	return false;
}

/* Where the counter is in a line, for a caret; without one, the place. */
static const char *counter_word(const struct dyn_command *cmd, const struct uprobe_place *up)
{
	const char *open, *place = cmd->argv[1];

	if (!up->ref_ctr)
		return place;
	/* behind the path, which may have one itself */
	open = strchr(cmd->text + (place - cmd->copy) + strlen(up->filename), '(');
	return open ? cmd->copy + (open + 1 - cmd->text) : place;
}

static int uprobe_event_install(struct probe *p, const struct dyn_command *cmd)
{
	struct uprobe_place *up = uprobe_place_of(p);

	if (cmd && counter_differs(up)) {
		pr_warn("Reference counter offset mismatch.\n");
		return dyn_command_error(cmd, counter_word(cmd, up), PROBE_ERR_BAD_REFCNT, -EINVAL);
	}
	if (!p->event->private)
		p->event->private = uprobe_targets_alloc();
	if (!p->event->private)
		return -ENOMEM;
	return scratches_alloc();
}

static void uprobe_event_free(struct probe_event *e)
{
	kfree(e->private);
}

static int uprobe_event_arm(struct probe *p)
{
	struct uprobe_place *up = uprobe_place_of(p);
	struct uprobe_armed *armed = kzalloc(sizeof(*armed), GFP_KERNEL);
	int ret;

	if (!armed)
		return -ENOMEM;
	armed->up = up;
	armed->consumer.handler = uprobe_hit;
	armed->consumer.filter = wanted_in;
	if (probe_returns(p))
		armed->consumer.ret_handler = uretprobe_hit;
	armed->uprobe = uprobe_register(inode_of(up), up->offset, up->ref_ctr, &armed->consumer);
	if (IS_ERR(armed->uprobe)) {
		/* if some address spaces had it, it has waited for those that were hit */
		ret = PTR_ERR(armed->uprobe);
		kfree(armed);
		return ret;
	}
	up->armed = armed;
	return 0;
}

static void armed_free(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct uprobe_armed, rcu));
}

static void uprobe_event_disarm(struct probe *p)
{
	struct uprobe_place *up = uprobe_place_of(p);
	struct uprobe_armed *armed = up->armed;

	if (!armed)
		return;
	up->armed = NULL;
	uprobe_unregister_nosync(armed->uprobe, &armed->consumer);
	call_rcu_tasks_trace(&armed->rcu, armed_free);
}

/**
 * uprobe_place_apply - there are address spaces in which a probe is wanted now, or is not
 * @up:		the probe
 * @add:	it is
 *
 * Context: task, event_mutex.
 * Return: 0, also if it is not armed, or as uprobe_apply().
 */
int uprobe_place_apply(struct uprobe_place *up, bool add)
{
	struct uprobe_armed *armed = up->armed;

	return armed ? uprobe_apply(armed->uprobe, &armed->consumer, add) : 0;
}

/* Trace buffers want hits in all address spaces, perf perhaps only in one. */
static int uprobe_event_users_changed(struct probe_event *e, unsigned int before)
{
	bool more = e->users & ~before & PROBE_FOR_TRACE;
	struct probe *p;
	int ret = 0, err;

	if (!((e->users ^ before) & PROBE_FOR_TRACE))
		return 0;
	list_for_each_entry(p, &e->probes, link) {
		err = uprobe_place_apply(uprobe_place_of(p), more);
		if (more && err && !ret)
			ret = err;
	}
	return ret;
}

static bool uprobe_event_same_place(const struct probe *a, const struct probe *b)
{
	const struct uprobe_place *x = uprobe_place_of(a), *y = uprobe_place_of(b);

	return inode_of(x) == inode_of(y) && x->offset == y->offset;
}

struct probe_kind uprobe_kind = {
	PROBE_LINE_MEMBERS(uprobe),
	.letters	= "pr",
	.loc		= "trace_uprobe",
	.group		= "uprobes",
	.dyn.file	= "uprobe_events",
	.print_head	= uprobe_event_print_head,
	.same_place	= uprobe_event_same_place,
	.install	= uprobe_event_install,
	.arm		= uprobe_event_arm,
	.disarm		= uprobe_event_disarm,
	.users_changed	= uprobe_event_users_changed,
	.event_free	= uprobe_event_free,
	.perf		= uprobe_perf_reg,
	.call_flag	= TRACE_EVENT_FL_UPROBE | TRACE_EVENT_FL_CAP_ANY,
};

PROBE_KIND_INITCALL(uprobe_kind);
