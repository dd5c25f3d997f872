#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make bench: instructions that one operation costs, on the base and on ours.
# Both kernels are built with the same configuration (but for configs/base*.config), the
# module in tools/tracing/bench against each, and booted on one CPU whose clock advances
# one nanosecond an instruction, so the figures do not depend on the host.
# Ends with a table, build/bench-ARCH.svg, and an error if a bar is not met.
#   BENCH_KERNELS="base ours"   which to measure; the other's last result is used
. "$(dirname "$0")/lib.sh"
arch_names "$ARCH"
: "${BENCH_KERNELS:=base ours}"
results=$build/bench/$ARCH
mkdir -p "$results"

module() {
	rm -rf "$work" && mkdir -p "$work" &&
		cp "$top"/tools/tracing/bench/* "$work/" &&
		KERNEL=$k sh "$top/scripts/kernel.sh" M="$work" modules &&
		${gnu}gcc -std=gnu11 -O2 -Wall -static -no-pie -o "$work/user" "$work/user.c"
}

measure() {
	rm -f "$results/$k.txt"
	CPUS=1 QEMU_EXTRA="-icount shift=0,sleep=off" \
		GUEST_FILES="$work/trace_bench.ko $work/user $work/guest.sh" GUEST_LOG="$build/logs/bench-$k-$ARCH.console" \
		sh "$top/scripts/guest" "$ARCH" "$k-$FLAVOUR" "$results/run.sh" 300 &&
		grep '^row ' "$step_log" | tr -d '\r' >"$results/$k.txt"
}

# Kilobytes, without what is initialised to 0: those of kernel/trace, and of the whole kernel, each
# without the tests that are built in.
sizes() {
	tests='_(test|kunit)\.o$|/test_[a-z_]*\.o$|/tests/|^lib/kunit/'
	cd "$(KERNEL=$k kernel_dir)" && ${gnu}ar t vmlinux.a >"$results/objects" || return 1
	grep '^kernel/trace/' "$results/objects" | grep -vE "$tests" | xargs ${gnu}size |
		awk '$1 ~ /^[0-9]+$/ { n += $1 + $2 } END { printf "row size_trace %.1f\n", n / 1024 }'
	{ grep -E "$tests" "$results/objects"; echo vmlinux; } | xargs ${gnu}size |
		awk '$1 ~ /^[0-9]+$/ { n += $6 == "vmlinux" ? $1 + $2 : -$1 - $2 }
		     END { printf "row size_vmlinux %.1f\n", n / 1024 }'
}

echo 'sh /guest/guest.sh' >"$results/run.sh"
for k in $BENCH_KERNELS; do
	work=$build/bench/$ARCH/$k
	KERNEL=$k sh "$top/scripts/kernel.sh" || exit 1
	(sizes) >"$results/$k-size.txt" || exit 1
	step "bench: module for $k, $ARCH" "$build/logs/bench-module-$k-$ARCH.log" module || exit 1
	step "bench: measure $k, $ARCH" "$build/logs/bench-$k-$ARCH.log" measure || exit 1
	step "bench: rare operations of $k, $ARCH" "$build/logs/bench-rare-$k-$ARCH.log" \
		sh "$top/scripts/bench_rare.sh" "$k" "$results" || exit 1
done
python3 "$top/scripts/bench_chart.py" "$ARCH" "$results" "$build/bench-$ARCH.svg"
