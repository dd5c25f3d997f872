#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Installs the Debian packages that building and testing need.  QEMU comes from
# bookworm-backports: 7.2 runs stale code after live patching, and does not boot
# a lean riscv64 kernel.  apt is given its own source list and state below
# build/, so /etc/apt stays as it is.
. "$(dirname "$0")/lib.sh"

packages="make gcc g++ libc6-dev git ccache flex bison bc libssl-dev libelf-dev
	cpio kmod rsync xz-utils zstd gzip python3 python3-ply perl patch sparse spin
	mmdebstrap ca-certificates debian-archive-keyring linux-source-6.12"
[ "$host" = aarch64 ] || packages="$packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
[ "$host" = riscv64 ] || packages="$packages gcc-riscv64-linux-gnu libc6-dev-riscv64-cross"
[ "$host" = x86_64 ] || packages="$packages gcc-x86-64-linux-gnu libc6-dev-amd64-cross"
uses_clang && packages="$packages clang"
qemu="qemu-system-arm qemu-system-riscv qemu-system-x86"

missing=
for p in $packages; do
	dpkg-query -W -f '${db:Status-Abbrev}' "$p" 2>/dev/null | grep -q '^ii' || missing="$missing $p"
done
for p in $qemu; do
	v=$(dpkg-query -W -f '${Version}' "$p" 2>/dev/null)
	dpkg --compare-versions "${v:-0}" ge 1:10 || missing="$missing $p"
done
[ -z "$missing" ] && exit 0

root=
[ "$(id -u)" = 0 ] || root=sudo
apt=$build/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
key=/usr/share/keyrings/debian-archive-keyring.gpg
cat >"$apt/sources.list" <<EOF
deb [signed-by=$key] http://deb.debian.org/debian bookworm main
deb [signed-by=$key] http://deb.debian.org/debian bookworm-updates main
deb [signed-by=$key] http://deb.debian.org/debian-security bookworm-security main
deb [signed-by=$key] http://deb.debian.org/debian bookworm-backports main
EOF
o="-o Dir::Etc::SourceList=$apt/sources.list -o Dir::Etc::SourceParts=/dev/null
   -o Dir::State::Lists=$apt/lists -o Dir::Cache=$apt/cache -o Acquire::Retries=3
   -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root"

# Backports only for what needs it; everything else from the release.
all() {
	echo "missing:$missing"
	export DEBIAN_FRONTEND=noninteractive
	$root apt-get $o update || return 1
	q= r=
	for p in $missing; do
		case $p in
		qemu-*) q="$q $p" ;;
		*) r="$r $p" ;;
		esac
	done
	if [ -n "$r" ]; then
		$root apt-get $o install -y --no-install-recommends $r || return 1
	fi
	if [ -n "$q" ]; then
		$root apt-get $o install -y --no-install-recommends -t bookworm-backports $q || return 1
	fi
}
step "packages:$(echo $missing | wc -w) to install" "$build/logs/deps.log" all
