#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run the models of the ring buffer, and show that each barrier is needed.

usage: check.py [--list] [--deep] [--out DIR] [--code DIR] [--memory-model DIR]

 1. barriers.list names all barriers that the code has, and says of each what
    fails without it.
 2. lkmm.py agrees with what is known of the kernel's own litmus tests; then ours
    are run, as they are and without each of their barriers.
 3. The Promela models are searched exhaustively, as they are and with each of
    the orders that a barrier keeps turned round.

One line each; the exit status is not 0 if anything fails, or if anything does
not fail that has to, or fails without what is said to be of no use. --list does the first
of the three only, and takes a moment. --deep takes some minutes and has larger models.
"""
import argparse
import collections
import glob
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import lkmm  # noqa: E402, what is next to this file

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ["barrier", "smp_store_release", "smp_load_acquire", "smp_rmb", "smp_wmb", "smp_mb",
         "synchronize_rcu", "trace_synchronize_rcu", "start_poll_synchronize_rcu", "poll_state_synchronize_rcu",
         "try_cmpxchg", "atomic_fetch_or", "atomic_inc_return", "smp_mb__before_atomic", "test_bit_acquire",
         "smp_mb__after_atomic", "cond_synchronize_rcu", r"atomic\w*_(?:acquire|release)",
         r"(?:try_)?(?:cmp)?xchg_(?:acquire|release)", r"clear_bit_unlock\w*", r"test_and_set_bit_lock\w*"]
# What rings are exchanged under is on the floor; and events and histograms whose order has a test here.
ELSEWHERE = ["../lock_once.h", "../events/filter.c", "../events/reserve.c", "../events/commit.c", "../events/syscalls_perf.c",
             "../record/printk.c", "../record/stack.c", "../hist/hit.c"]
# The clock that writers read in place: what is patched into these files, in functions of this name.
CLOCKS = {"sched_clock-read-inline.patch": "kernel/time/sched_clock.c", "sched_clock-tsc-inline.patch": "arch/x86/kernel/tsc.c"}
CLOCK = r"\w*_epoch"

# name: file, flags; those in DEEP only with --deep
MODELS = {
    "overwrite": ("ring_buffer.pml", "LEVELS=3 WRITES=2 CAP=1 READS=1"),
    "drop": ("ring_buffer.pml", "LEVELS=3 WRITES=1 CAP=1 READS=1 OVERWRITE=0"),
    "together": ("ring_buffer.pml", "LEVELS=3 WRITES=1 CAP=3 READS=1"),
    "nested": ("ring_buffer.pml", "LEVELS=2 WRITES=3 CAP=2 READS=1 NESTS=2"),
    "discard": ("ring_buffer.pml", "LEVELS=2 WRITES=4 CAP=2 READS=1 DISCARD=2"),
    "page": ("ring_buffer.pml", "LEVELS=2 WRITES=3 CAP=1 READS=2 PAGE=1"),
    "iterator": ("ring_buffer.pml", "LEVELS=2 WRITES=3 CAP=1 READS=2 ITER=1"),
    "reset": ("ring_buffer.pml", "LEVELS=2 WRITES=2 CAP=1 READS=2 RESET=1"),
    "back": ("ring_buffer.pml", "LEVELS=2 WRITES=3 CAP=2 READS=1 ITER=2 BACK=1"),
    "anew": ("ring_buffer.pml", "LEVELS=2 WRITES=2 CAP=3 READS=1 NESTS=2 ANEW=1"),
    "shrink": ("ring_buffer.pml", "LEVELS=2 WRITES=2 CAP=1 READS=0 NR_FROM=3 NR_TO=2"),
    "grow": ("ring_buffer.pml", "LEVELS=2 WRITES=1 CAP=1 READS=0 NR_FROM=2 NR_TO=3 NESTS=2"),
    "wake": ("wake.pml", "WRITES=3"),
    "once": ("lock_once.pml", "ROUNDS=2"),
    "scratch": ("scratch.pml", "LEVELS=3 HITS=2"),
    "swap": ("swap.pml", "LEVELS=2 WRITES=2 SWAPS=2"),
    "swap-reset": ("swap.pml", "LEVELS=2 WRITES=1 SWAPS=2 RESET=1"),
}
DEEP = {
    "overwrite-deep": ("ring_buffer.pml", "LEVELS=3 WRITES=3 CAP=1 READS=1"),
    "drop-deep": ("ring_buffer.pml", "LEVELS=3 WRITES=2 CAP=1 READS=2 OVERWRITE=0"),
    "iterator-deep": ("ring_buffer.pml", "LEVELS=2 WRITES=3 CAP=1 READS=3 ITER=2 PAGE=1"),
    "reset-deep": ("ring_buffer.pml", "LEVELS=2 WRITES=3 CAP=1 READS=2 RESET=1"),
    "anew-deep": ("ring_buffer.pml", "LEVELS=3 WRITES=2 CAP=3 READS=1 ANEW=1"),
    "shrink-deep": ("ring_buffer.pml",
                    "LEVELS=2 WRITES=2 CAP=1 READS=0 NR_FROM=3 NR_TO=2 NESTS=2"),
    "shrink-batch": ("ring_buffer.pml",
                     "LEVELS=2 WRITES=3 CAP=1 READS=0 NR_FROM=3 NR_TO=2 BATCH=1"),
    "grow-deep": ("ring_buffer.pml", "LEVELS=2 WRITES=2 CAP=1 READS=1 NR_FROM=2 NR_TO=3"),
    "wake-deep": ("wake.pml", "WRITES=5"),
    "swap-deep": ("swap.pml", "LEVELS=3 WRITES=1 SWAPS=1"),
    "swap-reset-deep": ("swap.pml", "LEVELS=2 WRITES=2 SWAPS=1 RESET=1"),
}

# WITHOUT(n) in the models: the model that shows it, and what it leaves out
MUTANTS = {
    1: ("nested", "rb_reserve(): depth is set before a place is taken"),
    2: ("together", "rb_leave(): count is stored before depth goes down"),
    4: ("together", "rb_leave_short(): the tail is looked at after depth is cleared"),
    7: ("nested", "rb_advance(): ring->cur is looked at after the new tail and its counts"),
    8: ("nested", "rb_advance(): opened before it is current"),
    11: ("nested", "rb_publish(): depth is set before ring->commit is read"),
    12: ("nested", "rb_publish(): ring->cur is read before the tail"),
    13: ("page", "rb_publish(): all is published before depth is cleared"),
    14: ("nested", "rb_publish(): the tail is looked at after depth is cleared"),
    15: ("nested", "rb_reserve_long(): the tail is read before the clock"),
    16: ("nested", "rb_change_sub(): claimed before it is closed"),
    17: ("together", "rb_reserve_special(): depth is set before a place is taken"),
    18: ("nested", "rb_reserve(): a negative delta goes the long way"),
    19: ("grow", "rb_plan_apply(): frozen before ring->cur is read"),
    20: ("grow", "rb_plan_apply(): the new table is there before it is not frozen"),
    21: ("iterator", "rb_iter_fetch(): the slot is looked at after the copy"),
    23: ("back", "rb_reserve(): a delta that is too long goes the long way"),
    24: ("back", "rb_reserve_long(): a clock that was put back goes on in another sub-buffer"),
    25: ("anew", "rb_reopen(): the time is there before it is open again"),
    26: ("anew", "rb_time_anew(): the new time is set apart before it is closed"),
    22: ("reset", "rb_stop_cpus(): writers have left before the reset"),
    32: ("wake", "ring_buffer_wait(): a grace period before it sleeps"),
    33: ("wake", "ring_buffer_wait(): another one if the bit was cleared"),
    34: ("wake", "ring_buffer_wait(): a look after it"),
    41: ("swap", "rb_leave(): the ring is the one that was entered"),
    42: ("swap", "rb_pop_held(): rb_cpu::held is put back before the ring is left"),
    44: ("swap-reset", "rb_stop_cpus(): swaps are forbidden before the grace period"),
    45: ("swap-reset", "rb_stop_cpus(): writers of the other buffer have left, too"),
    46: ("swap", "rb_reserve_slow(): the ring is the one that was entered"),
    51: ("once", "trace_lock_once(): the byte is set before the lock is waited for"),
    52: ("once", "trace_unlock_once(): the lock is free before the byte is cleared"),
    53: ("once", "trace_trylock_once(): the byte is set before the lock is waited for"),
    61: ("scratch", "hist_hit_whole(): words are taken before they are written to"),
    62: ("scratch", "hist_hit_whole(): they are given back after the last look at them"),
}
# ... and orders that nothing keeps, as they do no harm when they are turned round
HARMLESS = {
    3: ("discard", "rb_reserve_long(): the count is loaded after the place is taken"),
    5: ("nested", "rb_advance(): the order of what prepares and what opens"),
    6: ("discard", "ring_buffer_slot_discard(): the count goes down before the place is given back"),
    43: ("swap", "rb_push_held(): the old rb_cpu::held is saved before there is a new one"),
}

failed = 0


def say(good, text):
    global failed
    failed += not good
    print(f"{'ok  ' if good else 'FAIL'} {text}", flush=True)


# ---- The list and the code -------------------------------------------------------


def code_barriers(folder):
    """(file, function) -> kinds in order."""
    out = collections.defaultdict(list)
    top = os.path.join(folder, "../../..")
    clocks = {name: os.path.join(top, "patches", name) for name in CLOCKS}
    clocks = {name: p if os.path.exists(p) else os.path.join(top, CLOCKS[name]) for name, p in clocks.items()}
    paths = sorted(glob.glob(os.path.join(folder, "*.[ch]"))) + [os.path.join(folder, p) for p in ELSEWHERE]
    for path in [*paths, *clocks.values()]:
        name = next((n for n in clocks if clocks[n] == path), os.path.basename(path))
        if re.search(r"_kunit|_test|test_lib|^test\.h", name):
            continue
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if path.endswith(".patch"):
            text = "\n".join(line[1:] for line in text.split("\n") if re.match(r"\+(?!\+)", line))
        text = re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", " ", text, flags=re.S)
        function = None
        for line in text.split("\n"):
            m = re.match(r"(?=[a-zA-Z_]).*?\b(\w+)\(", line)
            if m and not line.endswith(";"):
                function = m[1]
            for m in re.finditer(r"\b(%s)\(" % "|".join(KINDS), line):
                if line.startswith("static") or line.startswith("#"):
                    continue
                if name in clocks and not re.fullmatch(CLOCK, function or ""):
                    continue
                out[name, function].append(m[1])
    return out


def read_list():
    rows = []
    with open(os.path.join(HERE, "barriers.list"), encoding="utf-8") as f:
        for line in f:
            part = line.split("#")[0].split()
            if part:
                rows.append((part[0], part[1], part[2], part[3:]))
    return rows


def check_list(code):
    rows = read_list()
    have, want = code_barriers(code), collections.defaultdict(list)
    for name, function, kind, _ in rows:
        want[name, function].append(kind)
    for at in sorted(set(have) | set(want), key=str):
        if have.get(at, []) != want.get(at, []):
            say(False, f"{at[0]} {at[1]}(): the code has {' '.join(have.get(at, [])) or 'none'}, "
                f"barriers.list {' '.join(want.get(at, [])) or 'none'}")
    names, proofs = {}, 0
    for path in glob.glob(os.path.join(HERE, "litmus", "*.litmus")):
        with open(path, encoding="utf-8") as f:
            names[os.path.basename(path)[:-7]] = [n for n, _ in lkmm.mutants(f.read())]
    for name, function, kind, evidence in rows:
        for e in evidence if evidence[0] != "none" else []:
            m = re.fullmatch(r"litmus/([\w-]+):(\w+)|spin:(\d+)", e)
            good = m and (int(m[3]) in MUTANTS if m[3] else m[2] in names.get(m[1], []))
            proofs += 1
            if not good:
                say(False, f"{name} {function}() {kind}: there is no {e}")
    free = sum(e[0] == "none" for *_, e in rows)
    say(not failed, f"barriers: {len(rows)} in the code, {len(rows) - free} needed, "
        f"{proofs} proofs")


# ---- The kernel's memory model ---------------------------------------------------


def check_litmus(memory_model):
    statements = []
    for name in ("linux-kernel.bell", "linux-kernel.cat"):
        with open(os.path.join(memory_model, name), encoding="utf-8") as f:
            statements += lkmm.CatParser(f.read()).parse()

    known = unknown = 0
    for path in sorted(glob.glob(os.path.join(memory_model, "litmus-tests", "*.litmus"))):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        try:
            test, got, _, _ = lkmm.judge(text, statements)
        except SyntaxError:
            unknown += 1
            continue
        known += 1
        if got != test.result:
            say(False, f"litmus: {test.name} is {got}, known to be {test.result}")
    say(known >= 30, f"litmus: {known} tests of the kernel as known, {unknown} in words unknown")

    for path in sorted(glob.glob(os.path.join(HERE, "litmus", "*.litmus"))):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        test, got, flags, seen = lkmm.judge(text, statements)
        # with none to look at there would be nothing that is forbidden
        say(got == test.result and not flags and seen,
            f"litmus {test.name}: {got} {' '.join(flags)}".rstrip() + f", {seen} executions")
        count = 0
        for name, changed in lkmm.mutants(text):
            _, got, flags, _ = lkmm.judge(changed, statements)
            what = " ".join((["the outcome"] if got == "Sometimes" else []) + sorted(flags))
            say(bool(what), f"litmus {test.name} without {name}: {what or 'NOT CAUGHT'}")
            count += 1
        if not count and test.result == "Never":
            say(False, f"litmus {test.name}: has no barrier to remove")


# ---- Promela -----------------------------------------------------------------------


class Model:
    def __init__(self, out, name, file, flags):
        self.name = name
        self.dir = os.path.join(out, name)
        os.makedirs(self.dir, exist_ok=True)
        flags = ["-D" + f for f in flags.split()]
        subprocess.run(["spin", *flags, "-a", os.path.join(HERE, file)], cwd=self.dir, check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-DSAFETY", "-DCOLLAPSE", "-DNOFAIR",
                        "-DMEMLIM=6000", "-w", "-o", "pan", "pan.c"], cwd=self.dir, check=True)

    def run(self, mutant=0, limit=1800):
        """(states or None, error or None)"""
        try:
            text = subprocess.run(["./pan", "-m200000"], cwd=self.dir, text=True, timeout=limit,
                                  env={**os.environ, "MUTANT": str(mutant)},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
        except subprocess.TimeoutExpired:
            return None, None
        with open(os.path.join(self.dir, f"log-{mutant}"), "w", encoding="utf-8") as f:
            f.write(text)
        error = re.search(r"^pan:\d+: (.*?) \(at depth", text, re.M)
        states = re.search(r"^ *([\d.e+]+) states, stored", text, re.M)
        errors = re.search(r"errors: (\d+)", text)
        if error or not errors or int(errors[1]):
            return None, error[1] if error else "it did not end: " + text[-300:]
        if re.search(r"search not completed|max search depth|out of memory|memory limit", text):
            return None, None
        return states[1], None


def check_spin(out, models, mutants, harmless):
    built = {}
    for name, (file, flags) in models.items():
        start = time.time()
        built[name] = Model(out, name, file, flags)
        states, error = built[name].run()
        say(states is not None, f"spin {name}: " + (f"{states} states" if states else
            error or "not searched to the end") + f", {time.time() - start:.0f} s")
    for n, (name, what) in mutants.items():
        states, error = built[name].run(n)
        say(error is not None and "did not end" not in error,
            f"spin {name} without {n}, {what}: {(error or 'NOT CAUGHT')[:70]}")
    for n, (name, what) in harmless.items():
        states, error = built[name].run(n)
        say(states is not None, f"spin {name} without {n}, {what}: no matter" +
            (f"? {error}" if error else ""))


def main():
    top = os.path.join(HERE, "../../..")
    kernels = [os.path.join(top, "tools/memory-model"),
               *glob.glob(os.path.join(top, "build/base/*/tools/memory-model"))]
    p = argparse.ArgumentParser()
    p.add_argument("--list", action="store_true")
    p.add_argument("--deep", action="store_true")
    p.add_argument("--out", default="build")
    p.add_argument("--code", default=os.path.join(top, "kernel/trace/ring_buffer"))
    p.add_argument("--memory-model",
                   default=next((k for k in kernels if os.path.isdir(k)), kernels[0]))
    a = p.parse_args()

    check_list(a.code)
    if a.list:
        return failed != 0
    check_litmus(a.memory_model)
    models = {**MODELS, **(DEEP if a.deep else {})}
    check_spin(os.path.abspath(a.out), models, MUTANTS, HARMLESS)
    print(f"ring buffer models: {failed} failed" if failed else "ring buffer models: all well")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
