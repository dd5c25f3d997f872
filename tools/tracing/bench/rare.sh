#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs in a guest with two CPUs under -icount shift=0,sleep=off, beside trace_bench.ko and
# trace_bench_many.ko: how long what is rarely done takes, in milliseconds of the guest's
# clock, waiting included.  Prints "row NAME MS", the median of five turns, as soon as it is
# known: of three if one turn takes more than a second, where five tell no more than three, and the
# only one above five seconds; of 31 for modules, which wait for grace periods.
here=$(dirname "$0")
bench=/proc/trace_bench
turns=5 least=1
instances=${BENCH_INSTANCES:-1000}

die() {
	echo "bench: $*" >&2
	exit 1
}

insmod "$here/trace_bench.ko" || die "cannot load trace_bench.ko"
cd /sys/kernel/tracing || die "no tracefs"

now() {
	echo clock >$bench || die "no clock"
	read -r _ _ ns <$bench
}

# once NAME FUNCTION: one turn
once() {
	now
	t0=$ns
	"$2" || die "$1 failed"
	now
	took $1 $((ns - t0))
}

took() { # NAME NS
	echo "$1 $2" >>/tmp/turns
	[ $2 -le $slowest ] || slowest=$2
}

# Name, then the middle one of its turns, or the lower of two in the middle.
rows() {
	sort -k1,1 -k2,2n /tmp/turns | awk '
		function row() { printf "row rare_%s %.3f\n", name, ns[int((n + 1) / 2)] / 1e6 }
		$1 != name { if (n) row(); name = $1; n = 0 }
		{ ns[++n] = $2 }
		END { if (n) row() }'
	: >/tmp/turns
}

# repeat COMMAND...: turns of it, as many as their length is worth, at least $least
repeat() {
	turn=0 slowest=0 enough=$turns
	while [ $turn -lt $enough ]; do
		"$@"
		turn=$((turn + 1))
		[ $slowest -le 1000000000 ] || enough=3
		[ $slowest -le 5000000000 ] || enough=$least
	done
	rows
}

both() {
	once "$1_on" "$2"
	once "$1_off" "$3"
}

# pair NAME FUNCTION FUNCTION: turns of both, one undoes the other; rows NAME_on and NAME_off
pair() { repeat both "$@"; }
single() { repeat once "$@"; }

events() { echo "$1" >events/enable; }
events_on() { events 1; }
events_off() { events 0; }
system_on() { echo 1 >events/sched/enable; }
system_off() { echo 0 >events/sched/enable; }
formats_find() { find events -name format >/tmp/formats; }
formats_cat() { xargs cat </tmp/formats >/dev/null; }
instance_on() { mkdir instances/bench; }
instance_off() { rmdir instances/bench; }
resize_on() { echo 102400 >buffer_size_kb; }
resize_off() { echo 1408 >buffer_size_kb; }
empty_trace() { echo >trace; }

# The call that loads or unloads: kmod's program, which is another, takes three times as long.  What
# was loaded leaves a grace period behind (do_free_init() in kernel/module/main.c); who unloads it
# at once waits for the end of that, too, before the one of unloading (free_module()) begins.
module() {
	ns=$("$here/user" load "$here/trace_bench_many.ko") || die "cannot load a module"
	took module_on $ns
	pause=.3$(printf %02d $((turn * 7 % turns)))	# not in step with the ticks
	sleep $pause
	ns=$("$here/user" unload trace_bench_many) || die "cannot unload a module"
	took module_off $ns
	sleep $pause
}
# How long the grace periods take is a throw each time: the middle of five is one of few dice.
modules() {
	turns=31
	repeat module
	turns=5
}

# A thousand functions, each with a probe; what cannot be probed is left out.
probes_find() {
	grep -x '[a-z][a-z_0-9]*' available_filter_functions | sort | uniq -u >/tmp/functions
	n=0
	while [ $n -lt 1000 ] && read -r f; do
		! echo "p:many/e$n $f" >>kprobe_events 2>/dev/null || n=$((n + 1))
	done </tmp/functions
	[ $n -eq 1000 ] || die "$n functions can be probed"
	cat kprobe_events >/tmp/probes
	echo >kprobe_events
}
probes_on() { cat /tmp/probes >kprobe_events; }
probes_off() { echo >kprobe_events; }

# One text for all events of a system: each gets it, none is on.
filter_on() { echo 'common_pid > 0' >events/many/filter; }
filter_off() { echo 0 >events/many/filter; }
filters() {
	probes_on || die "no probes"
	pair filter filter_on filter_off
	n=$(cat events/many/e*/filter | grep -c '^none$')
	filter_on && [ "$n" -eq 1000 ] || die "filters stay"
	n=$(cat events/many/e*/filter | grep -c '^common_pid > 0$')
	[ "$n" -eq 1000 ] || die "$n events have the filter"
	filter_off
	probes_off
}

# Each that there is, and nop at the end. Whose threads measure in long runs has short ones, as
# it is not the end of a run that is timed.
tracers_find() {
	tracers=$(tr ' ' '\n' <available_tracers | grep -v -e '^nop$' -e '^$' | sort | tr '\n' ' ')
	echo "tracers $tracers"
	[ ! -e hwlat_detector/width ] || echo 1000 >hwlat_detector/width
	[ ! -e osnoise/runtime_us ] || echo 1000 >osnoise/runtime_us
}

switch_tracers() {
	for t in $tracers nop; do
		echo $t >current_tracer || return 1
	done
}

tracers_undo() {
	[ ! -e hwlat_detector/width ] || echo 500000 >hwlat_detector/width
	[ ! -e osnoise/runtime_us ] || echo 1000000 >osnoise/runtime_us
}

many_on() {
	i=0
	while [ $i -lt "$instances" ]; do
		mkdir instances/bench$i || return 1
		i=$((i + 1))
	done
}

many_list() { ls instances >/dev/null; }

many_off() {
	i=0
	while [ $i -lt "$instances" ]; do
		rmdir instances/bench$i || return 1
		i=$((i + 1))
	done
}

# kB that are free, when no more come back of what was used before
free_kb() {
	last=0
	for i in 1 2 3 4 5 6 7 8 9; do
		echo 3 >/proc/sys/vm/drop_caches
		sleep 1
		now=$(awk '/^MemFree:/ { print $2 }' /proc/meminfo)
		[ $((now - last)) -gt 64 ] || break
		last=$now
	done
	echo $now
}

# What is free is looked at with the first ones, as what they leave serves the next; of so many that
# what comes back meanwhile of what was before is little beside it.
many() {
	once many_on many_on
	once many_list many_list
	[ $turn -gt 0 ] || after=$(free_kb)
	once many_off many_off
}

: >/tmp/turns
pair events events_on events_off
pair system system_on system_off
single formats_find formats_find
single formats_cat formats_cat
pair instance instance_on instance_off
pair resize resize_on resize_off
single empty empty_trace
if [ -e kprobe_events ]; then
	probes_find
	pair probes probes_on probes_off
	filters
fi
modules
if grep -qw function available_tracers; then
	tracers_find
	single tracers switch_tracers
	tracers_undo
fi

before=$(free_kb)
least=3
repeat many
# Nobody has used them. An instance costs at least its files: what is less was not measured.
awk -v d=$((before - after)) -v n="$instances" 'BEGIN {
	if (d / n < 10)
		printf "bench: not measured: %d instances take %d kB\n", n, d
	else
		printf "row rare_idle_kb %.1f\n", d / n
}'

cd /
rmmod trace_bench || die "cannot unload trace_bench.ko"
