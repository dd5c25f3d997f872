#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds a kernel: kernel.sh [TARGET...], default the image and the modules.
#   KERNEL=ours|base   the overlay, or the base untouched; any other word with TREE=folder
#   FLAVOUR=test|debug|lockdep|rt|hardened|small|nosnapshot|btf|startup|all|users|kcsan|branch
#   configs/trace, the same with debug, with hardened, with small, without snapshots, with BTF,
#   for real time or with the tests of the boot, configs/trace-all; users: allmodconfig; kcsan and branch: configs/kcsan
#   and configs/branch alone
# The result is in build/KERNEL-ARCH[-FLAVOUR], modules below mods/ there.
. "$(dirname "$0")/lib.sh"
unset LOCALVERSION
arch_names "$ARCH"

dir=$(kernel_dir)
configure() {
	all=allnoconfig
	[ "$FLAVOUR" = users ] && all=allmodconfig
	make -s -C "$tree" O="$dir" ARCH=$karch CROSS_COMPILE="$cross" CC="$cc" \
		KCONFIG_ALLCONFIG="$dir/fragment.new" $all
}

# What it is configured from.  A word that is none is told before anything is unpacked.
case $KERNEL in
ours|base) ;;
*)     [ -n "$TREE" ] || die "KERNEL=$KERNEL: ours or base" ;;
esac
fragments="$top/configs/common.config $top/configs/$ARCH.config"
case $FLAVOUR in
all)   fragments="$fragments $top/configs/trace-all.config" ;;
users) fragments=$top/configs/users.config ;;
kcsan) fragments=$top/configs/$FLAVOUR.config ;;
branch)
       fragments="$top/configs/$FLAVOUR.config $top/configs/$FLAVOUR-$ARCH.config" ;;
test)  fragments="$fragments $top/configs/trace.config" ;;
debug|hardened|small|nosnapshot|lockdep|rt|btf|startup)
       fragments="$fragments $top/configs/trace.config $top/configs/$FLAVOUR.config" ;;
*)     die "FLAVOUR=$FLAVOUR: see the first lines of $0" ;;
esac
tree_ready

cc="$cross"gcc
uses_clang && cc="ccache clang"
# What only one of the two kernels has, or needs on one architecture; the series ends as ours.
whose=$KERNEL
[ "$KERNEL" != series ] || whose=ours
for f in "$whose" "$whose-$ARCH"; do
	[ ! -e "$top/configs/$f.config" ] || fragments="$fragments $top/configs/$f.config"
done
# Configured again when one of them or one of our Kconfig files changed.
cat $fragments >"$dir/fragment.new"
kconfig_sum >>"$dir/fragment.new"
if ! cmp -s "$dir/fragment" "$dir/fragment.new" || [ ! -e "$dir/.config" ]; then
	# It stands for a .config that was made from it, all of it.
	rm -f "$dir/fragment"
	step "configure $(basename "$dir")" "$build/logs/config-$(basename "$dir").log" configure || exit 1
	mv "$dir/fragment.new" "$dir/fragment"
fi
# Options that did not take: the last word on each in the fragments is what was meant.
awk -F = '/^CONFIG_/ { if (NR == FNR) have[$1] = $2; else want[$1] = $2 }
	  END { for (o in want) if (want[o] == "n" ? o in have : want[o] != have[o]) print o "=" want[o] }' \
	"$dir/.config" "$dir/fragment" | sort >"$dir/fragment.lost"

kmake() {
	nice make -C "$tree" O="$dir" ARCH=$karch CROSS_COMPILE="$cross" CC="$cc" \
		KBUILD_BUILD_USER=build KBUILD_BUILD_HOST=host \
		KBUILD_BUILD_TIMESTAMP='Sat Jan  1 00:00:00 UTC 2000' -j"$JOBS" "$@"
}

if [ $# -gt 0 ]; then
	kmake --no-print-directory "$@" 2>&1
	exit
fi

all() {
	kmake "$(basename $image)" modules || return 1
	# Installed again only if one is new, and put in place whole: a guest may be taking them.
	[ ! -d "$dir/mods" ] || find "$dir" -path "$dir/mods*" -prune -o \( -name '*.ko' -o -name modules.order -o \
		-name kernel.release \) -newer "$dir/mods" -print | grep -q . || return 0
	rm -rf "$dir/mods.new" && mkdir "$dir/mods.new" &&
		kmake INSTALL_MOD_PATH="$dir/mods.new" modules_install &&
		touch "$dir/mods.new" && exec 7>"$dir/lock-mods" && flock 7 &&
		rm -rf "$dir/mods" && mv "$dir/mods.new" "$dir/mods"
}
what="build $(basename "$dir")"
[ -e "$dir/vmlinux" ] && what="$what again" || STEP_LINES=2050 STEP_SECONDS=$(first_build)
step "$what" "$build/logs/build-$(basename "$dir").log" all
