#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Installs the Debian packages that building and testing need, from where the machine's
# apt gets its packages.  Only this needs root, and only if something is missing; the
# kernel's source and the guest's files are downloaded and unpacked by whoever builds.
# QEMU comes from backports if the release's is older than 10: 7.2 runs stale code after
# live patching, and does not boot a lean riscv64 kernel.
. "$(dirname "$0")/lib.sh"
. "$top/scripts/apt.sh"
arch_names "$ARCH"

packages="make gcc g++ libc6-dev git ccache flex bison bc libssl-dev libelf-dev
	cpio kmod rsync xz-utils zstd gzip python3 python3-ply perl patch sparse spin
	ca-certificates debian-archive-keyring"
[ "$host" = aarch64 ] || packages="$packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
[ "$host" = riscv64 ] || packages="$packages gcc-riscv64-linux-gnu libc6-dev-riscv64-cross"
[ "$host" = x86_64 ] || packages="$packages gcc-x86-64-linux-gnu libc6-dev-amd64-cross"
uses_clang && packages="$packages clang"
# What packages of a kernel are made with; pahole if its configuration has BTF.
case $FLAVOUR in btf) packages="$packages dwarves" ;; esac
# A machine that is only compiled for, see test_users.py.
case $FLAVOUR in generic) packages="$packages gcc-s390x-linux-gnu" ;; esac
case $FLAVOUR in deb|cloud) packages="$packages build-essential dpkg-dev debhelper openssl ${BTF:+dwarves}" ;; esac
qemu="qemu-system-arm qemu-system-riscv qemu-system-x86"

command -v dpkg-query >/dev/null || die "this needs Debian 12 (or 13), with dpkg and apt"
need_space

# Two makes that both lack packages: the second one finds them.
exec 7>"$build/lock-deps"
flock 7
missing='' q=''
for p in $packages; do
	dpkg-query -W -f '${db:Status-Abbrev}' "$p" 2>/dev/null | grep -q '^.i ' || missing="$missing $p"
done
for p in $qemu; do
	v=$(dpkg-query -W -f '${Version}' "$p" 2>/dev/null)
	dpkg --compare-versions "${v:-0}" ge 1:10 || q="$q $p"
done
[ -z "$missing$q" ] && exit 0

from=
[ "$release" != bookworm ] || from="-t bookworm-backports"
by_hand() {
	echo "deps: these packages are missing, and $1.  As root:" >&2
	[ -z "$missing" ] || echo "  apt-get install$missing" >&2
	[ -z "$q" ] || echo "  apt-get install $from$q${from:+    (needs bookworm-backports as a source)}" >&2
	exit 1
}
root=
if [ "$(id -u)" != 0 ]; then
	root=sudo
	command -v sudo >/dev/null || by_hand "you are not root and there is no sudo"
	# Asks for the password here, if there is somebody to ask.
	if ! sudo -n true 2>/dev/null; then
		[ -t 0 ] || by_hand "sudo gives nothing here without a password"
		echo "packages to install:$missing$q" >&2
		sudo -v || by_hand "sudo refuses"
	fi
fi
n=$(echo $missing $q | wc -w)
free=$(free_mb /usr)
[ "$free" -ge $((n * 60)) ] || die "$free MB free in /usr: $n packages to install need $((n * 60))"

apt_setup
trap apt_give_back EXIT
trap 'exit 130' INT TERM HUP
# Lists are fetched without root.
(root= && apt_update) || exit 1
[ -z "$q" ] || [ -z "$from" ] || (root= && apt_host apt-cache policy) | grep -q 'n=bookworm-backports' ||
	die "QEMU 10 is in bookworm-backports, which $site does not have: see $build/logs/apt-update.log"

# Backports only for what needs it; everything else from the release.
install() {
	if [ -n "$missing" ]; then
		apt_host apt-get install -y --no-install-recommends $missing || return 1
	fi
	if [ -n "$q" ]; then
		apt_host apt-get install -y --no-install-recommends $from $q || return 1
	fi
	apt_host apt-get clean
}
STEP_SECONDS=$((n * 3)) step "packages: $n to install" "$build/logs/deps.log" install 7>&-
