// SPDX-License-Identifier: GPL-2.0-only
/*
 * Context switches, as tracing sees them: one probe for all that it wants.
 *
 *  - The lists of pids of an instance are asked when a CPU switches tasks, not when an event
 *    comes: the answer waits in the instance's per CPU ignore_pid.
 *  - The event sched_switch is about two tasks and is recorded when either of them is followed.
 *    So its probe is called from here, once that is known. What the lists say of the
 *    task that leaves is what they said when it came.
 *  - A task's name, and its process, is remembered when it leaves, if something was recorded on
 *    the CPU since the last switch. Then its name is the latest, whether it was renamed
 *    meanwhile or exits, and tasks during which nothing was recorded take nobody's place in the
 *    table. No need to know who records when: recording may go on and off in any context.
 *    Who has not left yet is looked up when the trace is read, see trace_find_cmdline().
 *
 * Each probe on a tracepoint costs, and a second one twice as much: the first
 * is called directly. So there is only this one, and what it does in the usual case lies ready in
 * a struct switch_plan: one instance, the pids it traces, a probe; or several instances without
 * lists of pids, and a probe that records to all of them (trace_switch_join()). It is made anew
 * when something changes, and replaced as a whole. In all other cases, and when there is no
 * memory for one, switch_any() goes through the lists.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/trace_events.h>

#include <trace/events/sched.h>

#include "../instance/instance.h"
#include "../ring_buffer/fast.h"
#include "pid_list.h"
#include "recorders.h"
#include "saved_cmdlines.h"
#include "switch.h"
#include "tasks.h"

/* Who wants to be called. */
struct switch_target {
	struct list_head	list;	/* in switch_user.targets */
	switch_probe_t		probe;
	void			*data;
	struct rcu_head		rcu;
};

/* An instance with targets or lists of pids. */
struct switch_user {
	struct list_head		list;	/* in users */
	struct trace_array		*tr;
	struct trace_array_cpu __percpu	*cpu;
	struct trace_pid_list __rcu	*traced;
	struct trace_pid_list __rcu	*not_traced;
	struct list_head		targets;
	struct rcu_head			rcu;
};

/**
 * struct switch_plan - what a switch has to do; never changed
 * @traced:	pids that are followed, NULL: all
 * @names:	where the name of the task that leaves has to be, if @probe records; NULL: names
 *		are not asked for
 * @cpu:	where it stands whether the task is one; with @traced
 * @recorder:	for ring_buffer_written_here(); with @traced
 * @probe:	to be called, unless both tasks are left out
 * @data:	with that
 * @rcu:	it goes after a grace period
 */
struct switch_plan {
	const struct trace_pid_list	*traced;
	const struct cmdline_table	*names;
	struct trace_array_cpu __percpu	*cpu;
	struct rb_cpu __percpu		*recorder;
	switch_probe_t			probe;
	void				*data;
	struct rcu_head			rcu;
};

/* Everything below, and the recorders; inside of event_mutex and trace_types_lock. */
DEFINE_MUTEX(trace_switch_mutex);
static LIST_HEAD(users);
static bool probe_is_on;

/* One call for so many targets, if there are no others; 0: there is none. */
static struct switch_target joint;
static unsigned int joint_nr;

/* --- in the probe: preemption and interrupts off */

bool trace_task_left_out(const struct trace_pid_list *traced,
			 const struct trace_pid_list *not_traced, const struct task_struct *task)
{
	return (traced && !trace_pid_list_has(traced, task->pid)) ||
	       (not_traced && trace_pid_list_has(not_traced, task->pid));
}

int trace_switch_recorded(void)
{
	return (READ_ONCE(trace_cmdline_users) ? TRACE_RECORD_CMDLINE : 0) |
	       (READ_ONCE(trace_tgid_users) ? TRACE_RECORD_TGID : 0);
}

static noinline void remember(struct task_struct *task)
{
	tracing_record_taskinfo(task, trace_switch_recorded());
}

/* Has the task that runs recorded anything, in any of the instances? */
bool switch_recorded_here(void)
{
	bool written = READ_ONCE(switch_recorders.others);

	for (int i = 0; i < RECORDERS; i++) {
		struct rb_cpu __percpu *cpus = READ_ONCE(switch_recorders.at[i].cpus);

		if (cpus)
			written |= ring_buffer_written_here(cpus);
	}
	return written;
}

static bool user_has_lists(const struct switch_user *user)
{
	return rcu_access_pointer(user->traced) || rcu_access_pointer(user->not_traced);
}

static bool user_leaves_out(const struct switch_user *user, const struct task_struct *task)
{
	return trace_task_left_out(rcu_dereference_sched(user->traced),
				   rcu_dereference_sched(user->not_traced), task);
}

/*
 * A switch belongs to both its tasks: it, and whatever it leads to in any of the instances, is left
 * out if both are. What comes then is next's.
 */
static void switch_any(void *data, bool preempt, struct task_struct *prev,
		       struct task_struct *next, unsigned int prev_state)
{
	struct switch_target *target;
	struct switch_user *user;
	bool lists = false;

	list_for_each_entry_rcu(user, &users, list) {
		if (!user_has_lists(user))
			continue;
		lists = true;
		if (!user_leaves_out(user, next))
			raw_cpu_ptr(user->cpu)->ignore_pid = false;
	}
	list_for_each_entry_rcu(user, &users, list) {
		if (lists && user_has_lists(user) && raw_cpu_ptr(user->cpu)->ignore_pid)
			continue;
		list_for_each_entry_rcu(target, &user->targets, list)
			target->probe(target->data, preempt, prev, next, prev_state);
	}
	if (lists)
		list_for_each_entry_rcu(user, &users, list)
			if (user_has_lists(user))
				raw_cpu_ptr(user->cpu)->ignore_pid = user_leaves_out(user, next);
	/* here, for what the targets have recorded was prev's as well */
	if (trace_switch_recorded() && switch_recorded_here())
		remember(prev);
}

static const struct switch_plan plan_any = { .probe = switch_any };
static const struct switch_plan __rcu *plan = RCU_INITIALIZER(&plan_any);

/* Not in line: what is called last needs no frame, and this is rare. */
static noinline void switch_remember(const struct switch_plan *p, bool preempt,
				     struct task_struct *prev, struct task_struct *next,
				     unsigned int prev_state)
{
	p->probe(p->data, preempt, prev, next, prev_state);
	/* maybe the buffer is switched off */
	if (switch_recorded_here())
		remember(prev);
}

/* With an event that is not about switches nothing but names is to be done. */
static void switch_names(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	struct rb_cpu __percpu *recorder = (struct rb_cpu __percpu __force *)data;

	if (ring_buffer_written_here(recorder) &&
	    !cmdline_known(rcu_dereference_sched(cmdlines), prev))
		remember(prev);
}

/* @names: of @p */
static __always_inline void switch_probe(const struct switch_plan *p,
					 const struct cmdline_table *names, bool preempt,
					 struct task_struct *prev, struct task_struct *next,
					 unsigned int prev_state)
{
	if (names && unlikely(!cmdline_known(names, prev)))
		switch_remember(p, preempt, prev, next, prev_state);
	else
		p->probe(p->data, preempt, prev, next, prev_state);
}

/*
 * Who leaves is followed, and who comes is not: until the probe is done, the task is still the one
 * that leaves. Not in line either.
 */
static noinline void switch_leaves(const struct switch_plan *p, bool preempt,
				   struct task_struct *prev, struct task_struct *next,
				   unsigned int prev_state)
{
	switch_probe(p, p->names, preempt, prev, next, prev_state);
	raw_cpu_ptr(p->cpu)->ignore_pid = true;
}

static void on_switch(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	const struct switch_plan *p = rcu_dereference_raw(*(const struct switch_plan __rcu **)data);

	/* side by side, one load takes them */
	const struct trace_pid_list *traced = p->traced;
	const struct cmdline_table *names = p->names;

	if (traced) {
		struct trace_array_cpu __percpu *cpus = p->cpu;
		struct rb_cpu __percpu *recorder = p->recorder;
		struct trace_array_cpu *cpu = raw_cpu_ptr(cpus);
		bool was_ignored = cpu->ignore_pid;

		if (!trace_pid_list_has(traced, next->pid)) {
			if (was_ignored) {
				if (unlikely(ring_buffer_written_here(recorder)))
					remember(prev);
				return;
			}
			switch_leaves(p, preempt, prev, next, prev_state);
			return;
		}
		cpu->ignore_pid = false;
	}
	switch_probe(p, names, preempt, prev, next, prev_state);
}

void trace_switch_functions(void *functions[TRACE_SWITCH_FUNCTIONS])
{
	functions[0] = on_switch;
	functions[1] = switch_any;
	functions[2] = switch_remember;
	functions[3] = switch_leaves;
}

/* --- the plan; trace_switch_mutex */

/* Tests put a stub in its place to see memory run out. */
VISIBLE_IF_KUNIT void *trace_switch_alloc(size_t size)
{
	KUNIT_STATIC_STUB_REDIRECT(trace_switch_alloc, size);

	return kzalloc(size, GFP_KERNEL);
}

/* Is one call all that a switch has to do for the targets? */
static bool targets_are_joint(void)
{
	struct switch_target *target;
	struct switch_user *user;
	unsigned int nr = 0;

	if (!joint_nr)
		return false;
	list_for_each_entry(user, &users, list) {
		if (user_has_lists(user))
			return false;
		list_for_each_entry(target, &user->targets, list) {
			if (target->probe != joint.probe)
				return false;
			nr++;
		}
	}
	return nr == joint_nr;
}

/* Is the present case one that has a plan of its own? Fill it in then. */
static bool plan_fill(struct switch_plan *p)
{
	struct switch_target *target = NULL;
	struct switch_user *user;

	/* before there is a table nobody is remembered */
	if (trace_tgid_users || !rcu_access_pointer(cmdlines))
		return false;
	p->recorder = switch_only_recorder();
	user = list_first_entry_or_null(&users, struct switch_user, list);
	if (targets_are_joint()) {
		target = &joint;
	} else if (user) {
		if (!list_is_singular(&users) || rcu_access_pointer(user->not_traced))
			return false;
		p->traced = rcu_dereference_protected(user->traced,
						      lockdep_is_held(&trace_switch_mutex));
		p->cpu = user->cpu;
		target = list_first_entry_or_null(&user->targets, struct switch_target, list);
		if (target && !list_is_singular(&user->targets))
			return false;
	}
	if ((p->traced || !target) && !p->recorder)
		return false;
	if (target) {
		/* who replaces the table comes here, before it goes */
		p->names = trace_cmdline_users ? rcu_access_pointer(cmdlines) : NULL;
		p->probe = target->probe;
		p->data = target->data;
	} else {
		p->probe = switch_names;
		p->data = (void __force *)p->recorder;
	}
	return true;
}

/* Events that go on and off one by one change nothing but a number of users mostly. */
static bool plan_is_still(const struct switch_plan *p, const struct switch_plan *fill)
{
	return p->traced == fill->traced && p->names == fill->names && p->cpu == fill->cpu &&
	       p->recorder == fill->recorder && p->probe == fill->probe && p->data == fill->data;
}

static void plan_replace(void)
{
	const struct switch_plan *old, *new = &plan_any;
	struct switch_plan fill = {}, *own;
	bool has_own = plan_fill(&fill);

	old = rcu_dereference_protected(plan, lockdep_is_held(&trace_switch_mutex));
	if (plan_is_still(old, has_own ? &fill : &plan_any))
		return;
	own = has_own ? trace_switch_alloc(sizeof(*own)) : NULL;
	if (own) {
		*own = fill;
		new = own;
	}
	rcu_assign_pointer(plan, new);
	if (old != &plan_any)
		kfree_rcu((struct switch_plan *)old, rcu);
}

/* After a change of what it is made of. */
void switch_plan_update(void)
{
	plan_replace();
	if (probe_is_on && list_empty(&users) && !trace_switch_recorded()) {
		unregister_trace_sched_switch(on_switch, &plan);
		probe_is_on = false;
	}
}

/* 0, or why there is no probe. */
int switch_probe_on(void)
{
	int ret;

	if (probe_is_on)
		return 0;
	ret = register_trace_sched_switch(on_switch, &plan);
	probe_is_on = !ret;
	return ret;
}

/* There is another table of names; after a grace period nobody looks at the former. */
void trace_switch_update(void)
{
	guard(mutex)(&trace_switch_mutex);
	switch_plan_update();
}

/* --- instances */

static struct switch_user *user_find(struct trace_array *tr)
{
	struct switch_user *user;

	list_for_each_entry(user, &users, list)
		if (user->tr == tr)
			return user;
	return NULL;
}

/* The probe runs then. */
static struct switch_user *user_get(struct trace_array *tr)
{
	struct switch_user *user;

	if (switch_probe_on())
		return NULL;
	user = user_find(tr);
	if (user)
		return user;
	user = trace_switch_alloc(sizeof(*user));
	if (!user)
		return NULL;
	user->tr = tr;
	user->cpu = tr->array_buffer.data;
	INIT_LIST_HEAD(&user->targets);
	list_add_tail_rcu(&user->list, &users);
	return user;
}

#if IS_ENABLED(CONFIG_KUNIT)
/* Does a switch ask for anything of @tr? */
bool trace_switch_asks(struct trace_array *tr)
{
	guard(mutex)(&trace_switch_mutex);
	return user_find(tr);
}

/* With what data a switch calls one probe and no more; NULL: it goes through the lists. */
const void *trace_switch_data(void)
{
	return rcu_access_pointer(plan)->data;	/* the caller has the events stand still */
}
#endif

/* After a change: an instance that has nothing any more goes. */
static void user_changed(struct switch_user *user)
{
	if (user && list_empty(&user->targets) && !user_has_lists(user)) {
		list_del_rcu(&user->list);
		kfree_rcu(user, rcu);
	}
	switch_plan_update();
}

int trace_switch_add(struct trace_array *tr, switch_probe_t probe, void *data)
{
	struct switch_target *target = trace_switch_alloc(sizeof(*target));
	struct switch_user *user;

	guard(mutex)(&trace_switch_mutex);
	user = target ? user_get(tr) : NULL;
	if (user) {
		target->probe = probe;
		target->data = data;
		list_add_tail_rcu(&target->list, &user->targets);
	} else {
		kfree(target);
	}
	user_changed(user);
	return user ? 0 : -ENOMEM;
}

void trace_switch_remove(struct trace_array *tr, switch_probe_t probe, void *data)
{
	struct switch_target *target;
	struct switch_user *user;

	guard(mutex)(&trace_switch_mutex);
	user = user_find(tr);
	if (WARN_ON_ONCE(!user))
		return;
	list_for_each_entry(target, &user->targets, list) {
		if (target->probe != probe || target->data != data)
			continue;
		list_del_rcu(&target->list);
		kfree_rcu(target, rcu);
		break;
	}
	user_changed(user);
}

void trace_switch_join(switch_probe_t probe, void *data, unsigned int nr)
{
	guard(mutex)(&trace_switch_mutex);
	joint.probe = probe;
	joint.data = data;
	joint_nr = nr;
	switch_plan_update();
}

int trace_switch_pids(struct trace_array *tr, struct trace_pid_list *traced,
		      struct trace_pid_list *not_traced)
{
	struct switch_user *user;

	guard(mutex)(&trace_switch_mutex);
	user = traced || not_traced ? user_get(tr) : user_find(tr);
	if (user) {
		rcu_assign_pointer(user->traced, traced);
		rcu_assign_pointer(user->not_traced, not_traced);
	}
	user_changed(user);
	return user || (!traced && !not_traced) ? 0 : -ENOMEM;
}
