/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entry code of function tracing.
 *
 * A traced function begins with
 *
 *		mov	x9, x30
 *		bl	ftrace_caller
 *
 * so that here x9 is where the function returns to and x30 where it goes on. Its
 * arguments are in x0 to x8; x10 to x17 are free.
 */
#include <linux/cfi_types.h>
#include <linux/export.h>
#include <linux/linkage.h>

#include <asm/asm-offsets.h>
#include <asm/assembler.h>
#include <asm/ftrace.h>

/* Two frame records lie above the registers: the caller's of the function and the function's. */
#define RECORDS_SIZE	32
#define FRAME_SIZE	(FREGS_SIZE + RECORDS_SIZE)

	.macro	save_args
	stp	x0, x1, [sp, #FREGS_X0]
	stp	x2, x3, [sp, #FREGS_X2]
	stp	x4, x5, [sp, #FREGS_X4]
	stp	x6, x7, [sp, #FREGS_X6]
	.endm

	.macro	restore_args
	ldp	x6, x7, [sp, #FREGS_X6]
	ldp	x4, x5, [sp, #FREGS_X4]
	ldp	x2, x3, [sp, #FREGS_X2]
	ldp	x0, x1, [sp, #FREGS_X0]
	.endm

SYM_CODE_START(ftrace_caller)
	bti	c

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
	/*
	 * The address of the ops is in the 8 bytes in front of the function. Functions
	 * are aligned to 8 bytes and x30 is 8 or, behind a BTI, 12 bytes into it.
	 */
	bic	x11, x30, #7
	ldr	x11, [x11, #-16]
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	/* A direct call and nobody else: it expects x9 and x30 as they are. */
	.if	FTRACE_OPS_DIRECT_CALL - FTRACE_OPS_FUNC - 8
	.error	"ops::func and ops::direct_call are loaded as a pair"
	.endif
	ldp	x12, x17, [x11, #FTRACE_OPS_FUNC]
	cbnz	x17, .Lgo_direct
#else
	ldr	x12, [x11, #FTRACE_OPS_FUNC]
#endif
#else
	adr_l	x11, ftrace_list_ops
	ldr	x12, [x11, #FTRACE_OPS_FUNC]
#endif

	mov	x10, sp
	sub	sp, sp, #FRAME_SIZE
	save_args
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	stp	x8, xzr, [sp, #FREGS_X8]
#else
	str	x8, [sp, #FREGS_X8]
#endif
	stp	x29, x9, [sp, #FREGS_FP]
	stp	x10, x30, [sp, #FREGS_SP]

	/* For unwinders: called from the function, which was called from where it returns to. */
	stp	x29, x9, [sp, #FREGS_SIZE + 16]
	add	x29, sp, #FREGS_SIZE + 16
	stp	x29, x30, [sp, #FREGS_SIZE]
	add	x29, sp, #FREGS_SIZE

	sub	x0, x30, #AARCH64_INSN_SIZE	/* address of the branch */
	mov	x1, x9
	mov	x2, x11
	mov	x3, sp
	blr	x12

	/* A callback may have changed arguments, where to go on and where to return to. */
	restore_args
	ldp	x29, x30, [sp, #FREGS_FP]
	ldr	x9, [sp, #FREGS_PC]
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	.if	FREGS_DIRECT_TRAMP - FREGS_X8 - 8
	.error	"x8 and where a direct call goes are stored as a pair"
	.endif
	ldp	x8, x17, [sp, #FREGS_X8]
	add	sp, sp, #FRAME_SIZE
	cbnz	x17, .Lgo_direct_too
#else
	ldr	x8, [sp, #FREGS_X8]
	add	sp, sp, #FRAME_SIZE
#endif
	ret	x9

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
.Lgo_direct_too:
	mov	x10, x9
	mov	x9, x30
	mov	x30, x10
.Lgo_direct:
	br	x17
#endif
SYM_CODE_END(ftrace_caller)

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/*
 * A function that the graph traces returns here. x0 to x7 may be what it returns; where it
 * should have returned to, ftrace_return_to_handler() knows.
 */
SYM_CODE_START(return_to_handler)
	mov	x9, sp
	sub	sp, sp, #FREGS_SIZE
	save_args
	str	x29, [sp, #FREGS_FP]
	str	x9, [sp, #FREGS_SP]

	mov	x0, sp
	bl	ftrace_return_to_handler
	mov	x30, x0

	restore_args
	add	sp, sp, #FREGS_SIZE
	ret
SYM_CODE_END(return_to_handler)

SYM_TYPED_FUNC_START(ftrace_stub_graph)
	ret
SYM_FUNC_END(ftrace_stub_graph)
#endif

/* Two that do nothing: an ops' function, and a direct call. */
SYM_TYPED_FUNC_START(ftrace_stub)
	ret
SYM_FUNC_END(ftrace_stub)
EXPORT_SYMBOL_GPL(ftrace_stub)	/* ftrace_override_function_with_return() */

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
SYM_CODE_START(ftrace_stub_direct_tramp)
	bti	c
	mov	x10, x30
	mov	x30, x9
	ret	x10
SYM_CODE_END(ftrace_stub_direct_tramp)
#endif
