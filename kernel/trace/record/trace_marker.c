// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_marker and trace_marker_raw: user space writes into the trace.
 *
 * The text is copied straight into the reserved entry. That must not sleep, so
 * when a page of it is not there the entry is given up, the text is copied to
 * memory of our own, where a fault is no harm, and written from there. An
 * address that is wrong for good leaves an entry that says so, since tools
 * look for it, and gets -EFAULT.
 */
#include <kunit/visibility.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../tasks/switch.h"
#include "entries.h"
#include "internal.h"
#include "triggers.h"
#include "write.h"

#define FAULTED		"<faulted>"

/* Longest write that is taken as one entry; the caller comes again for the rest. */
#define MARKER_MAX	4096

/* Where a marker's bytes come from: exactly one of the two is set. */
struct marker_source {
	const char __user	*user;
	const char		*kernel;
};

/*
 * A slot of @size bytes with its head filled in. Preemption is off until it is
 * committed or given up.
 */
static void *marker_reserve(struct trace_array *tr, int type, size_t size,
			    struct ring_buffer_slot *slot)
{
	unsigned int ctx = tracing_gen_ctx();
	void *ent;

	preempt_disable_notrace();
	ent = trace_slot_reserve(tr->array_buffer.buffer, type, size, ctx, slot);
	if (!ent)
		preempt_enable_notrace();
	return ent;
}

static void marker_discard(const struct ring_buffer_slot *slot)
{
	ring_buffer_slot_discard(slot);
	preempt_enable_notrace();
}

/* Fill the slot. Return: false when a page was not there. */
static bool marker_copy(void *to, const struct marker_source *from, size_t cnt)
{
	if (from->kernel) {
		memcpy(to, from->kernel, cnt);
		return true;
	}
	return !copy_from_user_nofault(to, from->user, cnt);
}

/*
 * Both files write through this: first without faults, then through a copy.
 * @write records the bytes or returns -EAGAIN when it could not get at them.
 */
static ssize_t marker_write_any(struct trace_array *tr, const char __user *ubuf, size_t cnt,
				ssize_t (*write)(struct trace_array *tr,
						 const struct marker_source *from, size_t cnt),
				void (*faulted)(struct trace_array *tr))
{
	struct marker_source from = { .user = ubuf };
	ssize_t ret = write(tr, &from, cnt);
	char *copy;

	/*
	 * If names are wanted at all, this is one; a switch may not look at this instance, when
	 * all that is recorded in it are markers.
	 */
	tracing_record_taskinfo(current, trace_switch_recorded());
	if (likely(ret != -EAGAIN))
		return ret;
	copy = memdup_user(ubuf, cnt);
	if (IS_ERR(copy)) {
		if (PTR_ERR(copy) == -EFAULT)
			faulted(tr);
		return PTR_ERR(copy);
	}
	from.user = NULL;
	from.kernel = copy;
	ret = write(tr, &from, cnt);
	kfree(copy);
	return ret;
}

/* Named as it is since the name stands in the trace: it is the caller of the entry. */
static noinline ssize_t tracing_mark_write(struct trace_array *tr, const struct marker_source *from,
					   size_t cnt)
{
	struct ring_buffer_slot slot __uninitialized;
	enum event_trigger_type after = ETT_NONE;
	struct trace_event_file *file;
	struct print_entry *ent;

	ent = marker_reserve(tr, TRACE_PRINT, sizeof(*ent) + cnt + 2, &slot);
	if (!ent)
		return -EBADF;	/* recording is off */
	ent->ip = _THIS_IP_;
	if (!marker_copy(ent->buf, from, cnt)) {
		marker_discard(&slot);
		return -EAGAIN;
	}
	/* triggers see the text as it was written */
	ent->buf[cnt] = 0;
	file = READ_ONCE(tr->room[ROOM_RECORD]);
	if (unlikely(file))
		after = event_triggers_run(file, ent, ring_buffer_slot_time(&slot));
	/* every marker ends its line */
	if (ent->buf[cnt - 1] != '\n')
		ent->buf[cnt++] = '\n';
	else
		ent->buf[cnt + 1] = 0;
	ent->buf[cnt] = 0;
	if (static_branch_unlikely(&trace_marker_exports_enabled))
		ftrace_exports(slot.event, TRACE_EXPORT_MARKER);
	ring_buffer_slot_commit(&slot);
	if (unlikely(after))
		event_triggers_post_call(file, after);
	preempt_enable_notrace();
	return 0;
}

void trace_marker_triggers(struct trace_array *tr, struct trace_event_file *file)
{
	WRITE_ONCE(tr->room[ROOM_RECORD], file);
}

static void mark_faulted(struct trace_array *tr)
{
	struct marker_source from = { .kernel = FAULTED };

	tracing_mark_write(tr, &from, strlen(FAULTED));
}

/* Options and state that both files ask for. */
static int marker_allowed(struct trace_array *tr)
{
	if (tracing_disabled || !(tr->trace_flags & TRACE_ITER_MARKERS))
		return -EINVAL;
	return 0;
}

static ssize_t marker_write(struct file *filp, const char __user *ubuf, size_t cnt, loff_t *fpos)
{
	struct trace_array *tr = filp->private_data;
	size_t max;
	ssize_t ret = marker_allowed(tr);

	if (ret)
		return ret;
	if ((ssize_t)cnt < 0)
		return -EINVAL;
	if (!cnt)
		return 0;
	/* what does not fit is left for the writer's next try; it gets a short count */
	max = ring_buffer_max_event_size(tr->array_buffer.buffer);
	cnt = min3(cnt, (size_t)MARKER_MAX, max - sizeof(struct print_entry) - 2);
	ret = marker_write_any(tr, ubuf, cnt, tracing_mark_write, mark_faulted);
	return ret ?: cnt;
}

/**
 * trace_marker_text - where markers are written, for who looks for it in a stack
 * @text: is filled in
 *
 * Context: any.
 */
void trace_marker_text(struct trace_text *text)
{
	trace_text_of(text, (unsigned long)marker_write);
}

/* The bytes begin with the number that says whose they are. */
static ssize_t mark_write_raw(struct trace_array *tr, const struct marker_source *from, size_t cnt)
{
	struct ring_buffer_slot slot __uninitialized;
	struct raw_data_entry *ent;
	size_t size = offsetof(struct raw_data_entry, id) + cnt;

	ent = marker_reserve(tr, TRACE_RAW_DATA, size, &slot);
	if (!ent)
		return -EBADF;
	if (!marker_copy(&ent->id, from, cnt)) {
		marker_discard(&slot);
		return -EAGAIN;
	}
	/* the ring buffer rounds the length up; what it adds is not ours to leak */
	memset((void *)ent + size, 0, ring_buffer_event_length(slot.event) - size);
	ring_buffer_slot_commit(&slot);
	preempt_enable_notrace();
	return 0;
}

static void mark_raw_faulted(struct trace_array *tr)
{
	static const char text[] = "\xff\xff\xff\xff" FAULTED;
	struct marker_source from = { .kernel = text };

	mark_write_raw(tr, &from, sizeof(text) - 1);
}

static ssize_t marker_raw_write(struct file *filp, const char __user *ubuf, size_t cnt,
				loff_t *fpos)
{
	struct trace_array *tr = filp->private_data;
	ssize_t ret = marker_allowed(tr);
	size_t max;

	if (ret)
		return ret;
	/* half of a binary record would be worse than none */
	max = ring_buffer_max_event_size(tr->array_buffer.buffer) -
	      offsetof(struct raw_data_entry, id);
	if (cnt < sizeof(unsigned int) || cnt > max)
		return -EINVAL;
	ret = marker_write_any(tr, ubuf, cnt, mark_write_raw, mark_raw_faulted);
	return ret ?: cnt;
}

static int marker_open(struct inode *inode, struct file *filp)
{
	int ret;

	stream_open(inode, filp);
	ret = tracing_open_generic_tr(inode, filp);
	if (ret)
		return ret;
	/* a marker is written to an instance: it will be, and has no time to wait then */
	ret = trace_array_use(filp->private_data);
	if (ret)
		trace_array_put(filp->private_data);
	return ret;
}

VISIBLE_IF_KUNIT const struct file_operations trace_marker_fops = {
	.open		= marker_open,
	.write		= marker_write,
	.release	= tracing_release_generic_tr,
};

static const struct file_operations trace_marker_raw_fops = {
	.open		= marker_open,
	.write		= marker_raw_write,
	.release	= tracing_release_generic_tr,
};

static void marker_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("trace_marker", 0220, dir, tr, &trace_marker_fops);
	trace_create_file("trace_marker_raw", 0220, dir, tr, &trace_marker_raw_fops);
}

const struct instance_feature trace_marker_feature = {
	.name	= "trace_marker",
	.files	= marker_files,
};
