// SPDX-License-Identifier: GPL-2.0-only
/* For KUnit: a direct call that counts. What it uses is lost to who calls a function anyway. */
#include <linux/ftrace.h>
#ifdef CONFIG_X86_64
#include <asm/asm-offsets.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>
#endif

#include "test_target.h"

unsigned int direct_test_calls;

#ifdef CONFIG_ARM64
/* x30 is where the function goes on, x9 where it returns to. */
asm("	.pushsection	.text, \"ax\", @progbits\n"
"	.type		direct_test_tramp, @function\n"
"	.globl		direct_test_tramp\n"
"direct_test_tramp:\n"
"	hint	34\n" /* bti c */
"	adrp	x10, direct_test_calls\n"
"	add	x10, x10, :lo12:direct_test_calls\n"
"	ldr	w11, [x10]\n"
"	add	w11, w11, #1\n"
"	str	w11, [x10]\n"
"	mov	x10, x30\n"
"	mov	x30, x9\n"
"	ret	x10\n"
"	.size		direct_test_tramp, .-direct_test_tramp\n"
"	.popsection\n"
);
#endif

#ifdef CONFIG_RISCV
/* t0 is where the function goes on. */
asm("	.pushsection	.text, \"ax\", @progbits\n"
"	.type		direct_test_tramp, @function\n"
"	.globl		direct_test_tramp\n"
"direct_test_tramp:\n"
"	lla	t1, direct_test_calls\n"
"	lw	t2, 0(t1)\n"
"	addi	t2, t2, 1\n"
"	sw	t2, 0(t1)\n"
"	jr	t0\n"
"	.size		direct_test_tramp, .-direct_test_tramp\n"
"	.popsection\n"
);
#endif

#ifdef CONFIG_X86_64
asm("	.pushsection	.text, \"ax\", @progbits\n"
"	.type		direct_test_tramp, @function\n"
"	.globl		direct_test_tramp\n"
"direct_test_tramp:\n"
	ASM_ENDBR
"	incl	direct_test_calls(%rip)\n"
	CALL_DEPTH_ACCOUNT
	ASM_RET
"	.size		direct_test_tramp, .-direct_test_tramp\n"
"	.popsection\n"
);
#endif
