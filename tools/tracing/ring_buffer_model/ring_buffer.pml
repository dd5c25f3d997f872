/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of kernel/trace/ring_buffer: reserve, commit, discard, change of the
 * sub-buffer, overwriting, and the reader who swaps, with writers that nest.
 * The names are those of write.c and read.c, and so are the steps: what is one
 * access there is one step here.
 *
 * A writer of level l is what interrupts those of lower levels, anywhere, and
 * runs until it is done. The reader runs on another CPU, between any two steps.
 *
 * Checked: nobody reads a record that is not written (law c) or one older than
 * the last (law b), no step finds the ring in a state it must not be in, and in
 * the end all that was written is read or was overwritten (law a).
 */
#ifndef LEVELS
#define LEVELS	3	/* writers that nest */
#endif
#ifndef WRITES
#define WRITES	3	/* records that the lowest of them writes; others: one */
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

#define NR	2	/* slots */
#define SUBS	(NR + 1)
#define FIRST	NR	/* number of the first sub-buffer */

#define GARBAGE	255	/* reserved, but not written */
#define PAD	254	/* discarded */

/* struct rb_sub; tail is four fields that are only accessed together. */
typedef Sub {
	bool closed;
	bit parity;
	byte time;
	byte off;

	byte base;
	bit base_parity;	/* for which parity base was computed */
	byte seq;
	byte first;
	byte count;
	byte start;
	byte commit;		/* rb_page::commit */
	byte data[CAP];		/* times of the records */
}

Sub sub[SUBS];

/* A slot is a word, too. */
typedef Slot {
	byte seq;
	bool taken;
	byte index;
}

Slot slot[NR];

byte cur, commit, commit_seq = FIRST, depth, done_entries, overrun;
byte now = 1;
byte top;		/* level that runs, plus one; 0: none */
byte finished;		/* writers that are done for good; the lowest comes first */
byte committed;		/* what ought to be there */

#define STEP(x)	atomic { top == me -> x }

/* Step 1 of write.c: ok says whether there is a place to go to. */
inline claim(c)
{
	STEP(next = sub[c].seq + 1; i = next % NR; o_seq = slot[i].seq;
	     o_taken = slot[i].taken; o_index = slot[i].index);
	ok = true;
	do
	:: o_seq != next - NR -> break
	:: else ->
		if
		:: next - NR >= commit_seq -> ok = false; break
		:: else
		fi;
		if
		:: !o_taken && !OVERWRITE -> ok = false; break
		:: else
		fi;
		STEP(entries = sub[o_index].count - sub[o_index].start);
		/* The exchange, against the reader. */
		atomic {
			top == me ->
			if
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
			fi
		};
		if
		:: won ->
			STEP(if :: !o_taken -> overrun = overrun + entries :: else fi);
			break
		:: else
		fi
	od
}

/* Steps 3 to 5. */
inline advance(c)
{
	STEP(t_time = sub[c].time; next = sub[c].seq + 1; assert(sub[c].closed));
	STEP(i = next % NR; o_seq = slot[i].seq; n = slot[i].index);
	if
	:: o_seq != next
	:: else ->
		STEP(o_closed = sub[n].closed; o_parity = sub[n].parity;
		     o_time = sub[n].time; o_off = sub[n].off);
		STEP(entries = sub[n].count);
		STEP(won = (cur == c));
		if
		:: won ->
			open = (o_closed -> 1 - o_parity : o_parity);
			STEP(sub[n].seq = next);
			STEP(sub[n].start = entries);
			STEP(sub[n].base = sub[c].base + t_time;
			     sub[n].base_parity = open);
			STEP(if
			     :: sub[n].closed == o_closed && sub[n].parity == o_parity &&
				sub[n].time == o_time && sub[n].off == o_off ->
				sub[n].closed = false; sub[n].parity = open;
				sub[n].time = 0; sub[n].off = 0
			     :: else
			     fi);
			STEP(if :: cur == c -> cur = n :: else fi)
		:: else
		fi
	fi
}

/* rb_leave() and rb_publish(). */
inline leave()
{
	if
	:: level_depth > 0 -> STEP(depth = level_depth)
	:: else ->
		do
		:: true ->
			STEP(depth = 1);
			do
			:: true ->
				STEP(p = commit; q = cur);
				STEP(t_off = sub[p].off; t_time = sub[p].time;
				     t_closed = sub[p].closed);
				STEP(sub[p].commit = t_off);
				if
				:: p == q -> break
				:: else
				fi;
				/* It is not the current one: nothing changes it. */
				STEP(assert(sub[p].closed && sub[p].off == t_off);
				     done_entries = done_entries + sub[p].count - sub[p].start);
				STEP(i = (sub[p].seq + 1) % NR;
				     assert(slot[i].seq == sub[p].seq + 1 && !slot[i].taken);
				     p = slot[i].index);
				STEP(sub[p].first = done_entries);
				STEP(sub[p].commit = 0);
				STEP(commit = p);
				STEP(commit_seq = sub[p].seq)
			od;
			STEP(depth = 0);
			/* Did anybody come before that? */
			STEP(won = (sub[p].off == t_off && sub[p].time == t_time &&
				    sub[p].closed == t_closed && cur == q));
			if
			:: won -> break
			:: else
			fi
		od
	fi
}

proctype Writer(byte me)
{
	byte writes, below, level_depth;
	byte c, n, i, next, entries, p, q, time;
	byte o_seq, o_index, o_time, o_off;
	bool o_taken, o_closed, ok, won, t_closed, discard;
	bit o_parity, t_parity, open;
	byte t_time, t_off;

	do
	:: writes == (me == 1 -> WRITES : 1) -> break
	:: else ->
		/* An interrupt, at any time, of whoever is below. */
		atomic {
			top < me && (top > 0 || me == 1 || finished > 0) ->
			below = top; top = me
		};
		STEP(level_depth = depth);
		STEP(depth = level_depth + 1);
again:
		STEP(c = cur);
		STEP(t_closed = sub[c].closed; t_parity = sub[c].parity;
		     t_time = sub[c].time; t_off = sub[c].off);
		if
		:: t_closed -> advance(c); goto again
		:: else
		fi;
		/* The clock. */
		STEP(time = now; now++);
		STEP(time = time - sub[c].base; open = sub[c].base_parity);
		if
		:: t_off == CAP ->
			claim(c);
			if
			:: !ok -> goto out
			:: else
			fi;
			atomic {
				top == me ->
				won = (!sub[c].closed && sub[c].parity == t_parity &&
				       sub[c].time == t_time && sub[c].off == t_off);
				if
				:: won -> sub[c].closed = true
				:: else
				fi
			};
			if
			:: won -> advance(c)
			:: else
			fi;
			goto again
		:: else
		fi;
		atomic {
			top == me ->
			won = (!sub[c].closed && sub[c].parity == t_parity &&
			       sub[c].time == t_time && sub[c].off == t_off);
			if
			:: won ->
				assert(open == t_parity);
				sub[c].time = time;
				sub[c].off = t_off + 1;
				sub[c].data[t_off] = GARBAGE
			:: else
			fi
		};
		if
		:: won
		:: else -> goto again
		fi;
		STEP(sub[c].count++);

		/* The record is ours: write it, or change our mind. */
		if
		:: me <= DISCARD -> discard = true
		:: discard = false
		fi;
		if
		:: discard ->
			STEP(sub[c].count--);
			atomic {
				top == me ->
				if
				:: !sub[c].closed && sub[c].off == t_off + 1 ->
					sub[c].off = t_off;
					sub[c].time = t_time
				:: else -> sub[c].data[t_off] = PAD
				fi
			}
		:: else ->
			STEP(sub[c].data[t_off] = sub[c].base + time; committed++)
		fi;
out:
		leave();
		writes++;
		/* What is not needed any more must not tell states apart. */
		atomic {
			top == me ->
			top = below;
			below = 0; level_depth = 0; c = 0; n = 0; i = 0; next = 0;
			entries = 0; p = 0; q = 0; time = 0; o_seq = 0; o_index = 0;
			o_time = 0; o_off = 0; o_taken = false; o_closed = false;
			ok = false; won = false; t_closed = false; discard = false;
			o_parity = 0; t_parity = 0; open = 0; t_time = 0; t_off = 0
		}
	od;
	finished++
}

inline look()
{
	do
	:: true ->
		if
		:: live ->
			seen = commit_seq;
			end = sub[reader].commit;
			if
			:: read < end -> break
			:: else
			fi;
			if
			:: seen == reader_seq -> end = 0; break
			:: else
			fi
		:: else
		fi;

		/* rb_take() */
		expect_now = expect;
		if
		:: live -> expect_now = sub[reader].first + sub[reader].count - sub[reader].start
		:: else
		fi;
		do
		:: true ->
			seen = commit_seq;
			atomic { s = next % NR; o_seq = slot[s].seq;
				 o_taken = slot[s].taken; o_index = slot[s].index };
			if
			:: next > seen -> end = 0; break
			:: else
			fi;
			if
			:: o_seq != next -> next++
			:: else ->
				assert(!o_taken);
				if
				:: next == seen && sub[o_index].commit == 0 -> end = 0; break
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
				:: got ->
					expect = expect_now;
					lost = lost + sub[o_index].first - expect;
					reader = o_index;
					reader_seq = next;
					live = true;
					read = 0;
					next++;
					end = 1;
					break
				:: else
				fi
			fi
		od;
		if
		:: end == 0 -> break
		:: else
		fi
	od
}

proctype Reader()
{
	byte reads, reader = NR, reader_seq, next = FIRST, read, end, seen, s;
	byte expect, expect_now, lost, nread, last;
	byte o_seq, o_index, record;
	bool live, o_taken, got, final;

	do
	:: true ->
		/* The last look comes when all is done. */
		final = (reads == READS);
		if
		:: final -> finished == LEVELS
		:: else
		fi;
		look();
		do
		:: end == 0 -> break
		:: else ->
			do
			:: read == end -> break
			:: else ->
				record = sub[reader].data[read];
				assert(record != GARBAGE);
				if
				:: record == PAD
				:: else ->
					assert(record >= last && record > 0);
					last = record;
					nread++
				fi;
				read++
			od;
			if
			:: final -> look()
			:: else -> break
			fi
		od;
		if
		:: final -> break
		:: else -> reads++
		fi
	od;

	/* At rest: law (a), and the reader knows of every loss. */
	assert(depth == 0 && cur == commit && commit_seq == sub[cur].seq);
	assert(done_entries + sub[commit].count - sub[commit].start == committed);
	assert(committed == nread + overrun);
	assert(lost <= overrun)
}

init {
	byte k;

	atomic {
		do
		:: k < SUBS ->
			sub[k].closed = (k != 0);
			sub[k].parity = (k == 0);
			sub[k].base_parity = (k == 0);
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
		k = 1;
		do
		:: k <= LEVELS -> run Writer(k); k++
		:: else -> break
		od
	}
}
