# SPDX-License-Identifier: GPL-2.0-only
# Sourced by hist-example-*.tc: the commands of an example in hist-triggers.rst, taken out of the
# page, so that what a user copies is what is tested. The page is where a kernel tree has it.
. $FTRACETEST_ROOT/test.d/oracle/lib.sh
page=$FTRACETEST_ROOT/../../../../Documentation/trace/hist-triggers.rst
[ -e "$page" ] || exit_unresolved

# The lines of the Nth block below a title: 1 sets, 2 shows, 3 takes away.
block() { # title n
	awk -v title="$1" -v want="$2" '
		/^(-+|=+)$/ && last != "" { section = last; n = 0; literal = 0; last = ""; next }
		literal && /^[^ ]/ { literal = 0 }
		literal && section == title && n == want && NF { print substr($0, 3) }
		!literal && /::$/ { literal = 1; n++ }
		{ last = $0 }' "$page"
}

all_that_is_set() {
	cat dynamic_events show_event_triggers
}

# Sets the example, runs what makes its events, shows it in $shown, and takes it away.
shown=$TMPDIR/shown
example() { # title command...
	title=$1
	shift
	for n in 1 2 3; do
		block "$title" $n >"$TMPDIR/block$n"
		[ -s "$TMPDIR/block$n" ] || fail "$page has no block $n of '$title'"
	done
	all_that_is_set >"$TMPDIR/before"
	(sh -e "$TMPDIR/block1") || fail "'$title' cannot be set: $(tail -n 3 error_log)"
	! all_that_is_set | cmp -s - "$TMPDIR/before" || fail "'$title' sets nothing"
	"$@"
	(sh -e "$TMPDIR/block2") >"$shown" || fail "'$title' is not shown"
	(sh -e "$TMPDIR/block3") || fail "'$title' does not go: $(tail -n 3 error_log)"
	all_that_is_set >"$TMPDIR/after"
	diff "$TMPDIR/before" "$TMPDIR/after" || fail "'$title' leaves something behind"
	no_splat
}

# The lines of entries; there are some.
entries() {
	grep 'hitcount:' "$shown" | grep -v '^#' || fail "no entries: $(cat "$shown")"
}

# Quantiles grow, and are of as many values as there were hits; sorted by one of them, the largest
# first.
quantiles_hold() { # the one that it is sorted by
	entries | awk -v by="$1:" '
		{
			hits = n = -1; before = 0; q = ""
			for (i = 1; i < NF; i++) {
				if ($i == "hitcount:") hits = $(i + 1)
				if ($i == "n:") n = $(i + 1)
				if ($i ~ /^(p50|p90|p99|p99\.9|max):$/) {
					if ($(i + 1) < before) { print "less: " $0; bad = 1 }
					before = $(i + 1)
				}
				if ($i == by) q = $(i + 1)
			}
			if (n != hits || q == "") { print "not " hits " values: " $0; bad = 1 }
			if (NR > 1 && q + 0 > last + 0) { print "not sorted: " $0; bad = 1 }
			last = q
		}
		END { exit bad || !NR }' || fail "quantiles of $(cat "$shown")"
}

# A word of the line that matches.
figure() { # pattern word
	entries | grep -- "$1" | sed -n "s/.* $2: *\([0-9][0-9]*\).*/\1/p" | head -n 1
}

# The sum of a value over all entries is what the totals say, for the hit count.
totals_hold() {
	entries | awk '
		{ for (i = 1; i < NF; i++) if ($i == "hitcount:") n += $(i + 1) }
		END { print n }' >"$TMPDIR/n"
	grep -qx " *Hits: $(cat "$TMPDIR/n")" "$shown" ||
		fail "$(cat "$TMPDIR/n") hits in the entries of $(cat "$shown")"
}
