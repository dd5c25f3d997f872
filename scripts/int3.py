#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Counts what x86_64 on several threads of the host dies of, on ours and on the base:

    int3.py [-n BOOTS of each, 10] [-s SECONDS of each, 60] [KERNEL ..., "ours base"]

Each boot has tracepoints switched on and off, as fast as it goes, that all CPUs come by all the time: their text is
changed by way of an int3, and a CPU that finds one which is gone already dies of it.  The kernels take turns, so
that what else the host does is the same for both, and must be built: make kernel ARCH=x86_64 KERNEL=base.  CPUS=2.
"""
import argparse, os, re, sys, time

sys.dont_write_bytecode = True
from test_kernel import Kernel, splats
from test_run import LOGS, note

# One switches what the others come by, few at a time, as all CPUs have to take part in each; how often it says at its end.
SCRIPT = """
cd /sys/kernel/tracing
switch() {
	n=0
	until [ -e /tmp/over ]; do
		for f in sched/sched_switch raw_syscalls kmem/kmem_cache_free timer/hrtimer_start irq; do
			echo 1 >events/$f/enable
			echo 0 >events/$f/enable
			n=$((n + 1))
		done
	done
	echo "@@ $n"
}
pass_by() {
	until [ -e /tmp/over ]; do
		read -r word </proc/loadavg
		echo "$word" >trace_marker
	done
}
switch &
for cpu in $(seq $(nproc)); do
	pass_by &
done
sleep %d
: >/tmp/over
wait
"""
# Of a host that is busy a guest may complain that it stalls.
COLUMNS = "boots", "well", "int3", "stalled", "other", "switched"


def boot(k, seconds):
    """One boot: what became of it, how often tracepoints were switched in it, and all it said."""
    status, out, console, err = k.guest(SCRIPT % seconds, 120 + 3 * seconds)
    switched = sum(int(n) for n in re.findall(r"^@@ (\d+)", out, re.M))
    bad = splats(console)
    what = "int3" if re.search(r"\bint3: 0000|Oops: int3", console) else "well" if not status and not bad else \
        "stalled" if not status and re.match(r".*rcu: INFO: .*stall", bad) else "other"
    return what, switched, f"status {status}\n{out}{err}\n{console}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=10)
    parser.add_argument("-s", type=int, default=60)
    parser.add_argument("kernels", nargs="*", default=["ours", "base"])
    args = parser.parse_args()
    os.environ["THREADS"] = "multi"
    os.makedirs(LOGS, exist_ok=True)
    kernels = [Kernel("x86_64", *name.split("-", 1)) for name in args.kernels]
    missing = [k.name for k in kernels if not os.path.exists(f"{k.dir}/arch/x86/boot/bzImage")]
    if missing:
        sys.exit(f"not built: {' '.join(missing)}")
    table = {k.name: dict.fromkeys(COLUMNS, 0) for k in kernels}
    for i in range(args.n):
        for k in kernels:
            t0 = time.time()
            what, switched, said = boot(k, args.s)
            row = table[k.name]
            row["boots"] += 1
            row[what] += 1
            row["switched"] += switched
            where = ""
            if what != "well":
                name = f"int3-{k.name}{time.strftime('-%m%d-%H%M%S')}.log"
                with open(os.path.join(LOGS, name), "w") as log:
                    log.write(said)
                where = f", see build/logs/{name}"
            note(f"{k.name}, boot {i + 1} of {args.n}: {what}, switched {switched} times, {time.time() - t0:.0f} s{where}")
    print(f"{'':20}" + "".join(f"{c:>10}" for c in COLUMNS))
    for name, row in table.items():
        print(f"{name:20}" + "".join(f"{row[c]:>10}" for c in COLUMNS))


if __name__ == "__main__":
    main()
