#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `make deb CONFIG="FILE..."`: packages of a kernel with the configuration in FILE, by the
# kernel's own bindeb-pkg, in build/deb-ARCH.  What a later FILE says overrules the ones
# before it; they may be compressed, as /proc/config.gz and those in linux-config-6.12 are.
# LSMOD=FILE, as lsmod prints it, leaves the modules that it names and what they need.
# LOCALVERSION is what the release's name ends in, "-rooms" if it is not set.
# FLAVOUR=cloud is the same in a folder of its own, for the test of that name.
case $FLAVOUR in cloud) ;; *) FLAVOUR=deb ;; esac
export FLAVOUR
asked=$ARCH
. "$(dirname "$0")/lib.sh"
# What was said to our make is not meant for the kernel's.
unset MAKEFLAGS

[ -n "$CONFIG" ] || die "CONFIG= says which configuration: make deb CONFIG=/boot/config-$(uname -r)"
for f in $CONFIG; do
	[ -r "$f" ] && [ ! -d "$f" ] || die "CONFIG: there is no $f"
done
# Not every machine has what unpacks it.
command -v xz >/dev/null && command -v gzip >/dev/null || sh "$top/scripts/deps.sh" || exit 1
mkdir -p "$build/run" && config=$(mktemp "$build/run/config.XXXX") || die "cannot write below $build"
trap 'rm -f "$config" "$config.xz"' EXIT
trap 'exit 130' INT TERM HUP
# Neither takes it amiss if a file is not compressed.
for f in $CONFIG; do
	xz -dcf "$f" >"$config.xz" && gzip -dcf "$config.xz" >>"$config" || die "CONFIG: $f cannot be unpacked"
done
grep -q '^CONFIG_' "$config" || die "CONFIG: there is no option in $CONFIG"

# A configuration knows what it is for.
is() {
	sed -n "s/^CONFIG_$1=\(.*\)/\1/p; s/^# CONFIG_$1 is not set/n/p" "$config" | tail -n 1
}
for a in X86_64:x86_64 ARM64:arm64 RISCV:riscv64; do
	[ "$(is "${a%:*}")" != y ] || asked=${a#*:}
done
[ -n "$asked" ] || die "CONFIG: $CONFIG says neither X86_64 nor ARM64 nor RISCV; ARCH= says which it is"
export ARCH="$asked"
arch_names "$ARCH"
case "$(is DRM_AMDGPU)" in [ym]) export WHOLE=1 ;; esac
BTF=
[ "$(is DEBUG_INFO_BTF)" != y ] || BTF=1
DEBUG_INFO=
[ "$(is DEBUG_INFO)" != y ] || DEBUG_INFO=1
export DEBUG_INFO
BTF=$BTF sh "$top/scripts/deps.sh" || exit 1

dir=$(kernel_dir) out=$(dirname "$(kernel_dir)") KERNEL=ours
tree_ready

# Files of keys that a distribution has and this machine does not: without them the kernel
# believes the key that it makes for its own modules, and that alone.
keys() {
	for option in SYSTEM_TRUSTED_KEYS SYSTEM_REVOCATION_KEYS MODULE_SIG_KEY; do
		key=$(is $option | tr -d '"')
		case $key in ''|n|/*|pkcs11:*|certs/signing_key.pem) ;; *) key=$tree/$key ;; esac
		case $key in
		/*)	[ ! -e "$key" ] || continue
			echo "  CONFIG_$option: there is no ${key#"$tree/"}; the build's own key is all" >&2
			key=
			[ $option != MODULE_SIG_KEY ] || key=certs/signing_key.pem
			echo "CONFIG_$option=\"$key\"" >>"$config" ;;
		esac
	done
}

# By the links of ccache, since debian/rules takes no CROSS_COMPILE of two words.
kmake() {
	PATH=/usr/lib/ccache:$PATH DEB_BUILD_OPTIONS=terse KBUILD_DEBARCH=$deb \
		DEB_BUILD_PROFILES="$profiles" KDEB_CHANGELOG_DIST=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release) \
		nice make -C "$tree" O="$dir" ARCH=$karch CROSS_COMPILE="$gnu" LOCALVERSION="${LOCALVERSION--rooms}" -j"$JOBS" "$@"
}

# Programs in the package of headers would have to be built for the other architecture,
# with its libraries.
profiles=
[ -z "$gnu" ] || profiles=pkg.linux-upstream.nokernelheaders

configure() {
	cp "$config" "$dir/.config" && kmake -s olddefconfig || return 1
	awk -F = '/^CONFIG_/ { if (NR == FNR) have[$1] = $2; else want[$1] = $2 }
		  /^# CONFIG_.* is not set/ && NR != FNR { split($0, w, " "); want[w[2]] = "n" }
		  END { for (o in want) if (want[o] ~ /^[ym]$/ && !(o in have)) print o }' \
		"$dir/.config" "$config" | sort >"$dir/fragment.lost"
	[ -z "$LSMOD" ] || yes '' | kmake -s LSMOD="$(realpath "$LSMOD")" localmodconfig
}
packages() {
	rm -f "$out"/*.deb "$out"/*.changes "$out"/*.buildinfo
	kmake bindeb-pkg
}

keys
kconfig_sum >>"$config"
[ -z "$LSMOD" ] || sed 's/^/# lsmod: /' "$LSMOD" >>"$config"
if ! cmp -s "$config" "$dir/fragment" || [ ! -e "$dir/.config" ]; then
	step "configure $(basename "$out")" "$build/logs/config-$(basename "$out").log" configure || exit 1
	cp "$config" "$dir/fragment"
fi
# What this tracing does not have yet, that this configuration would have.
without=$(sed -n 's/^config /CONFIG_/p' "$base/kernel/trace/Kconfig" | grep -Fxf "$dir/fragment.lost" | tr '\n' ' ')
[ -z "$without" ] || echo "  not in this kernel's tracing: $without" >&2
STEP_SECONDS=$(first_build)
step "packages $(basename "$out")" "$build/logs/$(basename "$out").log" packages || exit 1
rm -rf "$dir/debian"
ls "$out"/*.deb
[ -z "$gnu" ] || echo "  no linux-headers: that package is made only where the kernel is to run" >&2
