// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracer mmiotrace: what drivers read from and write to their devices. How that is caught is
 * in arch/x86/mm/mmio-mod.c and kmmio.c, the text in Documentation/trace/mmiotrace.rst; here it
 * is recorded and printed. The text is a format of its own, which programs read.
 */
#include <linux/atomic.h>
#include <linux/init.h>
#include <linux/mmiotrace.h>
#include <linux/pci.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "../instance/instance.h"
#include "../instance/tracer.h"
#include "../output/output.h"
#include "../printf.h"
#include "../record/entries.h"
#include "../record/record.h"
#include "../record/write.h"

struct mmio_rw_entry {
	struct trace_entry	ent;
	struct mmiotrace_rw	rw;
};

struct mmio_map_entry {
	struct trace_entry	ent;
	struct mmiotrace_map	map;
};

/* Where records go. Between enable_mmiotrace() and disable_mmiotrace() there is one. */
static struct trace_array *mmio_tr;

/* Since the tracer was chosen: records that found no room, of which trace_pipe has not told yet. */
static atomic_long_t mmio_dropped;
static bool mmio_has_warned;	/* the log says that some were lost */

static int mmio_init(struct trace_array *tr)
{
	int ret = __trace_array_use(tr);

	if (ret)
		return ret;
	mmio_tr = tr;
	atomic_long_set(&mmio_dropped, 0);
	WRITE_ONCE(mmio_has_warned, false);
	enable_mmiotrace();
	return 0;
}

static void mmio_reset(struct trace_array *tr)
{
	disable_mmiotrace();
	mmio_tr = NULL;
}

static_assert(offsetof(struct mmio_rw_entry, rw) == sizeof(struct trace_entry));
static_assert(offsetof(struct mmio_map_entry, map) == sizeof(struct trace_entry));

/* An entry with @what, of @size bytes, behind its head. */
static void mmio_record(int type, const void *what, size_t size)
{
	struct ring_buffer_slot slot;
	struct trace_entry *ent;

	guard(preempt_notrace)();
	ent = trace_slot_reserve(mmio_tr->array_buffer.buffer, type, sizeof(*ent) + size,
				 tracing_gen_ctx(), &slot);
	if (!ent) {
		/* also without overwrite, where the buffer is full until somebody reads */
		if (tracer_tracing_is_on(mmio_tr))
			atomic_long_inc(&mmio_dropped);
		return;
	}
	memcpy(ent + 1, what, size);
	ring_buffer_slot_commit(&slot);
}

/**
 * mmio_trace_rw - record an access
 * @rw: the access
 *
 * Context: the debug trap behind it; between enable_mmiotrace() and disable_mmiotrace().
 */
void mmio_trace_rw(struct mmiotrace_rw *rw)
{
	mmio_record(TRACE_MMIO_RW, rw, sizeof(*rw));
}

/**
 * mmio_trace_mapping - record that memory of a device was mapped or unmapped
 * @map: where
 *
 * Context: interrupts off; between enable_mmiotrace() and disable_mmiotrace().
 */
void mmio_trace_mapping(struct mmiotrace_map *map)
{
	mmio_record(TRACE_MMIO_MAP, map, sizeof(*map));
}

/**
 * mmio_trace_printk - a driver's remark among its accesses
 * @fmt: of the text
 * @args: for it
 *
 * Context: as trace_vprintk().
 * Return: bytes that were recorded.
 */
int mmio_trace_printk(const char *fmt, va_list args)
{
	return trace_vprintk(0, fmt, args);
}

static void put_time(struct trace_iterator *iter)
{
	unsigned long us = trace_ns_to_us(iter->ts);

	trace_seq_printf(&iter->seq, "%lu.%06lu", us / USEC_PER_SEC, us % USEC_PER_SEC);
}

/* The last number of each line is of the process, which for the kernel's accesses is 0. */
static void put_rw(struct trace_iterator *iter)
{
	const struct mmiotrace_rw *rw = &((const struct mmio_rw_entry *)iter->ent)->rw;
	struct trace_seq *s = &iter->seq;

	switch (rw->opcode) {
	case MMIO_READ:
	case MMIO_WRITE:
		trace_seq_printf(s, "%c %d ", rw->opcode == MMIO_READ ? 'R' : 'W', rw->width);
		put_time(iter);
		trace_seq_printf(s, " %d 0x%llx 0x%lx 0x%lx 0\n", rw->map_id,
				 (unsigned long long)rw->phys, rw->value, rw->pc);
		break;
	case MMIO_UNKNOWN_OP:
		/* the first bytes of the instruction */
		trace_seq_puts(s, "UNKNOWN ");
		put_time(iter);
		trace_seq_printf(s, " %d 0x%llx %02lx,%02lx,%02lx 0x%lx 0\n", rw->map_id,
				 (unsigned long long)rw->phys, rw->value >> 16 & 0xff,
				 rw->value >> 8 & 0xff, rw->value & 0xff, rw->pc);
		break;
	default:
		trace_seq_puts(s, "rw what?\n");
		break;
	}
}

static void put_map(struct trace_iterator *iter)
{
	const struct mmiotrace_map *map = &((const struct mmio_map_entry *)iter->ent)->map;
	struct trace_seq *s = &iter->seq;

	switch (map->opcode) {
	case MMIO_PROBE:
		trace_seq_puts(s, "MAP ");
		put_time(iter);
		trace_seq_printf(s, " %d 0x%llx 0x%lx 0x%lx 0x0 0\n", map->map_id,
				 (unsigned long long)map->phys, map->virt, map->len);
		break;
	case MMIO_UNPROBE:
		trace_seq_puts(s, "UNMAP ");
		put_time(iter);
		trace_seq_printf(s, " %d 0x0 0\n", map->map_id);
		break;
	default:
		trace_seq_puts(s, "map what?\n");
		break;
	}
}

static void put_mark(struct trace_iterator *iter)
{
	const struct print_entry *print = (const struct print_entry *)iter->ent;
	size_t room = iter->ent_size - offsetof(struct print_entry, buf);

	trace_seq_puts(&iter->seq, "MARK ");
	put_time(iter);
	trace_seq_putc(&iter->seq, ' ');
	trace_seq_putmem(&iter->seq, print->buf, strnlen(print->buf, room));
}

/*
 * As a remark, which whoever reads the format knows, and with a time that is none. What found no
 * room is told with the record that is read next, whenever that was.
 */
static void put_lost(struct trace_iterator *iter)
{
	unsigned long lost = 0;

	/* trace does not use up what trace_pipe is to tell */
	if (iter->private && atomic_long_read(&mmio_dropped))
		lost = atomic_long_xchg(&mmio_dropped, 0);
	if (!lost && !iter->lost_events)
		return;
	if (!xchg(&mmio_has_warned, true))
		pr_warn("mmiotrace has lost events\n");
	/* of some it is not known how many */
	if (iter->lost_events != ULONG_MAX)
		lost += iter->lost_events;
	if (lost)
		trace_seq_printf(&iter->seq, "MARK 0.000000 Lost %lu events.\n", lost);
}

/* Whatever else is recorded meanwhile is no part of this format. */
static enum print_line_t mmio_print_line(struct trace_iterator *iter)
{
	put_lost(iter);
	switch (iter->ent->type) {
	case TRACE_MMIO_RW:
		put_rw(iter);
		break;
	case TRACE_MMIO_MAP:
		put_map(iter);
		break;
	case TRACE_PRINT:
		put_mark(iter);
		break;
	default:
		return TRACE_TYPE_HANDLED;
	}
	return trace_handle_return(&iter->seq);
}

/* As the line of /proc/bus/pci/devices: all resources, then their lengths. */
static void put_pci_device(struct trace_seq *s, const struct pci_dev *dev)
{
	int i;

	trace_seq_printf(s, "PCIDEV %02x%02x %04x%04x %x", dev->bus->number, dev->devfn,
			 dev->vendor, dev->device, dev->irq);
	for (i = 0; i <= PCI_ROM_RESOURCE; i++) {
		const struct resource *res = &dev->resource[i];

		trace_seq_printf(s, " %llx", (unsigned long long)(res->start |
				 (res->flags & PCI_REGION_FLAG_MASK)));
	}
	for (i = 0; i <= PCI_ROM_RESOURCE; i++)
		trace_seq_printf(s, " %llx", (unsigned long long)
				 pci_resource_len((struct pci_dev *)dev, i));
	trace_seq_printf(s, " %s\n", dev->dev.driver ? dev->dev.driver->name : "");
}

/**
 * struct mmio_head - how far a reader of trace_pipe is
 * @version: it has the first line
 * @dev: the last device that it has, with a reference
 * @done: it has all
 */
struct mmio_head {
	bool		version;
	struct pci_dev	*dev;
	bool		done;
};

/* Without memory there is no head. */
static void mmio_pipe_open(struct trace_iterator *iter)
{
	struct mmio_head *head = kzalloc(sizeof(*head), GFP_KERNEL);

	iter->private = head;
}

static void mmio_pipe_close(struct trace_iterator *iter)
{
	struct mmio_head *head = iter->private;

	if (head)
		pci_dev_put(head->dev);
	kfree(head);
	iter->private = NULL;
}

static bool mmio_pipe_head(struct trace_iterator *iter)
{
	struct mmio_head *head = iter->private;

	if (!head || head->done)
		return false;
	if (!head->version) {
		head->version = true;
		trace_seq_puts(&iter->seq, "VERSION 20070824\n");
		return true;
	}
	head->dev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, head->dev);
	if (!head->dev) {
		head->done = true;
		return false;
	}
	put_pci_device(&iter->seq, head->dev);
	return true;
}

static struct tracer mmio_tracer = {
	.name		= "mmiotrace",
	.init		= mmio_init,
	.reset		= mmio_reset,
	.pipe_open	= mmio_pipe_open,
	.pipe_close	= mmio_pipe_close,
	.pipe_head	= mmio_pipe_head,
	.print_line	= mmio_print_line,
	.noboot		= true,		/* there is no hotplug of CPUs yet */
};

static int __init mmio_register(void)
{
	return register_tracer(&mmio_tracer);
}
device_initcall(mmio_register);
