/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of kernel/trace/ring_buffer/wait.c: a writer that has no barrier between
 * its commit and its look at rb_cpu::wake, and a waiter who pays for that with a
 * nap. Stores go to memory by way of a buffer, some time, in order; what a CPU
 * has stored itself it sees at once. A tick later they are in memory for sure:
 * that is what the argument in wait.c rests on, and nothing else knows of time.
 *
 * Others take records out, so that who was woken may find nothing, and wait as
 * well, so that the bit may be there again for a moment only.
 *
 * Checked: nobody sleeps for good next to a record.
 *
 * WITHOUT(31): no smp_mb() in rb_announce().
 * WITHOUT(32): no nap before the waiter sleeps for good.
 * WITHOUT(33): the waiter does not care whether somebody was woken since it set
 *		the bit, that is, whether the bit was cleared.
 */
#ifndef WRITES
#define WRITES	3
#endif

#define WITHOUT(n) c_expr { mutant == n }
c_decl { int mutant; }

byte records;		/* committed, in memory, and not read */
byte stored;		/* committed, in the writer's store buffer */
bool wake;		/* RB_WAKE_CPU, in memory */
bool announced;		/* ... set, in the waiter's store buffer */
bool asleep;		/* TASK_INTERRUPTIBLE */
bool work;		/* the irq_work is queued */
byte wakeups;		/* rb_wait::wakeups */
bool for_good;		/* schedule(), no timeout */
byte old_stored;	/* of what was in the buffers when the nap began, what still is */
bool old_announced;
bool written;

inline drain_writer()
{
	records = records + stored; stored = 0; old_stored = 0
}

inline drain_waiter()
{
	if
	:: announced -> wake = true
	:: else
	fi;
	announced = false; old_announced = false
}

proctype Writer()
{
	byte n;
	bool seen;

	do
	:: n == WRITES -> break
	:: else ->
		/* W1, in rb_leave_outermost() */
		atomic { stored++; n++ };
		/* rb_wake(). The load may be done while the store is in the buffer. */
		atomic { seen = wake };
		if
		:: atomic {
			seen ->
			/* An RMW acts on memory; it does not drain the buffer. */
			wake = false; work = true
		   }
		:: atomic { !seen -> seen = false }
		fi;
		seen = false
	od;
	written = true
}

/* rb_wait_work(): to wake somebody is a full barrier. */
proctype Work()
{
end:
	do
	:: atomic { work -> work = false; drain_writer(); wakeups++; asleep = false }
	od
}

/* The buffers are emptied some time, the oldest store first. */
proctype Memory()
{
end:
	do
	:: atomic {
		stored > 0 ->
		records++; stored--;
		if
		:: old_stored > 0 -> old_stored--
		:: else
		fi
	   }
	:: atomic { announced -> drain_waiter() }
	od
}

/* Waits, too, and takes a record out before the waiter can. */
proctype Other()
{
	byte n;

end:
	do
	:: atomic { records > 0 && n < WRITES - 1 -> records--; n++ }
	:: atomic { !wake -> wake = true }
	od
}

/* ring_buffer_wait() */
proctype Waiter()
{
	byte seen;

	do
	:: true ->
		seen = wakeups;
		/* prepare_to_wait(), which has a full barrier */
		atomic { drain_waiter(); asleep = true };
		/* rb_announce() */
		announced = true;
		atomic {
			if
			:: WITHOUT(31)
			:: !WITHOUT(31) -> drain_waiter()
			fi
		};
		/* rb_ready() */
		if
		:: atomic { records > 0 -> break }
		:: atomic { records == 0 -> skip }
		fi;
		if
		:: WITHOUT(32)
		:: atomic { !WITHOUT(32) -> old_stored = stored; old_announced = announced };
		   if
		   :: !asleep
		   :: old_stored == 0 && !old_announced
		   fi;
		   atomic { old_stored = 0; old_announced = false }
		fi;
		/* Once more, but nothing is announced. */
		atomic { drain_waiter(); asleep = true };
		if
		:: atomic { records > 0 -> break }
		:: atomic { records == 0 -> skip }
		fi;
		if
		:: atomic { seen != wakeups && !WITHOUT(33) -> skip }
		:: atomic { seen == wakeups || WITHOUT(33) -> for_good = true };
		   atomic { !asleep -> for_good = false }
		fi
	od;
	asleep = false
}

/* Nothing moves any more: the waiter may sleep only if there is nothing. */
proctype Judge()
{
	timeout;
	assert(written && stored == 0);
	assert(!for_good || records == 0)
}

init {
	c_code {
		char *s = getenv("MUTANT");

		mutant = s ? atoi(s) : 0;
	};
	atomic {
		run Writer(); run Work(); run Memory(); run Other(); run Waiter(); run Judge()
	}
}
