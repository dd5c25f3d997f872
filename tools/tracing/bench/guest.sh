#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs in a guest under -icount shift=0,sleep=off, with trace_bench.ko beside
# it: brings about each situation, has the module run the operation, and prints
# "row NAME INSTRUCTIONS", the loop's own included.  A row whose feature the kernel
# lacks is left out.
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
	# the stack tracer on a function that is not the deepest
	if [ -e stack_trace_filter ]; then
		echo bench_target >stack_trace_filter
		echo 1 >/proc/sys/kernel/stack_tracer_enabled
		row stack_tracer function
		echo 0 >/proc/sys/kernel/stack_tracer_enabled
		echo >stack_trace_filter
	fi
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
# the same event in another instance too, which holds those of the warming up as well
mkdir instances/bench || die "no instance"
echo 2048 >instances/bench/buffer_size_kb
echo 1 >instances/bench/$events/bench_pair/enable || die "an instance has no bench_pair"
recorded event_2 pair
got=$(awk '/^entries:/ { print $2 }' instances/bench/per_cpu/cpu0/stats)
[ "$got" -eq $((turns + 1000)) ] || die "event_2: $got turns are in the instance"
echo 0 >instances/bench/$events/bench_pair/enable
rmdir instances/bench || die "instance stays"
# Histograms: keys=a has a new key each turn, of which the table takes 2,048; keys=b has one.
if [ -e $events/bench_pair/hist ]; then
	counted() { # name command
		echo "$2" >$events/bench_pair/trigger || die "no trigger $2"
		# until memory of the one before has been given back, which a worker does
		sleep .1
		echo 1 >tracing_on
		# and until the CPU has sums of its own, which the same does when there are hits
		run pair 1000
		sleep .1
		row "$1" pair
		echo 0 >tracing_on
		got=$(awk '/Hits:|Dropped:/ { n += $2 } END { print n }' $events/bench_pair/hist)
		[ "$got" -eq $((turns + 2000)) ] || die "$1: $got turns are counted"
		echo "!$2" >>$events/bench_pair/trigger
	}
	counted hist_on_a hist:keys=a
	counted hist_on hist:keys=b
	echo 0 >$events/bench_pair/enable
	counted hist_off_a hist:keys=a
	counted hist_off hist:keys=b
	counted hist_off_sum hist:keys=a:vals=b:sort=hitcount
	counted hist_off_var hist:keys=b:x=a
	# 131,072 entries, read in their order; they come a few at a time, as a map may have to grow
	echo hist:keys=a:size=131072 >$events/bench_pair/trigger || die "no large histogram"
	entries=1000
	while [ $entries -lt 131072 ]; do
		run pair $entries
		sleep .02
		entries=$((entries * 3 / 2))
	done
	for again in 1 2; do
		run pair 131072
		sleep .02
	done
	run clock 1
	t0=$ns
	cat $events/bench_pair/hist >/dev/null
	run clock 1
	took=$((ns - t0))
	grep -q 'Entries: 131072$' $events/bench_pair/hist ||
		die "large: $(tail -n 3 $events/bench_pair/hist)"
	awk -v d=$took 'BEGIN { printf "row hist_read %.2f\n", d / 1e6 }'
	echo '!hist:keys=a:size=131072' >>$events/bench_pair/trigger
	# two keys, a variable of another event, and an event of three fields that is recorded.
	# The base takes no argument of one character, so "a" is said in full.
	pair='hist:keys=common_pid,common_cpu:x=a'
	name='hist:keys=common_pid,common_cpu:onmatch(trace_bench.bench_pair)'
	name="$name"'.bench_sum($x,trace_bench.bench_name.a,common_pid)'
	echo 'bench_sum int x; int a; int pid' >synthetic_events || die "no synthetic event"
	echo "$pair" >$events/bench_pair/trigger || die "no trigger $pair"
	run pair 1
	echo "$name" >$events/bench_name/trigger || die "no trigger $name"
	echo 1 >events/synthetic/bench_sum/enable || die "cannot switch bench_sum on"
	recorded hist_onmatch name
	echo 0 >events/synthetic/bench_sum/enable
	echo "!$name" >>$events/bench_name/trigger
	echo "!$pair" >>$events/bench_pair/trigger
	echo >synthetic_events
fi
echo 0 >$events/bench_pair/enable
echo 1 >$events/bench_name/enable || die "cannot switch bench_name on"
recorded event_string name
echo 0 >$events/bench_name/enable
recorded printk
recorded puts

# Probes on a function, made at run time. What they record is there afterwards, but not with
# measure=row.
measure=recorded
probe() { # row, op, definitions in the group "bench"
	name=$1 op=$2
	shift 2
	for line in "$@"; do
		echo "$line" >>dynamic_events || die "no $line"
	done
	echo 1 >events/bench/enable || die "cannot switch $* on"
	$measure "$name" "$op"
	echo 0 >events/bench/enable
	echo >dynamic_events
}
if grep -qF 'f[:[<group>/][<event>]] <func-name>' README; then
	probe fprobe function 'f:bench/in bench_target a=$arg1'
	probe fprobe_return function 'f:bench/out bench_target%return r=$retval'
	probe fprobe_both function 'f:bench/in bench_target a=$arg1' \
		'f:bench/out bench_target%return r=$retval'
fi
if grep -qF 't[:[<group>/][<event>]] <tracepoint>' README; then
	probe tprobe pair 't:bench/tp bench_pair a=$arg1'
fi

all=
if [ -e kprobe_events ]; then
	# On riscv64 the base refuses those on what ftrace can trace, EIO. It has no f: there,
	# either; who has must have all of these.
	! grep -qF 'f[:' README || all=y
	if echo 'p:bench/in bench_target' >kprobe_events || [ "$all" ]; then
		echo >kprobe_events
		probe kprobe function 'p:bench/in bench_target a=$arg1'
		probe kprobe_return function 'r:bench/out bench_target r=$retval'
	fi
	# behind what is patched for ftrace: where depends on the architecture
	hits=
	for at in 5 8 9 10 12; do
		echo "p:bench/mid bench_target+$at" >>kprobe_events 2>/dev/null || continue
		echo 1 >events/bench/mid/enable && echo 1 >tracing_on
		run function 10
		echo 0 >tracing_on && echo 0 >events/bench/mid/enable
		hits=$(awk '$1 == "mid" { print $2 }' kprobe_profile)
		got=$(grep -c ' mid: ' trace)
		echo >trace
		echo >kprobe_events
		[ "$hits" != 10 ] || break
	done
	if [ "$hits" = 10 ] || [ "$all" ]; then
		# A breakpoint of the kernel is an NMI on riscv64, where the base's ring buffer
		# takes nothing: what it counts there is a hit without its record.
		[ "$got" = 10 ] || [ "$all" ] || measure=row
		probe kprobe_inside function "p:bench/mid bench_target+$at"
		measure=recorded
	fi
	probe eprobe pair 'e:bench/ep trace_bench.bench_pair a=$a'
fi
# A program that calls a function of its own: what 2,000 more calls take.
calls() {
	"$here/user" 100 >/dev/null && echo >trace && ns=$("$here/user" 2000) || die "no program"
}
in_program() { # row, definition
	calls
	plain=$ns
	echo "$2" >>uprobe_events || die "no $2"
	echo 1 >events/bench/enable && echo 1 >tracing_on || die "cannot switch $2 on"
	calls
	echo 0 >tracing_on
	calls=$(grep -c ' up: ' trace)
	[ "$calls" -eq 2000 ] || die "$1: $calls calls are there"
	echo 0 >events/bench/enable
	echo >uprobe_events
	awk -v n="$1" -v d=$((ns - plain)) 'BEGIN { printf "row %s %.2f\n", n, d / 2000 }'
}
if [ -e uprobe_events ]; then
	at=$("$here/user" offset)
	in_program uprobe "p:bench/up $here/user:$at"
	in_program uprobe_return "r:bench/up $here/user:$at"
fi

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
awk -v ns=$plain_wakeup -v t=$turns 'BEGIN { printf "row wakeup %.2f\n", ns / t }'
# names are recorded for the sake of another event
echo 1 >$events/bench_pair/enable
added switch_names switch
added wakeup_names wakeup
echo 0 >$events/bench_pair/enable

echo 1 >events/sched/sched_switch/enable || die "cannot switch sched_switch on"
added switch_event switch
[ "$(of_bench)" -ge $turns ] || die "switch_event: $(of_bench) of $turns are named in the trace"
mkdir instances/bench || die "no instance"
echo 4096 >instances/bench/buffer_size_kb
echo 1 >instances/bench/events/sched/sched_switch/enable || die "an instance has no sched_switch"
added switch_event_2 switch
[ "$(of_bench)" -ge $turns ] || die "switch_event_2: $(of_bench) of $turns are named in the trace"
got=$(awk '/^entries:/ { print $2 }' instances/bench/per_cpu/cpu0/stats)
[ "$got" -ge $turns ] || die "switch_event_2: $got turns are in the instance"
echo 0 >instances/bench/events/sched/sched_switch/enable
rmdir instances/bench || die "instance stays"
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

# Interrupts and preemption off and on again, while nobody measures it, and what tracers add.
row irqs
row preempt
plain irqs
plain preempt
plain urgent
for t in irqsoff:irqs preemptoff:preempt wakeup_rt:wakeup; do
	grep -qw ${t%:*} available_tracers || continue
	echo 0 >options/function-trace
	echo ${t%:*} >current_tracer || die "no tracer ${t%:*}"
	added tracer_${t%:*} ${t#*:}
	if [ $t = wakeup_rt:wakeup ]; then
		added tracer_wakeup_switch switch
		# which are of two tasks of one priority, and not traced; this one is
		echo 0 >tracing_max_latency
		added tracer_wakeup_traced urgent
		[ "$(cat tracing_max_latency)" -gt 0 ] ||
			die "tracer_wakeup_traced: nothing is traced"
	fi
	echo nop >current_tracer
	echo 1 >options/function-trace
done
echo 1 >options/trace_printk

# The least of three: now and then something else has the CPU for half a millisecond.
least() { # command lines
	best=
	for i in 1 2 3; do
		"$@"
		[ -n "$best" ] && [ "$best" -le "$took" ] || best=$took
	done
	took=$best
}

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
least timed_cat 1000
short=$took
least timed_cat 5000
awk -v d=$((took - short)) 'BEGIN { printf "row cat_line %.0f\n", d / 4000 }'

# The same of trace_pipe, which takes them out and ends, as something was read and nothing is
# recorded any more.
left() {
	awk '/^entries:/ { n += $2 } END { print n + 0 }' per_cpu/cpu*/stats
}
timed_pipe() {
	echo >trace
	echo 1 >tracing_on
	run pair "$1"
	echo 0 >tracing_on
	[ "$(left)" -eq "$1" ] || die "trace_pipe: $(left) lines of $1"
	run clock 1
	t0=$ns
	cat trace_pipe >/dev/null
	run clock 1
	took=$((ns - t0))
	[ "$(left)" -eq 0 ] || die "trace_pipe: $(left) lines are left"
}
least timed_pipe 1000
short=$took
least timed_pipe 5000
awk -v d=$((took - short)) 'BEGIN { printf "row pipe_line %.0f\n", d / 4000 }'
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

# Functions with an option of their tracer, whose records are longer.
with_option() { # row, file
	[ -e "$2" ] || return 0
	echo 1 >"$2" && echo 4096 >buffer_size_kb || die "no $2"
	recorded "$1" function
	echo 2048 >buffer_size_kb && echo 0 >"$2" || die "$2 stays on"
}

list_functions() {
	cat available_filter_functions >/dev/null
}

if grep -qw function available_tracers; then
	echo bench_target >set_ftrace_filter || die "no filter"
	tracer function
	recorded function_1 function
	with_option function_args options/func-args
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
	with_option graph_retaddr options/funcgraph-retaddr
	with_option graph_args options/funcgraph-args
	with_option graph_retval options/funcgraph-retval
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
