#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `make run`: boots the kernel, records some events and shows them.  On a
# terminal the guest then stays, with a shell.
. "$(dirname "$0")/lib.sh"

mkdir -p "$build/run" && script=$(mktemp "$build/run/shown.XXXX") || die "cannot write below $build"
trap 'rm -f "$script"' EXIT
trap 'exit 130' INT TERM HUP
cat >"$script" <<'EOF'
cd /sys/kernel/tracing || exit 1
say() { printf '\n# %s\n' "$*"; }
say "$(uname -sr) on $(uname -m); echo 1 > events/sched/enable, events/irq/enable; echo ... > trace_marker"
echo 1 >events/sched/enable && echo 1 >events/irq/enable || exit 1
echo "hello from user space" >trace_marker || exit 1
ls / >/dev/null
sleep 0.2
echo 0 >tracing_on
say "cat trace  (the first 40 lines)"
head -n 40 trace
grep -q 'tracing_mark_write: hello' trace || { say "the marker is not in the trace"; exit 1; }
echo >trace
echo 1 >tracing_on
say "cat trace_pipe  (the next 15 events)"
timeout 10 cat trace_pipe | head -n 15
echo 0 >events/enable
EOF
if [ -t 0 ] && [ -t 1 ] && [ -z "$CI" ]; then
	SHELL_TOO=1 "$top/scripts/guest" "$ARCH" "$KERNEL-$FLAVOUR" "$script"
else
	"$top/scripts/guest" "$ARCH" "$KERNEL-$FLAVOUR" "$script" 120
fi
