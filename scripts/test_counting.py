# SPDX-License-Identifier: GPL-2.0-only
"""Group `counting`: that the tests count what they should, shown on guests that are made up."""
import contextlib, io, os, subprocess, tempfile

import formats, series, test_cloud, test_guest, test_rooms, test_users
from test_kernel import DEATH, DIED, STOPPED, Kernel, splats
from test_run import TOP, Run


class Quiet(Run):
    """A run whose results do not go to the totals."""

    def __init__(self):
        super().__init__()
        self.ok, self.bad, self.skips = [], [], []

    def result(self, name, ok, detail="", seconds=None):
        self.count += 1
        self.good &= bool(ok)
        (self.ok if ok else self.bad).append(name)

    def skip(self, name, why, seconds=None):
        self.count += 1
        self.skips.append((name, why))


class Made(Kernel):
    """A kernel whose guest ends as it is told."""

    def __init__(self, status, out="", console=""):
        super().__init__("arm64")
        self.end = status, out, console, "", ()
        self.config = {}

    def build(self, run):
        return True

    def options(self):
        return self.config

    def guest(self, script, limit, files=(), append="", share=None, clients=False, each=None):
        status, out, console, err, _ = self.end
        for line in out.splitlines():
            if each:
                each(line)
        return status, out, console, err


PANIC = "sysrq: Trigger a crash\nKernel panic - not syncing: sysrq triggered crash\n" \
        "Dumping ftrace buffer:\n sh-1 1.1: tracing_mark_write: the last words\nCall trace:\n"
DIES = "boot/dump-on-oops.tc"


def dying(status, console):
    run = Quiet()
    test_guest.boot_case(run, Made(status, console=console), DIES)
    return run.good


def ran(status, lines, cases, expected=None):
    run = Quiet()
    nothing = test_guest.NOTHING_TRACED
    out, n = "", 0
    for case, result in zip(cases, lines):
        # Each is followed by the check that nothing is left.
        out += f"[{n + 1}] {case}\t[{result}]\n[{n + 2}] {nothing}\t[PASS]\n"
        n += 2
    test_guest.ftracetest(run, Made(status, out + "@@ left:\nfinished\n"), cases, "x", expected or {}, 1)
    return run


def kunit_of(out, config, status=0):
    run, k = Quiet(), Made(status, out)
    k.config = config
    test_guest.kunit(run, k, set())
    return run


def kunit_out(suites, result="ok 1 a"):
    return "".join(f"@@ /sys/kernel/debug/kunit/{s}/results\nKTAP version 1\n1..1\n    1..1\n    {result}\n" for s in suites)


def rooms_checks():
    """A wrong edge is found whichever way it is made."""
    def included(**more):
        return [w for w in test_rooms.by_includes({"ring_buffer/internal.h": "", "ring_buffer/fast.h": '#include "internal.h"',
                "events/events.h": "", "output/output.h": "", "output/line_test.c": "", **more}) if w]

    def linked(user, used):
        return [w for w in test_rooms.by_symbols({user: (set(), {"f", "printk"}), used: ({"f"}, set())}) if w]

    yield "a room may include one below", not included(**{"events/a.c": '#include <linux/a.h>\n#include "../output/output.h"\n'})
    yield "but not one above", len(included(**{"output/a.c": '#include "events.h"\n#include  "../events/events.h"\n'})) == 1
    yield "nor what is inside of one below", len(included(**{"events/a.h": '# include "../ring_buffer/internal.h"'})) == 1
    yield "a suite may include both", not included(**{"output/a_test.c": '#include "../events/events.h"\n#include "../ring_buffer/internal.h"'})
    yield "a suite is included by nobody", len(included(**{"output/a.c": '#include "line_test.c"'})) == 1
    yield "rb_ functions are seen outside of the ring buffer", len(included(**{"events/a.c": "x = rb_size(1);	/* rb_leave() */"})) == 1
    yield "a room may link to one below", not linked("tracers/a.o", "function/sites/b.o")
    yield "but not to one above", len(linked("function/sites/b.o", "tracers/a.o")) == 1
    yield "nor to the top", len(linked("tracers/a.o", "init.o")) == 1
    yield "all link to the floor, which links to none", not linked("ring_buffer/a.o", "seq.o") and linked("seq.o", "ring_buffer/a.o")
    yield "no room links to a suite", len(linked("events/a.o", "ring_buffer/b_test.o")) == 1 and not linked("ring_buffer/b_test.o", "events/a.o")
    page = {"page": "``output/a.c`` and ``output/b.c`` have ``f()`` and ``g()``, ``elsewhere/c.c``"}
    yield "a page that names what is not there fails", \
        len(list(test_rooms.by_pages(page, {"output/a.c": "int f(void)"}))) == 2 and not list(test_rooms.by_pages(page, {"output/a.c": "f g", "output/b.c": ""}))
    run = Quiet()
    test_rooms.verdict(run, "x", lambda: test_rooms.by_symbols({"cellar/a.o": ({"f"}, set()), "tracers/a.o": (set(), {"f"})}), 99)
    yield "a folder that is no room fails", run.bad == ["x"]


TOLD = """@@ kept virtio
@@ before 10 100
@@ loaded a
@@ loaded b
@@ absent c modprobe: ERROR: could not insert 'c': No such device
@@ all 14 140
@@ off 0
@@ traced 140 20000
@@ gone a
@@ gone b
@@ left virtio 0 -
@@ after 10 100"""


def cloud_of(old="", new=""):
    run, seen = Quiet(), test_cloud.Seen()
    assert old in TOLD
    for line in TOLD.replace(old, new).splitlines() if old else TOLD.splitlines():
        seen.line(line)
    with contextlib.redirect_stdout(io.StringIO()):
        test_cloud.judge(run, seen, {"a": True, "b": False, "c": True})
    return run.good


def cloud_checks():
    yield "modules that come and go pass", cloud_of()
    yield "one that has no exit may stay, and what it uses", cloud_of(
        "@@ gone b\n@@ left virtio 0 -\n@@ after 10 100",
        "@@ left virtio 1 b,\n@@ left b 1 d,\n@@ left d 0 [permanent],\n@@ after 11 110")
    for what, old, new in (("an event that is off", "@@ off 0", "@@ off 1"), ("functions that are not traced", "traced 140", "traced 100"),
                           ("an empty trace", " 20000", " 0"), ("a module that the kernel cannot link", "No such device", "Unknown symbol in module"),
                           ("a refused unload", "@@ gone b", "@@ refused b\n@@ left b 0 -"), ("a module that something holds", "@@ gone b", "@@ left b 1 -"),
                           ("events that stay", "after 10", "after 11"), ("functions that stay", "after 10 100", "after 10 101"),
                           ("no module with events", "@@ loaded a\n", "")):
        yield f"{what} fails", not cloud_of(old, new)


def format_checks():
    fields = [("char *", "ptr"), ("char[16]", "comm")]
    yield "print formats are judged as in the kernel", \
        formats.check([("a", '"%s", REC->comm', fields), ("b", '"%s", REC->ptr', fields)]) == (2, 1, [])
    yield "one that is unsafe is told", "REC->ptr->name" in "".join(formats.check([("a", '"%s", REC->ptr->name', fields)])[2])


def series_checks():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, ".a.o.cmd"), "w") as f:
            f.write("deps_a.o := /tree/a.c /tree/include/linux/a.h \\\n")
        for what, changed, want in (("a header that was read", {"include/linux/a.h": "M"}, True), ("one that is gone", {"a.c": "D"}, True),
                                    ("one that nobody reads", {"include/linux/b.h": "M"}, False), ("a new Makefile", {"b/Makefile": "A"}, False),
                                    ("an old one", {"b/Makefile": "M"}, True), ("a new header that was looked for", {"include/linux/a.h": "A"}, True)):
            yield f"a patch builds for {what}: {want}", series.matters(folder, changed) == want


class Making(Kernel):
    """A kernel of whose objects only a.o is there."""

    def make(self, *targets):
        return subprocess.CompletedProcess(targets, 2, "x.h:1:2: error: no member\nmake[2]: *** [Makefile.build:1: b.o] Error 1\n"
                                           "make[1]: *** No rule to make target 'c.o'.  Stop.\n")


def users_checks():
    k = Making("arm64")
    with tempfile.TemporaryDirectory() as k.dir:
        open(os.path.join(k.dir, "a.o"), "w").close()
        got = test_users.failures(k, ["a.o", "b.o", "c.o"])
    yield "objects that fail, and those that make does not try, are seen", \
        got == {"b.o": "x.h:1:2: error: no member", "c.o": "was not made"}


def checks():
    cases = ["oracle/benchmark-module.tc", "oracle/direct-samples.tc"]
    known = {cases[1]: ("UNSUPPORTED", "later work")}
    yield "all pass", ran(0, ["PASS", "PASS"], cases).good
    got = ran(0, ["PASS", "UNSUPPORTED"], cases, known)
    yield "an expected UNSUPPORTED is skipped, with its reason", \
        got.good and got.skips == [(f"x ours-arm64 {cases[1]}: UNSUPPORTED", "later work")] and not any(cases[1] in n for n in got.ok)
    got = ran(0, ["PASS", "FAIL"], cases, {cases[1]: ("FAIL", "known")})
    yield "an expected FAIL is skipped", got.good and len(got.skips) == 1
    for word in test_guest.NEITHER + ("FAIL",):
        yield f"{word} that nobody expects fails", not ran(0, ["PASS", word], cases).good
    yield "a PASS that nobody expects fails", not ran(0, ["PASS", "PASS"], cases, known).good
    yield "a case that did not run fails", not ran(0, ["PASS"], cases).good
    yield "a guest that is stopped after its last case fails", not ran(STOPPED, ["PASS", "PASS"], cases).good
    yield "a [PASS] in a failed case's log is not a result", \
        not ran(0, ["FAIL]\n\t[PASS]\n[9 log\t[PASS", "PASS"], cases).good

    yield "a death that is wanted passes", dying(DIED, PANIC)
    yield "a hang where a death is wanted fails", not dying(STOPPED, PANIC)
    yield "an end without a panic fails", not dying(DIED, PANIC.replace("Kernel panic", "Kernel"))
    yield "two panics fail", not dying(DIED, PANIC + PANIC)
    yield "a lockup before the death fails", not dying(DIED, "watchdog: BUG: soft lockup - CPU#1 stuck\n" + PANIC)
    yield "no death where one is wanted fails", not dying(0, PANIC)
    yield "a complaint is seen beside a death", "KASAN" in splats("BUG: KASAN: use-after-free in x\n" + PANIC, DEATH)

    run = Quiet()
    test_guest.long_run(run, Made(1, "@@ storm passed\n"), "x", "", 1)
    yield "a long run is judged by its status", run.bad == ["x"]

    on = dict.fromkeys(["CONFIG_" + o for o in (
        "KUNIT RING_BUFFER TRACING EVENT_TRACING FUNCTION_TRACER TRACEPOINT_KUNIT_TEST RING_BUFFER_KUNIT_TEST "
        "PERF_EVENTS TRACER_SNAPSHOT TRACE_SNAPSHOT_KUNIT_TEST TRACE_INSTANCE_KUNIT_TEST TRACE_EVENTS_KUNIT_TEST TRACE_OUTPUT_KUNIT_TEST FUNCTION_TRACING_KUNIT_TEST "
        "BPF_JIT DYNAMIC_FTRACE_WITH_DIRECT_CALLS").split()], "y")
    suites = [s for s, off in test_guest.kunit_suites(on).items() if not off]
    yield "the suites of ours are known", {"ring_buffer", "trace_pid_list", "trace_nmi"} <= set(test_guest.kunit_suites(on))
    got = kunit_of(kunit_out(suites), on)
    yield "all suites there: passes", got.good
    yield "one that this kernel cannot have is skipped, with a reason", \
        len(got.skips) == 1 and "trace_nmi" in got.skips[0][0] and "CONFIG_TRACE_NMI" in got.skips[0][1]
    got = kunit_of(kunit_out(suites[1:]), on)
    yield "a suite that is not there fails", len(got.bad) == 1 and suites[0] in got.bad[0]
    lost = {o: v for o, v in on.items() if "RING_BUFFER_K" not in o}
    off = [s for s, o in test_guest.kunit_suites(lost).items() if o and "RING_BUFFER_K" in o]
    got = kunit_of(kunit_out([s for s in suites if s not in off]), lost)
    yield "suites whose option got lost fail", "ring_buffer" in off and len(got.bad) == len(off)
    got = kunit_of(kunit_out(suites, "ok 1 a # SKIP no NMI here"), on)
    yield "KUnit's skip is skipped, with its reason", got.skips[:1] and got.skips[0][1] == "no NMI here" and not any(".a" in n for n in got.ok)
    yield "a suite that ended half-way fails", not kunit_of(kunit_out(suites).replace("    1..1", "    1..2"), on).good
    yield "a guest that dies after the suites fails", not kunit_of(kunit_out(suites), on, DIED).good

    config = {"CONFIG_A": "y"}
    objects = test_guest.makefile_objects("obj-$(CONFIG_A) += a.o\nifdef CONFIG_B\nobj-$(CONFIG_A) += b.o\nendif\nobj-y += \\\n c.o\n", config)
    yield "Makefiles are read", objects == {"a.o": None, "b.o": "CONFIG_B", "c.o": None}

    k = Kernel("arm64")
    sums = {k.fingerprint(c) for c in ((), {"a.tc"}, {"a.tc", "b.tc"})}
    yield "the cases asked for are in the key of what passed", len(sums) == 3
    seen = [os.path.relpath(p, TOP) for p in k.inputs()]
    for path in "kernel/trace/init.c", "configs/expectations", "scripts/guest", "build/base/version":
        yield f"{path} is in it", path in seen

    k = Kernel("x86_64")
    with tempfile.TemporaryDirectory() as k.dir:
        for file, text in ("fragment", "CONFIG_A=y\nCONFIG_TRACE_NMI_KUNIT_TEST=y\n"), ("fragment.lost", "CONFIG_A=y\n"):
            with open(os.path.join(k.dir, file), "w") as f:
                f.write(text)
        yield "a lost option is seen", k.lost() == ["CONFIG_A: lost"]
        k.kernel = "base"
        yield "and one that is not lost any more", k.lost()[1:] == ["CONFIG_TRACE_NMI_KUNIT_TEST: took, but is in configs/lost"]

    yield from rooms_checks()
    yield from cloud_checks()
    yield from format_checks()
    yield from series_checks()
    yield from users_checks()

    totals = Run.passed, Run.failed, Run.reasons
    with Run.lock, contextlib.redirect_stdout(io.StringIO()):
        Run.passed, Run.failed, Run.reasons = 0, 0, {}
        run = Run()
        run.result("a", True)
        run.result("b", False)
        run.skip("c", "why")
        run.skip("d", "why")
        last = Run.totals().splitlines()
        Run.passed, Run.failed, Run.reasons = totals
    yield "the last line", last[-1] == "1 passed, 1 failed, 2 skipped" and last[0] == "skipped, 2: why (c, d)"


def counting(run, k, cases):
    """Totals, keys and ends of guests, without one."""
    wrong, n = [], 0
    for what, ok in checks():
        n += 1
        wrong += [] if ok else [what]
    run.result(f"counting: {n} checks of how tests are counted", not wrong, "\n".join(wrong))
