# SPDX-License-Identifier: GPL-2.0-only
"""Group `filters`: random filters over the fields of real events, on ours and on the base. What a kernel lets
through is compared with what filter_model.py makes of the raw records of an instance without filters;
tools/tracing/filters is what runs in the guest."""
import collections, os, queue, random, re, subprocess, tempfile, threading, time

import filter_model as model
from test_kernel import cross, ended
from test_run import BUILD, LOGS, STARTED, TOP

INSTANCES = 10
# A round has a filter for each instance and event: so many, or FILTERS=.
SHORT, LONG = 300, 10000
EVENTS = """
sched/sched_switch sched/sched_waking sched/sched_wakeup sched/sched_wakeup_new sched/sched_process_fork sched/sched_process_exec
sched/sched_process_exit sched/sched_process_free sched/sched_process_wait sched/sched_migrate_task sched/sched_stat_runtime
signal/signal_generate signal/signal_deliver task/task_newtask task/task_rename
raw_syscalls/sys_enter raw_syscalls/sys_exit syscalls/sys_enter_openat syscalls/sys_exit_openat syscalls/sys_enter_mmap
syscalls/sys_exit_lseek syscalls/sys_enter_umask syscalls/sys_exit_read
timer/hrtimer_start timer/hrtimer_expire_entry timer/timer_start timer/timer_expire_entry timer/hrtimer_cancel
irq/softirq_entry irq/irq_handler_entry irq/irq_handler_exit workqueue/workqueue_queue_work workqueue/workqueue_execute_start
workqueue/workqueue_execute_end kmem/kmalloc kmem/kfree kmem/mm_page_alloc ipi/ipi_raise
sample-trace/foo_bar sample-trace/foo_rel_loc
""".split()
# What nothing in the guest brings about elsewhere: only arm64 tells of the IPIs that it sends by
# ipi_raise, and the timer of x86_64 has no irq_handler.
NEVER = {"riscv64": {"ipi/ipi_raise"},
         "x86_64": {"ipi/ipi_raise", "irq/irq_handler_entry", "irq/irq_handler_exit"}}
# Beside the work of verdicts.c, which catches no signal, somebody catches some in each round.
SCRIPT = f"""modprobe trace-events-sample
sh -c 'trap : USR1; while kill -USR1 $$; do sleep 0.3; done' &
/guest/verdicts /host {INSTANCES}
rc=$?
kill $!
exit $rc
"""


def build(arch):
    """The guest's program; its name."""
    out = os.path.join(BUILD, f"filters-{arch}")
    done = subprocess.run(["make", "-s", "-C", os.path.join(TOP, "tools/tracing/filters"), f"CC={cross(arch)}gcc", f"OUT={out}"],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise RuntimeError(f"tools/tracing/filters is not built:\n{done.stdout}")
    return os.path.join(out, "verdicts")


class Trial:
    """One boot: what the guest says is taken as it comes, and answered in the folder that is shared."""

    def __init__(self, share, seed, wanted, beyond):
        self.share, self.random, self.wanted, self.beyond = share, random.Random(seed), wanted, beyond
        self.world, self.events, self.filters = model.World(), {}, {}
        self.bad, self.accepted, self.refused, self.done, self.pid = [], 0, [], False, None
        self.judged = collections.Counter()     # records of each event
        self.todo = queue.Queue()
        self.worker = threading.Thread(target=self.work)
        self.worker.start()

    def line(self, line):
        m = re.match(r"@@ (\w+) ?(.*)", line)
        if m:
            self.todo.put(m.groups())

    def end(self):
        self.todo.put(None)
        self.worker.join()

    def work(self):
        while (what := self.todo.get()):
            try:
                self.take(*what)
            except Exception as error:
                self.bad.append(f"{' '.join(what)}: {error!r}")

    def take(self, what, rest):
        if what == "pid":
            self.pid = int(rest)
        elif what == "round":
            self.first() if rest == "0" else self.judge(int(rest))
        elif what == "done":
            self.done = True
        elif what == "refused":
            self.refused.append(rest)
        elif what == "dies":
            self.bad.append(rest)

    def read(self, name, mode=""):
        with open(os.path.join(self.share, name), "r" + mode) as f:
            return f.read()

    def first(self):
        self.events = model.formats(self.read("formats"))
        self.world = model.World(2, {self.pid: "verdicts"}, self.read("kallsyms"))
        records = model.round_records(self.read("round.0", "b"), self.events)[0]
        makers = []
        for name, event in self.events.items():
            sample = [r for r in records if r.event is event]
            makers.append((name, model.Maker(self.random, event, sample, self.world, self.beyond)))
        rounds = max(1, round(self.wanted / (INSTANCES * len(makers))))
        rows = []
        for n in range(1, rounds + 1):
            for instance in range(1, INSTANCES + 1):
                for name, maker in makers:
                    text, tree = maker.filter()
                    self.filters[n, instance, name] = text, tree
                    rows.append(f"{n} {instance} {name} {text}\n")
        with open(os.path.join(self.share, "filters.new"), "w") as f:
            f.writelines(rows)
        os.rename(f.name, os.path.join(self.share, "filters"))

    def judge(self, n):
        path = os.path.join(self.share, f"round.{n}")
        found = model.round_records(self.read(f"round.{n}", "b"), self.events)
        os.remove(path)
        by_event = {i: {} for i in range(INSTANCES + 1)}
        for i, records in found.items():
            for r in records:
                by_event[i].setdefault(r.event.name, []).append(r)
        for (at, instance, name), (text, tree) in self.filters.items():
            if at != n:
                continue
            without, passed = by_event[0].get(name, []), by_event[instance].get(name, [])
            # The base fills a record in for each instance, and jiffies go on between two of them.
            self.bad += model.compare(self.events[name], text, tree, without, passed, self.world,
                                      () if self.beyond else ("now",))
            self.judged[name] += len(without)
            self.accepted += len(passed)


def trial(run, k, seed, wanted):
    t0 = time.time()
    beyond = k.kernel == "ours"
    with tempfile.TemporaryDirectory(dir=BUILD) as share:
        with open(os.path.join(share, "events"), "w") as f:
            f.write("\n".join(EVENTS) + "\n")
        t = Trial(share, seed, wanted, beyond)
        try:
            status, out, console, err = k.guest(SCRIPT, 200 + wanted // 10, turns=True,
                                                files=[build(k.arch)], share=share, each=t.line)
        finally:
            t.end()
    judged = sum(t.judged.values())
    name = f"filters {k.name}: {len(t.filters)} random ones, seed {seed}, on {judged} records of " \
           f"{len(t.events)} events, {t.accepted} let through"
    refused = [f"refused: {r}" for r in t.refused]
    none = set(t.events) - set(+t.judged) - NEVER.get(k.arch, set())
    rows = t.bad + refused + [f"no record of {e} was judged" for e in sorted(none)]
    with open(os.path.join(LOGS, f"filters-{k.name}.log"), "w") as f:
        f.write("\n".join([name, *rows, ""]))
    # A run in which nothing was decided would find nothing.
    enough = judged > 10 * len(t.filters) and 0 < t.accepted < judged
    run.result(name, not rows and enough and t.done, "\n".join(rows[:30]), time.time() - t0)
    ended(run, f"filters {k.name}", status, console, err)


def filters(run, k, cases):
    """Random filters: 300, or FILTERS=; FILTERS_SEED= repeats a run. With FILTERS= the base's verdicts are looked at as well."""
    if not k.build(run):
        return
    # The checkers of other flavours are slow, and not about this.
    wanted = int(os.environ.get("FILTERS") or SHORT) if k.flavour == "test" else SHORT
    seed = int(os.environ.get("FILTERS_SEED") or (1 if wanted < LONG else STARTED))
    trial(run, k, seed, wanted)
    base = k.base()
    if k.kernel == "ours" and k.flavour == "test" and os.environ.get("FILTERS") and base.build(run):
        trial(run, base, seed, wanted)
