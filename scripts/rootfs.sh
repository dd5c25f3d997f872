#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Makes build/root-ARCH.cpio: a small Debian 13 user land with the tools that
# the selftests call; "rootfs.sh clients" makes build/clients-ARCH.cpio, trace-cmd
# and perf to lie over it.  The packages are only unpacked, so no emulator is needed
# for a foreign architecture; the little their scripts would do is done here.
. "$(dirname "$0")/lib.sh"
arch_names "$ARCH"

what=${1:-root}
out=$build/$what-$ARCH.cpio
[ "$out" -nt "$0" ] && exit 0
exec 9>"$build/lock-root"
flock 9
[ "$out" -nt "$0" ] && exit 0
dir=$build/$what-$ARCH
packages="trace-cmd linux-perf"
[ $what = root ] && packages="bash dash debianutils coreutils grep sed mawk findutils procps util-linux mount kmod
	iputils-ping bc diffutils hostname login passwd base-passwd
	base-files libc-bin tar gzip iproute2"

make_root() {
	rm -rf "$dir"
	mmdebstrap --mode="$mode" --variant=extract --architectures="$deb" \
		--include="$(echo $packages | tr ' ' ',')" \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt='path-exclude=/usr/share/i18n/*' \
		--dpkgopt='path-exclude=/usr/share/info/*' \
		--keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
		trixie "$dir" "deb http://deb.debian.org/debian trixie main" || return 1
	cd "$dir" || return 1
	rm -rf var/cache/apt var/lib/apt usr/share/zoneinfo usr/lib/*/gconv usr/lib/*/perl-base/unicore
	if [ $what = root ]; then
		ln -sf mawk usr/bin/awk
		ln -sf which.debianutils usr/bin/which
		[ -e usr/bin/sh ] || ln -s dash usr/bin/sh
		cp usr/share/base-passwd/passwd.master etc/passwd
		cp usr/share/base-passwd/group.master etc/group
		echo guest >etc/hostname
		echo '127.0.0.1 localhost' >etc/hosts
		mkdir -p proc sys dev run tmp root
	else
		# What scripts in Python and Perl would need, and what the root has.
		rm -rf etc var usr/lib/python3* usr/lib/*/perl usr/lib/*/perl-base usr/share/perl* usr/share/doc
	fi
	find . -xdev -mindepth 1 -print0 | LC_ALL=C sort -z |
		cpio --null -o -H newc -R 0:0 --quiet >"$out.new" || return 1
	mv "$out.new" "$out"
}

mode=unshare
[ "$(id -u)" = 0 ] && mode=root
step "Debian 13 $what for $ARCH" "$build/logs/$what-$ARCH.log" make_root
