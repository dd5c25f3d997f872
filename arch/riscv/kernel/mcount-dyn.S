/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entry code of function tracing. A traced function jumps here with
 *
 *		auipc	t0, ...
 *		jalr	t0, ...(t0)
 *
 * so that t0 is where it goes on, 8 bytes into the function, and ra where it returns to.
 */
#include <linux/linkage.h>

#include <asm/asm-offsets.h>
#include <asm/asm.h>

/*
 * From the top of the frame: two frame records for unwinders, that of the function's caller and the
 * function's; temporaries; struct __arch_ftrace_regs.
 *
 * The temporaries are the caller's, but arguments beyond the eighth of a static function may be in
 * them (LLVM's fastcc), so a call that the compiler does not know of has to leave them alone.
 */
#ifdef CONFIG_CC_IS_CLANG
#define TEMPS_SIZE	(8 * SZREG)	/* five; the stack stays aligned to 16 bytes */
#else
#define TEMPS_SIZE	0
#endif
#define TEMPS		FREGS_SIZE_ON_STACK
#define RECORDS		(TEMPS + TEMPS_SIZE)
#define FRAME_SIZE	(RECORDS + 4 * SZREG)

	.text

	.macro	each_arg op
	\op	a0, FREGS_A0(sp)
	\op	a1, FREGS_A1(sp)
	\op	a2, FREGS_A2(sp)
	\op	a3, FREGS_A3(sp)
	\op	a4, FREGS_A4(sp)
	\op	a5, FREGS_A5(sp)
	\op	a6, FREGS_A6(sp)
	\op	a7, FREGS_A7(sp)
#ifdef CONFIG_CC_IS_CLANG
	\op	t2, TEMPS(sp)
	\op	t3, TEMPS + 1 * SZREG(sp)
	\op	t4, TEMPS + 2 * SZREG(sp)
	\op	t5, TEMPS + 3 * SZREG(sp)
	\op	t6, TEMPS + 4 * SZREG(sp)
#endif
	.endm

SYM_FUNC_START(ftrace_caller)
	addi	sp, sp, -FRAME_SIZE
	each_arg REG_S
	REG_S	t0, FREGS_EPC(sp)
	REG_S	ra, FREGS_RA(sp)
	REG_S	s0, FREGS_S0(sp)
	REG_S	zero, FREGS_T1(sp)
	addi	t1, sp, FRAME_SIZE
	REG_S	t1, FREGS_SP(sp)

	/* For unwinders: called from the function, which was called from where it returns to. */
	REG_S	s0, RECORDS + 2 * SZREG(sp)
	REG_S	ra, RECORDS + 3 * SZREG(sp)
	REG_S	t1, RECORDS(sp)
	REG_S	t0, RECORDS + SZREG(sp)
	addi	s0, sp, RECORDS + 2 * SZREG

	/* The ops are in the literal in front of the function; func is its first member. */
	REG_L	a2, -16(t0)
	addi	a0, t0, -4
	mv	a1, ra
	mv	a3, sp
	REG_L	t1, 0(a2)
	jalr	t1

	/* A callback may have changed arguments, where to go on and where to return to. */
	each_arg REG_L
	REG_L	s0, FREGS_S0(sp)
	REG_L	ra, FREGS_RA(sp)
	REG_L	t0, FREGS_EPC(sp)
	REG_L	t1, FREGS_T1(sp)
	addi	sp, sp, FRAME_SIZE
	bnez	t1, .Ldirect
	jr	t0
.Ldirect:
	/* It finds t0 and ra as if the function had jumped there. */
	jr	t1
SYM_FUNC_END(ftrace_caller)

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
/* A direct call that does nothing. */
SYM_CODE_START(ftrace_stub_direct_tramp)
	jr	t0
SYM_CODE_END(ftrace_stub_direct_tramp)
#endif
