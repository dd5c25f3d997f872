#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the tests: test.py [--all | --list | --fresh] [GROUP | TESTCASE.tc ...]

Every group builds what it needs.  ARCH, KERNEL and FLAVOUR in the environment
choose the kernel (arm64, ours, test).  The last line is "N passed, N failed, N skipped".
The groups are in test_guest.py, test_load.py, test_bpf.py, test_compare.py, test_filters.py,
test_mutations.py, test_probe_lines.py, test_recipes.py, test_users.py, test_cloud.py, test_rooms.py
and test_host.py.
"""
import os, signal, subprocess, sys, threading, time, traceback
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
from test_bpf import bpf
from test_cloud import ARCH as CLOUD_ARCH, cloud
from test_compare import compare
from test_counting import counting
from test_filters import filters
from test_guest import boots, clients, direct, functions, kunit, oracle, own, racing, selftests, storm
from test_host import assertions, barriers, base, checkpatch, ends, kerneldoc, model, originality, series, sparse, spdx
from test_kernel import Kernel
from test_load import load
from test_mutations import mutations
from test_probe_lines import probelines
from test_recipes import recipes
from test_rooms import rooms
from test_run import BASE, BUILD, LOGS, TOP, Patient, Progress, Run, minutes, note, selftest_files
from test_users import generic, users

# A group takes the run, the kernel and the cases that were asked for.
HOST = [counting, spdx, assertions, barriers, base, checkpatch, kerneldoc, series, originality]
GUEST = [rooms, kunit, selftests, functions, own, racing, boots, clients, bpf, recipes, load, filters]
LONG = [storm, direct]           # only if asked for
# So long that only --all has them; the first three of the second want a base kernel as well.
HOST_ALL = [model]
ALSO_ALL = [compare, oracle, probelines, mutations, sparse, ends, generic, users, cloud]
ONLY_TEST = [compare, oracle, probelines, mutations, sparse, ends, generic, users, cloud]    # what other flavours would only repeat
WHOLE_AGAIN = [bpf, recipes, load, compare, probelines, filters, mutations]    # the others try single cases again
OWN_KERNEL = [ends, users, cloud]      # they do not want the one that is named, but build their own
NO_GUEST = [rooms, sparse, ends, generic, users]    # they look at what is built
# Flavours that are not for all groups: those they are for, and the cases if it is not all of them; on one architecture
# that may be less.
ONLY = {"kcsan": {kunit: ""}, "nosnapshot": {rooms: "", kunit: ""},
        "btf": {rooms: "", kunit: "", selftests: "dynevent/add_remove_btfarg.tc",
                own: "overlay/btf-probes.tc overlay/function-args.tc overlay/graph-args.tc", bpf: "", load: "", probelines: "",
                recipes: "function-tracing.rst"},
        "branch": {rooms: "",
                   own: "overlay/function-recursed.tc overlay/branch-tracer.tc overlay/branch-lists.tc oracle/rv-monitor.tc "
                        "overlay/clock-suspend.tc",
                   racing: "overlay/tracers-storm.tc",
                   boots: "boot/startup-tracers.tc boot/ring-buffer-recursion.tc boot/kdb-ftdump.tc"},
        "startup": {rooms: "", kunit: "", own: "overlay/benchmark-event.tc oracle/clocks.tc",
                    racing: "oracle/time-order.tc oracle/lost-events.tc oracle/resize-under-load.tc "
                            "oracle/pipe-while-emptied.tc oracle/snapshot-swaps.tc",
                    boots: "boot/startup-tests.tc boot/startup-tracers.tc"},
        "startup-x86_64": {boots: "boot/startup-tests.tc boot/startup-tracers.tc"},
        "startup-riscv64": {boots: "boot/startup-tests.tc boot/startup-tracers.tc"}}
# The base's cases of arguments: with BTF some have a name, others another error, and $arg* is known.
ONLY["btf"][selftests] += "".join(f" {case}.tc" for case in [
    *(f"dynevent/{n}" for n in ("eprobes_syntax_errors", "fprobe_args_vfs", "fprobe_entry_arg", "fprobe_syntax_errors",
                                "tprobe_syntax_errors"))])
ONLY["btf"][functions] = " ".join(f"{case}.tc" for case in [
    *(f"kprobe/kprobe_args{n}" for n in ("", "_char", "_comm", "_string", "_symbol", "_syntax", "_type", "_user", "_vfs")),
    *(f"kprobe/{n}" for n in ("kprobe_syntax_errors", "kretprobe_args", "kretprobe_entry_arg", "uprobe_syntax_errors"))])
ONLY["btf-riscv64"] = {g: cases for g, cases in ONLY["btf"].items() if g is not probelines}
# Of all selftests of ours, and of all of the base, as whoever asks for `own` or `selftests` means them.
OWN, SELFTESTS = [own, racing, boots], [selftests, functions]
# Seconds that the long ones take on arm64 and two processors, for those that have left no time yet.
SECONDS = {own: 480, functions: 440, selftests: 430, clients: 200, racing: 190, load: 140, kunit: 120, boots: 100,
           oracle: 900, mutations: 70, compare: 50, probelines: 50, sparse: 110, checkpatch: 80, series: 70, counting: 40}
GROUPS = {g.__name__: g for g in [*HOST, *HOST_ALL, *GUEST, *ALSO_ALL, *LONG]}


def excused(group):
    """Whether what fails in a group once, and passes twice, is a matter of luck. In make test-all and make soak, which set
    this, load and random filters look for what is rare: there it is what they were to find."""
    return group in WHOLE_AGAIN and not (group in (load, filters) and os.environ.get("LOAD_SECONDS"))


def group_of(k, group, cases):
    run = Run()
    patient = Patient(run) if excused(group) else run
    # One case says nothing about how long all take.
    with Progress(f"{group.__name__} {k.name}", keep=not cases, rough=roughly(group, k)):
        try:
            group(patient, k, cases)
            if patient is not run:
                patient.settle(lambda again: group(again, k, cases))
            # A filter may leave a group without any case.
            if not run.count and not cases:
                run.result(f"{group.__name__} {k.name}: it did anything", False)
        except (Exception, SystemExit) as error:
            # Also what was kept.
            for name, detail, _ in getattr(patient, "kept", []):
                run.result(name, False, detail)
            run.result(f"{group.__name__} {k.name}: it ran to its end", False, f"{traceback.format_exc()}{error}")
    return run


def passed_before(k, group, cases):
    """It takes hours, so what an interrupted run has done need not be done again."""
    done = os.path.join(BUILD, "passed", f"{group.__name__}-{k.name}")
    now = k.fingerprint(cases)
    if os.path.exists(done) and open(done).read() == now:
        note(f"{group.__name__} {k.name}: passed already, and nothing has changed since")
        Run.before.append(f"{group.__name__} {k.name}")
        return
    run = group_of(k, group, cases)
    # What was unsteady is just what is to be run again.
    if run.good and run.steady and run.count:
        os.makedirs(os.path.dirname(done), exist_ok=True)
        with open(done, "w") as f:
            f.write(now)


def kernels_of(everything):
    if not everything:
        return [Kernel(os.environ.get("ARCH") or "arm64", os.environ.get("KERNEL") or "ours",
                       os.environ.get("FLAVOUR") or "test")]
    return [Kernel("arm64"), Kernel("riscv64"), Kernel("x86_64")] + \
           [Kernel(arch, "ours", flavour) for flavour in ("debug", "hardened", "small") for arch in ("arm64", "riscv64")] + \
           [Kernel("x86_64", "ours", "lockdep"), Kernel("riscv64", "ours", "lockdep"), Kernel("arm64", "ours", "kcsan"),
            *(Kernel("arm64", "ours", flavour) for flavour in ("nosnapshot", "branch", "startup", "btf", "rt")),
            *(Kernel("x86_64", "ours", flavour) for flavour in ("branch", "startup", "btf", "rt")),
            *(Kernel("riscv64", "ours", flavour) for flavour in ("branch", "startup", "btf"))]


def only(k):
    """Groups that a flavour is for, with their cases; None: all."""
    return ONLY.get(f"{k.flavour}-{k.arch}", ONLY.get(k.flavour))


def wanted(g, k, chosen, everything):
    return (g in chosen and not (k.flavour != "test" and g in ONLY_TEST and not (k.flavour == "btf" and g is probelines))
            and g in (only(k) or [g]) and not (everything and k.arch != {cloud: CLOUD_ARCH, generic: "arm64"}.get(g, k.arch)))


def roughly(group, k):
    """Seconds that a group takes the first time, or 0: nobody knows."""
    return SECONDS.get(group, 0) * max(1, 2 / (os.cpu_count() or 2)) * (1 if group in HOST else k.slow)


def expected(group, k):
    return Progress.expected(f"{group.__name__} {k.name}") or roughly(group, k)


def next_of(k, groups):
    """The one that takes longest, so that none of these begins last."""
    return max(groups, key=lambda g: expected(g, k))


def guest_made(k):
    """The guest's files are there, which come from the network: that they do not is not to be told behind the build."""
    made = subprocess.run(["sh", os.path.join(TOP, "scripts/rootfs.sh")], env=k.env()).returncode == 0
    if not made:
        Run().result(f"{k.name}: its guest's files are there", False, "see above")
    return made


def one_kernel(k, chosen, cases, everything):
    groups = [g for g in [*GUEST, *ALSO_ALL, *LONG] if wanted(g, k, chosen, everything)]
    if set(groups) - set(NO_GUEST) and not guest_made(k):
        return
    if not groups or (set(groups) - set(OWN_KERNEL) and not k.build(Run())):
        return
    if everything:
        # What a group would build is built before the sum of it is taken.
        if {compare, oracle, probelines, mutations} & set(groups) or filters in groups and k.flavour == "test":
            k.base().build(Run())
        for what in k.cpios():
            subprocess.run(["sh", os.path.join(TOP, "scripts/rootfs.sh"), what], env=k.env())

    def cases_of(group):
        return cases or set((only(k) or {}).get(group, "").split())
    if everything:
        for group in groups:
            passed_before(k, group, cases_of(group))
        return
    lock = threading.Lock()

    def lane(_):
        while True:
            with lock:
                if not groups:
                    return
                groups.remove(group := next_of(k, groups))
            group_of(k, group, cases_of(group))
    # Guests mostly wait, so three fit on two processors.
    with ThreadPoolExecutor(3) as lanes:
        list(lanes.map(lane, range(3)))


def host_groups(k, chosen, cases):
    # Beside the guests, which are short of time when the host is busy.
    os.nice(10)
    for group in [*HOST, *HOST_ALL]:
        if group in chosen:
            group_of(k, group, cases)


def run_all(chosen, cases, everything):
    kernels = kernels_of(everything)
    times = [expected(g, k) for k in kernels for g in chosen
             if (k is kernels[0] if g in (*HOST, *HOST_ALL) else wanted(g, k, chosen, everything))]
    if not cases and any(times):
        note(f"{len(times)} groups, about {minutes(sum(times))} one after the other, as the last time or, if there was none, "
             f"roughly; {'those of two kernels' if everything else 'three'} go at once")
    # The base is what the groups on the host read.
    if subprocess.run(["sh", os.path.join(TOP, "scripts/base.sh")]).returncode:
        Run().result("the base is there", False, "see above")
        return
    # Two kernels at once: emulation waits a lot, and builds do not.
    with ThreadPoolExecutor(2 if everything else 1) as lanes, ThreadPoolExecutor(1) as beside:
        done = [lanes.submit(one_kernel, k, chosen, cases, everything) for k in kernels]
        done.append(beside.submit(host_groups, kernels[0], chosen, cases))
    for d in done:
        # Whatever went wrong, the last line tells of it.
        if d.exception():
            Run().result(f"the tests themselves: {d.exception()!r}", False)


def in_bounds(run, limit=3000):
    """In a fresh clone, which README promises to stay below so many megabytes."""
    size = int(subprocess.run(["du", "-sm", BUILD], stdout=subprocess.PIPE, text=True).stdout.split()[0])
    run.result(f"build/ has {size} MB, less than {limit}", size < limit)


def chosen_groups(words, cases, everything):
    """Those that are named, and for cases those that may have them; else all."""
    named = [g for n, g in GROUPS.items()
             if n in words or "own" in words and g in OWN or "selftests" in words and g in SELFTESTS
             or cases and g in (*SELFTESTS, *OWN, clients)]
    return named or [*HOST, *GUEST, *([*HOST_ALL, *ALSO_ALL] if everything else [])]


def main():
    words = sys.argv[1:]
    if "--list" in words:
        print(*GROUPS)
        return
    everything = "--all" in words
    fresh = "--fresh" in words
    words = [w for w in words if w not in ("--all", "--fresh")]
    cases = {w for w in words if w.endswith(".tc")}
    unknown = [w for w in words if w not in GROUPS and w not in cases]
    known = set(selftest_files(TOP)) | (set(selftest_files(BASE)) if os.path.isdir(BASE) else cases)
    unknown += [c for c in cases if c not in known]
    if unknown:
        sys.exit(f"test: no group or test case of this name: {' '.join(unknown)} (groups: {' '.join(GROUPS)})")
    chosen = chosen_groups(words, cases, everything)
    os.makedirs(LOGS, exist_ok=True)
    # Whoever is started deaf to it stays so.
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        Run.end_when_interrupted()
    t0 = time.time()
    run_all(chosen, cases, everything)
    if fresh:
        in_bounds(Run())
    if not Run.passed + Run.failed + len(Run.reasons) + len(Run.before):
        Run().result("there was anything to test", False)
    took = int(time.time() - t0)
    print(f"took {took // 60} min {took % 60} s")
    print(Run.totals(), flush=True)
    sys.exit(1 if Run.failed else 0)


if __name__ == "__main__":
    main()
