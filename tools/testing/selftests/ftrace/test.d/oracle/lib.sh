# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the cases here.  Each of them holds on the base kernel as well as
# on ours: the base is what tells whether a case is right.  Cases for what ours
# promises beyond that are in test.d/overlay.

# To start a process is the dear thing in an emulated guest: what every case does starts few.
all_cpus=0
for cpu in per_cpu/cpu*; do
	all_cpus=$((all_cpus * 2 + 1))
done
all_cpus=$(printf '%x' $all_cpus)

# What ftracetest does not reset between the cases.
for setting in buffer_size_kb:1408 options/overwrite:1 trace_clock:local buffer_percent:50 \
		tracing_cpumask:$all_cpus tracing_on:1 set_event_notrace_pid: options/event-fork:0 \
		options/disable_on_free:0 options/function-trace:1; do
	[ ! -e ${setting%%:*} ] || echo "${setting#*:}" >"${setting%%:*}"
done
echo >trace

# A case that fails leaves no reader or writer of its own behind.
trap 'pkill -P $PID || :' EXIT

# Fails with a reason.
fail() {
	echo "FAILED: $*"
	exit_fail
}

# What the kernel says when the bytes of a file are written to FILE at once.
answer_of_bytes() { # file bytes [dd options]
	dd if="$2" of="$1" bs=65536 status=none $3 2>"$TMPDIR/answer" || :
	while read -r said; do
		echo "${said##*: }"
	done <"$TMPDIR/answer"
}

# What the kernel says to TEXT written to FILE in one write; nothing if it took it.
answer() { # file text
	printf '%s' "$2" >"$TMPDIR/text"
	answer_of_bytes "$1" "$TMPDIR/text"
}

# FILE refuses TEXT with ERROR and reads as it did before.
refused() { # file text error
	before=$(cat "$1")
	got=$(answer "$1" "$2")
	[ "$got" = "$3" ] || fail "$1: answer to '$2' is '$got', not '$3'"
	[ "$(cat "$1")" = "$before" ] || fail "$1 changed though it refused '$2'"
}

# FILE takes TEXT and then shows SHOWN (default TEXT).
taken() { # file text [shown]
	got=$(answer "$1" "$2")
	[ -z "$got" ] || fail "$1 refuses '$2': $got"
	[ "$(cat "$1")" = "${3:-$2}" ] || fail "$1 is '$(cat "$1")' after '$2'"
}

# Sets a buffer's size; it is given in whole sub-buffers.
set_size() { # file KiB
	got=$(answer "$1" "$2")
	[ -z "$got" ] || fail "$1 refuses $2: $got"
	size_is "$1" "$2"
}
size_is() { # file KiB
	shown=$(cat "$1")
	[ "$shown" -ge "$2" ] && [ "$shown" -lt $(($2 + 8)) ] || fail "$1 is $shown after $2"
}

# A file of N lines of 16 bytes, for mark() and its kin.
lines() { # n
	yes 0123456789abcde | head -n "$1" >"$TMPDIR/lines"
}

# Writes the lines as one marker each, from a CPU.
mark() { # cpu [folder]
	taskset -c "$1" dd if="$TMPDIR/lines" of="${2:-.}/trace_marker" bs=16 status=none
}

# The same for a buffer that may be full, where a write fails with EBADF.
mark_full() { # cpu
	taskset -c "$1" sh -c 'while read -r l; do echo "$l" || :; done 2>/dev/null >trace_marker' \
		<"$TMPDIR/lines"
}

# The same; says into a file how many of the writes were taken.
mark_counting() { # cpu result
	taskset -c "$1" sh -c '
		n=0
		while read -r l; do
			echo "$l" >&4 && n=$((n + 1))
		done 2>/dev/null 4>trace_marker
		echo $n' <"$TMPDIR/lines" >"$2"
}

# A figure of a CPU's stats.
stat_of() { # cpu key
	sed -n "s/^$2: *//p" "per_cpu/cpu$1/stats"
}

# What became of all that was written on a CPU; of '*', on all of them.
accounted() { # cpu
	awk -F ': *' '/^(entries|overrun|commit overrun|dropped events|read events):/ { n += $2 }
		END { print n + 0 }' per_cpu/cpu$1/stats
}

cpus() {
	ls per_cpu | sed -n 's/^cpu//p'
}

need_two_cpus() {
	[ "$(cpus | wc -l)" -ge 2 ] || exit_unresolved
}

# Lines of the trace that are events.
events_of() { # file
	sed '/^#/d; /^$/d; /^CPU:.*LOST/d' "$1"
}

# Times of each CPU's lines never go back; "cpu time" in the order of the file.
in_order() { # file
	awk 'match($0, /\[[0-9]+\] [^ ]* *[0-9]+\.[0-9]+: /) {
		n = split(substr($0, RSTART + 1, RLENGTH - 3), word, /[] ]+/)
		cpu = word[1]
		time = word[n]
		if (time + 0 < last[cpu] + 0) {
			print "CPU " cpu ": " time " after " last[cpu]
			bad = 1
		}
		last[cpu] = time
	     }
	     END { if (!n) print "no line with a time"; exit bad || !n }' "$1" ||
		fail "$1 is not in order"
}

# The kernel has complained about nothing since the case before said so, or this one began.
more_splats='INFO: (task|rcu)|possible (recurs|circ)'
splats() {
	dmesg | grep -cE "WARNING:|BUG:|KASAN|UBSAN|Oops|$more_splats" || :
}
# What the cases before have seen, so that the log is not read twice for each.
splats_seen=${TMPDIR%/*}/splats-seen
[ -e $splats_seen ] || splats >$splats_seen
read -r splats_before <$splats_seen
no_splat() {
	splats >$splats_seen
	read -r splats_now <$splats_seen
	[ "$splats_now" -le "$splats_before" ] || {
		dmesg | tail -n 60
		fail "the kernel complained"
	}
}

# In the background, over and over, whatever it says: with ftracetest's -e a worker ends at the
# first command that fails, and neither wait nor pkill tells of it.
workers=
over_and_over() { # command...
	(
		set +e +x
		while :; do "$@"; done
	) >/dev/null 2>&1 &
	workers="$workers $!"
}
# All of them are still at it.
at_work() {
	for worker in $workers; do
		grep -qs '^State:.[^ZX]' /proc/$worker/status || fail "a worker has ended"
	done
}

# What may be refused, as others change the same, is counted where it was done; a case in which
# all of it is refused tests nothing.
did() { # what
	echo "$1" >>"$TMPDIR/did"
}
enough() { # what...: each was done three times
	for what; do
		[ "$(grep -cx "$what" "$TMPDIR/did")" -ge 3 ] || return 1
	done
}
did_enough() { # what...
	enough "$@" || fail "hardly any $what: $(sort "$TMPDIR/did" | uniq -c)"
}

wait_for() { # seconds command...
	tries=$(($1 * 20))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || fail "no end of waiting for: $*"
		sleep .05
	done
}
