/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the few paths whose every instruction counts. On x86_64 only nine registers are caller-saved,
 * and GCC saves any other that it uses at the beginning of the function, even if only a rare path
 * needs it. But an instruction can take one operand from memory there. So on these paths a value
 * that one instruction can work out again is not kept in a register, and a load is left to the
 * instruction that uses it. Elsewhere it is not so.
 */
#ifndef _KERNEL_TRACE_OPERANDS_H
#define _KERNEL_TRACE_OPERANDS_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/types.h>

#define TRACE_FEW_REGISTERS	IS_ENABLED(CONFIG_X86_64)

#ifdef CONFIG_X86_64
/* What has been worked out from @x is not to be kept for later. */
#define trace_forget(x)	do { if (!__builtin_constant_p(x)) OPTIMIZER_HIDE_VAR(x); } while (0)

/* READ_ONCE() where barrier()s keep it in its place, and once is what it is used. */
#define trace_peek(x)	data_race(x)

/* READ_ONCE(x) != 0; compilers would have it in a register first */
#define trace_is_set(x)							\
({									\
	bool __set;							\
									\
	static_assert(sizeof(x) == sizeof(u32));			\
	asm volatile("cmpl $0, %1" : "=@ccne" (__set) : "m" (x));	\
	__set;								\
})

/* word & BIT_ULL(bit), which is no operand but for a register */
static __always_inline bool trace_has_bit(u64 word, unsigned int bit)
{
	bool has;

	asm("btq %2, %1" : "=@ccc" (has) : "r" (word), "i" (bit));
	return has;
}
#else
static inline void trace_forget(u64 x) { }
#define trace_peek(x)	READ_ONCE(x)
#define trace_is_set(x)	(READ_ONCE(x) != 0)

/* riscv64: one to shift it into the sign, one to jump */
static __always_inline bool trace_has_bit(u64 word, unsigned int bit)
{
	return (s64)(word << (63 - bit)) < 0;
}
#endif

/*
 * Tell the compiler what the caller has seen to, so that it leaves tests of it out. If it is not
 * true anything may happen.
 */
#define trace_assume(cond)	do { if (!(cond)) __builtin_unreachable(); } while (0)

/* One bit of a word that is there is cheaper to test than one of a word that is kept for it. */
#define TRACE_TESTS_BITS	(IS_ENABLED(CONFIG_X86_64) || IS_ENABLED(CONFIG_RISCV))

/*
 * After the only call of a function, if that is rare. On riscv64 GCC gives each function a frame at
 * its beginning; but where there is a call, and not a jump, and few go there, only there.
 */
#ifdef CONFIG_RISCV
#define trace_call_is_rare()	barrier()
#else
#define trace_call_is_rare()	do { } while (0)
#endif

#endif /* _KERNEL_TRACE_OPERANDS_H */
