// SPDX-License-Identifier: GPL-2.0-only
/*
 * `format` of an event, and header_page and header_event, which say the same
 * of what the ring buffer puts around an event's record.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/trace_seq.h>

#include "../output/output.h"
#include "directories.h"
#include "internal.h"

/*
 * An array is shown as C declares it, "char comm[16]", with the number of elements that the
 * compiler found. What lies elsewhere in the record keeps its type: "__data_loc char[] name".
 */
static void show_field(struct seq_file *m, const struct ftrace_event_field *field)
{
	const char *dim = strchr(field->type, '[');

	if (dim && str_has_prefix(field->type, "__data_loc"))
		dim = NULL;

	/* Tools read the formats of all events when they start: no seq_printf(), which is slow. */
	seq_puts(m, "\tfield:");
	seq_write(m, field->type, dim ? dim - field->type : strlen(field->type));
	seq_putc(m, ' ');
	seq_puts(m, field->name);
	if (dim) {
		seq_putc(m, '[');
		if (field->len)
			seq_put_decimal_ll(m, "", field->len);
		seq_putc(m, ']');
	}
	seq_put_decimal_ull(m, ";\toffset:", field->offset);
	seq_put_decimal_ull(m, ";\tsize:", field->size);
	seq_puts(m, field->is_signed ? ";\tsigned:1;\n" : ";\tsigned:0;\n");
}

static int format_show(struct seq_file *m, void *unused)
{
	struct trace_event_file *file = m->private;
	struct ftrace_event_field *field;
	struct trace_event_call *call;
	int ret = -ENODEV;

	mutex_lock(&event_mutex);
	if (file->flags & EVENT_FILE_FL_FREED)
		goto out;

	call = file->event_call;
	down_read(&trace_event_sem);
	seq_puts(m, "name: ");
	seq_puts(m, trace_event_name(call));
	seq_put_decimal_ll(m, "\nID: ", call->event.type);
	seq_puts(m, "\nformat:\n");
	list_for_each_entry(field, &event_common_fields, link)
		show_field(m, field);
	seq_putc(m, '\n');
	list_for_each_entry(field, trace_get_fields(call), link)
		show_field(m, field);
	seq_puts(m, "\nprint fmt: ");
	seq_puts(m, call->print_fmt);
	seq_putc(m, '\n');
	up_read(&trace_event_sem);
	ret = 0;
out:
	mutex_unlock(&event_mutex);
	return ret;
}

static int format_open(struct inode *inode, struct file *filp)
{
	return event_single_open(inode, filp, format_show, inode->i_private);
}

static const struct file_operations event_format_fops = {
	TRACE_SEQ_OPS(format_open, event_single_release),
};

static ssize_t header_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos,
			   int (*print)(struct trace_array *tr, struct trace_seq *s))
{
	struct trace_seq *s;
	ssize_t ret;

	s = kmalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	trace_seq_init(s);
	print(filp->private_data, s);
	ret = simple_read_from_buffer(ubuf, count, ppos, s->buffer, trace_seq_used(s));
	kfree(s);
	return ret;
}

static int print_page_header(struct trace_array *tr, struct trace_seq *s)
{
	return ring_buffer_print_page_header(tr->array_buffer.buffer, s);
}

static int print_entry_header(struct trace_array *tr, struct trace_seq *s)
{
	return ring_buffer_print_entry_header(s);
}

static ssize_t header_page_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	return header_read(filp, ubuf, count, ppos, print_page_header);
}

static ssize_t header_event_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	return header_read(filp, ubuf, count, ppos, print_entry_header);
}

static const struct file_operations event_header_page_fops = {
	TRACE_READ_OPS_TR(header_page_read),
};

static const struct file_operations event_header_event_fops = {
	TRACE_READ_OPS_TR(header_event_read),
};

int __init event_format_init(void)
{
	static const struct event_dir_file event_files[] = {
		{ "format",		TRACE_MODE_READ,	&event_format_fops },
	}, top_files[] = {
		{ "header_page",	TRACE_MODE_READ,	&event_header_page_fops },
		{ "header_event",	TRACE_MODE_READ,	&event_header_event_fops },
	};

	return event_dir_add_files(EVENT_DIR_EVENT, event_files, ARRAY_SIZE(event_files)) ?:
	       event_dir_add_files(EVENT_DIR_TOP, top_files, ARRAY_SIZE(top_files));
}
