# SPDX-License-Identifier: GPL-2.0-only
# apt as the machine is set up: its sources, keys, proxy and preferences, and beside them
# what this needs and the machine may not have, from the same site.  Lists and downloads
# are below build/, so that /etc/apt and /var/lib/apt stay as they are and nobody has to
# be root to download.  Sourced after lib.sh.

apt=$build/apt

# The Debian release of the machine.
release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release 2>/dev/null)

# apt-get and apt-cache of the host, with the machine's sources and ours; by sudo if
# $root says so, which keeps no proxy in the environment.  A machine that was just set up
# upgrades itself for its first minutes: it is waited for.
apt_host() {
	apt_tool=$1
	shift
	$root env LC_ALL=C DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
		${https_proxy:+https_proxy="$https_proxy"} ${ftp_proxy:+ftp_proxy="$ftp_proxy"} \
		${no_proxy:+no_proxy="$no_proxy"} "$apt_tool" -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" \
		-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
		-o Dir::Etc::SourceParts="$apt/sources.list.d" -o Acquire::Languages=none \
		-o Acquire::GzipIndexes=true -o Acquire::Retries=2 -o APT::Sandbox::User=root \
		-o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 "$@"
}

# Where the machine gets a suite from: a URI that serves one of those names.  Asked without
# its lists, which a fresh machine does not have.  Others than Debian name suites as Debian does,
# but have none of those that go with them; if nobody has, it is who is called so, or anyone.
apt_site() {
	for suite; do
		apt-get -o Dir::State::Lists="$apt/none" update --print-uris 2>/dev/null |
			sed -n "/^'cdrom:/d; s|^'\(.*\)/dists/\([^ ]*\)/\(In\)\{0,1\}Release' .*|\1 \2|p" |
			awk -v s="$suite" '$2 == s { site[++n] = $1 }
				index($2, s "-") == 1 { more[$1] }
				END { for (i = 1; i <= n; i++) if (site[i] in more) { print site[i]; exit }
				      for (i = 1; i <= n; i++) if (site[i] ~ /debian$/) { print site[i]; exit }
				      if (n) print site[1] }' | grep . && return
	done
	return 1
}

# The files that hold the machine's sources.
apt_sources() {
	eval "$(apt-config shell list Dir::Etc::SourceList/f parts Dir::Etc::SourceParts/d)"
	for f in "$list" "$parts"/*.list "$parts"/*.sources; do
		[ ! -f "$f" ] || echo "$f"
	done
}

# Whether the machine believes that site without a key.
apt_trusts() {
	apt_sources | while read -r f; do
		case $f in
		*.sources) awk -v RS= -v s="$site" 'index($0, s) && /(^|\n)[Tt]rusted:[ \t]*yes/' "$f" ;;
		*)	   grep -E '^[^#]*\[([^]]* )?trusted=yes[] ]' "$f" | grep -F "$site" ;;
		esac
	done | grep -q .
}

# One line for another suite of that site, believed by the keys that the machine uses for
# its sources, those that no source names among them, and by Debian's.
apt_line() { # SUITE
	eval "$(apt-config shell one Dir::Etc::Trusted/f more Dir::Etc::TrustedParts/d)"
	keys=$(apt_sources | while read -r f; do
			sed -n 's/^[^#]*[Ss]igned-[Bb]y[:=][[:blank:]]*\(\/[^] ]*\).*/\1/p' "$f"
		done | tr ',' '\n'
		for f in "${one:-/none}" "${more%/}"/*.gpg "${more%/}"/*.asc /usr/share/keyrings/debian-archive-keyring.gpg; do
			[ ! -f "$f" ] || echo "$f"
		done)
	keys=$(echo "$keys" | sort -u | paste -sd, -)
	options=${keys:+signed-by=$keys}
	! apt_trusts || options="${options:+$options }trusted=yes"
	echo "deb ${options:+[$options] }$site $1 main"
}

# Makes the set-up; dies with a clear word if the machine's is none of Debian's.
apt_setup() {
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/none/partial" \
		"$apt/sources.list.d"
	site=$(apt_site "$release" stable oldstable) ||
		die "apt has no source of Debian $release: see /etc/apt/sources.list"
	rm -f "$apt"/sources.list.d/*
	apt_sources | while read -r f; do
		case $f in */*.d/*) ln -s "$f" "$apt/sources.list.d/" ;; esac
	done
	[ "$release" != bookworm ] || apt_site bookworm-backports >/dev/null ||
		apt_line bookworm-backports >"$apt/sources.list.d/overlay-backports.list"
}

# Fetches the lists.  A source of the machine that fails need not be one that is needed:
# what is missing is seen when it is installed.  But the release's own has to answer.
apt_update() {
	STEP_TAIL=0 step "package lists" "$build/logs/apt-update.log" \
		apt_host apt-get -o APT::Update::Error-Mode=any update && return
	# Of mirrors in a file apt names the one that it took, and not the file.
	case $site in mirror*) answers=' ' ;; *) answers=" $site " ;; esac
	if grep -E '^(Hit|Get):[0-9]+ ' "$build/logs/apt-update.log" | grep -qF "$answers"; then
		echo "  some of apt's sources do not answer; going on with those that do" >&2
		return
	fi
	echo "$(basename "$0"): $site does not answer: no network, or a proxy is missing in apt's configuration" >&2
	return 1
}

# What root made below build/ is the user's, who may want to remove it.
apt_give_back() {
	[ -z "$root" ] || $root chown -R "$(id -u):$(id -g)" "$apt"
}
