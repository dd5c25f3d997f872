// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the number in an entry's head to what prints it.
 *
 * Numbers are 16 bits, handed out in a circle so that one which was given
 * back is used again as late as possible: entries of an unloaded module's
 * event may still lie in a buffer. The table has two levels, and its parts
 * stay once they are made, so looking up needs no lock. That the printer that was
 * found stays as well is a matter of SRCU: who prints may sleep, for memory or some
 * ticks for a process, and must not wait for a module that is being loaded.
 */
#include <linux/bits.h>
#include <linux/export.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/srcu.h>

#include "internal.h"

#define PART_BITS	8
#define PART_SIZE	BIT(PART_BITS)

/* The table, the list of events and what belongs to an event change under it. */
DECLARE_RWSEM(trace_event_sem);

/* Who prints keeps printers and events from going away. */
DEFINE_STATIC_SRCU(event_readers);

/*
 * How many print: mostly nobody does, and then there is nobody to wait for. Who asks SRCU for
 * a grace period is a reader of it for that moment; when its worker comes on the same CPU in the
 * middle of this, it polls for that reader to leave, for as long as it may run.
 */
static atomic_t nr_readers;

/* the fixed types and the first events come before allocators are needed */
static struct trace_event *first_part[PART_SIZE];
static struct trace_event **parts[(TRACE_EVENT_TYPE_MAX + 1) / PART_SIZE] = { first_part };
static unsigned int next_type = __TRACE_LAST_TYPE + 1;

/**
 * ftrace_find_event - the printers of a type
 * @type:	from an entry's head
 *
 * Context: any; trace_event_read_lock() keeps the result valid.
 * Return: printers or NULL.
 */
struct trace_event *ftrace_find_event(int type)
{
	struct trace_event **part;

	if (unlikely(type < 0 || type > TRACE_EVENT_TYPE_MAX))
		return NULL;
	/* pairs with the release in type_slot(): a part is seen empty, not unset */
	part = smp_load_acquire(&parts[type >> PART_BITS]);
	return part ? READ_ONCE(part[type & (PART_SIZE - 1)]) : NULL;
}

/* The table's place for @type; made if need be. */
static struct trace_event **type_slot(unsigned int type)
{
	struct trace_event **part = parts[type >> PART_BITS];

	if (!part) {
		part = kcalloc(PART_SIZE, sizeof(*part), GFP_KERNEL);
		if (!part)
			return NULL;
		/* pairs with the acquire in ftrace_find_event() */
		smp_store_release(&parts[type >> PART_BITS], part);
	}
	return &part[type & (PART_SIZE - 1)];
}

static unsigned int free_type(void)
{
	unsigned int tries, type = next_type;

	for (tries = __TRACE_LAST_TYPE; tries < TRACE_EVENT_TYPE_MAX; tries++) {
		if (type > TRACE_EVENT_TYPE_MAX)
			type = __TRACE_LAST_TYPE + 1;
		if (!ftrace_find_event(type)) {
			next_type = type + 1;
			return type;
		}
		type++;
	}
	return 0;
}

/**
 * trace_event_read_lock - keep printers and their events
 *
 * Context: task. Return: for trace_event_read_unlock().
 */
int trace_event_read_lock(void)
	__acquires(&event_readers)
{
	int section = srcu_read_lock(&event_readers);

	atomic_inc(&nr_readers);
	/* A: counted, and then a printer is looked up; pairs with B */
	smp_mb__after_atomic();
	return section;
}

/**
 * trace_event_read_unlock - end of trace_event_read_lock()
 * @section:	what it returned
 *
 * Context: task.
 */
void trace_event_read_unlock(int section)
	__releases(&event_readers)
{
	/* pairs with the acquire in trace_event_wait_readers() */
	(void)atomic_fetch_dec_release(&nr_readers);
	srcu_read_unlock(&event_readers, section);
}

/**
 * trace_event_wait_readers - wait for those who may still print with what was taken back
 *
 * Context: task, may sleep; after __unregister_trace_event(), and before what the printers
 * use is freed.
 */
void trace_event_wait_readers(void)
{
	/* B: taken back, then looked for readers: who is not counted yet finds it gone, see A */
	smp_mb();
	/* expedited: somebody waits for it, with events locked */
	if (atomic_read_acquire(&nr_readers))
		synchronize_srcu_expedited(&event_readers);
}

static int register_locked(struct trace_event *event)
{
	struct trace_event_functions *funcs = event->funcs;
	struct trace_event **slot;

	if (WARN_ON(!funcs))
		return 0;
	if (!event->type) {
		event->type = free_type();
		if (!event->type) {
			pr_warn("tracing: all numbers of events are in use\n");
			return 0;
		}
	} else if (WARN_ON(event->type >= __TRACE_LAST_TYPE || ftrace_find_event(event->type))) {
		return 0;
	}
	slot = type_slot(event->type);
	if (!slot)
		return 0;

	funcs->trace = funcs->trace ?: trace_nop_print;
	funcs->raw = funcs->raw ?: trace_nop_print;
	funcs->hex = funcs->hex ?: trace_nop_print;
	funcs->binary = funcs->binary ?: trace_nop_print;
	/* who finds it holds no lock: complete, then found */
	smp_store_release(slot, event);
	return event->type;
}

/**
 * register_trace_event - say how entries of a type are printed
 * @event:	its funcs are set; its type is 0 for a number of an event, or one
 *		of enum trace_type
 *
 * Printers that are missing print the number.
 *
 * Context: task. Return: the type, or 0 when there was an error.
 */
int register_trace_event(struct trace_event *event)
{
	int type;

	if (WARN_ON(!event))
		return 0;
	down_write(&trace_event_sem);
	type = register_locked(event);
	up_write(&trace_event_sem);
	return type;
}
EXPORT_SYMBOL_GPL(register_trace_event);

/**
 * register_trace_events - the same for several
 * @events:	what they are
 * @nr:		how many
 *
 * Context: task. Return: 0, or -EBUSY: those before the one that was refused stay.
 */
int register_trace_events(struct trace_event *events, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!register_trace_event(&events[i]))
			return -EBUSY;
	return 0;
}

/**
 * __unregister_trace_event - take printers back, with trace_event_sem held
 * @event:	printers; some may use them until trace_event_wait_readers() returns
 *
 * Context: task, trace_event_sem held for writing. Return: 0.
 */
int __unregister_trace_event(struct trace_event *event)
{
	if (event->type && ftrace_find_event(event->type) == event)
		WRITE_ONCE(*type_slot(event->type), NULL);
	return 0;
}

/**
 * unregister_trace_event - take printers back
 * @event:	printers; nobody uses them any more on return
 *
 * Context: task. Return: 0.
 */
int unregister_trace_event(struct trace_event *event)
{
	down_write(&trace_event_sem);
	__unregister_trace_event(event);
	up_write(&trace_event_sem);
	trace_event_wait_readers();
	return 0;
}
EXPORT_SYMBOL_GPL(unregister_trace_event);

/**
 * trace_handle_return - result of a printer
 * @s:		sequence that it printed into
 *
 * Context: any.
 * Return: TRACE_TYPE_PARTIAL_LINE when something did not fit, else TRACE_TYPE_HANDLED.
 */
enum print_line_t trace_handle_return(struct trace_seq *s)
{
	return trace_seq_result(s);
}
EXPORT_SYMBOL_GPL(trace_handle_return);

/* For the modes that a type has no printer for. */
enum print_line_t trace_nop_print(struct trace_iterator *iter, int flags,
				  struct trace_event *event)
{
	trace_seq_printf(&iter->seq, "type: %d\n", iter->ent->type);
	return trace_handle_return(&iter->seq);
}

/* boot: what this room needs before anything is recorded */
int __init trace_output_early_init(void)
{
	int ret = trace_entries_init();

	if (!ret)
		ret = trace_dump_init();
	return ret;
}
