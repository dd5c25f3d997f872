// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring in the memory of its reader, mmap() of trace_pipe_raw: records as libtracefs hands them
 * out, and what is refused while it is mapped. Says what was not as it should be, and ends with how
 * many checks there were.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <kbuffer.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tracefs.h>
#include <unistd.h>
#include <linux/trace_mmap.h>

#define MARKS	20000
#define PRINT	5	/* the number of ftrace/print, whose text is at ... */
#define TEXT	16

static struct tracefs_instance *instance;
static int checks, failed, cpu;

static void told(int ok, int line, const char *what)
{
	checks++;
	if (ok)
		return;
	failed++;
	printf("line %d: %s (%s)\n", line, what, strerror(errno));
}

#define check(ok)	told(!!(ok), __LINE__, #ok)

static int mark_fd;

static void write_marks(int from, int to)
{
	for (; from < to; from++)
		dprintf(mark_fd, "mark %d", from);
}

/* Errno of what is written to a file of the instance, or 0. */
static int refused(const char *file, const char *text)
{
	int fd = tracefs_instance_file_open(instance, file, O_WRONLY), ret;

	ret = fd < 0 || write(fd, text, strlen(text)) < 0 ? errno : 0;
	close(fd);
	return ret;
}

/* The marks in a sub-buffer go on from @next. Return: the number after the last. */
static int marks_in(struct kbuffer *kbuf, int next)
{
	unsigned long long ts;
	unsigned short type;
	char *data;
	int number;

	for (; (data = kbuffer_read_event(kbuf, &ts)); kbuffer_next_event(kbuf, NULL)) {
		memcpy(&type, data, sizeof(type));
		if (type != PRINT)
			continue;
		if (sscanf(data + TEXT, "mark %d", &number) != 1 || number != next) {
			printf("'%.20s' and not mark %d\n", data + TEXT, next);
			return -1;
		}
		next++;
	}
	return next;
}

static void by_libtracefs(void)
{
	struct tracefs_cpu *tcpu;
	struct kbuffer *kbuf;
	int next = 0, from = 0;

	check(tracefs_mapped_is_supported());
	tcpu = tracefs_cpu_open_mapped(instance, cpu, true);
	check(tcpu);
	if (!tcpu)
		return;
	check(tracefs_cpu_is_mapped(tcpu));
	while (from < MARKS && next >= 0) {
		write_marks(from, from + 50);
		from += 50;
		while (next >= 0 && next < from && (kbuf = tracefs_cpu_read_buf(tcpu, true)))
			next = marks_in(kbuf, next);
		if (next >= 0)
			check(next == from);
		if (next != from)
			break;
	}
	tracefs_cpu_close(tcpu);
}

static void *map(int fd, size_t size, int prot, int flags, off_t at)
{
	void *mem = mmap(NULL, size, prot, flags, fd, at);

	return mem == MAP_FAILED ? NULL : mem;
}

static int no_map(int fd, size_t size, int prot, int flags, off_t at)
{
	void *mem = map(fd, size, prot, flags, at);

	if (!mem)
		return errno;
	munmap(mem, size);
	return 0;
}

static int open_raw(int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "per_cpu/cpu%d/trace_pipe_raw", cpu);
	return tracefs_instance_file_open(instance, path, O_RDONLY | flags);
}

/* What does not go is refused and changes nothing, and goes once it is not mapped any more. */
static void refusals(void)
{
	size_t page = getpagesize(), all;
	int fd = open_raw(O_NONBLOCK);
	struct trace_buffer_meta *meta;
	char *data;

	check(ioctl(fd, TRACE_MMAP_IOCTL_GET_READER) && errno == ENODEV);
	check(no_map(fd, page, PROT_READ | PROT_WRITE, MAP_SHARED, 0));
	check(no_map(fd, page, PROT_READ | PROT_EXEC, MAP_SHARED, 0) == EPERM);
	check(no_map(fd, page, PROT_READ, MAP_PRIVATE, 0) == EPERM);
	check(!refused("buffer_size_kb", "100"));
	check(!refused("snapshot", "1"));

	meta = map(fd, page, PROT_READ, MAP_SHARED, 0);
	check(meta);
	if (!meta)
		return;
	check(meta->meta_page_size == page && meta->subbuf_size == page);
	all = (size_t)meta->nr_subbufs * page;
	check(no_map(fd, all + page, PROT_READ, MAP_SHARED, 0) == 0);
	check(no_map(fd, all + 2 * page, PROT_READ, MAP_SHARED, 0) == EINVAL);
	check(no_map(fd, page, PROT_READ, MAP_SHARED, all) == 0);
	check(no_map(fd, page, PROT_READ, MAP_SHARED, all + page) == EINVAL);
	check(mprotect(meta, page, PROT_READ | PROT_WRITE) && errno == EACCES);
	check(mremap(meta, page, 2 * page, MREMAP_MAYMOVE) == MAP_FAILED);

	check(refused("buffer_size_kb", "200") == EBUSY);
	check(refused("buffer_subbuf_size_kb", "8") == EBUSY);
	check(refused("snapshot", "1") == EBUSY);
	check(refused("events/ftrace/print/trigger", "snapshot") == EBUSY);
	check(!refused("snapshot", "0"));
	check(rmdir(tracefs_instance_get_dir(instance)) && errno == EBUSY);

	/* a part of it may go, in the middle as well */
	data = map(fd, all, PROT_READ, MAP_SHARED, page);
	check(data);
	check(!munmap(data + page, page));
	check(refused("buffer_size_kb", "200") == EBUSY);
	check(!munmap(data, page) && !munmap(data + 2 * page, all - 2 * page));
	/* and who closes the file keeps what he has mapped */
	close(fd);
	check(meta->nr_subbufs * page == all);
	check(refused("buffer_size_kb", "200") == EBUSY);
	check(!munmap(meta, page));

	check(!refused("buffer_size_kb", "200"));
	check(!refused("events/ftrace/print/trigger", "snapshot"));
	fd = open_raw(O_NONBLOCK);
	check(no_map(fd, page, PROT_READ, MAP_SHARED, 0) == EBUSY);
	check(!refused("events/ftrace/print/trigger", "!snapshot"));
	check(!refused("snapshot", "0"));
	check(no_map(fd, page, PROT_READ, MAP_SHARED, 0) == 0);
	close(fd);

	check(!refused("buffer_subbuf_size_kb", "8"));
	fd = open_raw(O_NONBLOCK);
	meta = map(fd, page, PROT_READ, MAP_SHARED, 0);
	check(meta && meta->meta_page_size == 8192 && meta->subbuf_size == 8192);
	check(page == 8192 || no_map(fd, 8192, PROT_READ, MAP_SHARED, page) == EINVAL);
	check(no_map(fd, 8192, PROT_READ, MAP_SHARED, 8192) == 0);
	check(!munmap(meta, page));
	close(fd);
	check(!refused("buffer_subbuf_size_kb", "4"));
}

/* Who does not want to poll waits in the ioctl; and empties by `trace` what he has mapped. */
static void waits(void)
{
	struct trace_buffer_meta *meta;
	int fd = open_raw(0), status;
	pid_t pid;

	check(!refused("buffer_percent", "0"));
	meta = map(fd, getpagesize(), PROT_READ, MAP_SHARED, 0);
	check(meta);
	if (!meta)
		return;
	tracefs_instance_file_clear(instance, "trace");
	check(meta->entries == 0 && meta->read == 0);
	pid = fork();
	if (!pid) {
		usleep(200000);
		write_marks(0, 3);
		exit(0);
	}
	check(!ioctl(fd, TRACE_MMAP_IOCTL_GET_READER));
	check(meta->read >= 1);
	waitpid(pid, &status, 0);
	while (meta->read < 3 && !ioctl(fd, TRACE_MMAP_IOCTL_GET_READER))
		continue;
	check(meta->entries == 3 && meta->read == 3 && meta->overrun == 0);
	check(!munmap(meta, getpagesize()));
	close(fd);
}

int main(void)
{
	cpu_set_t set;

	setlinebuf(stdout);
	cpu = sched_getcpu();
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	instance = tracefs_instance_create("mapped");
	if (!instance) {
		printf("no instance\n");
		return 1;
	}
	mark_fd = tracefs_instance_file_open(instance, "trace_marker", O_WRONLY);
	by_libtracefs();
	/* of more than one page each */
	check(!refused("buffer_subbuf_size_kb", "16"));
	by_libtracefs();
	check(!refused("buffer_subbuf_size_kb", "4"));
	refusals();
	waits();
	close(mark_fd);
	check(!tracefs_instance_destroy(instance));
	tracefs_instance_free(instance);
	printf("%d checks, %d failed\n", checks, failed);
	return !!failed;
}
