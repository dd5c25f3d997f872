// SPDX-License-Identifier: GPL-2.0-only
/* What probes.c has in common for its tests: programs and the map that they count in. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "program.h"

const char *testing;
bool failed, said;

bool fail(const char *fmt, ...)
{
	va_list ap;

	printf("@@ FAIL %s: ", testing);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(" (%s)\n", strerror(errno));
	failed = true;
	said = true;
	return false;
}

bool passed(void)
{
	printf("@@ ok %s\n", testing);
	said = true;
	return true;
}

/* The kernel has nothing of it. */
bool skipped(void)
{
	printf("@@ skip %s\n", testing);
	said = true;
	return true;
}

int map;

int sys_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

struct seen look(void)
{
	struct seen seen = { 0 };
	uint32_t key = 0;
	union bpf_attr attr = { .map_fd = map };

	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)&seen;
	sys_bpf(BPF_MAP_LOOKUP_ELEM, &attr);
	return seen;
}

void clear(void)
{
	struct seen seen = { 0 };
	uint32_t key = 0;
	union bpf_attr attr = { .map_fd = map };

	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)&seen;
	sys_bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

/* --- the kernel's types */

/* What is behind the head of a type, in bytes. */
static uint32_t btf_rest(uint32_t kind, uint32_t members)
{
	switch (kind) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return 12;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case 19:	/* BTF_KIND_ENUM64 */
		return members * 12;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return members * 8;
	}
	return 0;
}

/* The number of a type, 0 if the kernel has none. */
uint32_t btf_id(const char *name, uint32_t wanted)
{
	static char *btf;
	const struct btf_header *head;
	const char *strings, *at, *end;
	uint32_t id = 1;
	ssize_t got;
	size_t size = 0;
	int fd;

	if (!btf) {
		const size_t room = 64 << 20;

		fd = open("/sys/kernel/btf/vmlinux", O_RDONLY);
		btf = fd < 0 ? NULL : malloc(room);
		if (!btf)
			return 0;
		while ((got = read(fd, btf + size, room - size)) > 0)
			size += got;
		close(fd);
	}
	head = (const struct btf_header *)btf;
	strings = btf + head->hdr_len + head->str_off;
	at = btf + head->hdr_len + head->type_off;
	end = at + head->type_len;
	while (at < end) {
		const struct btf_type *type = (const struct btf_type *)at;
		uint32_t kind = type->info >> 24 & 31;

		if (kind == wanted && !strcmp(strings + type->name_off, name))
			return id;
		at += sizeof(*type) + btf_rest(kind, type->info & 0xffff);
		id++;
	}
	return 0;
}

/* What the next program is attached to, if it is one that is attached by a type. */
uint32_t attach_btf_id;

int load_code(union bpf_attr *attr, const struct bpf_insn *code, int n)
{
	static char log[65536];
	int fd;

	attr->insns = (uintptr_t)code;
	attr->insn_cnt = n;
	attr->license = (uintptr_t)"GPL";
	attr->log_buf = (uintptr_t)log;
	attr->log_size = sizeof(log);
	attr->log_level = 1;
	fd = sys_bpf(BPF_PROG_LOAD, attr);
	if (fd < 0) {
		fail("the program is not loaded");
		puts(log);
	}
	return fd;
}

/* @attach: expected_attach_type; @ret: what it returns */
int load(enum bpf_prog_type type, int attach, const struct want *want, int ret)
{
	struct bpf_insn code[64];
	union bpf_attr attr = { .prog_type = type };
	int n = 0, jump;

	code[n++] = MOV_REG(6, 1);
	code[n++] = STORE_IMM32(10, -4, 0);
	code[n++] = INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map);
	code[n++] = INSN(0, 0, 0, 0, 0);
	code[n++] = MOV_REG(2, 10);
	code[n++] = ADD_IMM(2, -4);
	code[n++] = CALL(FN_LOOKUP);
	jump = n++;
	code[n++] = MOV_REG(7, 0);
	code[n++] = MOV_IMM(1, 1);
	code[n++] = ATOMIC_ADD(7, 0, 1);
	for (int i = 0; want && i < 3; i++) {
		if (want[i].helper) {
			code[n++] = MOV_REG(1, 6);
			code[n++] = CALL(want[i].helper);
			code[n++] = STORE(7, 8 + 8 * i, 0);
		} else if (want[i].ctx >= 0) {
			code[n++] = LOAD(1, 6, want[i].ctx);
			code[n++] = STORE(7, 8 + 8 * i, 1);
		}
	}
	code[jump] = JEQ_IMM(0, 0, n - jump - 1);
	code[n++] = MOV_IMM(0, ret);
	code[n++] = EXIT();

	attr.expected_attach_type = attach;
	attr.attach_btf_id = attach_btf_id;
	return load_code(&attr, code, n);
}
