/* SPDX-License-Identifier: GPL-2.0-only */
/* Function tracing: where traced functions return to. For their entry see mcount-dyn.S. */
#include <linux/cfi_types.h>
#include <linux/export.h>
#include <linux/linkage.h>

#include <asm/asm-offsets.h>
#include <asm/asm.h>

	.text

SYM_TYPED_FUNC_START(ftrace_stub)
	ret
SYM_FUNC_END(ftrace_stub)
EXPORT_SYMBOL_GPL(ftrace_stub)	/* ftrace_override_function_with_return() */

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
SYM_TYPED_FUNC_START(ftrace_stub_graph)
	ret
SYM_FUNC_END(ftrace_stub_graph)

/*
 * A function that the graph traces returns here. a0 and a1 may be what it returns; where it
 * should have returned to, ftrace_return_to_handler() knows.
 */
SYM_FUNC_START(return_to_handler)
	addi	sp, sp, -FREGS_SIZE_ON_STACK
	addi	t0, sp, FREGS_SIZE_ON_STACK
	REG_S	s0, FREGS_S0(sp)
	REG_S	t0, FREGS_SP(sp)
	REG_S	a0, FREGS_A0(sp)
	REG_S	a1, FREGS_A1(sp)

	mv	a0, sp
	call	ftrace_return_to_handler
	mv	ra, a0

	REG_L	a0, FREGS_A0(sp)
	REG_L	a1, FREGS_A1(sp)
	REG_L	s0, FREGS_S0(sp)
	addi	sp, sp, FREGS_SIZE_ON_STACK
	ret
SYM_FUNC_END(return_to_handler)
#endif
