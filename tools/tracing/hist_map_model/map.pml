/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of kernel/trace/hist/map.c: hits on several CPUs, or in the middle of each other, that insert
 * and count; growth in the background; somebody who reads all entries meanwhile. One access to
 * memory there is one step here. Memory is sequentially consistent: the orders that are needed
 * beyond that are an exchange with release, and dependencies on what it wrote.
 *
 * There are two levels: a bucket of BUCKET slots, and a last one that takes all entries. A hash is the
 * key. ENTRIES may be handed out, of which FIRST are there at once.
 *
 * Checked: a key is in one slot; an entry has one key; hits are counted or dropped, each once; an
 * entry that is not used is kept for the next who wants one, and in the end neither of the two flags
 * says that there is none; the reader sees complete keys, none twice.
 *
 * MUTANT=1: the loser of an exchange does not look at what won.
 * MUTANT=2: the slot is written before the key.
 * MUTANT=3: where a probe of the last level begins does not depend on the key alone.
 * MUTANT=4: who says that the map is full does not look again.
 * MUTANT=5: who takes a spare, and may leave others, does not take back that it is full.
 *
 * With SPARES=1 the hitters find all entries handed out and put back: HITTERS of them at most.
 */
#ifndef HITTERS
#define HITTERS	2
#endif
#ifndef HITS
#define HITS	2	/* of each */
#endif
#ifndef KEYS
#define KEYS	3
#endif
#ifndef ENTRIES
#define ENTRIES	3
#endif
#ifndef FIRST
#define FIRST	2
#endif
#ifndef BUCKET
#define BUCKET	1
#endif
#ifndef MUTANT
#define MUTANT	0
#endif
#ifndef SPARES
#define SPARES	0
#endif
#define LAST	(2 * ENTRIES)

/* slots hold the number of an entry + 1; 0: empty */
byte level0[BUCKET], level1[LAST];
bool has_level1;
byte have = FIRST;		/* nr_chunks */
byte next;			/* entries handed out */
byte spare[HITTERS];
bool has_spare, is_full;

byte key[ENTRIES];		/* 0: not written */
bool live[ENTRIES];
byte count[ENTRIES];
byte dropped, running = HITTERS + 2;

inline take(mine)
{
	mine = 0;
	if
	:: has_spare ->
		has_spare = false;
		i = 0;
		do
		:: i < HITTERS && mine == 0 ->
			if
			:: spare[i] -> atomic { mine = spare[i]; spare[i] = 0 }	/* xchg */
			:: else
			fi;
			i++
		:: else -> break
		od;
		if
		:: mine -> has_spare = true;
			if
			:: MUTANT != 5 -> is_full = false
			:: else
			fi
		:: else
		fi
	:: else
	fi;
	if
	:: mine == 0 ->
		atomic {
			if
			:: next < have -> next++; mine = next
			:: else
			fi
		}
		if
		:: mine == 0 && have == ENTRIES && !has_spare ->
			if
			:: is_full
			:: else ->
				is_full = true;
				if
				:: MUTANT != 4 && has_spare -> is_full = false
				:: else
				fi
			fi
		:: else
		fi
	:: else
	fi
}

inline give(mine)
{
	i = 0;
	do
	:: i < HITTERS ->
		atomic {
			if
			:: spare[i] == 0 -> spare[i] = mine; mine = 0; i = HITTERS
			:: else -> i++
			fi
		}
	:: else -> break
	od;
	assert(mine == 0);	/* there was a place */
	has_spare = true;
	is_full = false
}

/* One slot: sets found, or goes on; out: there is no entry to be had. */
inline probe(slot)
{
	value = slot;
	if
	:: value == 0 ->
		if
		:: mine == 0 ->
			if
			:: !is_full -> take(mine)
			:: else
			fi;
			if
			:: mine == 0 -> out = true
			:: MUTANT != 2 && mine != 0 -> key[mine - 1] = k
			:: else
			fi
		:: else
		fi;
		if
		:: !out ->
			atomic {
				if
				:: slot == 0 -> slot = mine; found = mine
				:: else
				fi
			}
			if
			:: found ->
				if
				:: MUTANT == 2 -> key[mine - 1] = k
				:: else
				fi;
				live[mine - 1] = true;
				mine = 0
			:: else -> value = slot
			fi
		:: else
		fi
	:: else
	fi;
	if
	:: !found && !out && (value != 0) && !(MUTANT == 1 && mine) ->
		assert(key[value - 1] != 0);
		if
		:: key[value - 1] == k -> found = value
		:: else
		fi
	:: else
	fi
}

proctype hitter()
{
	byte k, n, at, i, value, mine, found, start;
	bool out;

	do
	:: n < HITS ->
		select(k : 1 .. KEYS);
		mine = 0; found = 0; out = false; at = 0;
		do
		:: at < BUCKET && !found && !out -> probe(level0[at]); at++
		:: else -> break
		od;
		at = 0;
		start = (MUTANT == 3 -> _pid : k);
		if
		:: !found && !out && !has_level1 -> out = true
		:: else
		fi;
		do
		:: at < LAST && !found && !out ->
			probe(level1[(start + at) % LAST]);
			at++
		:: else -> break
		od;
		if
		:: mine -> give(mine)
		:: else
		fi;
		if
		:: found -> atomic { assert(key[found - 1] == k); count[found - 1]++ }
		:: else -> atomic { dropped++ }
		fi;
		n++
	:: else -> break
	od;
	running--
}

proctype grower()
{
	has_level1 = true;	/* a level is complete when it is seen */
	have = ENTRIES;
	running--
}

/* Sorts what it sees: no key twice, none that is not written. */
proctype reader()
{
	byte i, used;
	bool seen[KEYS + 1];

	used = next;
	do
	:: i < used ->
		if
		:: live[i] ->
			assert(key[i] != 0 && !seen[key[i]]);
			seen[key[i]] = true
		:: else
		fi;
		i++
	:: else -> break
	od;
	running--
}

init {
	byte i, j, sum, used;

	atomic {
		if
		:: SPARES ->
			have = ENTRIES; next = ENTRIES; has_spare = true;
			do
			:: i < ENTRIES -> spare[i] = i + 1; i++
			:: else -> break
			od
		:: else
		fi;
		i = 0;
		do
		:: i < HITTERS -> run hitter(); i++
		:: else -> break
		od;
		run grower();
		run reader()
	}
	running == 0;

	atomic {
		sum = dropped;
		i = 0;
		do
		:: i < ENTRIES ->
			sum = sum + count[i];
			used = used + live[i];
			assert(count[i] == 0 || live[i]);
			j = 0;
			do
			:: j < i -> assert(!live[i] || !live[j] || key[i] != key[j]); j++
			:: else -> break
			od;
			i++
		:: else -> break
		od;
		assert(sum == HITTERS * HITS);
		i = 0;
		do
		:: i < HITTERS ->
			used = used + (spare[i] != 0);
			assert(spare[i] == 0 || (has_spare && !is_full));
			i++
		:: else -> break
		od;
		assert(used == next)
	}
}
