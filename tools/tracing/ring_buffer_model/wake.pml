/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of kernel/trace/ring_buffer/wait.c: a writer that has no barrier between
 * its commit and its look at rb_cpu::wake, and a waiter who pays for that with a
 * grace period. Stores go to memory by way of a buffer, some time, in order;
 * what a CPU has stored itself it sees at once. When a grace period is over,
 * writers that were under way as it began have left, and what they stored is in
 * memory. litmus/wake-gp.litmus shows that it is so.
 *
 * Others take records out, so that who was woken may find nothing, and wait as
 * well, so that the bit may be there again for a moment only.
 *
 * Checked: nobody sleeps for good next to a record.
 *
 * WITHOUT(32): no grace period before the waiter sleeps for good.
 * WITHOUT(33): the waiter does not care whether somebody was woken, and so the
 *		bit cleared, since it began to wait for the grace period.
 * WITHOUT(34): it does not look again when the grace period is over.
 */
#ifndef WRITES
#define WRITES	3
#endif

#define WITHOUT(n) c_expr { mutant == n }
c_decl { int mutant; }

byte records;		/* committed, in memory, and not read */
byte stored;		/* committed, in the writer's store buffer */
bool section;		/* the writer has preemption off */
bool wake;		/* RB_WAKE_CPU, in memory */
bool asleep;		/* TASK_INTERRUPTIBLE */
bool for_good;		/* schedule(), no timeout */
bool work;		/* the irq_work is queued */
byte wakeups;		/* rb_wait::wakeups */
bool gp_section;	/* the grace period waits for the writer to leave */
byte gp_stored;		/* ... and for so many of its stores */
bool written;

inline drain_writer()
{
	records = records + stored; stored = 0; gp_stored = 0
}

proctype Writer()
{
	byte n;
	bool seen;

	do
	:: n == WRITES -> break
	:: else ->
		atomic { section = true; n++ };
		/* W7: in rb_leave_outermost() */
		stored++;
		/* rb_wake(). The load may be done while the store is in the buffer. */
		atomic { seen = wake };
		if
		:: atomic {
			seen ->
			/* An RMW acts on memory; it does not drain the buffer. */
			wake = false; work = true
		   }
		:: !seen
		fi;
		atomic {
			seen = false; section = false;
			if
			:: gp_section -> gp_section = false; gp_stored = stored
			:: else
			fi
		}
	od;
	written = true
}

/* rb_wait_work(): to wake somebody is a full barrier. */
proctype Work()
{
end:
	do
	:: atomic { work -> work = false; drain_writer(); wakeups++ };
	   asleep = false
	od
}

/* The buffer is emptied some time, the oldest store first. */
proctype Memory()
{
end:
	do
	:: atomic {
		stored > 0 ->
		records++; stored--;
		if
		:: gp_stored > 0 -> gp_stored--
		:: else
		fi
	   }
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
	byte seen, now;
	bool known;

	do
	:: true ->
		/* prepare_to_wait() */
		asleep = true;
		now = wakeups;
		/* rb_announce(): true if the bit was not set */
		atomic {
			if
			:: (!wake || now != seen) && !WITHOUT(33) -> known = false
			:: else
			fi;
			wake = true; seen = now; now = 0
		};
		/* rb_ready() */
		if
		:: atomic { records > 0 -> break }
		:: atomic { records == 0 -> skip }
		fi;
		if
		:: atomic {
			!known && !WITHOUT(32) ->
			/* start_poll_synchronize_rcu() */
			known = true; gp_section = section; gp_stored = stored
		   };
		   /* schedule_timeout(1) */
		   skip
		:: atomic { known && (gp_section || gp_stored > 0) -> skip }
		:: atomic { (known && !gp_section && gp_stored == 0) || WITHOUT(32) };
		   if
		   :: atomic { records > 0 && !WITHOUT(34) -> break }
		   :: atomic { records == 0 || WITHOUT(34) -> for_good = true }
		   fi;
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
