/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of kernel/trace/ring_buffer: reserve by the short way and the long one,
 * commit, discard, change of the sub-buffer, overwriting; the reader who swaps
 * sub-buffers and pages, the iterator, and the reset, with writers that nest.
 * The names are those of the code, and so are the steps: what is one access
 * there is one step here.
 *
 * A writer of level l is what interrupts those of lower levels, anywhere, and
 * runs until it is done. The reader runs on another CPU, between any two steps.
 * Memory is sequentially consistent here; litmus/ has what is not.
 *
 * Checked: nobody reads a record that is not written (law c) or one older than
 * the last (law b; with BACK the clock is put back once, and time goes back with it, there
 * and where another sub-buffer begins), no step finds the ring in a state it must not be in, a page
 * that was handed out is not written to, and in the end all that was written is
 * read or was overwritten (law a).
 *
 * WITHOUT(n) is true if the environment has MUTANT=n: the order that barrier n
 * keeps is the other way round then. check.py has the list of them.
 */
#ifndef LEVELS
#define LEVELS	3	/* writers that nest */
#endif
#ifndef WRITES
#define WRITES	3	/* records that the lowest of them writes */
#endif
#ifndef NESTS
#define NESTS	1	/* and each of the others */
#endif
#ifndef CAP
#define CAP	1	/* records in a sub-buffer */
#endif
#ifndef READS
#define READS	2	/* times that the reader looks while they do */
#endif
#ifndef DISCARD
#define DISCARD	0	/* up to this level writers may change their mind */
#endif
#ifndef OVERWRITE
#define OVERWRITE 1
#endif
#ifndef CONSUME
#define CONSUME	1	/* the reader takes records */
#endif
#ifndef PAGE
#define PAGE	0	/* ... or whole pages */
#endif
#ifndef ITER
#define ITER	0	/* ... or iterates, this many records at a time */
#endif
#ifndef RESET
#define RESET	0	/* the ring is reset in between */
#endif
#ifndef BACK
#define BACK	0	/* the clock is put back in between */
#endif
#ifndef ANEW
#define ANEW	0	/* so much time passes in between that a sub-buffer's is over */
#endif

#ifndef NR_FROM
#define NR_FROM	2	/* slots */
#endif
#ifndef NR_TO
#define NR_TO	0	/* if not 0, then so many later */
#endif

#define FIRST	NR_FROM	/* number of the first sub-buffer */
#if NR_TO
#define NR_MAX	3
#ifndef BATCH
#define BATCH	8	/* RB_BATCH */
#endif
#define SUBS	(NR_MAX + 1)
#define SLOTS	(2 * NR_MAX)
#define NR	nr
#define AT(seq)	(table * NR_MAX + (seq) % nr)
byte nr = NR_FROM;
bit table;
bool frozen;
#else
#define SUBS	(NR_FROM + 1)
#define SLOTS	NR_FROM
#define NR	NR_FROM
#define AT(seq)	((seq) % NR)
#endif

#define GARBAGE	255	/* reserved, but not written */
#define PAD	254	/* discarded */

#define WITHOUT(n) c_expr { mutant == n }
c_decl { int mutant; }

/* struct rb_page, and who has it. */
typedef Page {
	byte commit;
	byte data[CAP];		/* times of the records */
}

Page page[SUBS + PAGE];

/* struct rb_sub; tail is four fields that are only accessed together. */
typedef Sub {
	bool closed;
#if ANEW
	bool anew;		/* RB_ANEW, which is part of "closed" */
#endif
	bit parity;
	byte time;
	byte off;

	byte base;
	bit base_parity;	/* for which parity base was computed */
	byte seq;
	byte first;
	byte count[LEVELS];
	byte start;
	byte page;
}

Sub sub[SUBS];

/* A slot is a word, too. */
typedef Slot {
	byte seq;
	bool taken;
	byte index;
}

Slot slot[SLOTS];

/* struct rb_ring, the writers' part. */
byte cur, commit, commit_seq = FIRST, depth, done_entries, overrun;
/* The reader's part. */
byte reader = NR_FROM, reader_seq, next_seq = FIRST, read, expect, lost, nread, generation;
bool live;

byte stop, lock;
byte user = SUBS;	/* the page that user space has */
#if BACK
/* So far that a delta cannot say it; a clock that nobody has put back does not come near. */
#define PUT_BACK	40	/* RB_PUT_BACK */
#define DELTA_MAX	30	/* RB_DELTA_MAX, which is less */
byte now = 120;
#define IS_BACK(s, t_, time_)	((time_) + PUT_BACK <= sub[s].base + (t_))
#else
byte now = 1;
#endif
#if ANEW
#define TIME_LIMIT	60	/* RB_TIME_LIMIT; a clock that nobody leaps ahead does not come near */
#define IS_LATE(s, time_)	((time_) >= sub[s].base + TIME_LIMIT)
byte anew_base;		/* rb_ring::anew; the delta has no part in anything here */
#endif
byte top;		/* level that runs, plus one; 0: none */
byte finished;		/* writers that are done for good; the lowest comes first */
byte committed;		/* what ought to be there */

#define STEP(x)		atomic { top == me -> x }
#define STEP_IF(c, x)	atomic { top == me && (c) -> x }

#if LEVELS == 3
#define COUNT(s)	(sub[s].count[0] + sub[s].count[1] + sub[s].count[2])
#else
#define COUNT(s)	(sub[s].count[0] + sub[s].count[1])
#endif
#define ENTRIES(s)	(COUNT(s) - sub[s].start)

#define TAIL_IS(s, c_, p_, t_, o_) \
	(sub[s].closed == c_ && sub[s].parity == p_ && sub[s].time == t_ && sub[s].off == o_)
#if ANEW
#define LOAD_ANEW(s)	t_anew = sub[s].anew
#else
#define LOAD_ANEW(s)	skip
#endif
#define LOAD_TAIL(s, c_, p_, t_, o_) \
	c_ = sub[s].closed; p_ = sub[s].parity; t_ = sub[s].time; o_ = sub[s].off

/* Step 1 of write.c, rb_claim(): ok says whether there is a place to go to. */
inline claim(c)
{
#if NR_TO
	if
	:: STEP_IF(frozen, ok = false); goto drop
	:: STEP_IF(!frozen, skip)
	fi;
#endif
	STEP(next = sub[c].seq + 1; i = AT(next); o_seq = slot[i].seq;
	     o_taken = slot[i].taken; o_index = slot[i].index; ok = true);
	do
	:: o_seq != next - NR -> break
	:: else ->
		if
		:: STEP_IF(next - NR >= commit_seq, ok = false); break
		:: STEP_IF(next - NR < commit_seq && !o_taken && !OVERWRITE, ok = false); break
		:: STEP_IF(next - NR < commit_seq && (o_taken || OVERWRITE),
			   entries = ENTRIES(o_index))
		fi;
		/* The exchange, against the reader. */
		STEP(if
		     :: slot[i].seq == o_seq && slot[i].taken == o_taken &&
			slot[i].index == o_index ->
			slot[i].seq = next;
			slot[i].taken = false;
			won = true
		     :: else ->
			o_seq = slot[i].seq;
			o_taken = slot[i].taken;
			o_index = slot[i].index;
			won = false
		     fi);
		if
		:: won ->
			STEP(if :: !o_taken -> overrun = overrun + entries :: else fi);
			break
		:: else
		fi
	od
}

inline set_open(n)
{
	if
	:: TAIL_IS(n, o_closed, o_parity, o_time, o_off) ->
		sub[n].closed = false; sub[n].parity = open;
		sub[n].time = 0; sub[n].off = 0
	:: else
	fi
}

inline set_cur(c, n)
{
	if :: cur == c -> cur = n :: else fi
}

/* Steps 3 to 5, rb_advance(). */
inline advance(c)
{
	STEP(t_time = sub[c].time; next = sub[c].seq + 1; i = AT(next);
	     o_seq = slot[i].seq; n = slot[i].index;
	     assert(sub[c].closed);
	     /* Who closes has claimed before. */
	     assert(cur != c || o_seq == next));
	if
	:: o_seq != next
	:: else ->
		/* 7: what is read here is from the last use only if cur holds after it. */
		if
		:: STEP_IF(WITHOUT(7), won = (cur == c))
		:: STEP_IF(!WITHOUT(7), LOAD_TAIL(n, o_closed, o_parity, o_time, o_off))
		fi;
		if
		:: STEP_IF(WITHOUT(7), LOAD_TAIL(n, o_closed, o_parity, o_time, o_off);
			   entries = COUNT(n))
		:: STEP_IF(!WITHOUT(7), entries = COUNT(n))
		fi;
		if
		:: STEP_IF(WITHOUT(7), skip)
		:: STEP_IF(!WITHOUT(7), won = (cur == c))
		fi;
		if
		:: won ->
			open = (o_closed -> 1 - o_parity : o_parity);
			/* 5: no matter in what order, as long as it is before cur. */
			if
			:: STEP_IF(WITHOUT(5), set_open(n))
			:: STEP_IF(!WITHOUT(5), sub[n].seq = next)
			fi;
			STEP(sub[n].start = entries);
			STEP(sub[n].base = sub[c].base + t_time;
			     sub[n].base_parity = open);
			/* 8: open, then make it current. */
			if
			:: STEP_IF(WITHOUT(5), sub[n].seq = next)
			:: STEP_IF(WITHOUT(8), set_cur(c, n))
			:: STEP_IF(!WITHOUT(5) && !WITHOUT(8), set_open(n))
			fi;
			if
			:: STEP_IF(WITHOUT(8), set_open(n))
			:: STEP_IF(!WITHOUT(8), set_cur(c, n))
			fi
		:: else
		fi
	fi
}

#if ANEW
/* rb_reopen() */
inline reopen(c)
{
	STEP(pg = sub[c].page; assert(anew_base > 0));
	/* The time extend; no reader comes there before it is published. */
	STEP(assert(pg != user && t_off < CAP); page[pg].data[t_off] = PAD);
	/* 25: the time is there when the sub-buffer is opened. */
	if
	:: STEP_IF(WITHOUT(25), set_reopened(c))
	:: STEP_IF(!WITHOUT(25), sub[c].base = anew_base; sub[c].base_parity = 1 - t_parity)
	fi;
	if
	:: STEP_IF(WITHOUT(25), sub[c].base = anew_base; sub[c].base_parity = 1 - t_parity)
	:: STEP_IF(!WITHOUT(25), set_reopened(c))
	fi
}

inline set_reopened(c)
{
	if
	:: TAIL_IS(c, true, t_parity, t_time, t_off) && sub[c].anew ->
		sub[c].closed = false; sub[c].anew = false;
		sub[c].parity = 1 - t_parity;
		sub[c].time = 0; sub[c].off = t_off + 1
	:: else
	fi
}

/* rb_time_anew(), where it is to be */
inline time_anew(c)
{
	/* 26: what it begins with is there when it is closed. */
	if
	:: STEP_IF(WITHOUT(26), skip)
	:: STEP_IF(!WITHOUT(26), anew_base = time)
	fi;
	STEP(won = TAIL_IS(c, false, t_parity, t_time, t_off);
	     if
	     :: won -> sub[c].closed = true; sub[c].anew = true
	     :: else
	     fi);
	if
	:: STEP_IF(WITHOUT(26), anew_base = time)
	:: STEP_IF(!WITHOUT(26), skip)
	fi;
	if
	:: won -> reopen(c)
	:: else
	fi
}
#endif

/* rb_publish() */
inline publish()
{
	do
	:: true ->
		/* 11: a writer in between would publish, and move commit. */
		if
		:: STEP_IF(WITHOUT(11), p = commit)
		:: STEP_IF(!WITHOUT(11), depth = 1)
		fi;
		if
		:: STEP_IF(WITHOUT(11), depth = 1)
		:: STEP_IF(!WITHOUT(11), p = commit)
		fi;
		do
		:: true ->
			/* 12: the tail is final if it is not the current one before that. */
			if
			:: STEP_IF(WITHOUT(12), LOAD_TAIL(p, t_closed, t_parity, t_time, t_off))
			:: STEP_IF(!WITHOUT(12), q = cur)
			fi;
			if
			:: STEP_IF(WITHOUT(12), q = cur)
			:: STEP_IF(!WITHOUT(12), LOAD_TAIL(p, t_closed, t_parity, t_time, t_off))
			fi;
			if
			:: p == q -> break
			:: else
			fi;
			STEP(page[sub[p].page].commit = t_off);
			/* It is not the current one: nothing changes it. */
			STEP(assert(sub[p].closed && sub[p].off == t_off);
			     done_entries = done_entries + ENTRIES(p));
			STEP(i = AT(sub[p].seq + 1);
			     assert(slot[i].seq == sub[p].seq + 1 && !slot[i].taken);
			     p = slot[i].index);
			STEP(sub[p].first = done_entries);
			STEP(assert(sub[p].page != user); page[sub[p].page].commit = 0);
			STEP(commit = p);
			STEP(commit_seq = sub[p].seq)
		od;
		/* 13: all is stored when depth is cleared. */
		if
		:: STEP_IF(WITHOUT(13), pg = sub[p].page; depth = 0)
		:: STEP_IF(!WITHOUT(13), assert(sub[p].page != user); page[sub[p].page].commit = t_off)
		fi;
		/* 14: did anybody come before that? */
		if
		:: STEP_IF(WITHOUT(13), assert(pg != user); page[pg].commit = t_off)
		:: STEP_IF(WITHOUT(14), won = (TAIL_IS(p, t_closed, t_parity, t_time, t_off) && cur == q))
		:: STEP_IF(!WITHOUT(13) && !WITHOUT(14), depth = 0)
		fi;
		if
		:: STEP_IF(WITHOUT(14), depth = 0)
		:: STEP_IF(!WITHOUT(14), won = (TAIL_IS(p, t_closed, t_parity, t_time, t_off) && cur == q))
		fi;
		if
		:: won -> break
		:: else
		fi
	od
}

/* ring_buffer_slot_commit(), or where there is no record, rb_leave() */
inline leave()
{
	if
	:: level_depth > 0 ->
		/* 2: the count is stored when the place in it is given up. */
		STEP(depth = level_depth);
		if
		:: STEP_IF(WITHOUT(2), if :: ok -> sub[c].count[level_depth] = n :: else fi)
		:: STEP_IF(!WITHOUT(2), skip)
		fi
	:: else ->
		if
		:: STEP_IF(ok && !discard && c == commit, skip) ->
			/* rb_leave_short(): as far as our record reaches */
			STEP(assert(sub[c].page != user); page[sub[c].page].commit = t_off + 1;
			     o_time = time - sub[c].base);
			/* 4: did anybody come before depth was cleared? */
			if
			:: STEP_IF(WITHOUT(4), won = TAIL_IS(c, false, t_parity, o_time, t_off + 1))
			:: STEP_IF(!WITHOUT(4), depth = 0)
			fi;
			if
			:: STEP_IF(WITHOUT(4), depth = 0)
			:: STEP_IF(!WITHOUT(4), won = TAIL_IS(c, false, t_parity, o_time, t_off + 1))
			fi
		/* The short way came in where it goes out. */
		:: STEP_IF(ok && !discard && c != commit, assert(!quick); won = false)
		:: STEP_IF(!ok || discard, won = false)
		fi;
		if
		:: won
		:: else -> publish()
		fi
	fi
}

inline take_place(ok_)
{
	if
	:: !sub[c].closed && sub[c].parity == t_parity && sub[c].time == t_time &&
	   sub[c].off == t_off ->
		assert(open == t_parity);
#if BACK
		/* The clock does not leap ahead, from a record that is there. */
		assert(sub[c].base + t_time == 0 || time <= sub[c].base + t_time + PUT_BACK);
#endif
		sub[c].time = time - sub[c].base;
		sub[c].off = t_off + 1;
		pg = sub[c].page;
		assert(pg != user);
		page[pg].data[t_off] = GARBAGE;
		ok_ = true
	:: else -> ok_ = false
	fi
}

/* 3: nobody else counts at this depth, so it may be loaded before the place is taken. */
inline count_first()
{
	if :: WITHOUT(3) -> n = sub[c].count[level_depth] + 1 :: else fi
}

/* ring_buffer_slot_discard() */
inline give_back()
{
	if
	:: !sub[c].closed && sub[c].off == t_off + 1 ->
		sub[c].off = t_off;
		sub[c].time = t_time
	:: else -> assert(pg != user); page[pg].data[t_off] = PAD
	fi
}

proctype Writer(byte me)
{
	byte writes, below, level_depth;
	byte c, n, i, next, entries, p, q, time, pg;
	byte o_seq, o_index, o_time, o_off;
	bool o_taken, o_closed, ok, won, t_closed, discard, quick;
	bit o_parity, t_parity, open;
#if BACK
	bool back;
#endif
#if ANEW
	bool late, t_anew;
#endif
	byte t_time, t_off;

	do
	:: writes == (me == 1 -> WRITES : NESTS) -> break
	:: else ->
		/* An interrupt, at any time, of whoever is below. */
		atomic {
			top < me && (top > 0 || me == 1 || finished > 0) ->
			below = top; top = me
		};
#if RESET
		if
		:: STEP_IF(stop > 0, skip); goto out
		:: STEP_IF(stop == 0, level_depth = depth)
		fi;
#else
		STEP(level_depth = depth);
#endif
		if
		:: level_depth > 0 ->
			/* 17: who nests counts at the next depth. */
			if
			:: STEP_IF(!WITHOUT(17), depth = level_depth + 1)
			:: STEP_IF(WITHOUT(17), skip)
			fi;
			goto again
		:: else
		fi;

		/* The short way, rb_reserve(): the clock, then the tail. */
		STEP(time = now; now++);
		/* 1: from here on who interrupts nests. */
		if
		:: STEP_IF(!WITHOUT(1), depth = 1)
		:: STEP_IF(WITHOUT(1), skip)
		fi;
		STEP(c = commit; quick = true);
		STEP(LOAD_TAIL(c, t_closed, t_parity, t_time, t_off));
		STEP(open = sub[c].base_parity; count_first();
		     ok = (!t_closed && t_off < CAP &&
			   /* 18: the clock may be from before what has come since. */
#if BACK
			   /* 23: or from before it was put back, while all that came since is later. */
			   (time <= sub[c].base + t_time + DELTA_MAX || WITHOUT(23)) &&
#endif
#if ANEW
			   !IS_LATE(c, time) &&
#endif
			   (time > sub[c].base + t_time || WITHOUT(18))));
		if
		:: ok ->
			STEP(take_place(ok));
			if
			:: STEP_IF(WITHOUT(1), depth = 1)
			:: STEP_IF(!WITHOUT(1), skip)
			fi;
			if
			:: ok -> goto got_it
			:: else
			fi
		:: else ->
			if
			:: STEP_IF(WITHOUT(1), depth = 1)
			:: STEP_IF(!WITHOUT(1), skip)
			fi
		fi;

		/* rb_reserve_long() */
again:
		STEP(c = cur; quick = false);
		/* 15: here the tail, then the clock; so that the clock never has to be held. */
		if
		:: STEP_IF(WITHOUT(15), time = now; now++)
		:: STEP_IF(!WITHOUT(15), LOAD_TAIL(c, t_closed, t_parity, t_time, t_off); LOAD_ANEW(c))
		fi;
		if
#if ANEW
		:: t_closed && t_anew && !WITHOUT(15) -> reopen(c); goto again
		:: t_closed && !t_anew && !WITHOUT(15) -> advance(c); goto again
#else
		:: t_closed && !WITHOUT(15) -> advance(c); goto again
#endif
		:: else
		fi;
		if
		:: STEP_IF(WITHOUT(15), LOAD_TAIL(c, t_closed, t_parity, t_time, t_off))
		:: STEP_IF(!WITHOUT(15), time = now; now++)
		fi;
		if
		:: t_closed && WITHOUT(15) -> advance(c); goto again
		:: else
		fi;
		STEP(open = sub[c].base_parity; count_first();
#if BACK
		     /* 24: what was put back goes on in a sub-buffer of its own. */
		     back = (!WITHOUT(24) && IS_BACK(c, t_time, time));
		     assert(time > sub[c].base + t_time || back || cur != c || WITHOUT(24)));
		if
		:: t_off == CAP || back ->
#elif ANEW
		     assert(time > sub[c].base + t_time || cur != c);
		     late = IS_LATE(c, time));
		if
		/* Only the outermost, and where readers have been told when it began. */
		:: late && level_depth == 0 && commit == c && t_off + 2 <= CAP ->
			time_anew(c);
			goto again
		:: t_off == CAP || (late && (level_depth > 0 || commit != c || t_off + 2 > CAP)) ->
#else
		     assert(time > sub[c].base + t_time || cur != c));
		if
		:: t_off == CAP ->
#endif
			/* 16: claim, then close. */
			if
			:: STEP_IF(WITHOUT(16), ok = true)
			:: STEP_IF(!WITHOUT(16), skip); claim(c)
			fi;
			if
			:: !ok -> goto drop
			:: else
			fi;
			STEP(won = TAIL_IS(c, false, t_parity, t_time, t_off);
			     if
			     :: won ->
				/* what it says of time counts from the base that was read */
				assert(open == t_parity);
				sub[c].closed = true;
#if BACK
				/* The closed word says where the next one begins; it is rounded down. */
				if
				:: back -> sub[c].time = time - sub[c].base - 1
				:: else
				fi
#elif ANEW
				if
				:: late -> sub[c].time = time - sub[c].base - 1
				:: else
				fi
#endif
			     :: else
			     fi);
			if
			:: WITHOUT(16) -> claim(c)
			:: else
			fi;
			if
			:: won -> advance(c)
			:: else
			fi;
			goto again
		:: else
		fi;
		STEP(take_place(ok));
		if
		:: ok
		:: else -> goto again
		fi;

got_it:
		STEP(if :: WITHOUT(3) :: else -> n = sub[c].count[level_depth] + 1 fi);
		if
		:: STEP_IF(!(WITHOUT(2) && level_depth > 0), sub[c].count[level_depth] = n)
		:: STEP_IF(WITHOUT(2) && level_depth > 0, skip)
		fi;
		if
		:: STEP_IF(WITHOUT(17) && level_depth > 0, depth = level_depth + 1)
		:: STEP_IF(!(WITHOUT(17) && level_depth > 0), skip)
		fi;

		/* The record is ours: write it, or change our mind. */
		if
		:: me <= DISCARD -> discard = true
		:: discard = false
		fi;
		if
		:: discard ->
			/* 6: nobody looks at the count before we leave. */
			if
			:: STEP_IF(WITHOUT(6), give_back())
			:: STEP_IF(!WITHOUT(6), sub[c].count[level_depth]--)
			fi;
			if
			:: STEP_IF(WITHOUT(6), sub[c].count[level_depth]--)
			:: STEP_IF(!WITHOUT(6), give_back())
			fi
		:: else ->
			STEP(assert(pg != user); page[pg].data[t_off] = time; committed++)
		fi;
		goto done;
drop:
		if
		:: STEP_IF(WITHOUT(17) && level_depth > 0, depth = level_depth + 1)
		:: STEP_IF(!(WITHOUT(17) && level_depth > 0), ok = false)
		fi;
done:
		leave();
#if RESET
out:
#endif
		writes++;
		/* What is not needed any more must not tell states apart. */
		atomic {
			top == me ->
			top = below;
			below = 0; level_depth = 0; c = 0; n = 0; i = 0; next = 0;
			entries = 0; p = 0; q = 0; time = 0; o_seq = 0; o_index = 0;
			o_time = 0; o_off = 0; o_taken = false; o_closed = false;
			ok = false; won = false; t_closed = false; discard = false; quick = false;
#if BACK
			back = false;
#endif
#if ANEW
			late = false; t_anew = false;
#endif
			o_parity = 0; t_parity = 0; open = 0; t_time = 0; t_off = 0;
			pg = 0
		}
	od;
	finished++
}

/* rb_reader_sub(), rb_take(): end is 0 or what may be read. */
inline look()
{
	do
	:: true ->
		if
		:: atomic { live -> seen = commit_seq };
			atomic {
				end = page[sub[reader].page].commit;
				if
				:: read < end -> break
				:: else ->
					if
					:: seen == reader_seq -> end = 0; break
					:: else
					fi
				fi
			};
			atomic { expect_now = sub[reader].first + ENTRIES(reader) }
		:: atomic { !live -> expect_now = expect }
		fi;

		do
		:: true ->
			atomic { seen = commit_seq };
			atomic {
				s = AT(next_seq); o_seq = slot[s].seq;
				o_taken = slot[s].taken; o_index = slot[s].index;
				if
				:: next_seq > seen -> end = 0; break
				:: next_seq <= seen && o_seq != next_seq ->
					next_seq++;
					got = false
				:: else ->
					assert(!o_taken);
					got = true
				fi
			};
			if
			:: !got
			:: else ->
				if
				:: next_seq == seen ->
					atomic {
						if
						:: page[sub[o_index].page].commit == 0 -> end = 0; break
						:: else
						fi
					}
				:: else
				fi;
				atomic {
					got = (slot[s].seq == o_seq && slot[s].taken == o_taken &&
					       slot[s].index == o_index);
					if
					:: got -> slot[s].taken = true; slot[s].index = reader
					:: else
					fi
				};
				if
				:: atomic {
					got ->
					expect = expect_now;
					lost = lost + sub[o_index].first - expect;
					reader = o_index;
					reader_seq = next_seq;
					live = true;
					read = 0;
					next_seq++;
					end = 1;
					break
				   }
				:: !got
				fi
			fi
		od;
		if
		:: end == 0 -> break
		:: else
		fi
	od
}

/*
 * A record that was read: it is written, and later than the last; or the clock was put back, which
 * is once, and it is in another sub-buffer than that.
 */
#if BACK
#define SINCE		reader_seq, last_seq, backs
#define IT_SINCE	it_seq, it_last_seq, it_backs
#else
#define SINCE		0, 0, 0
#define IT_SINCE	0, 0, 0
#endif

inline judge(record, last, seq, last_seq, backs)
{
	assert(record != GARBAGE);
	if
	:: record == PAD
	:: else ->
#if BACK
		if
		:: record < last ->
			assert(record + PUT_BACK <= last && seq != last_seq && !backs);
			backs = true
		:: else
		fi;
		last_seq = seq;
		assert(record > 0);
#else
		assert(record >= last && record > 0);
#endif
		last = record
	fi
}

inline consume()
{
	do
	:: atomic { read >= end -> break }
	:: atomic {
		read < end ->
		record = page[sub[reader].page].data[read];
		judge(record, last, SINCE);
		if
		:: record != PAD -> nread++
		:: else
		fi;
		read++
	   }
	od
}

#if PAGE
/* ring_buffer_read_page(): the page is exchanged if it can be, else records are copied. */
inline read_page()
{
	atomic { seen = commit_seq };
	atomic { end = page[sub[reader].page].commit };
	if
	:: seen == reader_seq || read > 0 -> consume()
	:: else ->
		atomic {
			/* It goes to user space: nobody has it, and all in it is written. */
			s = user;
			user = sub[reader].page;
			sub[reader].page = s;
			page[s].commit = 0;
			assert(page[user].commit == end);
			nread = nread + ENTRIES(reader);
			read = 0;
			do
			:: read == end -> break
			:: else ->
				record = page[user].data[read];
				judge(record, last, SINCE);
				read++
			od
		}
	fi
}
#endif

#if ITER
inline rewind()
{
	it_generation = generation;
	it_last = 0;
#if BACK
	it_backs = false;
#endif
	if
	:: live -> it_seq = reader_seq; it_off = read
	:: else -> it_seq = next_seq; it_off = 0
	fi
}

/* rb_iter_fetch(), and on to the next. */
inline iterate()
{
	it_n = ITER;
	if
	:: atomic { it_generation != generation -> rewind() }
	:: else
	fi;
	do
	:: true ->
		atomic {
			if
			:: it_seq < (live -> reader_seq : next_seq) ||
			   (live && it_seq == reader_seq && it_off < read) -> rewind()
			:: else
			fi;
			seen = commit_seq;
			if
			:: it_seq > seen -> break
			:: else
			fi
		};
		atomic {
			at = !(live && it_seq == reader_seq);
			if
			:: at ->
				s = AT(it_seq);
				o_seq = slot[s].seq;
				o_taken = slot[s].taken;
				o_index = slot[s].index
			:: else -> o_seq = it_seq; o_index = reader
			fi;
			got = (o_seq == it_seq);
			if
			:: got -> end = sub[o_index].page
			:: else ->
				it_seq++;
				it_off = 0;
				if
				:: seen + 1 > NR + it_seq -> it_seq = seen + 1 - NR
				:: else
				fi
			fi
		};
		if
		:: !got
		:: else ->
			/* 21: all loads from the page, then the slot again. */
			if
			:: atomic { WITHOUT(21) -> final = (at && !(slot[s].seq == o_seq &&
				slot[s].taken == o_taken && slot[s].index == o_index)) }
			:: !WITHOUT(21)
			fi;
			atomic { got = (it_off < page[end].commit) };
			if
			:: atomic { got -> record = page[end].data[it_off] }
			:: !got
			fi;
			if
			:: atomic { !WITHOUT(21) -> final = (at && !(slot[s].seq == o_seq &&
				slot[s].taken == o_taken && slot[s].index == o_index)) }
			:: WITHOUT(21)
			fi;
			if
			:: final
			:: !final && !got ->
				if
				:: it_seq == seen -> break
				:: else -> it_seq++; it_off = 0
				fi
			:: atomic {
				!final && got ->
				judge(record, it_last, IT_SINCE);
				it_off++;
				it_n--;
				if
				:: it_n == 0 -> break
				:: else
				fi
			   }
			fi
		fi
	od;
	atomic { final = false; at = false; record = 0 }
}
#endif

proctype Reader()
{
	byte reads, end, seen, s, expect_now, last;
	byte o_seq, o_index, record;
	bool o_taken, got, final;
#if BACK
	byte last_seq;
	bool backs;
#if ITER
	byte it_last_seq;
	bool it_backs;
#endif
#endif
#if ITER
	byte it_seq = FIRST, it_off, it_last, it_generation, it_n;
	bool at;
#endif

	do
	:: reads == READS -> break
	:: else ->
		atomic { !lock -> lock = 1 };
		if
#if CONSUME
		:: look(); consume()
#endif
#if PAGE
		:: look();
			if
			:: end > 0 -> read_page()
			:: else
			fi
#endif
#if ITER
		:: iterate()
#endif
		fi;
		atomic {
			lock = 0; reads++; end = 0; seen = 0; s = 0; expect_now = 0;
			o_seq = 0; o_index = 0; record = 0; o_taken = false; got = false
		}
	od;

	/* The last look comes when all is done. */
	finished == LEVELS + RESET + BACK + ANEW + (NR_TO > 0);
	do
	:: look();
		if
		:: end == 0 -> break
		:: else -> consume()
		fi
	od;

	/* At rest: law (a), and the reader knows of every loss. */
	assert(depth == 0 && cur == commit && commit_seq == sub[cur].seq);
	assert(done_entries + ENTRIES(commit) == committed);
	assert(committed == nread + overrun);
	assert(lost <= overrun)
}

#if BACK
/* Somebody sets the date, at any time. */
proctype Back()
{
	atomic { now = now - 100; finished++ }
}
#endif

#if ANEW
/* Nothing happens for 18 minutes. */
proctype Leap()
{
	atomic { now = now + 100; finished++ }
}
#endif

#if RESET
/* rb_reset_cpus(), rb_ring_start() */
proctype Reset()
{
	byte k, s;

	stop++;
	/* 22: synchronize_rcu() waits for writers that did not see it. */
	if
	:: top == 0 || WITHOUT(22)
	fi;
	atomic { !lock -> lock = 1 };
	d_step {
		k = 0;
		do
		:: k < SUBS -> sub[k].closed = true; k++
		:: else -> break
		od;
		/* The reader keeps his: it changes places with the last one. */
		k = 0;
		do
		:: k < NR ->
			slot[k].index = (k == reader -> NR : k);
			slot[k].seq = (k == 0 -> FIRST : k);
			slot[k].taken = (k != 0);
			k++
		:: else -> break
		od;
		s = slot[0].index;
		sub[s].closed = false;
		sub[s].parity = 1 - sub[s].parity;
		sub[s].time = 0; sub[s].off = 0;
		sub[s].base = 0; sub[s].base_parity = sub[s].parity;
		sub[s].start = COUNT(s);
		sub[s].seq = FIRST;
		sub[s].first = 0;
		page[sub[s].page].commit = 0;
		cur = s; commit = s; done_entries = 0; overrun = 0;
		live = false; next_seq = FIRST; read = 0; expect = 0; lost = 0; nread = 0;
		reader_seq = 0;
		generation++;
		commit_seq = FIRST;
		committed = 0
	};
	lock = 0;
	stop--;
	finished++
}
#endif

#if NR_TO
/* resize.c; a plan's table is filled in beside the one in use. */
#define BOTH	(NR_FROM < NR_TO -> NR_FROM : NR_TO)
#define OLD(n)	(old * NR_MAX + (n) % NR_FROM)
#define NEW(n)	((1 - old) * NR_MAX + (n) % NR_TO)

inline copy_slot(n)
{
	slot[NEW(n)].seq = slot[OLD(n)].seq;
	slot[NEW(n)].taken = slot[OLD(n)].taken;
	slot[NEW(n)].index = slot[OLD(n)].index
}

/* One slot that was claimed since. */
inline follow_claim(n)
{
	if
	:: NR_TO > NR_FROM ->
		slot[NEW(n - NR_FROM)].index = slot[NEW(n)].index;
		slot[NEW(n - NR_FROM)].seq = n - NR_FROM;
		slot[NEW(n - NR_FROM)].taken = true
	:: else
	fi;
	copy_slot(n)
}

/* rb_plan_give_up(), with all accesses apart: ok is set if all are gone. */
inline give_up(last_)
{
	last = last_; left = BATCH;
	n = (next_seq > last + 1 - NR_FROM -> next_seq : last + 1 - NR_FROM);
	do
	:: atomic { n > last -> break }
	:: atomic {
		n <= last ->
		i = OLD(n); o_seq = slot[i].seq; o_taken = slot[i].taken; o_index = slot[i].index;
		if
		:: o_seq == n && !o_taken ->
			if
			:: left == 0 -> break
			:: else -> left--; entries = ENTRIES(o_index)
			fi
		:: else -> entries = 0
		fi
	   };
	   atomic {
		if
		:: o_seq == n && !o_taken && slot[i].seq == n && !slot[i].taken ->
			slot[i].taken = true;
			overrun = overrun + entries
		:: else
		fi;
		n++
	   }
	od;
	atomic {
		next_seq = (next_seq > n -> next_seq : n);
		ok = (last < n)
	}
}

/*
 * rb_plans_run(): rb_plan_prepare() on any CPU, then rb_plan_apply() on the one
 * that writes, as the lowest, and none of its own is unfinished. What interrupts
 * does not change the shape while it is frozen.
 */
proctype Resize()
{
	short n, last;
	byte old, i, left, entries, o_seq, o_index, plan_top, plan_next, p_top, p_next;
	bool o_taken, ok;

	/* rb_plan_fill(); old is 0 */
	atomic { !lock -> plan_top = commit_seq; plan_next = next_seq; n = plan_top };
	do
	:: atomic { n > plan_top - BOTH -> copy_slot(n); n-- }
	:: atomic { n == plan_top - BOTH -> break }
	od;
	n = 0;
#if NR_TO > NR_FROM
	d_step {
		n = plan_top + 1;
		do
		:: n == plan_top + 1 + NR_TO - NR_FROM -> break
		:: else ->
			slot[NEW(n)].seq = n - NR_TO;
			slot[NEW(n)].taken = true;
			slot[NEW(n)].index = NR_FROM + n - plan_top;
			n++
		od;
		n = 0
	};
#endif
	do
	:: true ->
		/* rb_plan_prepare() */
#if NR_TO < NR_FROM
		do
		:: true ->
			atomic { !lock -> lock = 1; p_top = commit_seq };
			give_up(p_top - NR_TO);
			lock = 0;
			if
			:: ok -> break
			:: !ok
			fi
		od;
#endif
		atomic { !lock -> p_top = commit_seq; p_next = next_seq; n = plan_top + 1 };
		do
		:: atomic { n <= p_top -> follow_claim(n); n++ }
		:: atomic { n > p_top -> break }
		od;
		n = (plan_next > p_top + 1 - BOTH -> plan_next : p_top + 1 - BOTH);
		do
		:: atomic { n < p_next -> copy_slot(n); n++ }
		:: atomic { n >= p_next -> break }
		od;
		atomic { plan_top = p_top; plan_next = p_next; n = 0; p_next = 0 };

		/* rb_plan_apply() */
		atomic { top == 0 -> top = 1 };
		atomic { top == 1 && !lock -> lock = 1 };
		/* 19: the shape is frozen before it is looked at. */
		if
		:: atomic { top == 1 && WITHOUT(19) -> p_top = sub[cur].seq }
		:: atomic { top == 1 && !WITHOUT(19) -> frozen = true }
		fi;
		if
		:: atomic { top == 1 && WITHOUT(19) -> frozen = true }
		:: atomic { top == 1 && !WITHOUT(19) -> p_top = sub[cur].seq }
		fi;
		d_step {
			top == 1 ->
			if
			:: slot[OLD(p_top + 1)].seq == p_top + 1 -> p_top++
			:: else
			fi;
			ok = (p_top - plan_top <= BATCH);
#if NR_TO < NR_FROM
			if
			:: ok ->
				last = p_top - NR_TO; left = BATCH;
				n = (next_seq > last + 1 - NR_FROM -> next_seq : last + 1 - NR_FROM);
				do
				:: n > last -> break
				:: else ->
					i = OLD(n);
					if
					:: slot[i].seq == n && !slot[i].taken ->
						if
						:: left == 0 -> break
						:: else ->
							left--;
							overrun = overrun + ENTRIES(slot[i].index);
							slot[i].taken = true
						fi
					:: else
					fi;
					n++
				od;
				next_seq = (next_seq > n -> next_seq : n);
				ok = (last < n)
			:: else
			fi;
#endif
			p_next = (next_seq > p_top + 1 - BOTH -> next_seq : p_top + 1 - BOTH);
			n = (plan_next > p_top + 1 - BOTH -> plan_next : p_top + 1 - BOTH);
			ok = ok && (p_next - n <= BATCH);
			if
			:: ok ->
				next_seq = p_next;
				n = plan_top + 1;
				do
				:: n > p_top -> break
				:: else -> follow_claim(n); n++
				od;
				n = (plan_next > p_top + 1 - BOTH -> plan_next : p_top + 1 - BOTH);
				do
				:: n >= p_next -> break
				:: else -> copy_slot(n); n++
				od;
				plan_top = p_top; plan_next = p_next
			:: else
			fi;
			n = 0; last = 0; left = 0; i = 0; p_next = 0; p_top = 0
		};
		/* 20: the new table, then it may be used. */
		if
		:: atomic { top == 1 && WITHOUT(20) -> frozen = false }
		:: atomic { top == 1 && !WITHOUT(20) && ok -> table = 1 - table; nr = NR_TO }
		:: atomic { top == 1 && !WITHOUT(20) && !ok -> skip }
		fi;
		if
		:: atomic { top == 1 && WITHOUT(20) && ok -> table = 1 - table; nr = NR_TO }
		:: atomic { top == 1 && WITHOUT(20) && !ok -> skip }
		:: atomic { top == 1 && !WITHOUT(20) -> frozen = false }
		fi;
		atomic { top == 1 -> lock = 0; top = 0 };
		if
		:: ok -> break
		:: !ok -> ok = false
		fi
	od;
	ok = false;
#if NR_TO < NR_FROM
	/* rb_plan_free_all(): nobody has what is freed. */
	d_step {
		n = NR_TO;
		do
		:: n == NR_FROM -> break
		:: else ->
			i = slot[OLD(plan_top - n)].index;
			assert(cur != i && commit != i && reader != i);
			left = 0;
			do
			:: left == NR_TO -> break
			:: else -> assert(slot[NR_MAX + left].index != i); left++
			od;
			n++
		od;
		n = 0
	};
#endif
	finished++
}
#endif

init {
	byte k;

	c_code {
		char *s = getenv("MUTANT");

		mutant = s ? atoi(s) : 0;
	};
	atomic {
		do
		:: k < SUBS ->
			sub[k].closed = (k != 0);
			sub[k].parity = (k == 0);
			sub[k].base_parity = (k == 0);
			sub[k].page = k;
			k++
		:: else -> break
		od;
		sub[0].seq = FIRST;
		slot[0].seq = FIRST;
		k = 1;
		do
		:: k < NR ->
			slot[k].seq = k;
			slot[k].taken = true;
			slot[k].index = k;
			k++
		:: else -> break
		od;
		run Reader();
#if BACK
		run Back();
#endif
#if ANEW
		run Leap();
#endif
#if RESET
		run Reset();
#endif
#if NR_TO
		run Resize();
#endif
		k = 1;
		do
		:: k <= LEVELS -> run Writer(k); k++
		:: else -> break
		od
	}
}
