/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs, the map that they count in, and what is said of a test: see program.c. */
#ifndef BPF_PROGRAM_H
#define BPF_PROGRAM_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#define INSN(c, d, s, o, i)	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), \
						    .off = (o), .imm = (i) })
#define MOV_REG(d, s)		INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOV_IMM(d, i)		INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD_IMM(d, i)		INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o)		INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE(d, o, s)		INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE_IMM32(d, o, i)	INSN(BPF_ST | BPF_MEM | BPF_W, d, 0, o, i)
#define ATOMIC_ADD(d, o, s)	INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)
#define CALL(f)			INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define JEQ_IMM(d, i, o)	INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, i)
#define EXIT()			INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

#define FN_LOOKUP	1
#define FN_PRINTK	6
#define FN_OVERRIDE	58
#define FN_FUNC_IP	173
#define FN_COOKIE	174

/* What a program leaves in the map: how often it ran, and some values of the last time. */
struct seen {
	uint64_t hits, value[3];
};

/* A value that is kept: a word of the context, or what a helper says. */
struct want {
	int ctx;	/* offset, -1 for none */
	int helper;
};

extern const char *testing;		/* the test's name */
extern bool failed, said;		/* any test; this one has said how it went */
extern int map;
extern uint32_t attach_btf_id;

__attribute__((format(printf, 1, 2))) bool fail(const char *fmt, ...);
bool passed(void);
bool skipped(void);
int sys_bpf(int cmd, union bpf_attr *attr);
struct seen look(void);
void clear(void);
uint32_t btf_id(const char *name, uint32_t wanted);
int load_code(union bpf_attr *attr, const struct bpf_insn *code, int n);
int load(enum bpf_prog_type type, int attach, const struct want *want, int ret);

#endif
