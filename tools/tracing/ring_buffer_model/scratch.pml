/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of hist_hit_whole() in kernel/trace/hist/hit.c: a CPU's scratch, of which each hit takes
 * some words, and who interrupts it takes those behind. So does pointer_holds() in events/filter.c
 * with its texts, and scratch_take() in events/reserve.c, where each place says itself that it is taken.
 *
 * Checked: what a hit has written to its words it finds there, and in the end none is taken.
 *
 * WITHOUT(61): the words are written to before they are taken.
 * WITHOUT(62): they are given back before they are read for the last time.
 */
#ifndef LEVELS
#define LEVELS	3
#endif
#ifndef HITS
#define HITS	2
#endif

#define WITHOUT(n) c_expr { mutant == n }
c_decl { int mutant; }

byte used, words[LEVELS];
byte top, finished;

#define STEP_IF(c, x)	atomic { top == me && (c) -> x }

proctype Hit(byte me)
{
	byte below, at, n;

	do
	:: n == HITS -> break
	:: else ->
		atomic { top < me && (top > 0 || me == 1 || finished > 0) -> below = top; top = me };
		STEP_IF(true, at = used);
		if
		:: STEP_IF(WITHOUT(61), words[at] = me)
		:: STEP_IF(!WITHOUT(61), used = at + 1)
		fi;
		if
		:: STEP_IF(WITHOUT(61), used = at + 1)
		:: STEP_IF(!WITHOUT(61), words[at] = me)
		fi;
		if
		:: STEP_IF(WITHOUT(62), used = at)
		:: STEP_IF(!WITHOUT(62), assert(words[at] == me))
		fi;
		if
		:: STEP_IF(WITHOUT(62), assert(words[at] == me))
		:: STEP_IF(!WITHOUT(62), used = at)
		fi;
		atomic { top == me -> top = below; below = 0; at = 0; n++ }
	od;
	finished++
}

init {
	byte k;

	c_code {
		char *s = getenv("MUTANT");

		mutant = s ? atoi(s) : 0;
	};
	atomic {
		k = 1;
		do
		:: k <= LEVELS -> run Hit(k); k++
		:: else -> break
		od
	}
	finished == LEVELS;
	assert(used == 0)
}
