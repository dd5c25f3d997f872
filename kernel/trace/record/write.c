// SPDX-License-Identifier: GPL-2.0-only
/* An entry with the common header into an instance's buffer. */
#include <linux/export.h>
#include <linux/kernel.h>

#include "../instance/instance.h"
#include "internal.h"
#include "write.h"

/**
 * tracing_gen_ctx_irq_test - in what context does the caller run?
 * @irqs_status: TRACE_FLAG_IRQS_OFF, TRACE_FLAG_IRQS_NOSUPPORT or 0
 *
 * Any context.
 *
 * Return: what the header of an entry is made from, see __tracing_ctx().
 */
unsigned int tracing_gen_ctx_irq_test(unsigned int irqs_status)
{
	return __tracing_ctx(preempt_count(), irqs_status);
}
EXPORT_SYMBOL_GPL(tracing_gen_ctx_irq_test);

/**
 * trace_slot_reserve - begin an entry that stays in the caller's slot
 * @buffer: ring buffer of an instance
 * @type: of the entry, enum trace_type or an event's
 * @len: bytes of the entry, its header included
 * @trace_ctx: tracing_gen_ctx() of who records
 * @slot: for ring_buffer_slot_commit() or ring_buffer_slot_discard()
 *
 * Fills the header in. Any context, preemption off until the entry is committed.
 *
 * Return: the entry, or NULL when the buffer does not record or has no room.
 */
void *trace_slot_reserve(struct trace_buffer *buffer, int type, unsigned long len,
			 unsigned int trace_ctx, struct ring_buffer_slot *slot)
{
	if (!ring_buffer_slot_reserve(buffer, len, slot))
		return NULL;
	tracing_generic_entry_update(slot->data, type, trace_ctx);
	return slot->data;
}

/**
 * trace_buffer_lock_reserve - begin an entry
 * @buffer: ring buffer of an instance
 * @type: of the entry, enum trace_type or an event's
 * @len: bytes of the entry, its header included
 * @trace_ctx: tracing_gen_ctx() of who records
 *
 * Fills the header in. Preemption is off until the entry is committed. Any
 * context.
 *
 * Return: the entry, or NULL when the buffer does not record or has no room.
 */
struct ring_buffer_event *trace_buffer_lock_reserve(struct trace_buffer *buffer, int type,
						    unsigned long len, unsigned int trace_ctx)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, len);

	if (event)
		tracing_generic_entry_update(ring_buffer_reserved_data(event), type, trace_ctx);
	return event;
}

static struct trace_text commit_text __ro_after_init;
static const struct trace_stack_top commit_top = { .texts = &commit_text, .nr = 1 };

/**
 * trace_buffer_unlock_commit_regs - end an entry, and record the stacks that go with it
 * @tr: instance
 * @buffer: its ring buffer
 * @event: what trace_buffer_lock_reserve() returned
 * @trace_ctx: as there
 * @regs: where the kernel's stack begins, NULL for the caller
 *
 * Any context.
 */
void trace_buffer_unlock_commit_regs(struct trace_array *tr, struct trace_buffer *buffer,
				     struct ring_buffer_event *event, unsigned int trace_ctx,
				     struct pt_regs *regs)
{
	ring_buffer_unlock_commit(buffer);

	if (trace_wants_stacks(tr)) {
		trace_record_stacks(tr, buffer, trace_ctx, &commit_top, regs);
		barrier();	/* no jump: this function is looked for in the stack */
	}
}

void __init trace_write_init(void)
{
	trace_text_of(&commit_text, (unsigned long)trace_buffer_unlock_commit_regs);
}
