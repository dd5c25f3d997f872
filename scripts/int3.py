#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Counts what x86_64 on several threads of the host dies of, on ours and on the base:

    int3.py [-n BOOTS of each, 10] [-s SECONDS of each, 30] [KERNEL ..., "ours base"]

In each boot tools/tracing/int3 has probes of a tracepoint come and go as fast as it goes, which the other CPUs fire all
the time: its text is changed by way of an int3, and a CPU that finds one which is gone already dies of it.  The
kernels take turns, so that what else the host does is the same for both, and must be built: make kernel ARCH=x86_64
KERNEL=base.  CPUS=2; THREADS=single has them on one thread.  The last line says whose fault it is, as far as these
boots tell.
"""
import argparse, os, re, shutil, sys, time

sys.dont_write_bytecode = True
from test_kernel import Kernel, splats
from test_run import BUILD, LOGS, TOP, note

# Each round waits for two grace periods.
SCRIPT = """
echo 1 >/sys/kernel/rcu_expedited
insmod /guest/int3_load.ko seconds=%d
"""
# stale: the CPU meets an int3 again and again that memory does not have; int3: any other that nobody knew of; strays: those
# that were met, died of or not.  Of a host that is busy a guest may complain that it stalls.
COLUMNS = "boots", "well", "stale", "int3", "stalled", "other", "strays", "rounds"
MET = re.compile(r"int3_load: CPU \d+, round (\d+): int3 at (\S+).*, met (\d+) times, memory has ([0-9a-f]{2})")
END = re.compile(r"int3_load: (\d+) rounds, (\d+) probes ran, (\d+) strays")


def module(k):
    """The load, built for this kernel."""
    work = os.path.join(BUILD, "int3", k.name)
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(os.path.join(TOP, "tools/tracing/int3"), work)
    done = k.make(f"M={work}", "modules")
    if done.returncode:
        sys.exit(f"no module for {k.name}:\n{done.stdout}")
    return os.path.join(work, "int3_load.ko")


def judge(status, console):
    """What became of a boot, how many int3 were met in it that nobody knew of, and its rounds."""
    met, end = MET.findall(console), END.search(console)
    rounds = int(end[1] if end else met[-1][0] if met else 0)
    strays = int(end[3]) if end else sum(times == "1" for _, _, times, _ in met)
    if re.search(r"\bint3: 0000|Oops: int3", console):
        # by then it has come back to it by an iret 63 times
        return "stale" if met and int(met[-1][2]) > 1 and met[-1][3] != "cc" else "int3", strays, rounds
    bad = splats(console)
    if not status and end and int(end[2]) and not bad:
        return "well", strays, rounds
    return "stalled" if not status and re.match(r".*rcu: INFO: .*stall", bad) else "other", strays, rounds


def verdict(table):
    """One line on all boots."""
    died = ", ".join(f"{row['stale']} of {row['boots']} boots of {name}" for name, row in table.items())
    own = [name for name, row in table.items() if row["int3"] or row["strays"] > row["stale"]]
    if own:
        return f"of {' and '.join(own)}, perhaps: an int3 that memory had, or that was not met again"
    if any(row["stale"] for row in table.values()):
        return f"QEMU's: the CPU meets an int3 that memory has not, in {died}"
    other = [name for name, row in table.items() if row["well"] + row["stalled"] < row["boots"]]
    return f"not of an int3, but {' and '.join(other)} died" if other else f"none: {died} died"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=10)
    parser.add_argument("-s", type=int, default=30)
    parser.add_argument("kernels", nargs="*", default=["ours", "base"])
    args = parser.parse_args()
    os.environ.setdefault("THREADS", "multi")
    os.makedirs(LOGS, exist_ok=True)
    kernels = [Kernel("x86_64", *name.split("-", 1)) for name in args.kernels]
    missing = [k.name for k in kernels if not os.path.exists(f"{k.dir}/arch/x86/boot/bzImage")]
    if missing:
        sys.exit(f"not built: {' '.join(missing)}")
    modules = {k.name: module(k) for k in kernels}
    table = {k.name: dict.fromkeys(COLUMNS, 0) for k in kernels}
    for i in range(args.n):
        for k in kernels:
            t0 = time.time()
            status, out, console, err = k.guest(SCRIPT % args.s, 120 + 3 * args.s, files=[modules[k.name]])
            what, strays, rounds = judge(status, console)
            row = table[k.name]
            row["boots"] += 1
            row[what] += 1
            row["strays"] += strays
            row["rounds"] += rounds
            where = ""
            if what != "well" or strays:
                name = f"int3-{k.name}{time.strftime('-%m%d-%H%M%S')}.log"
                with open(os.path.join(LOGS, name), "w") as log:
                    log.write(f"status {status}\n{out}{err}\n{console}")
                where = f", see build/logs/{name}"
            note(f"{k.name}, boot {i + 1} of {args.n}: {what}, {rounds} rounds, {time.time() - t0:.0f} s{where}")
    print(f"{'':20}" + "".join(f"{c:>9}" for c in COLUMNS))
    for name, row in table.items():
        print(f"{name:20}" + "".join(f"{row[c]:>9}" for c in COLUMNS))
    print("verdict:", verdict(table))


if __name__ == "__main__":
    main()
