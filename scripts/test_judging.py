# SPDX-License-Identifier: GPL-2.0-only
"""Group `counting`: that what judges files, records, modules and objects does, shown on some that are made up."""
import contextlib, io, os, pty, random, re, shutil, signal, struct, subprocess, sys, tempfile, time
from unittest import mock

import filter_model, formats, overlay, series, test_cloud, test_host, test_load, test_recipes, test_rooms, test_run, test_users
from test_kernel import Kernel, splats
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

    @staticmethod
    def say(text):
        pass


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
    private = {"function/filters/internal.h": "struct trace_function {\n};\nstatic inline struct trace_function *\nfunction_at(void)\n{\n}\n",
               "function/filters/function_ops.h": '#include "internal.h"'}
    uses = ("struct trace_function *fn;", "x = container_of(op, struct trace_function, ops);", "f(function_at()->list)", '#include "../function/filters/internal.h"')
    yield "nor looks at it by another header, or another name of it", \
        all(len(included(**private, **{"tracers/function.c": use})) == 1 for use in uses)
    yield "its own room may, and a suite, and a comment", not included(**private, **{"function/filters/a.c": uses[0], "tracers/a_test.c": uses[0] + uses[2],
        "tracers/a.c": "/* struct trace_function */ struct trace_functions f; function_at_all();"})
    yield "a suite may include both", not included(**{"output/a_test.c": '#include "../events/events.h"\n#include "../ring_buffer/internal.h"'})
    yield "a suite is included by nobody", len(included(**{"output/a.c": '#include "line_test.c"'})) == 1
    yield "rb_ functions are seen outside of the ring buffer", len(included(**{"events/a.c": "x = rb_size(1);	/* rb_leave() */"})) == 1
    at = "return tr->room[ROOM_%s];"
    yield "a room's pointer is named in its folder", not included(**{"events/a.c": at % "EVENTS", "function/filters/a.h": at % "FUNCTION"})
    yield "and nowhere else", len(included(**{"hist/a.c": at % "EVENTS" + at % "HIST", "function/graph/a.h": at % "FUNCTION"})) == 2
    yield "who carries a slot sees its ring", not included(**{"record/a.c": "f(slot.ring, slot->sub);", "output/a_test.c": "slot.tail"})
    yield "others do not", len(included(**{"hist/a.c": "f(b->slot.ring, slot->tail); /* slot.sub */ slot.data"})) == 2
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
    rows = "\nWho owns a file\n``on`` (top)  ``a/b.c``, ``a/c.c``\n``per_cpu/cpuN/k_profile``  ``a/c.c``\n\nElsewhere:\n"
    yield "who owns a file has its name", not list(test_rooms.by_files("page", rows, {"a/b.c": '"on"', "a/c.c": '"%s_profile"'})) and \
        len(list(test_rooms.by_files("page", rows, {"a/b.c": "on", "a/c.c": '"on"'}))) == 2
    for made, wrong in ('file("on", 0', 0), ('cpu_file("on"', 1), ('file(\n"off"', 1), ('cpu_file("k_profile"', 1), ('file(name', 0):
        yield f"a file that is made has a row: {made}", wrong == \
            len(list(test_rooms.by_files("page", rows, {"a/b.c": f'"on" trace_create_{made});', "a/c.c": '"%s_profile"'})))
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
    with contextlib.redirect_stdout(io.StringIO()), tempfile.TemporaryDirectory() as folder:
        test_cloud.judge(run, seen, {"a": True, "b": False, "c": True}, folder + "/loaded")
    return run.good


def cloud_image(built, *installed):
    """Is what is @built, and booted, what is @installed?"""
    k = Kernel("x86_64", "ours", "cloud")
    with tempfile.TemporaryDirectory() as k.dir:
        for path, text in [("arch/x86/boot/bzImage", built), *((f"mods/boot/vmlinuz-6.12.{i}", t) for i, t in enumerate(installed))]:
            os.makedirs(os.path.join(k.dir, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(k.dir, path), "w") as f:
                f.write(text)
            os.utime(f.name, (1, 1))
        return test_cloud.installs_booted(k)


def cloud_checks():
    yield "what is booted is what the package has", cloud_image("one", "one")
    yield "and not another image, none or one of two", not any((cloud_image("one", "two"), cloud_image("one"), cloud_image("one", "one", "one")))
    yield "modules that come and go pass", cloud_of()
    yield "one that has no exit may stay, and what it uses", cloud_of(
        "@@ gone b\n@@ left virtio 0 -\n@@ after 10 100",
        "@@ left virtio 1 b,\n@@ left b 1 d,\n@@ left d 0 [permanent],\n@@ after 11 110")
    yield "one that its own sockets hold, too", cloud_of(
        "@@ gone b\n@@ left virtio 0 -\n@@ after 10 100", "@@ left virtio 1 b,\n@@ left b 1 sctp,\n@@ left sctp 2 -\n@@ after 11 110")
    for what, old, new in (("an event that is off", "@@ off 0", "@@ off 1"), ("functions that are not traced", "traced 140", "traced 100"),
                           ("an empty trace", " 20000", " 0"), ("a module that the kernel cannot link", "No such device", "Unknown symbol in module"),
                           ("a refused unload", "@@ gone b", "@@ refused b\n@@ left b 0 -"), ("a module that something holds", "@@ gone b", "@@ left b 1 -"),
                           ("events that stay", "after 10", "after 11"), ("functions that stay", "after 10 100", "after 10 101"),
                           ("no module with events", "@@ loaded a\n", "")):
        yield f"{what} fails", not cloud_of(old, new)
    yield "one module of many is too few", not cloud_of("@@ loaded b\n", "@@ absent b x: Operation not supported\n")
    with tempfile.TemporaryDirectory() as folder:
        runs = (40, 100), (80, 100), (73, 100), (60, 100), (36, 50)
        few = [bool(test_cloud.too_few(*run, folder + "/loaded")) for run in runs]
        yield "as are less than nine tenths of the last run's", few == [True, False, False, True, False]


def format_checks():
    fields = [("char *", "ptr"), ("char[16]", "comm")]
    yield "print formats are judged as in the kernel", \
        formats.check([("a", '"%s", REC->comm', fields), ("b", '"%s", REC->ptr', fields)]) == (2, 1, [])
    yield "one that is unsafe is told", "REC->ptr->name" in "".join(formats.check([("a", '"%s", REC->ptr->name', fields)])[2])


def series_unpacks(*words):
    """Whether scripts/series.py, told so, asks for the base to be unpacked."""
    with mock.patch.object(series, "unpacked", side_effect=SystemExit("unpacked")), \
            mock.patch.object(sys, "argv", ["series.py", *words, "/none"]), contextlib.redirect_stdout(io.StringIO()):
        try:
            series.main()
        except SystemExit as end:
            return end.code == "unpacked"


def series_checks():
    yield "the base is unpacked for who names no other, and for builds", \
        series_unpacks() and series_unpacks("--base", "/none", "--build", "ends") and \
        not series_unpacks("--base", "/none")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, ".a.o.cmd"), "w") as f:
            f.write("deps_a.o := /tree/a.c /tree/include/linux/a.h \\\n")
        for what, changed, want in (("a header that was read", {"include/linux/a.h": "M"}, True), ("one that is gone", {"a.c": "D"}, True),
                                    ("one that nobody reads", {"include/linux/b.h": "M"}, False), ("a new Makefile", {"b/Makefile": "A"}, False),
                                    ("an old one", {"b/Makefile": "M"}, True), ("a new header that was looked for", {"include/linux/a.h": "A"}, True)):
            yield f"a patch builds for {what}: {want}", series.matters(folder, changed) == want
    yield "at the ends is what the first patch leaves, not the base", series.states_at_ends(["base", "a", "b", "c"]) == {"a", "c"}
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"HOME": folder, "GIT_DIR": folder + "/his"}):
        with open(folder + "/.gitconfig", "w") as f:
            f.write("[diff]\n\tnoprefix = true\n[format]\n\tattach = x\n")
        series.pristine(folder + "/work", TOP, {"manifest"})
        patch = series.git(folder + "/work", "format-patch", "--root", "--stdout", "HEAD").stdout
        yield "the user's git has no part in it", b"diff --git a/manifest b/manifest" in patch and not os.path.exists(folder + "/his")
    for subject, why, *_ in [*series.small_changes(), *series.TOPICS]:
        yield f"'{subject}' says why it is there", len(why) >= 70 and ": " in subject


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
    world = filter_model.World(2, {5: "me"}, "0 A per_cpu\n1000 t f\n1010 T g\n1020 T h\n")

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
    yield "a function is all of it", world.function(0x1015) == (0x1010, 0x1020) and \
        world.function(0x2000) is None and world.function(0x10) is None
    others = [maker.of_others() for _ in range(300)]
    lefts = {re.match(r"\w+", o.text)[0] for o in others}
    yield "numbers are compared with each other, what is common on the right only", \
        lefts == {"n", "CPU", "cpu", "common_cpu", "tgid"} and any(o.asks("common_pid") for o in others)
    yield "it is known whose tgid is", all(o.says(one, world) in (True, False) for o in others) and \
        all((o.says(other, world) is None) == o.asks("tgid") for o in others)
    plain = filter_model.Maker(random.Random(1), event, [one], world, False)
    yield "the base is not asked for that", maker.of_others in maker.makers and plain.of_others not in plain.makers
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
    """A kernel of whose objects only a.o is there, and whose base cannot be prepared."""

    def make(self, *targets):
        if targets == ("modules_prepare",):
            return subprocess.CompletedProcess(targets, self.kernel == "base", "No space left on device\n")
        return subprocess.CompletedProcess(targets, 2, "x.h:1:2: error: no member\nmake[2]: *** [Makefile.build:1: b.o] Error 1\n"
                                           "make[1]: *** No rule to make target 'c.o'.  Stop.\n")


def users_checks():
    k = Making("arm64")
    with tempfile.TemporaryDirectory() as k.dir:
        open(os.path.join(k.dir, "a.o"), "w").close()
        got = test_users.failures(k, ["a.o", "b.o", "c.o"])
    yield "objects that fail, and those that make does not try, are seen", \
        got == {"b.o": "x.h:1:2: error: no member", "c.o": "was not made"}
    run = Quiet()
    with mock.patch.object(test_users, "Kernel", Making), mock.patch.object(test_users, "sources", lambda *of: ["b.c"]):
        test_users.users(run, k, ())
    yield "a base that is not ready excuses nothing", run.bad == ["users arm64: modules_prepare of the base"]


def overlay_checks():
    with tempfile.TemporaryDirectory() as folder:
        for path in "base/kernel/a.c", "top/manifest", "tree.new/kernel/half.c":
            os.makedirs(os.path.join(folder, os.path.dirname(path)), exist_ok=True)
            open(os.path.join(folder, path), "w").close()
        subprocess.run([sys.executable, overlay.__file__, "--link", *(os.path.join(folder, n) for n in ("top", "base", "tree"))], check=True)
        yield "what an interrupted run left is not taken for a tree", os.listdir(os.path.join(folder, "tree/kernel")) == ["a.c"]


def checkpatch_checks():
    for what, status, said, kept in ("nothing", 0, "", True), ("a word", 1, "Kconfig:1: CHECK:X: y\ntotal: 1\n", True), \
            ("an interrupt", -2, "", False), ("a broken perl", 2, "Can't locate\n", False), ("a word on no file", 1, "No typos will be found\n", False):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(test_host, "BUILD", folder), mock.patch.object(test_host, "TOP", folder), \
                mock.patch.object(test_host, "subprocess", mock.Mock(run=lambda *of, **more: subprocess.CompletedProcess(of, status, said))):
            open(os.path.join(folder, "Kconfig"), "w").close()
            told = test_host.checkpatch_of(["Kconfig"])
            yield f"checkpatch: {what} is kept: {kept}", os.path.isdir(folder + "/kept") == kept and bool(told) == (not kept or bool(said))


def stepped(job, wait=None, tty=False, first="", last=""):
    """A script with one long step, @job, in a folder of its own, interrupted as by Ctrl-C when "$build/on" is there: its status,
    what it said, what is left of its process group. What is expected of it the @first time, and what the @last one took."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(folder + "/scripts")
        shutil.copy(os.path.join(TOP, "scripts/lib.sh"), folder + "/scripts/")
        with open(folder + "/scripts/x.sh", "w") as f:
            f.write(f'. "$(dirname "$0")/lib.sh"\njob() {{\n{job}\n}}\n{first} step "a step" "$build/log" job\nexit $?\n')
        if last:
            os.makedirs(folder + "/build/times")
            with open(folder + "/build/times/a_step", "w") as f:
                f.write(last + "\n")
        ours, theirs = pty.openpty() if tty else os.pipe()
        done = subprocess.Popen(["sh", folder + "/scripts/x.sh"], stdout=theirs, stderr=theirs, start_new_session=True,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        os.close(theirs)
        until = time.time() + 20
        while wait and time.time() < until and not os.path.exists(folder + "/build/on"):
            time.sleep(0.05)
        if wait:
            os.killpg(done.pid, signal.SIGINT)
        said = b""
        with contextlib.suppress(OSError):     # what a terminal says at its end
            while more := os.read(ours, 4096):
                said += more
        os.close(ours)
        status = done.wait()
        with contextlib.suppress(ProcessLookupError):
            while time.time() < until:
                os.killpg(done.pid, 0)
                time.sleep(0.05)
            os.killpg(done.pid, signal.SIGKILL)
            return status, said.decode(), False
        return status, said.decode(), True


def of_lib(command, **env):
    """What a shell function of scripts/lib.sh says."""
    return subprocess.run(["sh", "-c", f". scripts/lib.sh; {command}", "scripts/x"], cwd=TOP, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **{k: str(v) for k, v in env.items()}}).stdout


def left_after(seconds, now, lines, last):
    """A step whose log has so many lines @now, of @lines the last time, when it took @last seconds."""
    with tempfile.NamedTemporaryFile("w") as log:
        log.write("x\n" * now)
        log.flush()
        return of_lib("step_left", step_t=seconds, step_log=log.name, step_lines=lines, step_last=last)


def first_build(options, cpus):
    """Seconds that one is expected to take."""
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/.config", "w") as f:
            f.write("".join(f"CONFIG_A{i}={'ym'[i % 2]}\n# CONFIG_B{i} is not set\nCONFIG_C{i}=\"m\"\n" for i in range(options)))
        return int(of_lib("first_build", dir=folder, JOBS=cpus))


def progress_checks():
    for what, last, rough, keep, want in ("the last time", "500", 300, True, ", about 8 min"), ("roughly", "", 300, True, ", about 5 min"), \
            ("nobody knows", "", 0, True, ""), ("a case of it", "500", 300, False, ""):
        said = []
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(test_run, "BUILD", folder), mock.patch.object(test_run, "note", said.append):
            if last:
                os.makedirs(folder + "/times")
                with open(folder + "/times/test x", "w") as f:
                    f.write(last + "\n")
            with test_run.Progress("x", keep=keep, rough=rough):
                pass
        yield f"a group says how long it will take: {what}", said == ["x" + want]


def step_checks():
    status, said, gone = stepped("echo a; cd /; sleep 1.5", tty=True)
    yield "a step shows that it runs, and what it took", status == 0 and gone and len(re.findall(r"a step +\d+s", said)) >= 2
    yield "and does not guess what it will take", "about" not in said
    for what, last, want in ("from the last time", "70 3", 70), ("roughly, the first time", "", 40):
        _, said, _ = stepped("sleep 0.5", tty=True, first="STEP_SECONDS=40", last=last)
        yield f"it says what it will take: {what}", re.search(rf"a step +\d+s, of about {want}s", said)
    _, said, _ = stepped("seq 100; sleep 1.5", tty=True, first="STEP_LINES=400")
    yield "and how far its log is", re.search(r"a step +\d+s 25 %, of about", said)
    for what, of, want in ("by its log, which tells better", (100, 200, 70), " 50 %, of about 20s"), \
            ("not by the first lines of it", (9, 200, 70), " 4 %, of about 70s"), \
            ("nor by a short one", (100, 150, 70), ", of about 70s"), ("nor by one that is longer than the last", (201, 200, 70), ", of about 70s"):
        yield f"what is left is told {what}", left_after(10, *of) == want
    yield "a first build is expected to take longer with more options and fewer processors", \
        [first_build(*of) for of in ((800, 2), (800, 8), (400, 2))] == [800, 200, 400]
    status, said, gone = stepped("echo why; exit 7")
    yield "one that fails says why, and keeps its status", status == 7 and gone and "FAILED" in said and "| why" in said
    for tty in False, True:
        # Of many, as a shell is deaf while it begins a command.
        status, said, gone = stepped(': >"$build/on"; for i in $(seq 300); do sleep 0.1; done', wait=True, tty=tty)
        yield f"Ctrl-C ends a step and all that it started, tty: {tty}", status != 0 and gone


# test.py with groups that are made up: each starts a guest and says how that ended.
GROUPS = r"""
import os, subprocess, sys
sys.path.insert(0, sys.argv[1])
folder = sys.argv[2]
import test, test_run
test.TOP = test_run.TOP = folder
test_run.BUILD = test.LOGS = folder + "/build"

def group(name):
    def run_it(run, k, cases):
        print("START", name, flush=True)
        script = 'trap "exit 130" INT; : >"$0"; for i in $(seq 100); do sleep 0.1; done'
        done = subprocess.run(["sh", "-c", script, folder + "/on"])
        run.result(name, not done.returncode)
    run_it.__name__ = name
    return run_it
test.HOST, test.GUEST = ([group(part + str(i)) for i in range(4)] for part in "hg")
test.GROUPS = {g.__name__: g for g in [*test.HOST, *test.GUEST]}
test.guest_made = lambda k: True
test.Kernel.build = lambda k, run: run.result("build", True) or True
test.ALSO_ALL, test.HOST_ALL, sys.argv[1:] = [], [], []
test.main()
"""


def interrupted_tests(reader=True):
    """make test, interrupted as soon as its first groups run, without a @reader as the terminal told him, too: status,
    seconds until it ends, what it said, whether it kept times."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(folder + "/scripts")
        open(folder + "/scripts/base.sh", "w").close()
        done = subprocess.Popen([sys.executable, "-B", "-c", GROUPS, os.path.join(TOP, "scripts"), folder], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        until = time.time() + 20
        while time.time() < until and not os.path.exists(folder + "/on"):
            time.sleep(0.05)
        t0 = time.time()
        if not reader:
            done.stdout.close()
        os.killpg(done.pid, signal.SIGINT)
        try:
            said = done.communicate(timeout=30)[0] if reader else done.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(done.pid, signal.SIGKILL)
            said = done.communicate()[0] if reader else done.wait()
        return done.returncode, time.time() - t0, said, os.path.exists(folder + "/build/times")


def interrupt_checks():
    status, took, said, times = interrupted_tests()
    yield "Ctrl-C ends the tests at once", status == 130 and took < 5
    yield "nothing begins after it, or fails by it", "FAIL" not in said and said.count("START") <= 4 and "Traceback" not in said
    yield "the last line is what it always is", re.fullmatch(r"\d+ passed, 0 failed, 0 skipped", said.splitlines()[-1]) and \
        "interrupted" in said.splitlines()
    yield "and no times are kept", not times
    status, took, _, _ = interrupted_tests(reader=False)
    yield "also if nobody reads what they say any more", status == 130 and took < 5


def toy_guest(qemu, mods=True, **more):
    """scripts/guest with a @qemu that is a shell script, in a folder with what it wants: its status, what is left in build/run."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in {"scripts/rootfs.sh": "", "bin/qemu-system-aarch64": "#!/bin/sh\n" + qemu, "run.sh": "", "build/root-arm64.cpio": "",
                           "build/ours-arm64/arch/arm64/boot/Image": "", "build/linux/tools/testing/selftests/ftrace/x": "", "configs/x": "",
                           "build/ours-arm64/.config": "CONFIG_MODULES=y\n",
                           **({"build/ours-arm64/mods/lib/modules/6.12/a.ko": ""} if mods else {})}.items():
            os.makedirs(os.path.join(folder, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(folder, path), "w") as f:
                f.write(text)
        os.chmod(folder + "/bin/qemu-system-aarch64", 0o755)
        for name in "lib.sh", "guest", "guest.d":
            (shutil.copytree if name == "guest.d" else shutil.copy)(os.path.join(TOP, "scripts", name), os.path.join(folder, "scripts", name))
        env = {k: v for k, v in os.environ.items() if k not in ("GUEST_LOG", "SHELL_TOO", "FLAVOUR")}
        done = subprocess.run(["sh", folder + "/scripts/guest", "arm64", "ours", folder + "/run.sh"], capture_output=True, start_new_session=True,
                              env=dict(env, PATH=f"{folder}/bin:{env['PATH']}", **more), timeout=60,
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        return done.returncode, [n for run in os.listdir(folder + "/build/run") for n in [".", *os.listdir(f"{folder}/build/run/{run}")]]


CONSOLE = 'log=$(echo "$*" | sed "s/.*id=con,path=\\([^ ,]*\\).*/\\1/")\n'


def guest_checks():
    yield "a guest that ends leaves nothing", toy_guest(CONSOLE + 'echo guest.exit=3 >"$log"') == (3, [])
    yield "one that dies leaves its console", toy_guest(CONSOLE + 'echo Oops >"$log"') == (125, [".", "console"])
    yield "what make run shows is its status", toy_guest(CONSOLE.replace("id=con,path", "logfile") + 'echo guest.exit=3 >"$log"', SHELL_TOO="1") == (3, []) and \
        toy_guest(CONSOLE.replace("id=con,path", "logfile") + ': >"$log"', SHELL_TOO="1") == (0, [])
    yield "and none begins without its modules", toy_guest("", mods=False)[0] == 1
    yield "one that is interrupted leaves nothing", toy_guest("kill -INT 0\nexit 1") == (130, [])


CASE = """f() {
	! a
	[ b = c ] && [ c = d ] ||
		fail
	(! e)
	while :; do
		grep f g && break
		cmp a b && fail "alike"
	done
	[ $n = 1 ] && [ m = n ]
}
! o
# ! p
[ q = r ] &&
	[ s = t ]
! grep u v || fail
(! w && ! x)
! y
"""
SUITE = """	if (IS_ENABLED(CONFIG_A))
		kunit_skip(test, "decided");
	if (num_online_cpus() < 2)
		kunit_skip(test, "CPUs");
	ret = work();
	if (ret)
		kunit_skip(test, "refused");
"""
HIDING = """static void one(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, a);
	if (IS_ENABLED(CONFIG_A))
		kunit_skip(test, "asserted");
	KUNIT_EXPECT_TRUE(test, b);
}

static void two(struct kunit *test)
{
	if (IS_ENABLED(CONFIG_A))
		kunit_skip(test, "first");
	KUNIT_EXPECT_TRUE(test, b);
	if (IS_ENABLED(CONFIG_B))
		kunit_skip(test, "behind");
}
"""


def file_checks():
    files = {"LICENSE": "", "a.c": "// SPDX-License-Identifier: GPL-2.0-only\n", "b.config": "CONFIG_A=y\n",
             "c.sh": "# SPDX-License-Identifier: GPL-2.0-or-later\n",
             "d.sh": "# SPDX-License-Identifier: GPL-2.0-only\nget http://" + "x.debian.org/\n"}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            with open(os.path.join(folder, name), "w") as f:
                f.write(text)
        yield "no licence, another one and a mirror are told", \
            [l.split(":")[0] for l in test_host.unlicensed(folder, files)] == ["b.config", "c.sh", "d.sh"]
    for subject, why, text, _ in series.small_changes():
        yield f"'{subject}' is a patch that git am takes, and says what it is", \
            ":" in subject and "SPDX" not in subject + why and \
            re.match(r"SPDX-License-Identifier: \S+\nFrom: .+ <\S+@\S+>\nSubject: .+\n\n", text)
    names = overlay.ours(TOP)
    for folder in {os.path.dirname(n) for n in names if n.endswith("_model/barriers.list")}:
        with open(os.path.join(TOP, folder, "barriers.list")) as f:
            listed = {l.split()[0] for l in f if l.strip() and l[0] not in "#\t "}
        about = {os.path.basename(n) for n in test_host.modelled(folder, names)}
        yield f"{folder}: all code that has barriers is in the key of what passed", listed and listed <= about


def assertion_checks():
    yield "assertions that -e does not see are told", test_host.unseen(CASE) == ["! a", "! o", "[ q = r ] && [ s = t ]"]
    yield "and what a suite skips when it does not work", test_host.undecided(SUITE) == ['kunit_skip(test, "refused");']
    yield "and a skip that hides what failed before", test_host.unfailing(HIDING) == ['kunit_skip(test, "behind");']


PAGE = """One
===

How it is::

  # echo 1 > on
  # cat trace
  # tracer: x
  ...
   cat-72      [001] .....     4.419454: f(0x10e1) <-g

  # other: head

With ``CONFIG_A``
on arm64::

  # echo 4321 > on

  # true
"""


CAT = "   cat-72      [001] .....     4.419454: "
LINES = [(CAT + "f(0x10e1) <-g", "  cat-1072    [000] d.h1.   114.419454: f(0x10e1) <-g", True),
         (CAT + "f(0x10e1) <-g", CAT + "f(0x10e2) <-g", False), (CAT + "f(0x4)", CAT + "f(0x5)", True),
         (CAT + "f(0x4)", CAT.replace("cat", "dd") + "f(0x4)", False),
         ("  <idle>-0    0d..3. 2118us : f", "   dd-7      12dN.3.   18us!: f", True),
         ("  <idle>-0    0d..3. 2118us : f", "   dd-7      12dN.3.   18us!: g", False),
         ("400244", "1401018", True), ("400244", "244", False), ("0) 208 0 f+0x4/0x248", "1) 16 16 f+0x8/0x10", True),
         ("0) 208 0 f+0x4/0x248", "0) 208 0 g+0x4/0x248", False), ("#  |   |", "#  |    |", False),
         (" 1)               |    f() {", " 0)               |  f() {", False),
         (" 1) + 75.600 us   |  f();", " 0)   5.600 us    |  f();", True),
         ("# latency: 401018 us, #4/4 | (M:preempt #P:2)", "# latency: 9 us, #14/4 | (M:desktop #P:8)", True)]


def recipes_checks():
    """Pages that are made up."""
    one, two = test_recipes.examples_of("x.rst", PAGE)
    yield "behind the command that reads the trace is what it prints", \
        [(c, lines[:1], lines[-1:]) for c, lines in one.commands] == \
        [("echo 1 > on", [], []), ("cat trace", ["# tracer: x"], ["# other: head"])]
    yield "an example is a block of its own", one.name != two.name and \
        [c for c, _ in two.commands] == ["echo 4321 > on", "true"]
    yield "a recipe is all under a heading", [len(r.commands) for r in test_recipes.recipes_of(PAGE)] == [6]
    k = Kernel("arm64")
    on = {"CONFIG_A": "y"}
    for arch, options, off in ("arm64", on, False), ("x86_64", on, True), ("arm64", {}, True), ("arm64", on, False):
        k.arch, k.options = arch, lambda options=options: options
        yield f"on {arch} with {options} an example is left out: {off}", bool(test_recipes.lacks(k, two.intro)) == off
    yield "so is one for kernels without an option, and not one for all", \
        [bool(test_recipes.lacks(k, words)) for words in ("Without ``CONFIG_A``", one.intro)] == [True, False]
    for wanted, ok, no in ("a ... b", ["a b", "a x y b"], ["a b c", "b"]), ("... b", ["b", "a b"], ["b c"]), \
            ("a ...", ["a", "a b"], ["b"]), ("a ... b ... c", ["a b c"], ["a c b", "a c"]), \
            ("a b", ["a b"], ["a x b", "a"]), ("", [""], ["a"]), ("a ... a", ["a a"], ["a"]):
        yield f"what '{wanted}' stands for", [test_recipes.matches(wanted.split(), printed.split())
                                              for printed in ok + no] == [True] * len(ok) + [False] * len(no)
    for line, printed, ok in LINES:
        recipe = two._replace(commands=[("echo 4321", [line])])
        yield f"'{line}' may be '{printed}': {ok}", test_recipes.prints(recipe, [line], [printed]) == ok
    for name in test_recipes.RECIPES + test_recipes.EXAMPLES:
        found = list(test_recipes.pages([f"{name}.rst"]))
        yield f"{name}.rst has commands, and what they print", any(lines for r in found for _, lines in r.commands)
    yield "an example ends with what it shows", all(r.commands[-1][1] for r in test_recipes.pages() if r.example)


def memory_checks():
    """What the kernel says of memory that failed because it was told to is no complaint, on any architecture."""
    said = ["load: vmalloc error: size 384, vm_struct allocation failed, mode:0xcc0", "CPU: 1 UID: 0 PID: 78 Comm: load Not tainted",
            "Call Trace:", " <TASK>", " dump_stack_lvl+0x8a/0xa0", " ? next_real+0x20/0x20", "RIP: 0033:0x46baa9", "Code: 90 31 <48> 3d",
            "RSP: 002b:00007ffc54e9c9f8 EFLAGS: 00000246", "R10: 00000000ffffffff R11: 0000000000000246", " </TASK>", "Mem-Info:"]
    more = ["active_anon:1012", "BUG: sleeping function called", "Call Trace:", " <TASK>", " f+0x1/0x2"]

    def left(*lines):
        return test_load.without_failed_memory("\n".join(f"[  304.36]  {line}" for line in lines))

    yield "memory that failed on purpose is told with a stack", not splats(left(*said))
    yield "what comes behind that is looked at", splats(left(*said, *more)).count("\n") == len(more) - 2
    yield "a stack without it is a complaint", "Call Trace" in splats(left(*more))


def checks():
    for some in (rooms_checks, cloud_checks, format_checks, series_checks, users_checks, filter_checks, filter_rounds,
                 overlay_checks, step_checks, progress_checks, interrupt_checks, guest_checks, checkpatch_checks,
                 assertion_checks, file_checks, recipes_checks, memory_checks):
        yield from some()
