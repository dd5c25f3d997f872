#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make bench: instructions that one operation costs, on the base and on ours.
# Both kernels are built with the same configuration (but for configs/base*.config and
# ours.config), the module in tools/tracing/bench against each, and booted on one CPU whose
# clock advances one nanosecond an instruction, so the figures do not depend on the host.
# A table of what is hot and build/bench-ARCH.svg, then the rare operations, each as it is measured,
# their table and the drawing of both; an error if a bar is not met or not all was measured.
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
# without the tests that are built in, and without BPF, for which configs/ours.config has a
# compiler because the tests want one. What the link makes of these objects goes with them: a
# relocation for each pointer, where the kernel relocates itself, and their share of kallsyms. That
# of kernel/trace is without fprobes, too, which the base has on x86_64 alone.
sizes() {
	tests='(_test|kunit)\.o$|/test_[a-z_]*\.o$|/tests/|^lib/kunit/'
	bpf='^kernel/bpf/|/net/bpf_jit|^net/bpf/|^net/core/(filter|sysctl_net_core)\.o$|^net/ipv4/bpf_'
	cd "$(KERNEL=$k kernel_dir)" && ${gnu}ar t vmlinux.a >"$results/objects" || return 1
	grep '^kernel/trace/' "$results/objects" | grep -vE "$tests|fprobe" | xargs ${gnu}size |
		awk '$1 ~ /^[0-9]+$/ { n += $1 + $2 } END { printf "row size_trace %.1f\n", n / 1024 }'
	grep -E "$tests|$bpf" "$results/objects" >"$results/without"
	{
		echo vmlinux "$(${gnu}size vmlinux | awk 'END { print $1 + $2 }')"
		xargs ${gnu}size <"$results/without" | awk '$1 ~ /^[0-9]+$/ { print "less", $1 + $2 }'
		! ${gnu}readelf -SW vmlinux | grep -q ' \.rela\.dyn ' ||
			xargs ${gnu}readelf -rW <"$results/without" |
			awk '/^Relocation/ { out = /\.rela\.(debug|discard)/ }
			     !out && $3 ~ /^R_(AARCH64_ABS64|RISCV_64)$/ { print "less", 24 }'
		echo names "$(${gnu}nm vmlinux | wc -l)" \
			"$(${gnu}size .tmp_vmlinux2.kallsyms.o | awk 'END { print $1 + $2 }')"
		xargs ${gnu}nm <"$results/without" | awk '$2 ~ /^[A-TV-Za-tv-z]$/ && $3 !~ /^[$.]/ { print "name" }'
	} | awk '$1 == "vmlinux" { n = $2 } $1 == "less" { n -= $2 } $1 == "names" { each = $3 / $2 }
		 $1 == "name" { n -= each } END { printf "row size_vmlinux %.1f\n", n / 1024 }'
}

chart() { # hot or rare
	python3 "$top/scripts/bench_chart.py" "$ARCH" "$results" "$build/bench-$ARCH.svg" "$1"
}

failed=0
echo 'sh /guest/guest.sh' >"$results/run.sh"
for k in $BENCH_KERNELS; do
	work=$build/bench/$ARCH/$k
	KERNEL=$k sh "$top/scripts/kernel.sh" || exit 1
	(sizes) >"$results/$k-size.txt" || exit 1
	step "bench: module for $k, $ARCH" "$build/logs/bench-module-$k-$ARCH.log" module || exit 1
	STEP_SECONDS=70 step "bench: measure $k, $ARCH" "$build/logs/bench-$k-$ARCH.log" measure || exit 1
done
# What is rare takes longer, and may be cut: the rest is told before.
chart hot || failed=1
for k in $BENCH_KERNELS; do
	echo "  bench: rare operations of $k, $ARCH: ms, and seconds since the start"
	sh "$top/scripts/bench_rare.sh" "$k" "$results" && continue
	echo "bench: rare operations of $k were not all measured"
	failed=1
done
chart rare || failed=1
exit $failed
