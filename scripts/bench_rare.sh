#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Part of make bench: how long what is rarely done takes on one kernel.
#   bench_rare.sh ours|base FOLDER    the modules lie in FOLDER/KERNEL, built by bench.sh; the
#                                     rows go to FOLDER/KERNEL-rare.txt as they come, that of the
#                                     tracers only if both kernels have the same ones
# Two CPUs that share one clock, which advances one nanosecond an instruction.
. "$(dirname "$0")/lib.sh"
arch_names "$ARCH"
k=$1 results=$2
out=$results/$k-rare.txt

rm -f "$out" "$results/$k-tracers.txt"
echo 'sh /guest/rare.sh' >"$results/run-rare.sh"
log=$build/logs/bench-rare-$k-$ARCH.out
files="$results/$k/trace_bench.ko $results/$k/trace_bench_many.ko $results/$k/user"
cr=$(printf '\r')
t0=$(date +%s)
: >"$log"
# Each row is kept, and shown, as it comes: who is stopped has those that were measured.
{
	CPUS=2 MEMORY=4608 QEMU_EXTRA="-icount shift=0,sleep=off" \
		GUEST_FILES="$files $top/tools/tracing/bench/rare.sh" \
		GUEST_LOG="$build/logs/bench-rare-$k-$ARCH.console" \
		sh "$top/scripts/guest" "$ARCH" "$k-$FLAVOUR" "$results/run-rare.sh" 2700
	printf '\nended %s\n' $?
} | while IFS= read -r line; do
	line=${line%"$cr"}
	echo "$line" >>"$log"
	case $line in
	"row "*" "*)
		echo "$line" >>"$out"
		printf '    %-32s %6ds\n' "${line#row rare_}" $(($(date +%s) - t0)) ;;
	"tracers "*)
		echo "$line" >"$results/$k-tracers.txt" ;;
	"ended "*)
		exit "${line#ended }" ;;
	?*)
		echo "    $line" ;;
	esac
done
status=$?
other=base
[ "$k" = ours ] || other=ours
if [ -e "$results/$k-tracers.txt" ] && [ -e "$results/$other-tracers.txt" ] &&
		! cmp -s "$results/$k-tracers.txt" "$results/$other-tracers.txt"; then
	echo "bench: $k and $other have other tracers, there is no row of switching them"
	for f in "$results/$k-rare.txt" "$results/$other-rare.txt"; do
		[ ! -e "$f" ] || sed -i '/^row rare_tracers /d' "$f"
	done
fi
exit $status
