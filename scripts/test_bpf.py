# SPDX-License-Identifier: GPL-2.0-only
"""The group bpf: BPF programs on each kind of probe.  What it does is in tools/tracing/bpf, and, for a kernel with
BTF, in guest.d/bpftrace.sh: programs of Debian's bpftrace."""
import os, subprocess, time

from test_kernel import cross, splats
from test_load import Results
from test_run import BUILD, TOP


def build(arch):
    """The program for the guest, static; its name."""
    out = os.path.join(BUILD, f"bpf-{arch}")
    done = subprocess.run(["make", "-s", "-C", os.path.join(TOP, "tools/tracing/bpf"), f"CC={cross(arch)}gcc", f"OUT={out}"],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise RuntimeError(f"tools/tracing/bpf is not built:\n{done.stdout}")
    return os.path.join(out, "bpf_probes")


def bpf(run, k, cases):
    """BPF programs on tracepoints, kprobes, functions, uprobes."""
    if not k.build(run):
        return
    t0, what = time.time(), f"bpf {k.name}"
    seen = Results(run, what)
    status, out, console, err = k.guest("/guest/bpf_probes\necho \"@@ done probes $?\"\nexit 0\n", 120, files=[build(k.arch)], each=seen.line)
    seen.end()
    unfinished = seen.unfinished(["probes"])
    if status or unfinished or not seen.told:
        run.result(f"{what}: it ran to its end", False, f"status {status}, {unfinished}\n{out[-2000:]}\n{err}")
    if "bpftrace" in k.cpios():
        t1, seen = time.time(), Results(run, what)
        guest = os.path.join(TOP, "scripts/guest.d/bpftrace.sh")
        status, out, more, err = k.guest("sh /guest/bpftrace.sh\n", 900, files=[guest], each=seen.line, bpftrace=True)
        seen.end()
        unfinished = seen.unfinished(["bpftrace"])
        if status or unfinished:
            run.result(f"{what}: bpftrace ran to its end", False,
                       f"status {status}, {unfinished}\n{out[-2000:]}\n{err}", time.time() - t1)
        console += more
    found = splats(console)
    run.result(f"{what}: no splat on the console", not found, found, time.time() - t0)
