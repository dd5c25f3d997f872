# SPDX-License-Identifier: GPL-2.0-only
"""The group load: readers against everything that can be changed, words and bytes into every
file, memory that fails, clocks that began long ago.  What it does is in tools/tracing/load."""
import os, re, subprocess, time

from test_kernel import cross, splats
from test_run import BASE, BUILD, LOGS, STARTED, TOP, Silent, note

# Seconds of load; what is around it takes a third more. From LONG on each reader meets each disturber alone, and all is
# done on eight CPUs as well; below they have all at once for a moment.
SHORT, LONG = 45, 200
# Memory that fails where vmalloc wants it is told of with a stack, and is no complaint.
FAILED_MEMORY = re.compile(r"vmalloc error: |page allocation failure: ")
OF_ITS_STACK = re.compile(r"Mem-Info|Call [Tt]race|</?TASK>|\+0x[0-9a-f]+/0x|RIP: |Code: |\b[RE][A-Z0-9]{1,5}: ?[0-9a-f]{8}|Hardware name|CPU: |"
                          r"Tainted|cpuset=")


def build(arch):
    """The program for the guest, static; its name."""
    out = os.path.join(BUILD, f"load-{arch}")
    done = subprocess.run(["make", "-s", "-C", os.path.join(TOP, "tools/tracing/load"), f"CC={cross(arch)}gcc",
                           f"BASE={BASE}", f"OUT={out}"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise RuntimeError(f"tools/tracing/load is not built:\n{done.stdout}")
    return os.path.join(out, "load")


def commands(k, cpus, seconds):
    """What is run in the guest, with seconds for each; failing memory where the kernel can."""
    # What is different with the kernel's types in it.
    if k.flavour == "btf":
        return [f"probes {seconds * .4:.0f}", *([f"failprobes {900 * walks(seconds)}"] if cpus == 2 else [])]
    if cpus > 2 and seconds < LONG:
        return [f"all {seconds * .15:.0f}"]
    pairs = "pairs" if seconds >= LONG else "rows"
    todo = [f"{pairs} {seconds * .5:.0f}", f"all {seconds * .2:.0f}", f"fuzz {seconds * .2:.0f}", "aged", f"probes {seconds * .2:.0f}"]
    if cpus == 2 and k.options().get("CONFIG_FAULT_INJECTION") == "y":
        # It walks through all of it, once: this is only where it has to be done.
        todo += [f"{walk} {most * walks(seconds)}" for walk, most in (("failhist", 900), ("failprobes", 900), ("failnth", 2700))]
    return todo


def walks(seconds):
    """How much longer it may take until memory has failed everywhere, with in_turn() for each operation."""
    return 1 + in_turn(seconds) // 30


def in_turn(seconds):
    """Seconds of each operation for as many of its allocations as there are, one after the other; behind them some fail."""
    return seconds // 10 if seconds >= LONG else 0


def without_failed_memory(console):
    """The console without what tells of memory that failed because it was told to."""
    rows, skip = [], False
    for line in console.splitlines():
        if FAILED_MEMORY.search(line):
            skip = True
        elif skip and OF_ITS_STACK.search(line):
            continue
        else:
            skip = False
        if not skip:
            rows.append(line)
    return "\n".join(rows)


class Results:
    """Lines "@@ ok NAME", "@@ FAIL NAME", "@@ skip NAME" and "@@ done COMMAND STATUS", told as they come; what else
    comes after a failure, as the stacks of what hangs, belongs to it."""

    def __init__(self, run, what):
        self.run, self.what, self.failed, self.more, self.done, self.told, self.bad = run, what, None, [], {}, 0, 0
        self.until = 0      # failures when the last command was done
        self.silent = []    # commands that failed and told nothing of it

    def line(self, line):
        m = re.match(r"@@ (ok|FAIL|skip|done) (.*)", line)
        if not m:
            self.more.append(line)
            return
        self.end()
        if m[1] == "done":
            command, _, status = m[2].rpartition(" ")
            self.done[command] = int(status)
            if int(status) == 1 and self.bad == self.until:
                self.silent.append(command)
            self.until = self.bad
        elif m[1] == "ok":
            self.told += 1
            self.run.result(f"{self.what}: {m[2]}", True)
        elif m[1] == "skip":
            # Of what the kernel has not a second try says nothing.
            if not isinstance(self.run, Silent):
                self.run.skip(f"{self.what}: {m[2]}", "the kernel has nothing of it")
        else:
            self.failed = m[2]

    def unfinished(self, commands):
        """Those that did not end as they should: with 0, or with 1 and what failed."""
        return [c for c in commands if c not in self.done] + \
               [f"{c}: status {s}" for c, s in self.done.items() if s > 1] + \
               [f"{c}: status 1, and nothing is told" for c in self.silent]

    def end(self):
        if self.failed is not None:
            # The first lines of it are who waits, the last ones who else was there: these are in the log.
            self.bad += 1
            self.run.result(f"{self.what}: {self.failed}", False, "\n".join(self.more[:16]))
        self.failed, self.more = None, []


# The group kunit has two CPUs; with more of them the maps of histograms are hammered here, at boot, and snapshots taken from
# beside writers. There is one pattern of suites, and one of tests: hist_map.hammer*, trace_snapshot.test_conservation.
HAMMER = "kunit.enable=1 kunit.filter_glob=[ht][ir]*_[ms]*ap*.*[ms]er*"
HAMMERED = {"hist_map": "CONFIG_HIST_TRIGGERS_KUNIT_TEST", "trace_snapshot": "CONFIG_TRACE_SNAPSHOT_KUNIT_TEST"}


def hammered(suites):
    """What tells in the guest how the tests of these suites went."""
    return rf'''
for suite in {" ".join(suites)}; do
	results=/sys/kernel/debug/kunit/$suite/results
	grep -q '^ *ok [0-9]* .*[ms]er\|^ *not ok' $results || echo "@@ FAIL $suite: no results"
	sed -n 's/^ *ok [0-9]* \([a-z_]*[ms]er.*\)/@@ ok \1/p; s/^ *not ok [0-9]* \([a-z_]*[ms]er.*\)/@@ FAIL \1/p' $results
done
'''


def load_on(run, k, cpus, seconds, seed):
    t0 = time.time()
    what = f"load {k.name}, {cpus} CPUs"
    todo = commands(k, cpus, seconds)
    # Eight processors of the guest share few of the host.
    slow = k.slow * (2 if cpus > 2 else 1)
    # On x86_64, where they take turns, all at once took 19 to 243 s, and a write to events/enable can take longer than any
    # other waits: under event_mutex each event that comes or goes has its static call changed, at the trampoline and at
    # each place, and its static key, each by way of an int3 that three rounds of IPIs announce. That is ten rounds for an
    # event and thousands for all, and each waits for the turn of all CPUs. The kernel changes one key or call after the
    # other, and has no way to change several together. So a hang is told of there after 160 s, and after 320 s on eight.
    at_once = slow * (4 if k.arch == "x86_64" else 1)
    hammers = [s for s, o in HAMMERED.items() if cpus > 2 and k.kernel == "ours" and k.options().get(o) == "y"]
    script = (hammered(hammers) if hammers else "") + \
             f"for c in {' '.join(repr(c) for c in todo)}; do\n" \
             f"\tcase $c in all*) w={at_once} ;; *) w={slow} ;; esac\n" \
             f"\t/guest/load -a {in_turn(seconds)} -w $w -s {seed} $c\n\trc=$?\n\techo \"@@ done $c $rc\"\n" \
             "\t[ $rc -le 1 ] || break\ndone\nexit 0\n"
    seen = Results(run, what)
    # What is between the three hundred pairs of a reader and a disturber takes longer on eight CPUs.
    limit = 120 + 3 * seconds + 60 * len(hammers) + (900 if cpus > 2 and seconds >= LONG else 0)
    limit += 3600 * walks(seconds) if "fail" in todo[-1] else 0
    status, out, console, err = k.guest(script, limit, files=[build(k.arch)], each=seen.line, cpus=cpus,
                                       append=HAMMER if hammers else "")
    seen.end()
    missing = seen.unfinished(todo)
    found = splats(without_failed_memory(console))
    # Of what failed there is a second try, and the next run.
    wrong = status or missing or not seen.told or seen.bad or found
    name = f"load-{k.name}-{cpus}{time.strftime('-%m%d-%H%M%S') if wrong else ''}.log"
    with open(os.path.join(LOGS, name), "w") as log:
        log.write(out + "\n" + console)
    if wrong:
        note(f"{what}: all that it said is in build/logs/{name}")
    if status or missing or not seen.told:
        run.result(f"{what}: it ran to its end", False, "\n".join([f"status {status}", *missing]) + "\n" + err)
    run.result(f"{what}: no splat on the console", not found, found, time.time() - t0)


def load(run, k, cases):
    """Load: LOAD_SECONDS of it, a minute if that is not set."""
    if not k.build(run):
        return
    seconds = int(os.environ.get("LOAD_SECONDS") or SHORT)
    # Always the same in the short form, so that its result does not depend on luck.
    seed = os.environ.get("LOAD_SEED") or (1 if seconds < LONG else STARTED)
    for cpus in (2, 8):
        load_on(run, k, cpus, seconds, seed)
