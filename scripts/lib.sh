# SPDX-License-Identifier: GPL-2.0-only
# Shared by the scripts here: where things lie, and how a long step is shown.
# Sourced with ARCH and KERNEL possibly set; both have defaults.

top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build
: "${ARCH:=arm64}" "${KERNEL:=ours}" "${FLAVOUR:=test}" "${JOBS:=$(nproc)}"
host=$(uname -m)
# One of the user's own is as large as he likes; ours is below build/, which stays small.
[ -n "$CCACHE_DIR" ] || export CCACHE_DIR="$build/ccache" CCACHE_MAXSIZE=300M
# What a file included is known from its dependencies: one run of the preprocessor less for each.
export CCACHE_DEPEND=1
# What apt, make and compilers say is read here, so it is said in one language; a kernel's make unsets LC_ALL.
unset LANGUAGE LC_MESSAGES
export LC_ALL=C LANG=C
# What a kernel's make takes from the environment: all of it is said here, whoever develops kernels.
unset LLVM LLVM_IAS KCFLAGS KAFLAGS KCPPFLAGS KBUILD_OUTPUT KBUILD_EXTMOD CROSS_COMPILE W C V
base_package=linux-source-6.12
base=$build/base/$base_package

die() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# Before anything is installed or downloaded for nothing.
case $top in *[][[:space:]:,\;\&\|\<\>\(\)\"\'\`\$\#\*\?\\]*)
	die "$top has a space, a colon, a comma or what means something to a shell in it, which a kernel's make or QEMU does not take" ;;
esac

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

# Runs a command with its output in a log: says what, how long it took and, from the
# last time, how long it will take; on failure shows the end of the log.
#   step "words" LOG command...
# STEP_LINES is how long the log will be and STEP_SECONDS how long it will take, roughly, if it is
# the first time; with STEP_TAIL=0 the caller has a better word for what failed.
step() {
	step_what=$1 step_log=$2
	shift 2
	step_times=$build/times/$(printf %s "$step_what" | tr -c 'A-Za-z0-9' _)
	mkdir -p "$(dirname "$step_log")" "$build/times"
	step_last=${STEP_SECONDS:-} step_lines=${STEP_LINES:-}
	[ ! -s "$step_times" ] || read -r step_last step_lines <"$step_times"
	step_t0=$(date +%s)
	: >"$step_log"
	# The command is in the foreground: what a shell runs beside itself is deaf to Ctrl-C.
	step_shows >/dev/null 7>&- 8>&- 9>&- &
	step_shower=$!
	("$@") >"$step_log" 2>&1 </dev/null && step_rc=0 || step_rc=$?
	kill $step_shower 2>/dev/null
	wait $step_shower 2>/dev/null
	[ ! -t 2 ] || printf '\r%80s\r' '' >&2
	step_t=$(($(date +%s) - step_t0))
	if [ $step_rc = 0 ]; then
		printf '  %-44s %4ds\n' "$step_what" $step_t >&2
		echo "$step_t $(wc -l <"$step_log")" >"$step_times"
		return 0
	fi
	[ "${STEP_TAIL:-25}" != 0 ] || return $step_rc
	printf '  %-44s FAILED after %ds\n' "$step_what" $step_t >&2
	tail -n "${STEP_TAIL:-25}" "$step_log" | sed 's/^/    | /' >&2
	echo "  whole log: $step_log" >&2
	return $step_rc
}

# Shows how far the running step is, until it is killed or the script is dead, which may be before
# anybody has asked how it ended.  It has no lock, and its sleep no pipe that somebody reads to its end.
step_shows() {
	step_next=60
	while { read -r _ _ step_state _ </proc/$$/stat; } 2>/dev/null && [ "$step_state" != Z ]; do
		step_t=$(($(date +%s) - step_t0))
		if [ -t 2 ]; then
			printf '\r  %-44s %4ds%-24s' "$step_what" $step_t "$(step_left)" >&2
		elif [ $step_t -ge $step_next ]; then
			step_next=$((step_next + 60))
			printf '  %-44s %4ds%s (running)\n' "$step_what" $step_t "$(step_left)" >&2
		fi
		sleep 1 2>/dev/null
	done
}

# How long the running step will take.  The log's length tells better than the clock how
# far it is, but not at its start.
step_left() {
	step_now=$(wc -l <"$step_log")
	if [ "${step_lines:-0}" -ge 200 ] && [ "$step_now" -le "$step_lines" ]; then
		printf ' %d %%' $((step_now * 100 / step_lines))
		if [ $((step_now * 20)) -ge "$step_lines" ]; then
			printf ', of about %ds' $((step_t * step_lines / step_now))
			return
		fi
	fi
	[ -z "$step_last" ] || printf ', of about %ds' "$step_last"
}

# Seconds that a first build in $dir takes, roughly: two of a processor for each option that is on.
first_build() {
	echo $(($(grep -c '=[ym]$' "$dir/.config") * 2 / JOBS))
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
	deb)  echo "$build/deb-$ARCH/obj" ;;
	cloud) echo "$build/deb-$ARCH-cloud/obj" ;;
	*)    echo "$build/$KERNEL-$ARCH-$FLAVOUR" ;;
	esac
}

# Brings the base, and the tree that KERNEL and TREE name, up to date; that is $tree then.  The
# build folder $dir is locked until the end, the trees while they change.
tree_ready() {
	need_space
	mkdir -p "$build/base" "$build/logs" "$dir"
	exec 8>"$build/lock-tree" 9>"$dir/lock"
	flock -n 9 || { echo "  waiting for another build in $dir" >&2; flock 9; }
	flock 8
	TREE_LOCKED=1 sh "$top/scripts/base.sh" || exit 1
	# Objects of another base: its files may be older than they are.
	if [ -e "$dir/base" ] && ! cmp -s "$dir/base" "$build/base/version"; then
		find "$dir" -mindepth 1 ! -name lock -delete
	fi
	cp "$build/base/version" "$dir/base"
	if [ -n "$TREE" ]; then
		tree=$TREE
	elif [ "$KERNEL" = base ]; then
		tree=$base
	else
		tree=$build/linux
		python3 "$top/scripts/overlay.py" --link "$top" "$base" "$tree" >&2 || exit 1
	fi
	exec 8>&-
}

# A line that is another one when something else can be configured in $tree.
kconfig_sum() {
	find "$tree/kernel/trace" "$tree/arch" -name 'Kconfig*' | LC_ALL=C sort | xargs cat | cksum | sed 's/^/# Kconfig /'
}

# Megabytes that are free where FILE is.
free_mb() {
	df -Pm "$1" | awk 'NR == 2 { print $4 }'
}

# Dies at once, and not in the middle of it, where a build would not fit.
need_space() {
	mkdir -p "$build" || die "cannot write below $top"
	# As after one `sudo make run`.
	for d in "$build" "$build"/*; do
		[ ! -e "$d" ] || [ -w "$d" ] ||
			die "$d is $(stat -c %U "$d")'s and cannot be written to: sudo chown -R $(id -un) $build"
	done
	need=300
	[ -e "$(kernel_dir)/$image" ] || need=1000
	[ -d "$base" ] || need=3000
	case $FLAVOUR in
	deb|cloud)
		# With debug information each object is ten times as large.
		[ -e "$(kernel_dir)/$image" ] || need=$((need + 5000 ${DEBUG_INFO:++ 20000})) ;;
	users)	[ -e "$(kernel_dir)/include/generated/autoconf.h" ] || need=$((need + 5000)) ;;
	debug|lockdep|rt|btf)
		[ -e "$(kernel_dir)/$image" ] || need=$((need + 2000)) ;;
	esac
	free=$(free_mb "$build")
	[ "$free" -ge $need ] || die "$free MB free in $build: building needs $need more"
}
