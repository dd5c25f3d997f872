# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the cases here: what a client printed, and what it left behind.
. $FTRACETEST_ROOT/test.d/oracle/lib.sh
out=$TMPDIR/out

# Runs a client; it has to succeed.
run() { # command...
	"$@" >$out 2>&1 || {
		cat $out
		fail "$*"
	}
}

# It printed a line that matches.
has() { # pattern
	grep -q -- "$1" $out || {
		head -n 40 $out
		fail "no line with $1"
	}
}
has_not() { # pattern
	! grep -- "$1" $out || fail "lines with $1"
}

nothing_is_on() {
	[ "$(cat current_tracer)" = nop ] || fail "current_tracer: $(cat current_tracer)"
	[ -z "$(cat enabled_functions)" ] || fail "enabled_functions: $(cat enabled_functions)"
	[ "$(cat events/enable)" = 0 ] || fail "events are on"
}

# Records with trace-cmd into $dat, and has it report into $out: it has to understand all of it. Its
# recorders may be told to stop before they began, on the base as well: on a busy host 2 of 60 such
# recordings are empty.
trace_cmd_record() { # arguments of record
	for try in 1 2 3 4 5; do
		run trace-cmd record -o $dat "$@"
		trace-cmd report $dat >$out 2>$TMPDIR/log
		! grep -i 'failed\|unknown\|error' $TMPDIR/log $out || fail "report of $*"
		# more than how many CPUs there are
		[ "$(wc -l <$out)" -le 1 ] || return 0
	done
	fail "five empty recordings of $*"
}
