// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a probe in a program costs: "user offset" prints where in its file bench_call() is, "user
 * COUNT" the nanoseconds that COUNT calls of it took.
 *
 * "user load FILE" and "user unload NAME": those that the kernel takes for a module. Of insmod most
 * is a program that is executed, and linked with its libraries.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static __attribute__((noinline)) long bench_call(long n)
{
	asm volatile("" : "+r" (n));
	return n + 1;
}

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static unsigned long file_offset(const void *at)
{
	const Elf64_Phdr *ph = (void *)getauxval(AT_PHDR);
	unsigned long addr = (unsigned long)at, n = getauxval(AT_PHNUM);

	for (; n; n--, ph++)
		if (ph->p_type == PT_LOAD && addr >= ph->p_vaddr &&
		    addr < ph->p_vaddr + ph->p_filesz)
			return addr - ph->p_vaddr + ph->p_offset;
	return 0;
}

static int module(const char *what, const char *name)
{
	int load = !strcmp(what, "load"), fd = load ? open(name, O_RDONLY) : 0;
	long long since = now();
	long ret = load ? syscall(SYS_finit_module, fd, "", 0) :
			  syscall(SYS_delete_module, name, O_NONBLOCK);

	printf("%lld\n", now() - since);
	if (ret)
		perror(what);
	return !!ret;
}

int main(int argc, char **argv)
{
	long count, i, sum = 0;
	long long since;

	if (argc == 3)
		return module(argv[1], argv[2]);
	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "offset")) {
		printf("0x%lx\n", file_offset(bench_call));
		return 0;
	}
	count = atol(argv[1]);
	since = now();
	for (i = 0; i < count; i++)
		sum += bench_call(i);
	printf("%lld\n", now() - since);
	return !sum;
}
