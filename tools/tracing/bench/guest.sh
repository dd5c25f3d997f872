#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs in a guest under -icount shift=0,sleep=off, with trace_bench.ko beside
# it: brings about each situation, has the module run the operation, and prints
# "row NAME INSTRUCTIONS", the loop's own included, as in
# baseline/instructions.md.  A row whose feature the kernel lacks is left out.
here=$(dirname "$0")
bench=/proc/trace_bench
turns=20000

die() {
	echo "bench: $*" >&2
	exit 1
}

insmod "$here/trace_bench.ko" || die "cannot load trace_bench.ko"
cd /sys/kernel/tracing || die "no tracefs"
echo 0 >tracing_on
echo 2048 >buffer_size_kb || die "cannot set the buffer's size"
events=events/trace_bench
[ -d $events/bench_pair ] || die "no event of the module"

# Nanoseconds that an op takes, by two readings of the raw counter.
run() {
	echo "$1 $2" >$bench || die "op $1 failed"
	read -r _ _ ns <$bench
}

# row NAME [OP, if it has another name]: some turns to warm up what is touched,
# then the measurement on an empty buffer that does not overwrite.
row() {
	run "${2:-$1}" 1000
	echo >trace
	run "${2:-$1}" $turns
	awk -v n="$1" -v ns="$ns" -v t=$turns 'BEGIN { printf "row %s %.2f\n", n, ns / t }'
}

# The same with recording on; afterwards the buffer has to hold every turn.
recorded() {
	echo 1 >tracing_on
	row "$@"
	echo 0 >tracing_on
	got=$(awk '/^entries:/ { n += $2 } END { print n + 0 }' per_cpu/cpu0/stats)
	[ "$got" -ge $turns ] || die "$1: $got of $turns turns are in the buffer"
}

row empty
row off pair
if [ -e available_filter_functions ] && grep -q bench_target available_filter_functions; then
	row function
fi
row clock trace_clock
row write

echo 1 >$events/bench_pair/enable || die "cannot switch bench_pair on"
recorded event pair
if [ -e $events/bench_pair/filter ]; then
	# rejected: not one turn may be in the buffer
	rejected() {
		echo "$2" >$events/bench_pair/filter || die "no filter $2"
		echo 1 >tracing_on
		row "$1" pair
		echo 0 >tracing_on
		got=$(awk '/^entries:/ { n += $2 } END { print n + 0 }' per_cpu/cpu0/stats)
		[ "$got" -eq 0 ] || die "$1: $got turns are in the buffer"
	}
	echo 'a >= 0' >$events/bench_pair/filter || die "no filter"
	recorded filter_pass pair
	rejected filter_reject 'a < 0'
	rejected filter_reject_3 'a < 0 && b > 5 || a == 1000000'
	echo 0 >$events/bench_pair/filter
fi
echo 0 >$events/bench_pair/enable
echo 1 >$events/bench_name/enable || die "cannot switch bench_name on"
recorded event_string name
echo 0 >$events/bench_name/enable
recorded printk
recorded puts

# What tracing adds to a context switch between two tasks, or to a wakeup. Options are as at boot,
# so names of tasks are recorded.
plain() { # op
	run "$1" 1000
	run "$1" $turns
	eval "plain_$1=$ns"
}
added() { # name op
	run "$2" 1000
	echo >trace
	echo 1 >tracing_on
	run "$2" $turns
	echo 0 >tracing_on
	eval "before=\$plain_$2"
	awk -v n="$1" -v d=$((ns - before)) -v t=$turns 'BEGIN { printf "row %s %.2f\n", n, d / t }'
}
of_bench() { # how many records the two tasks have
	grep -c '^ *bench_o[a-z]*-' trace
}

# The module has a trace_printk(), for which names are recorded from its loading on.
echo 0 >options/trace_printk
plain switch
plain wakeup
awk -v ns=$plain_switch -v t=$turns 'BEGIN { printf "row switch %.2f\n", ns / t }'
# names are recorded for the sake of another event
echo 1 >$events/bench_pair/enable
added switch_names switch
added wakeup_names wakeup
echo 0 >$events/bench_pair/enable

echo 1 >events/sched/sched_switch/enable || die "cannot switch sched_switch on"
added switch_event switch
[ "$(of_bench)" -ge $turns ] || die "switch_event: $(of_bench) of $turns are named in the trace"
echo 1 >set_event_pid || die "no set_event_pid"
added switch_rejected switch
[ "$(of_bench)" -eq 0 ] || die "switch_rejected: $(of_bench) are there"
echo 0 >events/sched/sched_switch/enable
# the lists of pids alone, with an event that has nothing to do with switches
echo 1 >$events/bench_pair/enable
added switch_pids switch
added wakeup_pids wakeup
echo >set_event_pid
# and what they add to an event that passes
echo 1 >tracing_on
echo >trace
plain pair
echo $$ >set_event_pid
added event_pid pair
got=$(grep -c bench_pair trace)
[ "$got" -ge $turns ] || die "event_pid: $got of $turns are there"
echo >set_event_pid
echo 0 >$events/bench_pair/enable
echo 1 >options/trace_printk

# Lines of "cat trace": what 4,000 more of them take, so that starting cat and
# the head of the file do not count.
timed_cat() {
	echo >trace
	echo 1 >tracing_on
	run pair "$1"
	echo 0 >tracing_on
	lines=$(grep -c bench_pair trace)
	[ "$lines" -eq "$1" ] || die "cat: $lines lines of $1"
	run clock 1
	t0=$ns
	cat trace >/dev/null
	run clock 1
	took=$((ns - t0))
}
echo 1 >$events/bench_pair/enable
timed_cat 1000
short=$took
timed_cat 5000
awk -v d=$((took - short)) 'BEGIN { printf "row cat_line %.0f\n", d / 4000 }'
echo 0 >$events/bench_pair/enable

# How long a command takes, in milliseconds of the guest's clock.
took_ms() {
	name=$1
	shift
	run clock 1
	t0=$ns
	"$@" || die "$name failed"
	run clock 1
	awk -v n="$name" -v d=$((ns - t0)) 'BEGIN { printf "row %s %.2f\n", n, d / 1e6 }'
}

tracer() {
	echo "$1" >current_tracer
}

list_functions() {
	cat available_filter_functions >/dev/null
}

if grep -qw function available_tracers; then
	echo bench_target >set_ftrace_filter || die "no filter"
	tracer function
	recorded function_1 function
	for n in 2 3; do
		mkdir instances/bench$n || die "no instance"
		echo 0 >instances/bench$n/events/enable
		echo 4096 >instances/bench$n/buffer_size_kb
		echo bench_target >instances/bench$n/set_ftrace_filter
		echo function >instances/bench$n/current_tracer
		recorded function_$n function
	done
	for n in 2 3; do
		echo nop >instances/bench$n/current_tracer
		rmdir instances/bench$n || die "instance stays"
	done
	tracer function_graph
	recorded graph function
	echo 0 >options/trace_printk
	added switch_graph switch
	echo 1 >options/trace_printk
	tracer nop
	echo >set_ftrace_filter
	took_ms functions_on tracer function
	took_ms functions_off tracer nop
	took_ms functions_list list_functions
fi

cd /
rmmod trace_bench || die "cannot unload trace_bench.ko"
