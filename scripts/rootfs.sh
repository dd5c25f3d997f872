#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Makes build/root-ARCH.cpio: a small Debian 13 user land with the tools that
# the selftests call; "rootfs.sh clients" makes build/clients-ARCH.cpio, trace-cmd, perf, rtla,
# blktrace and libtracefs to lie over it, with build/clients-ARCH.dev to build for that,
# "rootfs.sh bpftrace" the same of bpftrace alone, and "rootfs.sh cloud" build/cloud-ARCH.config, the configuration of
# Debian's kernel for clouds.  The packages are only unpacked, so neither root nor an emulator
# for a foreign architecture is needed; the little their scripts would do is done here.
# They come from where the machine's apt gets its own.  Once a day it is looked whether
# there are newer ones.
. "$(dirname "$0")/lib.sh"
. "$top/scripts/apt.sh"
arch_names "$ARCH"

what=${1:-root}
out=$build/$what-$ARCH.cpio
[ $what != cloud ] || out=$build/cloud-$ARCH.config
key=$build/$what-$ARCH.packages
mkdir -p "$build"
# One for all of an architecture: they share apt's state.
exec 9>"$build/lock-guest-$ARCH"
flock 9
ours=$(cksum <"$0")
same=
[ -e "$out" ] && [ "$(head -n 1 "$key" 2>/dev/null)" = "$ours" ] && same=1
[ -n "$same" ] && [ -n "$(find "$key" -mtime -1)" ] && exit 0

dir=$build/$what-$ARCH
state=$apt/guest-$ARCH
packages="trace-cmd linux-perf rtla blktrace libtracefs-dev libtraceevent-dev"
[ $what = cloud ] && packages=linux-config-6.12
[ $what = bpftrace ] && packages=bpftrace
[ $what = root ] && packages="bash dash debianutils coreutils grep sed mawk findutils procps util-linux mount kmod
	iputils-ping bc diffutils hostname login passwd base-passwd
	base-files libc-bin tar gzip iproute2"

# A machine of its own for apt: nothing installed, another architecture, one source.  Of the user's
# machine, whose configuration is read between the two, it has the proxy, and not its release.
apt_guest() { # get or cache
	apt_tool=apt-$1
	shift
	APT_CONFIG=$state/apt.conf $apt_tool -c "$state/apt.conf" "$@"
}

guest_setup() {
	mkdir -p "$state/lists/partial" "$state/archives/partial" || return 1
	: >"$state/status"
	cat >"$state/apt.conf" <<CONF
#clear APT::Architectures;
#clear APT::NeverAutoRemove;
APT::Architecture "$deb";
APT::Architectures "$deb";
APT::Install-Recommends "false";
APT::Default-Release "";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::GzipIndexes "true";
Acquire::Retries "2";
Dir::Etc::SourceList "$state/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State "$state";
Dir::State::Lists "$state/lists";
Dir::State::status "$state/status";
Dir::Cache "$state";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
Dir::Cache::Archives "$state/archives";
DPkg::Pre-Install-Pkgs {};
CONF
	# apt leaves packages of a folder where they are, unless it is told to copy.
	apt_line trixie | sed 's| file:| copy:|' >"$state/sources.list"
}

# Debian 13 has no rtla for riscv64; where it is missing, the cases that call it say so.
packages_had() {
	for p in $packages; do
		[ $p != rtla ] || apt_guest cache show rtla >/dev/null 2>&1 || continue
		echo $p
	done
}

# A mirror that is brought up to date meanwhile gives lists that do not belong together.
newest() {
	for wait in 10 30 0; do
		apt_guest get -o APT::Update::Error-Mode=any update &&
			apt_guest get install -qq --print-uris $(packages_had) >"$state/uris" && return
		[ -z "$same" ] && [ $wait != 0 ] || return 1
		rm -rf "$state/lists" && mkdir -p "$state/lists/partial" || return 1
		echo "once more in $wait s"
		sleep $wait
	done
}

make_root() {
	rm -rf "$dir" && mkdir -p "$dir" && chmod 755 "$dir" || return 1
	apt_guest get install -y --download-only $(packages_had) && ls "$state"/archives/*.deb || return 1
	if [ $what = cloud ]; then
		dpkg-deb --fsys-tarfile "$state"/archives/linux-config-*.deb |
			tar -xO "./usr/src/$packages/config.${deb}_none_cloud-$deb.xz" | xz -dc >"$out.new" &&
			mv "$out.new" "$out" && rm -rf "$dir" "$state/archives"
		return
	fi
	# base-files first: it has the links from /bin and /lib to /usr.
	for p in "$state"/archives/base-files_*.deb "$state"/archives/*.deb; do
		[ -e "$p" ] || continue
		echo "$p"
		dpkg-deb --fsys-tarfile "$p" | tar -x -p --no-same-owner --keep-directory-symlink -C "$dir" \
			--exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/info/*' \
			--exclude='./usr/share/locale/*' --exclude='./usr/share/i18n/*' || return 1
	done
	cd "$dir" || return 1
	rm -rf usr/share/zoneinfo usr/lib/*/gconv usr/lib/*/perl-base/unicore
	if [ $what = root ]; then
		ln -sf mawk usr/bin/awk
		ln -sf which.debianutils usr/bin/which
		[ -e usr/bin/sh ] || ln -s dash usr/bin/sh
		cp usr/share/base-passwd/passwd.master etc/passwd
		cp usr/share/base-passwd/group.master etc/group
		echo guest >etc/hostname
		echo '127.0.0.1 localhost' >etc/hosts
		mkdir -p proc sys dev run tmp root
	elif [ $what = bpftrace ]; then
		rm -rf etc var usr/include usr/share usr/lib/*/*.a usr/lib/*/pkgconfig
	else
		# What programs of ours are built with, on the host: headers, and libraries to link with.
		rm -rf "$build/clients-$ARCH.dev" && mkdir -p "$build/clients-$ARCH.dev/lib" &&
			cp -r usr/include "$build/clients-$ARCH.dev/" &&
			cp -P usr/lib/*/libtrace*.so* "$build/clients-$ARCH.dev/lib/" || return 1
		# What scripts in Python and Perl would need, and what the root has.
		rm -rf etc var usr/lib/python3* usr/lib/*/perl usr/lib/*/perl-base usr/share/perl* usr/share/doc \
			usr/include usr/lib/*/*.a usr/lib/*/pkgconfig
	fi
	find . -xdev -mindepth 1 -print0 | LC_ALL=C sort -z |
		cpio --null -o -H newc -R 0:0 --quiet >"$out.new" || return 1
	mv "$out.new" "$out"
	cd "$build" && rm -rf "$dir" "$state/archives"
}

root=
site=$(apt_site "$release" stable oldstable) ||
	die "apt has no source of Debian $release: see /etc/apt/sources.list"
guest_setup || die "cannot write below $state"
# What there is goes on being used, if it is of this script.
not_made() { # LOG
	why="no network, or a proxy is missing in apt's configuration"
	grep -qE 'resolv|Could not connect|[Uu]nable to connect|Cannot initiate|Connection|No route|unreachable|Proxy' \
		"$build/logs/$1" || why=$(tail -n 1 "$build/logs/$1")
	[ -n "$same" ] ||
		die "the guest's packages (Debian 13 from $site, see $build/logs/$1) cannot be had: $why"
	echo "  $(basename "$out"): no newer packages, it stays as it is: $why" >&2
	touch "$key"
	exit 0
}
STEP_TAIL=0 STEP_SECONDS=5 step "packages of the guest, $ARCH" "$build/logs/$what-packages-$ARCH.log" newest ||
	not_made "$what-packages-$ARCH.log"
{ echo "$ours"; sort "$state/uris"; } >"$key.new"
if [ -n "$same" ] && cmp -s "$key" "$key.new"; then
	touch "$key"
	exit 0
fi
STEP_TAIL=5 STEP_SECONDS=15 step "Debian 13 $what for $ARCH" "$build/logs/$what-$ARCH.log" make_root ||
	not_made "$what-$ARCH.log"
mv "$key.new" "$key"
