#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Part of make bench: how long what is rarely done takes on one kernel.
#   bench_rare.sh ours|base FOLDER    the modules lie in FOLDER/KERNEL, built by bench.sh; the
#                                     rows go to FOLDER/KERNEL-rare.txt, that of the tracers only
#                                     if both kernels have the same ones
# Two CPUs that share one clock, which advances one nanosecond an instruction.
. "$(dirname "$0")/lib.sh"
arch_names "$ARCH"
k=$1 results=$2
out=$results/$k-rare.txt

rm -f "$out"
echo 'sh /guest/rare.sh' >"$results/run-rare.sh"
log=$build/logs/bench-rare-$k-$ARCH.out
files="$results/$k/trace_bench.ko $results/$k/trace_bench_many.ko $results/$k/user"
CPUS=2 MEMORY=4608 QEMU_EXTRA="-icount shift=0,sleep=off" \
	GUEST_FILES="$files $top/tools/tracing/bench/rare.sh" \
	GUEST_LOG="$build/logs/bench-rare-$k-$ARCH.console" \
	sh "$top/scripts/guest" "$ARCH" "$k-$FLAVOUR" "$results/run-rare.sh" 900 >"$log" || exit 1
cat "$log"
grep '^row ' "$log" | tr -d '\r' >"$out"
grep '^tracers ' "$log" | tr -d '\r' >"$results/$k-tracers.txt"
other=base
[ "$k" = ours ] || other=ours
[ -e "$results/$other-tracers.txt" ] || exit 0
cmp -s "$results/$k-tracers.txt" "$results/$other-tracers.txt" && exit 0
echo "bench: $k and $other have other tracers, there is no row of switching them"
for f in "$results/$k-rare.txt" "$results/$other-rare.txt"; do
	[ ! -e "$f" ] || sed -i '/^row rare_tracers /d' "$f"
done
