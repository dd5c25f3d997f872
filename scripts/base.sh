#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Unpacks the base that configs/base pins, if it is not there: from the installed package
# if that is the one, else downloaded from where the machine's apt gets its packages, which
# needs no root.  If only another version is to be had, it is taken and named, and the pinned one
# looked for again once a day.
# build/base/version has what was asked for and what is there.  With WHOLE=1 it is all of it.
. "$(dirname "$0")/lib.sh"
. "$top/scripts/apt.sh"
# kernel.sh has the trees' lock when it calls this.
mkdir -p "$build/base"
if [ -z "$TREE_LOCKED" ]; then
	exec 8>"$build/lock-tree"
	flock 8
fi
root='' here=''
pin=$(grep -v '^#' "$top/configs/base")
want=${pin% *} want_sum=${pin#* }
version=$build/base/version

other() { # VERSION
	[ "$1" = "$want" ] ||
		echo "  base: $base_package $1, for want of the pinned $want; make test TESTS=base tells what differs" >&2
}

# Goes on with what was taken for want of the pinned one.
keep() {
	touch "$version"
	other "$here"
	exit 0
}

# amdgpu's headers of registers are a third of the source, and no kernel that is tested has it.
registers=drivers/gpu/drm/amd/include/asic_reg
if [ -d "$base${WHOLE:+/$registers}" ] && [ -e "$version" ]; then
	read -r asked asked_sum have _ <"$version"
	if [ "$asked $asked_sum" = "$pin" ]; then
		here=$have
		if [ "$here" = "$want" ] || [ -n "$(find "$version" -mtime -1)" ]; then
			other "$here"
			exit 0
		fi
	fi
fi

sum_of() {
	sha256sum "$1" 2>/dev/null | cut -d ' ' -f 1
}

download() { # VERSION
	rm -f "$apt"/base/*
	mkdir -p "$apt/base" && cd "$apt/base" &&
		apt_host apt-get download "$base_package=$1" &&
		dpkg-deb --fsys-tarfile ./*.deb | tar -xO "./usr/src/$base_package.tar.xz" >"$1.tar.xz"
}

unpack() {
	rm -rf "$base.new" && mkdir "$base.new" &&
		tar -C "$base.new" --strip-components=1 --exclude="*/${WHOLE:+not/}$registers" -xf "$tar" &&
		rm -rf "$build/linux" "$base" && mv "$base.new" "$base"
}

tar=/usr/src/$base_package.tar.xz
have=$(dpkg-query -W -f '${Version}' $base_package 2>/dev/null)
sum=$(sum_of "$tar")
if [ "$sum" = "$want_sum" ]; then
	have=$want
else
	[ -z "$here" ] || (apt_setup) || keep
	apt_setup
	take=
	if apt_update; then
		newest=$(apt_host apt-cache policy $base_package | sed -n 's/^  Candidate: //p')
		if apt_host apt-cache madison $base_package | grep -qF " $want "; then
			take=$want
		elif [ -n "$newest" ] && [ "$newest" != "(none)" ] && [ "$newest" != "$have" ]; then
			take=$newest
		fi
	# What apt_update said is all there is to say, if nothing is here to go on with.
	elif [ -z "$here" ] && [ ! -e "$tar" ]; then
		exit 1
	fi
	[ -z "$here" ] || [ "$take" = "$want" ] || keep
	if [ -n "$take" ]; then
		STEP_SECONDS=30 step "download $base_package $take" "$build/logs/base.log" download "$take" ||
			{ [ -z "$here" ] || keep; exit 1; }
		have=$take tar=$apt/base/$take.tar.xz sum=$(sum_of "$apt/base/$take.tar.xz")
		[ "$have" != "$want" ] || [ "$sum" = "$want_sum" ] ||
			die "the source in $base_package $want is not what configs/base pins: $sum"
	fi
	[ -e "$tar" ] || die "$base_package $want is not here and cannot be had: configs/base, $build/logs/apt-update.log"
	[ "$have" != "$want" ] || [ "$sum" = "$want_sum" ] ||
		die "$tar is not what configs/base pins: $sum"
fi
rm -f "$version"
STEP_SECONDS=15 step "unpack $base_package $have" "$build/logs/unpack.log" unpack || exit 1
echo "$pin $have $sum" >"$version"
rm -rf "$apt/base"
other "$have"
