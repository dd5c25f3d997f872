# SPDX-License-Identifier: GPL-2.0-only
# Shared by the scripts here: where things lie, and how a long step is shown.
# Sourced with ARCH and KERNEL possibly set; both have defaults.

top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build
: "${ARCH:=arm64}" "${KERNEL:=ours}" "${FLAVOUR:=test}" "${JOBS:=$(nproc)}"
host=$(uname -m)
export CCACHE_DIR="${CCACHE_DIR:-$build/ccache}"

# Sets karch, cross, image and deb: one architecture under its four names.
arch_names() {
	case $1 in
	arm64)   karch=arm64; deb=arm64; gnu=aarch64-linux-gnu-; hostname=aarch64
		 image=arch/arm64/boot/Image ;;
	riscv64) karch=riscv; deb=riscv64; gnu=riscv64-linux-gnu-; hostname=riscv64
		 image=arch/riscv/boot/Image ;;
	x86_64)  karch=x86; deb=amd64; gnu=x86_64-linux-gnu-; hostname=x86_64
		 image=arch/x86/boot/bzImage ;;
	*)       die "ARCH=$1: arm64, riscv64 or x86_64" ;;
	esac
	[ "$hostname" = "$host" ] && gnu=
	cross="ccache $gnu"
}

die() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# Runs a command with its output in a log: says what and how long it took, and
# on failure shows the end of the log.  step "words" LOG command...
step() {
	step_what=$1 step_log=$2
	shift 2
	mkdir -p "$(dirname "$step_log")"
	step_t0=$(date +%s)
	"$@" >"$step_log" 2>&1 &
	step_pid=$!
	if [ -t 2 ]; then
		while kill -0 $step_pid 2>/dev/null; do
			printf '\r  %-44s %4ds ' "$step_what" $(($(date +%s) - step_t0)) >&2
			sleep 1
		done
		printf '\r' >&2
	else
		while kill -0 $step_pid 2>/dev/null; do
			step_t=$(($(date +%s) - step_t0))
			[ $step_t -ge 60 ] && [ $((step_t % 60)) -eq 0 ] &&
				printf '  %-44s %4ds (running)\n' "$step_what" $step_t >&2
			sleep 1
		done
	fi
	if wait $step_pid; then
		printf '  %-44s %4ds\n' "$step_what" $(($(date +%s) - step_t0)) >&2
		return 0
	fi
	printf '  %-44s FAILED after %ds\n' "$step_what" $(($(date +%s) - step_t0)) >&2
	tail -n 25 "$step_log" | sed 's/^/    | /' >&2
	echo "  whole log: $step_log" >&2
	return 1
}

# GCC does not align functions on riscv64 when it optimises for size.
uses_clang() {
	case $FLAVOUR-$ARCH in
	hardened-*|small-riscv64) true ;;
	*) false ;;
	esac
}

# The build folder of the kernel that KERNEL, ARCH and FLAVOUR name.
kernel_dir() {
	case $FLAVOUR in
	test) echo "$build/$KERNEL-$ARCH" ;;
	*)    echo "$build/$KERNEL-$ARCH-$FLAVOUR" ;;
	esac
}
