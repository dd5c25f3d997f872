/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of kernel/trace/ring_buffer/swap.c: two buffers whose rings of a CPU are
 * exchanged at any moment, by another CPU, while writers nest on this one, each
 * for one of the buffers, and while one of the buffers is reset.
 *
 * A ring is no more here than its depth, a tail and what is published; what goes
 * on in one is ring_buffer.pml's. Steps and names are those of fast.h, write.c
 * (rb_push_held(), rb_pop_held()) and swap.c.
 *
 * Checked: a ring sees each writer leave at the depth at which it entered, or not
 * at all; what is published is written; who resets a ring is alone with it; and in
 * the end every record is published and rb_cpu::held is what it was.
 *
 * WITHOUT(41): the commit looks the ring up anew.
 * WITHOUT(42): rb_pop_held() leaves the ring before it has restored rb_cpu::held.
 * WITHOUT(43): rb_push_held() sets rb_cpu::held before it has saved the old one.
 * WITHOUT(44): rb_stop_cpus() forbids swaps after the grace period.
 * WITHOUT(45): no grace period at all.
 * WITHOUT(46): the long way after the short one looks the ring up anew.
 */
#ifndef LEVELS
#define LEVELS	3
#endif
#ifndef SWAPS
#define SWAPS	1
#endif
#ifndef RESET
#define RESET	0
#endif
#ifndef WRITES
#define WRITES	1
#endif

#define CAP	(LEVELS + WRITES - 1)
#define NONE	2

#define WITHOUT(n) c_expr { mutant == n }
c_decl { int mutant; }

typedef Ring {
	byte depth;
	byte off;		/* the tail */
	byte commit;
	bool written[CAP];
	byte outer[LEVELS];	/* rb_level::outer */
}

Ring ring[2];
byte where[2];			/* rb_cpu::ring */
byte held[2] = NONE;		/* rb_cpu::held */
byte stop[2];
byte resizing;
bool swap_lock;
byte top, finished;

#define STEP(x)		atomic { top == me -> x }
#define STEP_IF(c, x)	atomic { top == me && (c) -> x }

/* Everything before what is published is written. */
inline store_commit(r, t)
{
	k = 0;
	do
	:: k == t -> break
	:: else -> assert(ring[r].written[k]); k++
	od;
	ring[r].commit = t; k = 0
}

inline leave(r)
{
	if
	:: STEP_IF(ring[r].depth != 1, assert(ring[r].depth == depth + 1); ring[r].depth = depth)
	:: STEP_IF(ring[r].depth == 1, assert(depth == 0); t = at + 1);
	   do
	   :: true ->
		STEP(store_commit(r, t));
		STEP(ring[r].depth = 0);
		if
		:: STEP_IF(ring[r].off == t, break)
		:: STEP_IF(ring[r].off != t, skip);
		   STEP(ring[r].depth = 1);
		   STEP(t = ring[r].off)
		fi
	   od
	fi
}

proctype Writer(byte me)
{
	byte below, b, r, depth, t, k, n, at, mine, old;
	bool hold, won;

	do
	:: n == (me == 1 -> WRITES : 1) -> break
	:: else ->
		atomic { top < me && (top > 0 || me == 1 || finished > 0) -> below = top; top = me };
		if
		:: b = 0
		:: b = 1
		fi;
		if
		:: hold = false
		:: hold = true
		fi;
		if
		:: STEP_IF(stop[b] > 0, skip); goto out
		:: STEP_IF(stop[b] == 0, skip)
		fi;
		STEP(r = where[b]; mine = r);
		STEP(depth = ring[r].depth);
		STEP(ring[r].depth = depth + 1);
		/* Here the short way may give up; what entered is carried on. */
		if
		:: STEP_IF(WITHOUT(46), r = where[b])
		:: STEP_IF(!WITHOUT(46), skip)
		fi;
		do
		:: true ->
			STEP(at = ring[r].off);
			STEP(won = (ring[r].off == at);
			     if
			     :: won -> ring[r].off = at + 1; ring[r].written[at] = false
			     :: else
			     fi);
			if
			:: won -> break
			:: else
			fi
		od;
		/* rb_push_held() */
		if
		:: hold ->
			if
			:: STEP_IF(!WITHOUT(43), ring[r].outer[depth] = held[b])
			:: STEP_IF(WITHOUT(43), old = held[b]; held[b] = r)
			fi;
			if
			:: STEP_IF(!WITHOUT(43), held[b] = r)
			:: STEP_IF(WITHOUT(43), ring[r].outer[depth] = old)
			fi
		:: else
		fi;
		STEP(ring[r].written[at] = true);

		/* rb_pop_held() */
		if
		:: hold ->
			STEP(r = held[b]; assert(r == mine));
			if
			:: STEP_IF(!WITHOUT(42), held[b] = ring[r].outer[depth])
			:: STEP_IF(WITHOUT(42), skip)
			fi
		:: else
		fi;
		if
		:: STEP_IF(WITHOUT(41), r = where[b])
		:: STEP_IF(!WITHOUT(41), skip)
		fi;
		leave(r);
		if
		:: STEP_IF(WITHOUT(42) && hold, held[b] = ring[r].outer[depth])
		:: STEP_IF(!(WITHOUT(42) && hold), skip)
		fi;
out:
		n++;
		atomic {
			top == me ->
			top = below; below = 0; b = 0; r = 0; depth = 0; t = 0; at = 0;
			mine = 0; old = 0; hold = false; won = false
		}
	od;
	finished++
}

/* ring_buffer_swap_cpu(), on another CPU */
proctype Swap()
{
	byte n, a, b;

	do
	:: n == SWAPS -> break
	:: else ->
		atomic { !swap_lock -> swap_lock = true };
		if
		:: resizing > 0
		:: resizing == 0 ->
			atomic { a = where[0]; b = where[1] };
			where[0] = b;
			where[1] = a
		fi;
		atomic { swap_lock = false; n++; a = 0; b = 0 }
	od;
	finished++
}

#if RESET
/* rb_reset_cpus() of buffer 0, on another CPU */
proctype Reset()
{
	byte r;

	stop[0]++;
	if
	:: !WITHOUT(44) -> atomic { !swap_lock -> resizing++ }
	:: WITHOUT(44)
	fi;
	/* synchronize_rcu() */
	if
	:: top == 0 || WITHOUT(45)
	fi;
	if
	:: WITHOUT(44) -> atomic { !swap_lock -> resizing++ }
	:: !WITHOUT(44)
	fi;
	r = where[0];
	assert(ring[r].depth == 0);
	ring[r].off = 0;
	ring[r].commit = 0;
	assert(ring[r].depth == 0);
	atomic { !swap_lock -> resizing-- };
	stop[0]--;
	finished++
}
#endif

proctype Judge()
{
	finished == LEVELS + 1 + RESET;
	assert(ring[0].depth == 0 && ring[1].depth == 0);
	assert(ring[0].commit == ring[0].off && ring[1].commit == ring[1].off);
	assert(held[0] == NONE && held[1] == NONE);
	assert(where[0] != where[1])
}

init {
	c_code {
		char *s = getenv("MUTANT");

		mutant = s ? atoi(s) : 0;
	};
	atomic {
		where[1] = 1;
		run Judge();
		run Swap();
#if RESET
		run Reset();
#endif
		run Writer(1);
		run Writer(2);
#if LEVELS > 2
		run Writer(3);
#endif
		skip
	}
}
