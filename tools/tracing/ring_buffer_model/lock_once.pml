/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of kernel/trace/lock_once.h: a lock, for which two CPUs are about, and which is asked for
 * again on the one by what nests there at any moment: an event that the locking itself is traced
 * as, and an NMI.
 *
 * Interrupts are off, so that is all that may come. Steps and names are those of the header.
 *
 * Checked: one has the lock at a time; nobody waits for whom he has interrupted, that is, all come
 * to their end; and then the lock is free and the byte of the CPU is not set.
 *
 * WITHOUT(51): trace_lock_once() takes the lock before the byte is set.
 * WITHOUT(52): trace_unlock_once() clears the byte before the lock is free.
 * WITHOUT(53): trace_trylock_once() takes the lock before the byte is set.
 */
#ifndef ROUNDS
#define ROUNDS	2
#endif

#define WITHOUT(n) (mutant == n)

byte mutant;
bool lock, here;
bool nmi;			/* there is an NMI among those that nest */
byte inside;
byte top, finished;

#define STEP(x)		atomic { top == me -> x }
#define STEP_IF(c, x)	atomic { top == me && (c) -> x }

/* The byte, then raw_spin_lock() */
inline take(n)
{
	if
	:: STEP_IF(!WITHOUT(n), here = true)
	:: STEP_IF(WITHOUT(n), skip)
	fi;
	STEP_IF(!lock, lock = true);
	if
	:: STEP_IF(!WITHOUT(n), skip)
	:: STEP_IF(WITHOUT(n), here = true)
	fi
}

inline work_and_unlock()
{
	STEP(inside++; assert(inside == 1));
	STEP(inside--);
	if
	:: STEP_IF(!WITHOUT(52), lock = false)
	:: STEP_IF(WITHOUT(52), here = false)
	fi;
	if
	:: STEP_IF(!WITHOUT(52), here = false)
	:: STEP_IF(WITHOUT(52), lock = false)
	fi
}

inline trylock_once()
{
	if
	:: STEP_IF(here, got = false)
	:: STEP_IF(!here, skip);
	   if
	   :: STEP_IF(nmi, got = !lock; lock = true);
	      if
	      :: STEP_IF(got, here = true)
	      :: STEP_IF(!got, skip)
	      fi
	   :: STEP_IF(!nmi, skip);
	      take(53);
	      STEP(got = true)
	   fi
	fi
}

/* What is not nested: it may take the lock in both ways. */
proctype Task(byte me)
{
	byte i;
	bool got;

	do
	:: i == ROUNDS -> break
	:: else ->
		atomic { top == 0 -> top = me };
		if
		:: take(51); got = true
		:: trylock_once()
		fi;
		if
		:: got -> work_and_unlock()
		:: else
		fi;
		atomic { top == me -> top = 0; i++; got = false }
	od;
	finished++
}

/* In the middle of others, as an NMI or not; one in an NMI is in it, too. */
proctype Nested(byte me)
{
	byte below, i;
	bool got, mine;

	do
	:: i == ROUNDS -> break
	:: else ->
		atomic {
			top < me -> below = top; top = me;
			if
			:: !nmi -> mine = true; nmi = true
			:: mine = false
			fi
		};
		trylock_once();
		if
		:: got -> work_and_unlock()
		:: else
		fi;
		atomic {
			top == me -> top = below; below = 0; i++; got = false;
			if
			:: mine -> nmi = false; mine = false
			:: else
			fi
		}
	od;
	finished++
}

/* On another CPU, with a byte of its own */
proctype Other()
{
	byte i;

	do
	:: i == ROUNDS -> break
	:: else ->
		atomic { !lock -> lock = true };
		inside++;
		assert(inside == 1);
		inside--;
		lock = false;
		i++
	od;
	finished++
}

proctype Judge()
{
	finished == 4;
	assert(!lock && !here && !nmi && !inside)
}

init {
	c_code {
		char *s = getenv("MUTANT");

		now.mutant = s ? atoi(s) : 0;
	};
	atomic {
		run Judge();
		run Other();
		run Task(1);
		run Nested(2);
		run Nested(3)
	}
}
