// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes as a program has them that uses libtracefs: each kind is made, listed, switched on, seen
 * in the records that the library hands out, and taken away. Says what was not, and ends with how
 * many checks there were.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <tracefs.h>

#define SYSTEM	"lib"
#define USERS	"libuser"	/* apart: the library lists a uprobe as a kprobe as well */
#define CALLS	5
#define ALL	(TRACEFS_DYNEVENT_KPROBE | TRACEFS_DYNEVENT_KRETPROBE | TRACEFS_DYNEVENT_UPROBE | \
		 TRACEFS_DYNEVENT_EPROBE)

#if defined(__aarch64__)
#define FIRST_ARG	"%x0"
#elif defined(__x86_64__)
#define FIRST_ARG	"%di"
#else
#define FIRST_ARG	"%a0"
#endif

static int checks, failed;

static void told(int ok, int line, const char *what)
{
	checks++;
	if (ok)
		return;
	failed++;
	printf("line %d: %s\n", line, what);
}

#define check(ok)	told(!!(ok), __LINE__, #ok)

/* @field: 1 in the first of its records, 2 in the second, and so on */
static struct probe {
	const char *system, *event, *field;
	int seen, wrong;
	enum tracefs_dynevent_type type;
	struct tracefs_dynevent *made;
} probes[] = {
	{ SYSTEM, "in", "n", .type = TRACEFS_DYNEVENT_KPROBE },
	{ SYSTEM, "out", "r", .type = TRACEFS_DYNEVENT_KRETPROBE },
	{ SYSTEM, "ev", "m", .type = TRACEFS_DYNEVENT_EPROBE },
	{ USERS, "user", "u", .type = TRACEFS_DYNEVENT_UPROBE },
	{ USERS, "back", "v", .type = TRACEFS_DYNEVENT_URETPROBE },
};

#define NR ((int)(sizeof(probes) / sizeof(*probes)))
#define KERNELS 3		/* the first ones */

static int count(struct tep_event *e, struct tep_record *record, int cpu, void *unused)
{
	unsigned long long value;
	struct probe *p;

	if (tep_data_pid(e->tep, record) != getpid())
		return 0;
	for (p = probes; p < probes + NR; p++) {
		if (strcmp(p->system, e->system) || strcmp(p->event, e->name))
			continue;
		if (tep_get_field_val(NULL, e, p->field, record, &value, 0) ||
		    value != ++p->seen)
			p->wrong++;
	}
	return 0;
}

/* Of this program: what it is called with is what it returns. */
static __attribute__((noinline)) long called(long n)
{
	asm volatile("" : "+r" (n));
	return n;
}

/* Reads of 1, 2, 3... bytes. */
static void calls(void)
{
	char buf[CALLS + 1] = "";
	int fds[2];

	if (pipe(fds))
		return;
	for (int i = 1; i <= CALLS; i++)
		if (write(fds[1], buf, i) != i || read(fds[0], buf, i) != i || called(i) != i)
			printf("no pipe\n");
	close(fds[0]);
	close(fds[1]);
}

static void is_listed(const struct probe *p)
{
	char *system = NULL, *event = NULL, *prefix = NULL, *addr = NULL, *format = NULL;
	struct tracefs_dynevent *got = tracefs_dynevent_get(p->type, p->system, p->event);

	check(got);
	if (!got)
		return;
	check(tracefs_dynevent_info(got, &system, &event, &prefix, &addr, &format) == p->type);
	check(system && !strcmp(system, p->system));
	check(event && !strcmp(event, p->event));
	check(format && strstr(format, p->field));
	free(system);
	free(event);
	free(prefix);
	free(addr);
	free(format);
	tracefs_dynevent_free(got);
}

static int listed(unsigned int types)
{
	struct tracefs_dynevent **all = tracefs_dynevent_get_all(types, SYSTEM);
	int n = 0;

	while (all && all[n])
		n++;
	tracefs_dynevent_list_free(all);
	return n;
}

int main(void)
{
	extern const char __ehdr_start[];	/* where its file begins in memory */
	unsigned long at = (const char *)called - __ehdr_start;
	struct tracefs_instance *instance = tracefs_instance_create("libprobes");
	struct tracefs_dynevent *bad;
	struct tep_handle *tep;
	int i;

	probes[0].made = tracefs_kprobe_alloc(SYSTEM, "in", "vfs_read", "n=$arg3:u32");
	probes[1].made = tracefs_kretprobe_alloc(SYSTEM, "out", "vfs_read", "r=$retval:s64", 0);
	probes[2].made = tracefs_eprobe_alloc(SYSTEM, "ev", "syscalls", "sys_enter_read",
					      "m=$count:u64");
	probes[3].made = tracefs_uprobe_alloc(USERS, "user", "/proc/self/exe", at,
					      "u=" FIRST_ARG ":u64");
	probes[4].made = tracefs_uretprobe_alloc(USERS, "back", "/proc/self/exe", at,
						 "v=$retval:u64");
	for (i = 0; i < NR; i++) {
		check(probes[i].made && !tracefs_dynevent_create(probes[i].made));
		check(tracefs_dynevent_create(probes[i].made) != 0);
		is_listed(&probes[i]);
	}
	check(listed(ALL) == KERNELS);
	check(listed(TRACEFS_DYNEVENT_KRETPROBE) == 1);

	tep = tracefs_local_events_system(NULL, (const char *[]){ SYSTEM, USERS, NULL });
	check(instance && tep);
	if (!instance || !tep)
		return 1;
	check(!tracefs_event_enable(instance, SYSTEM, NULL));
	check(!tracefs_event_enable(instance, USERS, NULL));
	calls();
	check(!tracefs_event_disable(instance, SYSTEM, NULL));
	check(!tracefs_event_disable(instance, USERS, NULL));
	check(!tracefs_iterate_raw_events(tep, instance, NULL, 0, count, NULL));
	for (i = 0; i < NR; i++) {
		check(probes[i].seen == CALLS && !probes[i].wrong);
		if (probes[i].seen != CALLS || probes[i].wrong)
			printf("%s: %d seen, %d wrong\n", probes[i].event, probes[i].seen,
			       probes[i].wrong);
	}

	for (i = KERNELS; i < NR; i++)
		check(!tracefs_dynevent_destroy(probes[i].made, false));

	/* one that is on stays, unless it is forced */
	check(!tracefs_event_enable(instance, SYSTEM, "in"));
	check(tracefs_dynevent_destroy(probes[0].made, false) != 0);
	check(listed(ALL) == KERNELS);
	check(!tracefs_dynevent_destroy(probes[0].made, true));
	check(listed(ALL) == KERNELS - 1);
	check(!tracefs_dynevent_destroy_all(ALL, true));
	check(!listed(ALL));

	bad = tracefs_kprobe_alloc(SYSTEM, "bad", "no_such_function", "n=$arg1");
	check(bad && tracefs_dynevent_create(bad) != 0);
	tracefs_dynevent_free(bad);
	for (i = 0; i < NR; i++)
		tracefs_dynevent_free(probes[i].made);
	check(!tracefs_instance_destroy(instance));
	tracefs_instance_free(instance);
	tep_free(tep);
	printf("%d checks, %d failed\n", checks, failed);
	return !!failed;
}
