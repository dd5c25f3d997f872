# SPDX-License-Identifier: GPL-2.0-only
"""Group `counting`: that the tests count what they should, shown on guests that are made up."""
import contextlib, io, os, random, re, struct, subprocess, tempfile, time
from unittest import mock

import filter_model, formats, series, test_cloud, test_guest, test_rooms, test_users
from test_kernel import ASKED, DEATH, DIED, STOPPED, Kernel, splats, typed
from test_run import TOP, Patient, Run, selftest_files


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

    @staticmethod
    def say(text):
        pass


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

    def guest(self, script, limit, files=(), append="", share=None, clients=False, each=None, types=(), turns=False):
        status, out, console, err, _ = self.end
        for line in out.splitlines():
            if each:
                each(line)
        return status, out, console, err


def whole_again(*tries):
    """A group that is tried again whole: each try is the names that fail in it."""
    run, left = Quiet(), iter(tries)

    def group(run):
        bad = next(left)
        for name in ("a", "b", "no splat on the console"):
            run.result(name, name not in bad, name)

    patient = Patient(run)
    group(patient)
    patient.settle(group)
    return len(run.ok), len(run.bad), len(run.skips)


PANIC = "sysrq: Trigger a crash\nKernel panic - not syncing: sysrq triggered crash\n" \
        "Dumping ftrace buffer:\n sh-1 1.1: tracing_mark_write: the last words\nCall trace:\n"
DIES = "boot/dump-on-oops.tc"


def dying(status, console):
    run = Quiet()
    test_guest.boot_case(run, Made(status, console=console), DIES)
    return run.good


def needing(config, arch="arm64", flavour="test"):
    """A boot case that needs options: did it pass, fail, or was it skipped?"""
    run, k = Quiet(), Made(0)
    k.arch, k.flavour, k.config = arch, flavour, dict.fromkeys(config, "y")
    test_guest.boot_case(run, k, "boot/ring-buffer-recursion.tc")
    return len(run.ok), len(run.bad), len(run.skips)


def long_case(case, asked=(), load=None):
    """Is a case that is long run, is it skipped?"""
    ran, run = [], Quiet()
    env = {k: v for k, v in os.environ.items() if k != "LOAD_SECONDS"} | ({"LOAD_SECONDS": load} if load else {})
    with mock.patch.dict(os.environ, env, clear=True), mock.patch.object(test_guest, "boot_case"), \
            mock.patch.object(test_guest, "ftracetest", lambda run, k, cases, *rest, **more: ran.extend(cases)):
        test_guest.own(run, Made(0), set(asked))
    return case in ran, case in " ".join(name for name, _ in run.skips)


def long_instance(load=None):
    """The cases that are not run in an instance as well, and how many are skipped for it."""
    found, run = [], Quiet()
    env = {k: v for k, v in os.environ.items() if k != "LOAD_SECONDS"} | ({"LOAD_SECONDS": load} if load else {})
    with mock.patch.dict(os.environ, env, clear=True), mock.patch.object(test_guest, "boot_case"), \
            mock.patch.object(test_guest, "ftracetest", lambda *args, once, turns: found.extend(once)):
        test_guest.own(run, Made(0), set())
    return found, len([n for n, _ in run.skips if n.endswith(" (instance)")])


def answers(prompts):
    """What is typed when the console has so many prompts."""
    with tempfile.NamedTemporaryFile("w") as console, typed(console.name, ["a", "b"]) as pipe:
        console.write("[0]kdb> \n" * prompts)
        console.flush()
        with open(pipe, "rb", buffering=0) as keyboard:
            os.set_blocking(keyboard.fileno(), False)
            got, until = b"", time.time() + 3
            while time.time() < until and got.count(b"\r") < prompts:
                got += keyboard.read(64) or b""
                time.sleep(0.05)
            return got


def printed(results, left="PASS"):
    """What ftracetest says of (case, result), with the check that nothing is left where it comes."""
    rows = []
    for i, row in enumerate(results, 1):
        rows.append(row)
        if i == len(results) or i % test_guest.CHECKED_TOGETHER == 0:
            rows.append((test_guest.NOTHING_TRACED, left))
    return "".join(f"[{n}] {case}\t[{result}]\n" for n, (case, result) in enumerate(rows, 1))


def ran(status, lines, cases, expected=None, once=(), **more):
    run = Quiet()
    out = printed(list(zip(cases, lines)), **more)
    test_guest.ftracetest(run, Made(status, out + "@@ left:\nfinished\n"), cases, "x", expected or {}, 1, once=once)
    return run


def tried_again(ends, many=True, splat=""):
    """A first guest in which one of several cases fails, and what its second try does in one more."""
    run = Quiet()
    cases = [f"oracle/{n}.tc" for n in ("markers", "clocks", "accounting", "options")][:4 if many else 2]
    first = printed([(c, "PASS" if i else "FAIL") for i, c in enumerate(cases)])
    again = printed([(cases[0], r) for r in ends])
    # what an instance repeats comes behind all others
    marks = [c for c in cases if any("instance" in f for f in test_guest.header(TOP, c, "flags"))]
    first += "".join(f"[{len(cases) + 2 + i}] {c}\t[PASS]\n" for i, c in enumerate(marks))
    again += "".join(f"[{4 + i}] {c}\t[PASS]\n" for i, c in enumerate([cases[0]] * 2 if cases[0] in marks else []))
    k = Made(0, first + "@@ left:\nfinished\n", splat)
    ends = iter([k.end, (0, again + "@@ left:\nfinished\n", "", "", ())])
    guest = k.guest

    def next_guest(*args, **more):
        k.end = next(ends)
        return guest(*args, **more)

    k.guest = next_guest
    test_guest.ftracetest(run, k, cases, "x", {}, 1)
    return len(run.skips), len([n for n in run.bad if "expected" in n])


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

    def linked(user, used, anywhere=()):
        return [w for w in test_rooms.by_symbols({user: (set(), {"f", "printk"}), used: ({"f"}, set())}, anywhere) if w]

    yield "a room may include one below", not included(**{"events/a.c": '#include <linux/a.h>\n#include "../output/output.h"\n'})
    yield "but not one above", len(included(**{"output/a.c": '#include "events.h"\n#include  "../events/events.h"\n'})) == 1
    yield "nor what is inside of one below", len(included(**{"events/a.h": '# include "../ring_buffer/internal.h"'})) == 1
    yield "a suite may include both", not included(**{"output/a_test.c": '#include "../events/events.h"\n#include "../ring_buffer/internal.h"'})
    yield "a suite is included by nobody", len(included(**{"output/a.c": '#include "line_test.c"'})) == 1
    yield "rb_ functions are seen outside of the ring buffer", len(included(**{"events/a.c": "x = rb_size(1);	/* rb_leave() */"})) == 1
    yield "a room may link to one below", not linked("tracers/a.o", "function/sites/b.o")
    yield "but not to one above", len(linked("function/sites/b.o", "tracers/a.o")) == 1
    yield "nor to the top", len(linked("tracers/a.o", "init.o")) == 1
    yield "but for what is called wherever interrupts go off", not linked("tracers/a.o", "init.o", {"f"}) and \
        {"trace_hardirqs_on", "trace_hardirqs_off"} <= test_rooms.called_anywhere() and "register_ftrace_function" not in test_rooms.called_anywhere()
    yield "all link to the floor, which links to none", not linked("ring_buffer/a.o", "seq.o") and linked("seq.o", "ring_buffer/a.o")
    yield "no room links to a suite", len(linked("events/a.o", "ring_buffer/b_test.o")) == 1 and not linked("ring_buffer/b_test.o", "events/a.o")
    page = {"page": "``output/a.c`` and ``output/b.c`` have ``f()`` and ``g()``, ``elsewhere/c.c``"}
    yield "a page that names what is not there fails", \
        len(list(test_rooms.by_pages(page, {"output/a.c": "int f(void)"}))) == 2 and not list(test_rooms.by_pages(page, {"output/a.c": "f g", "output/b.c": ""}))
    quote = "From ``a/b.c``::\n\n\tint f(void)\n\t{\n\t...\n\t}\n\nand so on"
    yield "what a page quotes has to be there", not list(test_rooms.by_examples("page", quote, {"a/b.c": "int f(void)\n{\n\tg();\n}\n"})) and \
        len(list(test_rooms.by_examples("page", quote, {"a/b.c": "int f(int)\n{\n}\n"}))) == 1
    code = {"a/b.c": "static DEFINE_MUTEX(one_mutex);\nDEFINE_RAW_SPINLOCK(two_lock);\n\tstatic DEFINE_MUTEX(lock);\n", "a/b_test.c": "DEFINE_MUTEX(t);\n"}
    for table, wrong in ("``one_mutex`` ``two_lock``", 0), ("``one_mutex``", 1), ("``one_mutex`` ``two_lock`` ``old_mutex``", 1):
        yield f"locks in the table, {table}: {wrong} wrong", \
            len(list(test_rooms.by_locks("page", f"\nLocks\n{table}\nContexts\n", code))) == wrong
    names = ["Documentation/trace/a.rst", "Documentation/trace/b.rst"]
    yield "pages in the index", not list(test_rooms.by_index(names, "+   a\n", "   b\n")) and \
        len(list(test_rooms.by_index(names, "-   a\n+   a-b\n", "   b\n"))) == 1
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
    yield "at the ends is what the first patch leaves, not the base", series.states_at_ends(["base", "a", "b", "c"]) == {"a", "c"}
    for subject, why, _ in series.TOPICS:
        yield f"'{subject}' says why it is there", len(why) >= 70


FORMAT = """== a/b
ID: 7
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:char comm[4];	offset:8;	size:4;	signed:0;
	field:short n;	offset:12;	size:2;	signed:1;
	field:__data_loc char[] name;	offset:16;	size:4;	signed:0;
"""


def filter_checks():
    event, = filter_model.formats(FORMAT).values()
    world = filter_model.World(2, {5: "me"}, "1000 t f\n1010 T g\n1020 T h\n")

    def record(n, comm=b"ab", name=b"long", flags=0, pid=5):
        data = struct.pack("<HBBi4shxxI", 7, flags, 0, pid, comm, n, len(name) + 1 << 16 | 20) + name + b"\0"
        return filter_model.Record(event, 0, 1, data)
    maker = filter_model.Maker(random.Random(1), event, [record(1)], world, True)

    def number(op, value):
        return filter_model.Test(f"n {op} {value}", lambda r, w: filter_model.COMPARE[op](event.by_name["n"].number(r.data), value), {"n"})

    def judged(without, passed, tree=number("<", 0)):
        return bool(filter_model.compare(event, "n < 0", tree, without, passed, world))

    one, two = record(-1), record(1)
    yield "what a filter lets through is taken from the records", not judged([one, two, one], [one, one])
    yield "one too few is told", judged([one, two, one], [one])
    yield "one too many is told", judged([one, two], [one, two])
    yield "one that was not there is told", judged([two], [one])
    comm = filter_model.Test("COMM == me", lambda r, w: None if w.comm(r) is None else w.comm(r) == "me", {"COMM"})
    other = record(1, pid=9)
    yield "what cannot be known may be either", not judged([two, other], [two], comm) and not judged([two, other], [two, other], comm)
    flags = filter_model.Test("common_flags & 4", lambda r, w: bool(r.data[2] & 4), {"common_flags"})
    yield "a flag that comes and goes as well", filter_model.verdict(flags, one, world) is None
    yield "strings end at the NUL", event.by_name["comm"].string(one.data) == "ab" and event.by_name["name"].string(one.data) == "long"
    yield "constants are of the field's type", event.by_name["n"].fits(65535) == -1 and event.by_name["common_type"].fits(-1) == 65535
    yield "patterns", all(filter_model.glob_matches(p, "abc") for p in ("a*", "*b*", "a?c", "[a-f]bc", "*")) and \
        not any(filter_model.glob_matches(p, "abc") for p in ("b*", "a?", "[d-f]bc", ""))
    yield "a function is all of it", world.function(0x1015) == (0x1010, 0x1020) and world.function(0x2000) is None
    a, b, c = (number("==", i) for i in range(3))
    tree = filter_model.Join("||", [a, filter_model.Join("&&", [b, filter_model.Join("||", [b, c])])])
    maker.random.random = lambda: .5
    maker.random.choice = lambda x: x[0]
    yield "parentheses are there where the order wants them", maker.text(tree) == "n == 0||n == 1&&(n == 1||n == 2)"


def filter_rounds():
    """A page as trace_pipe_raw gives it."""
    event, = filter_model.formats(FORMAT).values()
    body = struct.pack("<HBBi4shxxI", 7, 0, 0, 5, b"ab", 1, 0)
    words = struct.pack("<I", 5 << 5 | 5) + body + struct.pack("<III", 1 << 5 | 30, 1, 2 << 5 | 0) + struct.pack("<I", 24) + body \
        + struct.pack("<II", 29 | 32, 4) + struct.pack("<I", 3 << 5 | 5) + body
    page = struct.pack("<QQ", 1000, len(words)) + words

    def pieces(since, commit=0):
        times = struct.pack("<QQ", since, 1 << 40)
        lost = bytearray(page)
        lost[11] |= commit
        return struct.pack("<III", 0xffffffff, 0, 16) + times + struct.pack("<III", 3, 0, len(page)) + bytes(lost)
    found = filter_model.round_records(pieces(0), {"a/b": event})
    yield "records of a page, with their times", [r.time for r in found[3]] == [1005, 1008 + (1 << 27), 1011 + (1 << 27)]
    yield "those before the round are left out", len(filter_model.round_records(pieces(1005), {"a/b": event})[3]) == 2
    try:
        filter_model.round_records(pieces(0, 0x80), {"a/b": event})
        yield "lost records are told", False
    except filter_model.Lost:
        yield "lost records are told", True


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
    many = [c for c in selftest_files(TOP) if not test_guest.header(TOP, c, "flags")][:test_guest.CHECKED_TOGETHER + 1]
    yield "many pass, with the checks between them", ran(0, ["PASS"] * len(many), many).good
    yield "a call site that is left patched fails", ran(0, ["PASS"] * len(many), many, left="FAIL").bad == \
        ["x ours-arm64: no call site is left patched after any of them"]
    storm = "overlay/tracers-storm.tc"
    once, skipped = long_instance()
    yield "what is long in an instance is skipped there, and run in test-all", \
        "oracle/hist.tc" in once and len(once) == skipped and long_instance(load="300") == ([], 0)
    case = ["oracle/clocks.tc"]
    yield "a case that says that it runs in an instance does, or all of it did not run", \
        ran(0, ["PASS"], case).bad != [] and ran(0, ["PASS"], case, once=case).bad == []
    yield "a long case is skipped, and run in test-all or when it is asked for", long_case(storm) == (False, True) and \
        long_case(storm, load="300") == (True, False) and long_case(storm, asked=[storm]) == (True, False)
    import test as whole        # here, as it imports what runs this
    groups = {g.__name__ for g in whole.chosen_groups(["kunit", *case], set(case), False)}
    yield "cases are run beside the groups that are named", groups == {"kunit", "selftests", "own", "clients"}
    yield "a guest that is stopped after its last case fails", not ran(STOPPED, ["PASS", "PASS"], cases).good
    yield "a [PASS] in a failed case's log is not a result", \
        not ran(0, ["FAIL]\n\t[PASS]\n[9 log\t[PASS", "PASS"], cases).good

    yield "what fails and then passes twice is skipped, as unsteady", tried_again(["PASS", "PASS"]) == (1, 0)
    yield "what fails again fails", tried_again(["PASS", "FAIL"]) == (0, 1)
    yield "what does not end when tried again fails", tried_again(["PASS"]) == (0, 1)
    yield "of few cases none is tried again", tried_again(["PASS", "PASS"], many=False) == (0, 1)
    yield "nor in a guest that is not well", tried_again(["PASS", "PASS"], splat="WARNING: x\n") == (0, 1)
    yield "a group that fails and then passes twice is unsteady", whole_again("a", "", "") == (2, 0, 1)
    yield "a group that fails again fails", whole_again("a", "", "b") == (2, 1, 0)
    yield "a splat is not tried again", whole_again(["a", "no splat on the console"]) == (1, 2, 0)
    yield "a death that is wanted passes", dying(DIED, PANIC)
    yield "a hang where a death is wanted fails", not dying(STOPPED, PANIC)
    yield "an end without a panic fails", not dying(DIED, PANIC.replace("Kernel panic", "Kernel"))
    yield "two panics fail", not dying(DIED, PANIC + PANIC)
    yield "a lockup before the death fails", not dying(DIED, "watchdog: BUG: soft lockup - CPU#1 stuck\n" + PANIC)
    yield "no death where one is wanted fails", not dying(0, PANIC)
    both = ["CONFIG_RING_BUFFER_RECORD_RECURSION", "CONFIG_RING_BUFFER_KUNIT_TEST"]
    yield "a boot case runs where all is that it needs", needing(both, flavour="debug") == (1, 0, 0)
    yield "it is skipped where configs/lost says why it is not", needing(both[1:]) == (0, 0, 1)
    yield "and fails where nothing does", needing(both[:1]) == (0, 1, 0)
    yield "each prompt of kdb has its answer", answers(1) == b"a\r" and answers(2) == b"a\rb\r"
    yield "a complaint is seen beside a death", "KASAN" in splats("BUG: KASAN: use-after-free in x\n" + PANIC, DEATH)

    run = Quiet()
    test_guest.long_run(run, Made(1, "@@ storm passed\n"), "x", "", 1)
    yield "a long run is judged by its status", run.bad == ["x"]

    on = dict.fromkeys(["CONFIG_" + o for o in (
        "KUNIT RING_BUFFER RING_BUFFER_VALIDATE_TIME_DELTAS TRACING EVENT_TRACING FUNCTION_TRACER TRACEPOINT_KUNIT_TEST RING_BUFFER_KUNIT_TEST "
        "PERF_EVENTS TRACER_SNAPSHOT TRACE_SNAPSHOT_KUNIT_TEST TRACE_INSTANCE_KUNIT_TEST TRACE_EVENTS_KUNIT_TEST TRACE_OUTPUT_KUNIT_TEST FUNCTION_TRACING_KUNIT_TEST "
        "TRACE_PROBES_KUNIT_TEST TRACE_SYNTH_KUNIT_TEST FPROBE_KUNIT_TEST HIST_TRIGGERS_KUNIT_TEST DYNAMIC_EVENTS PROBE_EVENTS SYNTH_EVENTS FPROBE HIST_TRIGGERS "
        "BPF_JIT DYNAMIC_FTRACE_WITH_DIRECT_CALLS STACK_TRACER TRACER_MAX_TRACE HWLAT_TRACER OSNOISE_TRACER TRACE_NOISE_KUNIT_TEST").split()], "y")
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
    sums = {k.fingerprint(c) for c in ((), {"a.tc"})}
    yield "the cases asked for are in the key of what passed", len(sums) == 2
    yield "more of them are another key", k.asked({"a.tc"}) != k.asked({"a.tc", "b.tc"})
    plain = k.asked()
    for name in ASKED:
        with mock.patch.dict(os.environ, {name: "7000"}):
            yield f"{name} is in it", k.asked() != plain
    read = set()
    for name in os.listdir(os.path.join(TOP, "scripts")):
        if name.startswith("test_") and name.endswith(".py"):
            with open(os.path.join(TOP, "scripts", name)) as f:
                read |= set(re.findall(r'environ\.get\("(\w+)"', f.read()))
    yield "and so is all that groups read of the environment", read == set(ASKED)
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
    yield from filter_checks()
    yield from filter_rounds()

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
