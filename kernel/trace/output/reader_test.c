// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: reading what was recorded, through the operations of the files themselves.
 *
 * Readers run in a thread of their own, since the faults that are looked for here
 * make them hang.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/kthread.h>
#include <linux/pipe_fs_i.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/string.h>
#include <linux/uio.h>

#include "../ring_buffer/internal.h"
#include "../snapshot/snapshot.h"
#include "../tests/instance.h"
#include "../tests/suite.h"
#include "internal.h"

#define NAME		"kunit-readers"
#define TEXT		"a text of the test\n"
#define SOON		(5 * HZ)
#define ROOM		(2 * PAGE_SIZE)

/**
 * struct test_file - an open file and one who reads it
 * @test:	for whom
 * @tr:		instance
 * @fops:	of the file
 * @inode:	what there is of it that the operations look at
 * @file:	the same of the open file
 * @pipe:	where splice goes to
 * @len:	to read
 * @ki_flags:	of the read
 * @text:	where a read goes to
 * @ret:	what the last read gave, valid after @done
 * @done:	the reader is
 */
struct test_file {
	struct kunit			*test;
	struct trace_array		*tr;
	const struct file_operations	*fops;
	struct inode			inode;
	struct file			file;
	struct pipe_inode_info		*pipe;
	size_t				len;
	int				ki_flags;
	char				text[ROOM];
	ssize_t				ret;
	struct completion		done;
};

static struct trace_array *test_instance(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name(NAME, NULL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	tracer_tracing_on(tr);
	return tr;
}

/* A line into the buffer of CPU 0, whatever CPU this is. */
static void test_write(void *tr)
{
	__trace_array_puts(tr, _THIS_IP_, TEXT, sizeof(TEXT) - 1);
}

static void test_mark(struct trace_array *tr)
{
	smp_call_function_single(0, test_write, tr, true);
}

static struct test_file *test_open(struct kunit *test, struct trace_array *tr, int cpu,
				   const struct file_operations *fops)
{
	struct test_file *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->test = test;
	f->tr = tr;
	f->fops = fops;
	f->len = ROOM;
	f->inode.i_private = tr;
	if (cpu != RING_BUFFER_ALL_CPUS)
		f->inode.i_cdev = (void *)(cpu + 1L);
	f->file.f_inode = &f->inode;
	f->file.f_mode = FMODE_READ;
	/* who polls takes references */
	atomic_long_set(&f->file.f_count, 1);
	f->pipe = alloc_pipe_info();
	KUNIT_ASSERT_NOT_NULL(test, f->pipe);
	/* splice() looks for somebody to read what it puts there */
	f->pipe->readers = 1;
	KUNIT_ASSERT_EQ(test, fops->open(&f->inode, &f->file), 0);
	return f;
}

static void test_close(struct test_file *f)
{
	if (f->file.private_data)
		f->fops->release(&f->inode, &f->file);
	f->file.private_data = NULL;
	if (f->pipe)
		free_pipe_info(f->pipe);
	f->pipe = NULL;
}

static int test_reader(void *arg)
{
	struct test_file *f = arg;
	loff_t pos = 0;

	if (f->fops->splice_read != copy_splice_read) {
		pipe_lock(f->pipe);
		f->ret = f->fops->splice_read(&f->file, &pos, f->pipe, f->len, 0);
		pipe_unlock(f->pipe);
	} else {
		struct kvec vec = { .iov_base = f->text, .iov_len = f->len };
		struct iov_iter to;
		struct kiocb iocb;

		init_sync_kiocb(&iocb, &f->file);
		iocb.ki_flags |= f->ki_flags;
		iov_iter_kvec(&to, ITER_DEST, &vec, 1, f->len);
		f->ret = f->fops->read_iter(&iocb, &to);
	}
	complete(&f->done);
	return 0;
}

static void test_start(struct test_file *f)
{
	struct task_struct *task;

	init_completion(&f->done);
	task = kthread_run(test_reader, f, NAME);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(f->test, task);
}

/* The same where there is nothing to read yet. */
static void test_start_waits(struct kunit *test, struct test_file *f)
{
	test_start(f);
	msleep(100);
	KUNIT_EXPECT_FALSE(test, completion_done(&f->done));
}

/* What the reader that test_start() sent gets; it has to come back soon. */
static ssize_t test_result(struct test_file *f)
{
	if (wait_for_completion_timeout(&f->done, SOON))
		return f->ret;
	KUNIT_FAIL(f->test, "the reader does not come back");
	/* get it out of there, so that what follows can go on */
	f->file.f_flags |= O_NONBLOCK;
	tracer_tracing_on(f->tr);
	test_mark(f->tr);
	if (f->fops->flush)
		f->fops->flush(&f->file, NULL);
	wait_for_completion(&f->done);
	return -ETIME;
}

static ssize_t test_read(struct test_file *f)
{
	test_start(f);
	return test_result(f);
}

/*
 * Whoever registers events, makes instances or changes a buffer may wait for memory
 * meanwhile, be it the one that is read or the top instance's. Reading goes on.
 */
static void test_no_lock_shared(struct kunit *test)
{
	static const struct {
		const struct file_operations	*fops;
		int				cpu;
	} files[] = {
		{ &trace_pipe_raw_fops, 0 },
		{ &trace_pipe_fops, 0 },
		{ &trace_pipe_fops, RING_BUFFER_ALL_CPUS },
	};
	struct trace_array *tr = test_instance(test);
	bool soon;

	for (int i = 0; i < ARRAY_SIZE(files); i++) {
		struct test_file *f = test_open(test, tr, files[i].cpu, files[i].fops);

		tr->buffer_percent = 0;
		test_mark(tr);
		mutex_lock(&event_mutex);
		mutex_lock(&trace_types_lock);
		down_write(&trace_event_sem);
		mutex_lock(&global_trace.array_buffer.buffer->mutex);
		mutex_lock_nested(&tr->array_buffer.buffer->mutex, SINGLE_DEPTH_NESTING);
		test_start(f);
		soon = wait_for_completion_timeout(&f->done, SOON);
		mutex_unlock(&tr->array_buffer.buffer->mutex);
		mutex_unlock(&global_trace.array_buffer.buffer->mutex);
		up_write(&trace_event_sem);
		mutex_unlock(&trace_types_lock);
		mutex_unlock(&event_mutex);
		KUNIT_EXPECT_TRUE_MSG(test, soon, "file %d waits for a lock", i);
		if (!soon)
			wait_for_completion(&f->done);
		KUNIT_EXPECT_GT(test, f->ret, 0);
		test_close(f);
	}
	test_instance_end(test, tr);
}

/* A page in a pipe keeps the instance, not the file that it came from. */
static void test_page_keeps_instance(struct kunit *test)
{
	struct trace_array *tr = test_instance(test);
	struct test_file *f = test_open(test, tr, 0, &trace_pipe_raw_fops);

	tr->buffer_percent = 0;
	test_mark(tr);
	KUNIT_EXPECT_EQ(test, test_read(f), (ssize_t)PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, atomic_read(&output_of(tr)->raw_pages), 1);
	f->fops->release(&f->inode, &f->file);
	f->file.private_data = NULL;
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), -EBUSY);
	test_close(f);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

/* The memory of the sub-buffer with that number; nobody writes. */
static struct page *test_page_of(struct rb_ring *ring, u64 seq)
{
	struct rb_table *table = ring->table;

	return virt_to_page(table->sub[table->slot[seq % table->nr] & RB_SLOT_INDEX]->page);
}

/* What a pipe gets of full sub-buffers is their own memory: nothing is copied. */
static void test_splice_copies_nothing(struct kunit *test)
{
	struct trace_array *tr = test_instance(test);
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct page *pages[ROOM / PAGE_SIZE];
	struct test_file *f;
	struct rb_ring *ring;

	tr->buffer_percent = 0;
	KUNIT_ASSERT_EQ(test, ring_buffer_resize(buffer, 8 * PAGE_SIZE, 0), 0);
	ring = rb_ring_of(buffer, 0);
	KUNIT_ASSERT_NOT_NULL(test, ring);
	for (int i = 0; i < ROOM && ring->commit_seq - ring->next < ARRAY_SIZE(pages); i++)
		test_mark(tr);
	KUNIT_EXPECT_EQ(test, ring->commit_seq - ring->next, ARRAY_SIZE(pages));
	for (int i = 0; i < ARRAY_SIZE(pages); i++)
		pages[i] = test_page_of(ring, ring->next + i);
	f = test_open(test, tr, 0, &trace_pipe_raw_fops);
	KUNIT_EXPECT_EQ(test, test_read(f), (ssize_t)ROOM);
	KUNIT_EXPECT_EQ(test, pipe_occupancy(f->pipe->head, f->pipe->tail), ARRAY_SIZE(pages));
	for (int i = 0; i < ARRAY_SIZE(pages); i++)
		KUNIT_EXPECT_PTR_EQ(test, f->pipe->bufs[i].page, pages[i]);
	test_close(f);
	test_instance_end(test, tr);
}

/* Sub-buffers get another size while a reader waits: each page has its own. */
static void test_splice_other_size(struct kunit *test)
{
	struct trace_array *tr = test_instance(test);
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct test_file *f;

	tr->buffer_percent = 0;
	KUNIT_ASSERT_EQ(test, ring_buffer_subbuf_order_set(buffer, 1), 0);
	f = test_open(test, tr, 0, &trace_pipe_raw_fops);
	test_start_waits(test, f);
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_set(buffer, 0), 0);
	test_mark(tr);
	KUNIT_EXPECT_EQ(test, test_result(f), (ssize_t)PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, pipe_occupancy(f->pipe->head, f->pipe->tail), 1);
	KUNIT_EXPECT_EQ(test, f->pipe->bufs[0].len, (unsigned int)PAGE_SIZE);

	/* and there is no more than what was asked for */
	f->len = PAGE_SIZE;
	test_start_waits(test, f);
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_set(buffer, 1), 0);
	test_mark(tr);
	KUNIT_EXPECT_EQ(test, test_result(f), (ssize_t)-EINVAL);
	test_close(f);
	test_instance_end(test, tr);
}

/* Who waits for a full buffer gets what there is when nothing more will come, and then the end. */
static void test_off_ends_splice(struct kunit *test)
{
	struct trace_array *tr = test_instance(test);
	struct test_file *f = test_open(test, tr, 0, &trace_pipe_raw_fops);

	tr->buffer_percent = 100;
	test_mark(tr);
	test_start_waits(test, f);
	tracer_tracing_off(tr);
	KUNIT_EXPECT_EQ(test, test_result(f), (ssize_t)PAGE_SIZE);
	/* once: who asks again waits for recording to go on */
	KUNIT_EXPECT_EQ(test, test_read(f), 0);
	test_start_waits(test, f);
	tr->buffer_percent = 0;
	tracer_tracing_on(tr);
	for (int i = 0; i < 2; i++) {
		test_mark(tr);
		tracer_tracing_off(tr);
		KUNIT_EXPECT_EQ(test, test_result(f), (ssize_t)PAGE_SIZE);
		if (!i) {
			tracer_tracing_on(tr);
			test_start(f);
		}
	}
	test_close(f);
	test_instance_end(test, tr);
}

static void test_off_ends_pipe(struct kunit *test)
{
	struct trace_array *tr = test_instance(test);
	struct test_file *f = test_open(test, tr, RING_BUFFER_ALL_CPUS, &trace_pipe_fops);

	/* who has got nothing yet waits for recording to be on */
	tracer_tracing_off(tr);
	test_start_waits(test, f);
	tracer_tracing_on(tr);
	test_mark(tr);
	KUNIT_EXPECT_GT(test, test_result(f), 0);
	KUNIT_EXPECT_NOT_NULL(test, strnstr(f->text, TEXT, ROOM));

	test_start_waits(test, f);
	tracer_tracing_off(tr);
	KUNIT_EXPECT_EQ(test, test_result(f), 0);
	test_close(f);
	test_instance_end(test, tr);
}

/* What a reader has seen may be gone when it asks for it. */
static void test_entry_vanishes(struct kunit *test)
{
	struct trace_array *tr = test_instance(test);
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct trace_iterator *iter = trace_iter_alloc(tr, RING_BUFFER_ALL_CPUS);
	u64 ts;

	KUNIT_ASSERT_NOT_NULL(test, iter);
	for (int i = 0; i < 4; i++) {
		test_mark(tr);
		/* each has its time, also where a clock moves on with the tick only */
		ts = ring_buffer_time_stamp(buffer);
		while (ring_buffer_time_stamp(buffer) == ts)
			cpu_relax();
	}
	/* this takes one and sees the next */
	KUNIT_EXPECT_NOT_NULL(test, trace_find_next_entry_inc(iter));
	KUNIT_EXPECT_EQ(test, (int)iter->ent->type, (int)TRACE_PRINT);
	KUNIT_EXPECT_TRUE(test, trace_find_next_time(iter, &ts));
	KUNIT_EXPECT_NOT_NULL(test, trace_find_next_on_cpu(iter, &ts));
	/* another reader takes that: there is still one */
	ring_buffer_consume(buffer, 0, NULL, NULL);
	KUNIT_EXPECT_NOT_NULL(test, trace_find_next_entry_inc(iter));
	KUNIT_EXPECT_GT(test, iter->ts, ts);
	/* the buffer is emptied */
	ring_buffer_reset(buffer);
	KUNIT_EXPECT_NULL(test, trace_find_next_entry_inc(iter));
	KUNIT_EXPECT_NULL(test, iter->ent);
	/* its memory is another, of another size, and the reader's is too small */
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_set(buffer, 1), 0);
	test_mark(tr);
	KUNIT_EXPECT_NOT_NULL(test, trace_find_next_entry_inc(iter));
	KUNIT_EXPECT_EQ(test, iter->ent_size % 4, 0);
	KUNIT_EXPECT_NULL(test, trace_find_next_entry_inc(iter));
	trace_iter_free(iter);
	test_instance_end(test, tr);
}

/* A clock at whose next look somebody records something, just before it says what time it is. */
static struct trace_array *test_late_record;
static u64 test_late_time;

static u64 notrace test_late_clock(void)
{
	struct trace_array *tr = test_late_record;

	test_late_record = NULL;
	if (tr)
		test_write(tr);
	return ++test_late_time;
}

/* How many entries `trace` has. */
static unsigned long test_shown(struct kunit *test, struct trace_array *tr)
{
	struct trace_iterator *iter = trace_iter_alloc(tr, RING_BUFFER_ALL_CPUS);
	unsigned long nr = 0;

	KUNIT_ASSERT_NOT_NULL(test, iter);
	KUNIT_EXPECT_EQ(test, trace_iter_read_start(iter), 0);
	trace_iter_rewind(iter);
	while (trace_find_next_entry_inc(iter))
		nr++;
	trace_iter_free(iter);
	return nr;
}

/*
 * From when on entries are shown is a time, which is taken while others record. What they record
 * just before that is gone, as the rest, or shown.
 */
static void test_emptied_hides_nothing(struct kunit *test)
{
	struct trace_array *tr = test_instance(test);
	struct trace_buffer *buffer = tr->array_buffer.buffer;

	ring_buffer_set_clock(buffer, test_late_clock);
	test_mark(tr);
	scoped_guard(mutex, &trace_types_lock) {
		test_late_record = tr;
		tracing_reset_online_cpus(&tr->array_buffer);
	}
	/* the time was taken */
	KUNIT_EXPECT_NULL(test, test_late_record);
	test_late_record = NULL;
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), test_shown(test, tr));
	test_mark(tr);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), test_shown(test, tr));
	KUNIT_EXPECT_GT(test, test_shown(test, tr), 0UL);
	test_instance_end(test, tr);
}

/* The clock `counter` counts up one by one, whoever reads meanwhile. */
static void test_counter_counts_records(struct kunit *test)
{
	struct trace_array *tr = test_instance(test);
	struct trace_iterator *iter;
	u64 first;

	KUNIT_EXPECT_EQ(test, tracing_set_clock(tr, "counter"), 0);
	iter = trace_iter_alloc(tr, RING_BUFFER_ALL_CPUS);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	KUNIT_EXPECT_NULL(test, trace_find_next_entry_inc(iter));
	test_mark(tr);
	KUNIT_EXPECT_NOT_NULL(test, trace_find_next_entry_inc(iter));
	first = iter->ts;
	for (int i = 1; i < 4; i++) {
		KUNIT_EXPECT_NULL(test, trace_find_next_entry_inc(iter));
		test_mark(tr);
		KUNIT_EXPECT_NOT_NULL(test, trace_find_next_entry_inc(iter));
		KUNIT_EXPECT_EQ(test, iter->ts, first + i);
	}
	trace_iter_free(iter);
	test_instance_end(test, tr);
}

/* An entry whose text is longer than a sequence is cut, and its line ends. */
static void test_line_too_big(struct kunit *test)
{
	static const char end[] = "[LINE TOO BIG]\n";
	struct trace_array *tr = kunit_kzalloc(test, sizeof(*tr), GFP_KERNEL);
	struct trace_iterator *iter = trace_iter_alloc(&global_trace, 0);
	struct raw_data_entry *ent = kunit_kzalloc(test, 4096, GFP_KERNEL);
	size_t len;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	KUNIT_ASSERT_NOT_NULL(test, ent);
	iter->tr = tr;
	iter->trace = NULL;
	iter->ent = &ent->ent;
	ent->ent.type = TRACE_RAW_DATA;
	for (iter->ent_size = 2600; iter->ent_size < 2800; iter->ent_size++) {
		trace_print_whole_line(iter);
		len = trace_seq_used(&iter->seq);
		KUNIT_ASSERT_LT(test, len, (size_t)TRACE_SEQ_BUFFER_SIZE);
		KUNIT_ASSERT_EQ(test, iter->seq.buffer[len - 1], '\n');
	}
	KUNIT_EXPECT_EQ(test, strncmp(iter->seq.buffer + len - strlen(end), end, strlen(end)), 0);
	KUNIT_EXPECT_EQ(test, strncmp(iter->seq.buffer, "# 0 buf: 00", 11), 0);
	trace_iter_free(iter);
}

/*
 * A line did not fit what was read, and then somebody goes back to the beginning: the head that
 * is printed there with the same sequence does not begin with that line.
 */
static void test_line_left_over(struct kunit *test)
{
	struct trace_array *tr = test_instance(test);
	struct trace_iterator *iter = trace_iter_alloc(tr, RING_BUFFER_ALL_CPUS);

	KUNIT_ASSERT_NOT_NULL(test, iter);
	test_mark(tr);
	KUNIT_ASSERT_EQ(test, trace_iter_read_start(iter), 0);
	trace_iter_rewind(iter);
	KUNIT_EXPECT_NOT_NULL(test, trace_find_next_entry_inc(iter));
	trace_print_whole_line(iter);
	iter->leftover = 1;
	KUNIT_EXPECT_GT(test, trace_seq_used(&iter->seq), 0);
	trace_iter_rewind(iter);
	KUNIT_EXPECT_EQ(test, iter->leftover, 0);
	KUNIT_EXPECT_EQ(test, trace_seq_used(&iter->seq), 0);
	trace_iter_free(iter);
	test_instance_end(test, tr);
}

static int test_rewound;

static void test_rewind(struct trace_iterator *iter)
{
	test_rewound++;
}

/* A tracer that keeps what it has printed hears that it is printed anew. */
static void test_rewind_is_told(struct kunit *test)
{
	static struct tracer tracer = { .name = "kunit", .rewind = test_rewind };
	struct trace_array *tr = test_instance(test);
	struct trace_iterator *iter = trace_iter_alloc(tr, RING_BUFFER_ALL_CPUS);

	KUNIT_ASSERT_NOT_NULL(test, iter);
	KUNIT_ASSERT_EQ(test, trace_iter_read_start(iter), 0);
	iter->trace = &tracer;
	test_rewound = 0;
	trace_iter_rewind(iter);
	KUNIT_EXPECT_EQ(test, test_rewound, 1);
	trace_iter_free(iter);
	test_instance_end(test, tr);
}

/*
 * A module came when there was no memory to keep its strings: what it records points nowhere, and
 * is an empty text.
 */
static void test_string_not_kept(struct kunit *test)
{
	struct trace_array *tr = kunit_kzalloc(test, sizeof(*tr), GFP_KERNEL);
	struct trace_iterator *iter = trace_iter_alloc(&global_trace, 0);
	struct bputs_entry ent = { .ent.type = TRACE_BPUTS };
	static const char empty[] = { '0', ':', ' ', '\n' };

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	iter->tr = tr;
	iter->trace = NULL;
	iter->ent = &ent.ent;
	iter->ent_size = sizeof(ent);
	trace_print_whole_line(iter);
	KUNIT_EXPECT_EQ(test, trace_seq_used(&iter->seq), sizeof(empty));
	KUNIT_EXPECT_EQ(test, memcmp(iter->seq.buffer, empty, sizeof(empty)), 0);
	ent.str = "kept\n";
	trace_print_whole_line(iter);
	KUNIT_EXPECT_EQ(test, strncmp(iter->seq.buffer, "0: kept\n", strlen("0: kept\n")), 0);
	trace_iter_free(iter);
}

/* Was it to be had? Then it is given back. */
static bool console_free(void)
{
	unsigned long flags;

	if (!trace_console_take(&flags))
		return false;
	trace_console_give(flags);
	return true;
}

/* An NMI comes between the lock and the line that says whose it is. */
static void test_console_from_nmi(struct kunit *test)
{
	unsigned long flags;
	bool taken;

	if (!IS_ENABLED(CONFIG_SMP))
		kunit_skip(test, "where there is one CPU a lock that is held looks free");
	local_irq_save(flags);
	raw_spin_lock(&trace_console_lock);
	nmi_enter();
	taken = console_free();
	nmi_exit();
	raw_spin_unlock(&trace_console_lock);
	local_irq_restore(flags);
	KUNIT_EXPECT_FALSE(test, taken);
	KUNIT_EXPECT_TRUE(test, console_free());
}

/*
 * Who has waited for the lock has it, and its contention_end is the next event: one of its own
 * CPU, for which he must not wait.
 */
static void test_console_from_lock(struct kunit *test)
{
	unsigned long flags;
	bool taken, nested;

	taken = trace_console_take(&flags);
	nested = console_free();
	if (taken)
		trace_console_give(flags);
	KUNIT_EXPECT_TRUE(test, taken);
	KUNIT_EXPECT_FALSE(test, nested);
	KUNIT_EXPECT_TRUE(test, console_free());
}

/* Entries in a dump by the debugger; their texts are printed as well. */
static int dump_entries(struct kunit *test, struct trace_array *tr, int cpu)
{
	struct trace_iterator *iter = trace_dump_begin(tr, cpu);
	int nr = 0;

	KUNIT_ASSERT_NOT_NULL(test, iter);
	while (trace_find_next_entry_inc(iter)) {
		trace_seq_init(&iter->seq);
		KUNIT_EXPECT_EQ(test, print_trace_line(iter), TRACE_TYPE_HANDLED);
		nr += !!strnstr(iter->seq.buffer, TEXT, trace_seq_used(&iter->seq));
	}
	trace_dump_end(iter);
	return nr;
}

/* Who looks at a trace from the debugger, and lets the kernel go on, has taken nothing out. */
static void test_debugger_looks(struct kunit *test)
{
	struct trace_array *tr = test_instance(test);

	test_mark(tr);
	test_mark(tr);
	KUNIT_EXPECT_EQ(test, dump_entries(test, tr, RING_BUFFER_ALL_CPUS), 2);
	KUNIT_EXPECT_EQ(test, dump_entries(test, tr, 0), 2);
	KUNIT_EXPECT_FALSE(test, tracer_tracing_is_on(tr));
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->array_buffer.buffer), 2);
	/* nor does anybody stand in the way of another size */
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_set(tr->array_buffer.buffer, 1), 0);
	test_instance_end(test, tr);
}

/* One who prints, for longer than it takes to see that somebody does. */
struct printing {
	struct completion	begun;
	bool			done;
};

static int test_prints(void *arg)
{
	struct printing *p = arg;
	int section = trace_event_read_lock();

	complete(&p->begun);
	msleep(20);
	WRITE_ONCE(p->done, true);
	trace_event_read_unlock(section);
	return 0;
}

/* What is printed with goes when nobody uses it any more; also while others come and go. */
static void test_printers_stay(struct kunit *test)
{
	struct printing *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, p);
	init_completion(&p->begun);
	task = kthread_run(test_prints, p, NAME);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	wait_for_completion(&p->begun);
	trace_event_read_unlock(trace_event_read_lock());
	trace_event_wait_readers();
	KUNIT_EXPECT_TRUE(test, READ_ONCE(p->done));
	while (!READ_ONCE(p->done))
		msleep(20);
}

/* As poll(2) and epoll do: only the first of many looks puts them on the queues. */
static __poll_t test_poll(struct test_file *f, struct poll_wqueues *table)
{
	__poll_t ready = f->fops->poll(&f->file, &table->pt);

	table->pt._qproc = NULL;
	table->triggered = 0;
	return ready;
}

static bool test_woken(struct poll_wqueues *table)
{
	for (int i = 0; i < 100 && !READ_ONCE(table->triggered); i++)
		msleep(20);
	return READ_ONCE(table->triggered);
}

/* Who begins to poll while there is text left over hears of what is recorded afterwards. */
static void test_poll_with_text_of(struct kunit *test, int cpu)
{
	struct trace_array *tr = test_instance(test);
	struct test_file *f = test_open(test, tr, cpu, &trace_pipe_fops);
	struct poll_wqueues *table = kunit_kzalloc(test, sizeof(*table), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, table);
	tr->buffer_percent = 0;
	f->file.f_flags |= O_NONBLOCK;
	test_mark(tr);
	f->len = 10;
	KUNIT_EXPECT_EQ(test, test_read(f), 10);
	poll_initwait(table);
	KUNIT_EXPECT_TRUE(test, test_poll(f, table) & EPOLLIN);
	f->len = ROOM;
	KUNIT_EXPECT_GT(test, test_read(f), 0);
	KUNIT_EXPECT_EQ(test, test_read(f), -EAGAIN);
	KUNIT_EXPECT_FALSE(test, test_poll(f, table));
	test_mark(tr);
	KUNIT_EXPECT_TRUE_MSG(test, test_woken(table), "%d", cpu);
	KUNIT_EXPECT_TRUE(test, test_poll(f, table) & EPOLLIN);
	poll_freewait(table);
	test_close(f);
	test_instance_end(test, tr);
}

static void test_poll_with_text(struct kunit *test)
{
	test_poll_with_text_of(test, 0);
	test_poll_with_text_of(test, RING_BUFFER_ALL_CPUS);
}

/* A read that must not wait takes nothing from a file that waits: io_uring would keep it back. */
static void test_read_not_waiting(struct kunit *test)
{
	struct trace_array *tr = test_instance(test);
	struct test_file *f = test_open(test, tr, 0, &trace_pipe_fops);

	f->ki_flags = IOCB_NOWAIT;
	KUNIT_EXPECT_EQ(test, test_read(f), -EAGAIN);
	test_mark(tr);
	KUNIT_EXPECT_EQ(test, test_read(f), -EAGAIN);
	f->file.f_flags |= O_NONBLOCK;
	KUNIT_EXPECT_GT(test, test_read(f), 0);
	KUNIT_EXPECT_EQ(test, test_read(f), -EAGAIN);
	test_close(f);
	test_instance_end(test, tr);
}

#ifdef CONFIG_TRACER_SNAPSHOT
/* Who polls snapshot_raw before there is a spare hears of each snapshot that is taken later. */
static void test_poll_before_spare(struct kunit *test)
{
	struct trace_array *tr = test_instance(test);
	struct test_file *f = test_open(test, tr, 0, &trace_spare_raw_fops);
	struct poll_wqueues *table = kunit_kzalloc(test, sizeof(*table), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, table);
	poll_initwait(table);
	KUNIT_EXPECT_FALSE(test, test_poll(f, table));
	KUNIT_ASSERT_EQ(test, snapshot_get(tr), 0);
	KUNIT_EXPECT_TRUE(test, test_woken(table));
	for (int i = 0; i < 2; i++) {
		KUNIT_EXPECT_FALSE(test, test_poll(f, table));
		test_mark(tr);
		KUNIT_EXPECT_FALSE(test, READ_ONCE(table->triggered));
		snapshot_take(tr);
		KUNIT_EXPECT_TRUE(test, test_woken(table));
		KUNIT_EXPECT_TRUE(test, test_poll(f, table) & EPOLLIN);
		trace_spare_empty(tr, RING_BUFFER_ALL_CPUS);
	}
	poll_freewait(table);
	test_close(f);
	snapshot_put(tr);
	test_instance_end(test, tr);
}
#endif

static struct kunit_case trace_reader_cases[] = {
	KUNIT_CASE(test_no_lock_shared),
	KUNIT_CASE(test_page_keeps_instance),
	KUNIT_CASE(test_splice_copies_nothing),
	KUNIT_CASE(test_splice_other_size),
	KUNIT_CASE(test_off_ends_splice),
	KUNIT_CASE(test_off_ends_pipe),
	KUNIT_CASE(test_entry_vanishes),
	KUNIT_CASE(test_emptied_hides_nothing),
	KUNIT_CASE(test_counter_counts_records),
	KUNIT_CASE(test_line_too_big),
	KUNIT_CASE(test_line_left_over),
	KUNIT_CASE(test_rewind_is_told),
	KUNIT_CASE(test_string_not_kept),
	KUNIT_CASE(test_console_from_nmi),
	KUNIT_CASE(test_console_from_lock),
	KUNIT_CASE(test_debugger_looks),
	KUNIT_CASE(test_printers_stay),
	KUNIT_CASE(test_poll_with_text),
	KUNIT_CASE(test_read_not_waiting),
#ifdef CONFIG_TRACER_SNAPSHOT
	KUNIT_CASE(test_poll_before_spare),
#endif
	{}
};

TRACE_KUNIT_SUITE("trace_reader", trace_reader_cases);
