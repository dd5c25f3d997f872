# SPDX-License-Identifier: GPL-2.0-only
"""Group `counting`: that the tests count what they should, shown on guests that are made up."""
import contextlib, io, os, re, subprocess, sys, tempfile, time
from unittest import mock

import test_commands, test_compare, test_filters, test_guest, test_judging, test_kernel, test_load, test_mutations, test_probe_lines
from test_judging import Quiet
from test_kernel import ASKED, DEATH, DIED, STOPPED, Kernel, splats, typed
from test_run import TOP, Patient, Run, selftest_files


class Made(Kernel):
    """A kernel whose guest ends as it is told."""

    def __init__(self, status, out="", console=""):
        super().__init__("arm64")
        self.end = status, out, console, "", ()
        self.config = {"CONFIG_HIST_TRIGGERS": "y"}

    def build(self, run):
        return True

    def base(self):
        return self

    def options(self):
        return self.config

    def guest(self, script, limit, files=(), append="", share=None, clients=False, each=None, types=(), machine=(),
              turns=False, cpus=None):
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


def passed_twice(steady):
    """A group of make test-all that passes, twice: how often is it run, how often had it passed before?"""
    import test as whole
    run, before, k = Run(), [], Made(0)
    run.count, run.steady = 1, steady
    k.fingerprint = lambda cases: "the same"
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(whole, "BUILD", folder), mock.patch.object(whole, "note"), \
            mock.patch.object(Run, "before", before), mock.patch.object(whole, "group_of", mock.Mock(return_value=run)) as group_of:
        for _ in range(2):
            whole.passed_before(k, dying, ())
        return group_of.call_count, len(before)


PANIC = "sysrq: Trigger a crash\nKernel panic - not syncing: sysrq triggered crash\n" \
        "Dumping ftrace buffer:\n sh-1 1.1: tracing_mark_write: the last words\nCall trace:\n"
DIES = "boot/dump-on-oops.tc"


def dying(status, console, case=DIES):
    run = Quiet()
    test_guest.boot_case(run, Made(status, console=console), case)
    return run.good


def needing(config, arch="arm64", flavour="test"):
    """A boot case that needs options: did it pass, fail, or was it skipped?"""
    run, k = Quiet(), Made(0)
    k.arch, k.flavour, k.config = arch, flavour, dict.fromkeys(config, "y")
    test_guest.boot_case(run, k, "boot/ring-buffer-recursion.tc")
    return len(run.ok), len(run.bad), len(run.skips)


def ours_run(asked=(), load=None):
    """What the groups of our selftests run: case -> group, whether CPUs take turns; those not in an instance as well; what
    is skipped."""
    ran, found, run = {}, [], Quiet()

    def some(run, k, cases, what, *rest, once, turns=True, cpus=None):
        # on other CPUs they are what has run already
        if cpus:
            return
        ran.update(dict.fromkeys(cases, (what, turns)))
        found.extend(once)

    env = {k: v for k, v in os.environ.items() if k != "LOAD_SECONDS"} | ({"LOAD_SECONDS": load} if load else {})
    with mock.patch.dict(os.environ, env, clear=True), mock.patch.object(test_guest, "ftracetest", some), \
            mock.patch.object(test_guest, "boot_case", lambda run, k, case: ran.update({case: ("boots", True)})):
        for group in test_guest.own, test_guest.racing, test_guest.boots:
            group(run, Made(0), set(asked))
    return ran, found, [name for name, _ in run.skips]


def long_case(case, **how):
    """Is a case that is long run, is it skipped?"""
    ran, _, skipped = ours_run(**how)
    return case in ran, case in " ".join(skipped)


def long_instance(**how):
    """The cases that are not run in an instance as well, and how many are skipped for it."""
    _, once, skipped = ours_run(**how)
    return once, len([n for n in skipped if n.endswith(" (instance)")])


def in_lanes(times):
    """The order in which lanes take groups, when the last ones took so long."""
    import test as whole
    left, order = list(whole.GUEST), []
    with mock.patch.object(whole.Progress, "expected", lambda name: times.get(name.split()[0])):
        while left:
            left.remove(group := whole.next_of(Made(0), left))
            order.append(group.__name__)
    return order


def first_time(group, arch, cpus):
    """Seconds that a group is expected to take that has left no time yet."""
    import test as whole
    with mock.patch("os.cpu_count", lambda: cpus), mock.patch.object(whole.Progress, "expected", lambda name: None):
        return whole.expected(whole.GROUPS[group], Kernel(arch))


def kernels_of_filters(wanted):
    """The kernels whose verdicts are looked at when so many filters are @wanted."""
    import test_filters
    seen = []
    with mock.patch.dict(os.environ, {"FILTERS": wanted}), \
            mock.patch.object(test_filters, "trial", lambda run, k, seed, wanted: seen.append(k.name)), \
            mock.patch.object(Kernel, "build", lambda k, run: True):
        test_filters.filters(Quiet(), Kernel("arm64"), ())
    return seen


def all_lanes():
    """What three lanes take of one kernel's groups, beside each other."""
    import test as whole
    taken, k = [], Made(0)
    with mock.patch.object(whole, "group_of", lambda k, group, cases: taken.append(group)), \
            mock.patch.object(whole, "guest_made", lambda k: True):
        whole.one_kernel(k, whole.chosen_groups(["own", "kunit", "load"], set(), False), set(), False)
    return sorted(g.__name__ for g in taken)


def without_files(words):
    """What is built, and what fails, where the guest's files cannot be had."""
    import test as whole
    run, k, built = Quiet(), Made(0), []
    k.build = lambda run: built.append(k.name)
    with mock.patch.object(whole.subprocess, "run", lambda words, **more: subprocess.CompletedProcess(words, 1)), \
            mock.patch.object(whole, "Run", lambda: run):
        whole.one_kernel(k, whole.chosen_groups(words, set(), False), set(), False)
    return built, run.bad


def excused(group, status=0, console=""):
    """Whether a group goes on as if nothing had been wrong when a guest of it ends so, and a second try passes."""
    run, module = Quiet(), sys.modules[group.__module__]
    patient = Patient(run)
    with tempfile.TemporaryDirectory() as folder, \
            mock.patch.multiple(module, create=True, LOGS=folder, BUILD=folder, build=lambda arch: ""):
        group(patient, Made(status, console=console), ())
    patient.settle(lambda again: again.result("x", True))
    return run.good


def oracle_run(load):
    """Our cases that are run on the base, the guests they are in, and cases that are skipped."""
    run, ran, base = Quiet(), [], Made(0)
    base.kernel = "base"
    with mock.patch.dict(os.environ, {"LOAD_SECONDS": load}), mock.patch.object(
            test_guest, "ftracetest", lambda run, k, cases, *rest, **more: ran.append(set(cases))):
        test_guest.oracle(run, base, ())
    return set().union(*ran), len(ran), {n.split()[2] for n, _ in run.skips if not n.endswith(" (instance)")}


def quick_reset(flavour, what):
    """Is less done between @what cases of that flavour?"""
    k, scripts = Made(0), []
    k.checked = Kernel("arm64", "ours", flavour).checked
    k.guest = lambda script, *rest, **more: scripts.append(script) or k.end[:4]
    test_guest.ftracetest(Quiet(), k, ["oracle/clocks.tc"], what, {}, 1)
    return test_guest.QUICK_RESET in scripts[0]


def load_logs(*tries):
    """The logs that tries of a load leave, of which each prints so."""
    with tempfile.TemporaryDirectory() as folder, \
            mock.patch.multiple(test_load, LOGS=folder, build=lambda arch: "", note=lambda text: None), \
            mock.patch("time.strftime", mock.Mock(side_effect=[f"-{i}" for i in range(9)])):
        for out in tries:
            k = Made(0, out)
            k.guest = lambda *words, cpus, each, k=k, **more: Made.guest(k, *words, each=each)
            test_load.load_on(Quiet(), k, 2, 1, 1)
        return [(name, open(os.path.join(folder, name)).read().strip()) for name in sorted(os.listdir(folder))]


def dice():
    """The seeds of two tries of the long form, some time after each other."""
    seeds = []
    with mock.patch.dict(os.environ, {"FILTERS": "10000", "LOAD_SECONDS": "300"}), mock.patch("time.time", mock.Mock(side_effect=range(1, 9))), \
            mock.patch.object(test_filters, "trial", lambda run, k, seed, wanted: seeds.append(seed)), \
            mock.patch.object(test_load, "load_on", lambda run, k, cpus, seconds, seed: seeds.append(seed)):
        for group in (test_filters.filters, test_load.load) * 2:
            k = Made(0)
            k.kernel = "base"
            group(Quiet(), k, ())
    return set(seeds)


# Cases that are UNSUPPORTED without an option.
WANTED = {"dynevent/add_remove_btfarg.tc": "DEBUG_INFO_BTF", "overlay/btf-probes.tc": "DEBUG_INFO_BTF",
          "overlay/no-memory.tc": "FAILSLAB", "overlay/function-recursed.tc": "FTRACE_RECORD_RECURSION",
          "oracle/rv-monitor.tc": "RV", "overlay/branch-tracer.tc": "BRANCH_TRACER",
          "overlay/branch-lists.tc": "PROFILE_ALL_BRANCHES", "overlay/benchmark-event.tc": "TRACEPOINT_BENCHMARK",
          "overlay/hist-example-locks.tc": "LOCK_STAT"}


def misexpected():
    """Where configs/expectations is wrong about these, in kernels of configs/trace and one more fragment."""
    for flavour in "test", "debug", "hardened", "small", "lockdep", "rt", "btf", "startup":
        text = ""
        for name in "common", "trace", "ours", flavour:
            path = os.path.join(TOP, f"configs/{name}.config")
            text += open(path).read() if os.path.exists(path) else ""
        expected = test_guest.expectations(Kernel("arm64", "ours", flavour))
        for case, option in WANTED.items():
            if (f"CONFIG_{option}=y\n" in text) == (case in expected):
                yield f"{flavour}: {case}"


def series_ends(status):
    """Does the group pass when scripts/series.py ends so?"""
    import test_host
    run = Quiet()
    with mock.patch.object(test_host.subprocess, "run", lambda words, **more: subprocess.CompletedProcess(words, status, "")):
        test_host.ends(run, Made(0), ())
    return run.good


def above_bar(row, base, ours):
    """Is @row above its bar on arm64, or not measured, in the table of what is rarely done?"""
    import bench_chart
    with contextlib.redirect_stdout(io.StringIO()):
        wrong = bench_chart.table("arm64", {row: base}, {} if ours is None else {row: ours}, "rare")
    return any(w.startswith(bench_chart.ROWS[row]) and (ours is None or "above" in w) for w in wrong)


def within(megabytes):
    """Is a build/ of that size taken for less than five?"""
    import test as whole
    run = Quiet()
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(whole, "BUILD", folder):
        with open(folder + "/x", "wb") as f:
            f.write(b"x" * (megabytes << 20))
        whole.in_bounds(run, 5)
    return run.good


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


def tried_again(ends, many=True, splat="", expected=()):
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
    test_guest.ftracetest(run, k, cases, "x", dict(expected), 1)
    return len(run.skips), len([n for n in run.bad if "expected" in n])


def changed_keys():
    """What decides, made up but for our files: whether the key of what passed is another one when it changes."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(test_kernel, "BUILD", folder), \
            mock.patch.object(test_kernel, "versions", lambda arch: b"1"), mock.patch.dict(os.environ, {"QEMU_EXTRA": ""}):
        k, base = Kernel("arm64", "ours", "btf"), Kernel("arm64", "base", "btf")
        k.base = lambda: base
        modules = "mods/lib/modules/6.12/kernel/lib"
        for path in (*(f"{d.dir}/{f}" for d in (k, base) for f in ("arch/arm64/boot/Image", f"{modules}/a.ko", ".config")),
                     *(f"{folder}/{n}-arm64.cpio" for n in ("root", "clients", "bpftrace")), f"{folder}/base/version"):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            # As long, and as old: the bytes decide.
            texts = []
            for text in "one", "two", "one":
                with open(path, "w") as f:
                    f.write(text)
                os.utime(path, (1, 1))
                texts.append(k.fingerprint())
            yield os.path.relpath(path, folder), texts[0] != texts[1] and texts[0] == texts[2]
        plain = k.fingerprint()
        os.rename(f"{k.dir}/{modules}/a.ko", f"{k.dir}/{modules}/b.ko")
        yield "a module of another name", k.fingerprint() != plain
        plain = k.fingerprint()
        with mock.patch.object(test_kernel, "versions", lambda arch: b"2"):
            yield "another QEMU or sparse", k.fingerprint() != plain
        with mock.patch.dict(os.environ, {"QEMU_EXTRA": "-icount 1"}):
            yield "another machine of QEMU", k.fingerprint() != plain


def known_versions():
    """The key's words on the tools, from the machine."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"PATH": f"{folder}:{os.environ['PATH']}"}):
        for name in "qemu-system-aarch64", "sparse":
            with open(f"{folder}/{name}", "w") as f:
                f.write(f"#!/bin/sh\necho {name} $1\n")
            os.chmod(f"{folder}/{name}", 0o755)
        return test_kernel.versions("arm64")


def guest_options():
    """Variables that scripts/guest knows, by its first lines, and those of them that a group's guest has from the user."""
    with open(os.path.join(TOP, "scripts/guest")) as f:
        options = set(re.findall(r"\b([A-Z_]+)=", "".join(l for l in f if l[0] == "#"))) | {"GUEST_FILES", "GUEST_LOG"}
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(test_kernel, "LOGS", folder), \
            mock.patch.dict(os.environ, {**dict.fromkeys(options, "7000"), "LOAD_SECONDS": ""}), \
            mock.patch.object(test_kernel.subprocess, "Popen") as popen:
        Kernel("arm64").guest("", 1, turns=True)
        env = popen.call_args[1]["env"]
    return options, {o for o in options if env[o] == "7000"}


def passes(**counts):
    """Does a long run take a case for passed for which ftracetest counts so many?"""
    words = ("passed", "failed", "unresolved", "untested", "unsupported", "xfailed", "undefined(test bug)")
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/ftracetest", "w") as f:
            f.write("#!/bin/sh\ncat <<E\n" + "".join(f"# of {w}:  {counts.get(w.split('(')[0], 0)}\n" for w in words) + "E\n")
        os.chmod(folder + "/ftracetest", 0o755)
        script = test_guest.PASSES.replace("/tmp/", folder + "/") + "passes x.tc >&2"
        return not subprocess.run(["sh", "-c", script], cwd=folder, stderr=subprocess.DEVNULL).returncode


def kunit_of(out, config, status=0, load="", console=""):
    run, k = Quiet(), Made(status, out, console)
    k.config = config
    with mock.patch.dict(os.environ, {"LOAD_SECONDS": load}):
        test_guest.kunit(run, k, set())
    return run


def kunit_out(suites, result="ok 1 a"):
    return "".join(f"@@ /sys/kernel/debug/kunit/{s}/results\nKTAP version 1\n1..1\n    1..1\n    {result}\n" for s in suites)


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
        "overlay/event-commands.tc" in once and len(once) == skipped and long_instance(load="300") == ([], 0)
    case = ["oracle/clocks.tc"]
    yield "a case that says that it runs in an instance does, or all of it did not run", \
        ran(0, ["PASS"], case).bad != [] and ran(0, ["PASS"], case, once=case).bad == []
    yield "a long case is skipped, and run in test-all or when it is asked for", long_case(storm) == (False, True) and \
        long_case(storm, load="300") == (True, False) and long_case(storm, asked=[storm]) == (True, False)
    import test as whole        # here, as it imports what runs this
    groups = {g.__name__ for g in whole.chosen_groups(["kunit", *case], set(case), False)}
    yield "cases are run beside the groups that are named", groups == {"kunit", "selftests", "functions", "own", "racing", "boots", "clients"}
    ran_by, *_ = ours_run(load="300")
    yield "each case of ours is of one group, and has the CPUs that it wants", \
        set(ran_by) == {c for c in selftest_files(TOP) if not c.startswith("clients/")} - {test_guest.NOTHING_TRACED} and \
        [ran_by[c] for c in ("oracle/clocks.tc", "oracle/time-order.tc", "boot/kdb-ftdump.tc")] == \
        [("own", True), ("racing", False), ("boots", True)]
    wrong = [c for flavour in whole.ONLY.values() for g, some in flavour.items() for c in some.split()
             if g in whole.OWN and test_guest.group_of_case(c) != g.__name__]
    yield "a flavour's cases are those of the group that has them", not wrong
    yield "`own` are all three, each of which is taken once", all_lanes() == ["boots", "kunit", "load", "own", "racing"]
    yield "without the guest's files none is built", \
        without_files(["own"]) == ([], ["ours-arm64: its guest's files are there"])
    yield "but for what needs no guest", without_files(["sparse"]) == (["ours-arm64"], [])
    order = in_lanes({})
    yield "what is not expected of a flavour has no option there", not list(misexpected())
    help_text = open(os.path.join(TOP, "Makefile")).read()
    offered = set(re.search(r"FLAVOUR=(\S+)'", help_text)[1].split("|")) - {"all"}
    yield "test-all has every flavour that make help offers", offered == {k.flavour for k in whole.kernels_of(True)}
    yield "the types of names have a guest with bpftrace, and are in its key", \
        "bpftrace" in Kernel("arm64", "ours", "btf").cpios() and "bpftrace" not in Kernel("arm64").cpios() and \
        Kernel("arm64", "ours", "btf").base().name == "base-btf-arm64"
    yield "lanes begin with what is known to be long", order[:5] == ["own", "functions", "selftests", "clients", "racing"] and \
        {"bpf", "recipes", "filters", "rooms"} == set(order[-4:])
    yield "or took longest", in_lanes({"rooms": 900, "selftests": 1})[0] == "rooms"
    yield "a group has an expected time from the first time on: longer where emulation is slow, or with one processor", \
        [first_time(*of) for of in (("own", "arm64", 2), ("own", "x86_64", 2), ("own", "arm64", 1), ("own", "arm64", 64),
                                    ("series", "x86_64", 2), ("spdx", "arm64", 2))] == [480, 960, 960, 480, 70, 0]
    yield "what wants the base's kernel, which takes as long to build as ours, is for test-all", \
        not {whole.compare, whole.oracle, whole.probelines, whole.mutations} & set(whole.chosen_groups([], set(), False)) and \
        {whole.compare, whole.oracle, whole.probelines, whole.mutations} <= set(whole.chosen_groups([], set(), True))
    yield "and so are the base's verdicts on filters", \
        kernels_of_filters("") == ["ours-arm64"] and kernels_of_filters("10000") == ["ours-arm64", "base-arm64"]
    yield "a guest that is stopped after its last case fails", not ran(STOPPED, ["PASS", "PASS"], cases).good
    yield "a [PASS] in a failed case's log is not a result", \
        not ran(0, ["FAIL]\n\t[PASS]\n[9 log\t[PASS", "PASS"], cases).good

    yield "what fails and then passes twice is skipped, as unsteady", tried_again(["PASS", "PASS"]) == (1, 0)
    yield "what fails again fails", tried_again(["PASS", "FAIL"]) == (0, 1)
    yield "what does not end when tried again fails", tried_again(["PASS"]) == (0, 1)
    yield "of few cases none is tried again", tried_again(["PASS", "PASS"], many=False) == (0, 1)
    yield "nor is one that did better than expected", \
        tried_again(["PASS", "PASS"], expected={"oracle/clocks.tc": ("UNSUPPORTED", "")}) == (1, 1)
    yield "nor in a guest that is not well", tried_again(["PASS", "PASS"], splat="WARNING: x\n") == (0, 1)
    yield "a group that fails and then passes twice is unsteady", whole_again("a", "", "") == (2, 0, 1)
    yield "a group that fails again fails", whole_again("a", "", "b") == (2, 1, 0)
    with mock.patch.dict(os.environ, {"LOAD_SECONDS": ""}):
        yield "in the short form load may be", whole.excused(whole.load) and not whole.excused(whole.kunit)
    with mock.patch.dict(os.environ, {"LOAD_SECONDS": "300"}):
        yield "in the long forms neither load nor filters are", \
            not whole.excused(whole.load) and not whole.excused(whole.filters) and whole.excused(whole.compare)
    ends = "".join(f"@@ done {c} 0\n" for c in test_load.commands(Made(0), 2, 1))
    logs = load_logs("@@ FAIL x hangs\nwho waits\n", "@@ ok x\n" + ends)
    yield "what a load said that hung stays when it is tried again", \
        len(logs) == 2 and "who waits" in logs[0][1] and "ok x" in logs[1][1]
    import bench_chart
    bar = bench_chart.BARS["arm64"]["switch_graph"]
    yield "a switch under function_graph costs what names do", bench_chart.limit_of(bar, 200, {"switch_names": 38}) == 38
    yield "each architecture has a bar that a wait for each of 1,000 probes is above", \
        {bench_chart.limit_of(bars.get("rare_probes_off"), 16860, {}) for bars in bench_chart.BARS.values()} == {843} and \
        bench_chart.limit_of("twentieth", None, {}) is None
    yield "what is to take less than the base's time may not take as much", \
        not above_bar("rare_many_on", 8000, 7999.9) and above_bar("rare_many_on", 8000, 8000) and \
        above_bar("rare_many_on", 8000, None) and not above_bar("rare_probes_on", 5, 5)
    yield "names of short-lived tasks", test_compare.unnamed("9870 10002", "0 10001") == \
        ("short-lived tasks without a name: 0 of 10001, with the base 9870 of 10002", "") and \
        all(test_compare.unnamed(*rates)[1] for rates in (("9870 10002", "101 10001"), ("0 10002", "1 10001"),
                                                          ("9870 10002", "0 9999"), ("9870 9999", "0 10002")))
    every = {c for c in selftest_files(TOP) if c.startswith("oracle/")}
    for load in "", "300":
        on_base, guests, left = oracle_run(load)
        yield f"what is said of both kernels holds on the base, or is skipped: {load}", \
            not on_base & left and on_base | left == every and \
            (guests == 3 and len(left) == 1 if load else guests == 2 and len(left) > 1)
    yield "between the base's cases all is done that it does, but where it takes minutes", \
        [quick_reset(f, w) for f in ("test", "debug", "lockdep", "hardened") for w in ("selftest", "own")] == \
        [False, True, True, True, True, True, False, True]
    of = [k.name for k in whole.kernels_of(True) if whole.wanted(whole.ends, k, whole.chosen_groups([], set(), True), True)]
    yield "test-all builds the ends of the series on each architecture", of == ["ours-arm64", "ours-riscv64", "ours-x86_64"] and \
        whole.ends not in whole.chosen_groups([], set(), False)
    yield "and fails where they do not", series_ends(0) and not series_ends(1)
    yield "what CI leaves in build/ is measured", [within(n) for n in (1, 9)] == [True, False]
    yield "a second try has the dice of the first", len(dice()) == 1
    yield "a splat is not tried again", whole_again(["a", "no splat on the console"]) == (1, 2, 0)
    for group in test_compare.compare, test_filters.filters, test_mutations.mutations, test_probe_lines.probelines:
        yield f"{group.__name__}: a guest that is stopped, dies or has a splat is not tried again", \
            not excused(group, STOPPED) and not excused(group, DIED) and not excused(group, console="WARNING: x\n")
    yield "a death that is wanted passes", dying(DIED, PANIC)
    yield "a hang where a death is wanted fails", not dying(STOPPED, PANIC)
    yield "an end without a panic fails", not dying(DIED, PANIC.replace("Kernel panic", "Kernel"))
    yield "two panics fail", not dying(DIED, PANIC + PANIC)
    yield "a lockup before the death fails", not dying(DIED, "watchdog: BUG: soft lockup - CPU#1 stuck\n" + PANIC)
    yield "no death where one is wanted fails", not dying(0, PANIC)
    for what, more, good in ("a complaint that is wanted passes", "", True), \
            ("but not beside one of KASAN", "BUG: KASAN: use-after-free in x\n", False), \
            ("or of lockdep", "WARNING: possible circular locking dependency detected\n", False), \
            ("or of a lock that is left", "WARNING: bad unlock balance detected!\n", False), \
            ("or of somebody else", "WARNING: CPU: 0 PID: 1 at lib/refcount.c:28\n", False), \
            ("or where something sleeps", "BUG: sleeping function called from invalid context at x\n", False):
        said = "WARNING: CPU: 0 PID: 1 at kernel/trace/x.c:1\nCall trace:\na test wants it: first\n" + more
        yield what, dying(0, said, "boot/traceoff-on-warning.tc") == good
    both = ["CONFIG_RING_BUFFER_RECORD_RECURSION", "CONFIG_RING_BUFFER_KUNIT_TEST"]
    yield "a boot case runs where all is that it needs", needing(both, flavour="debug") == (1, 0, 0)
    yield "it is skipped where configs/lost says why it is not", needing(both[1:]) == (0, 0, 1)
    yield "and fails where nothing does", needing(both[:1]) == (0, 1, 0)
    yield "each prompt of kdb has its answer", answers(1) == b"a\r" and answers(2) == b"a\rb\r"
    yield "a complaint is seen beside a death", "KASAN" in splats("BUG: KASAN: use-after-free in x\n" + PANIC, DEATH)

    run = Quiet()
    seen = test_load.Results(run, "x")
    for line in "@@ ok a", "@@ skip b", "@@ FAIL c: why", "more of it", "@@ done all 1":
        seen.line(line)
    yield "each line of a program has its result", \
        (run.ok, run.bad, [n for n, _ in run.skips], seen.done) == (["x: a"], ["x: c: why"], ["x: b"], {"all": 1}) and seen.told == 1

    run = Quiet()
    test_guest.long_run(run, Made(1, "@@ storm passed\n"), "x", "", 1)
    yield "a long run is judged by its status", run.bad == ["x"]
    yield "a case of it passes that passed", passes(passed=1)
    for word in "failed", "unresolved", "untested", "unsupported", "undefined":
        yield f"and not one that is {word}", not passes(**{word: 1}) and not passes(passed=1, **{word: 1})
    yield "nor one that is to fail, or did not run", not passes(xfailed=1) and not passes()

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
    got = [kunit_of(kunit_out(suites[:1], "ok 1 a # SKIP only one CPU"), {**on, **more}) for more in ({}, {"CONFIG_SMP": "y"})]
    yield "KUnit's skip for lack of a CPU fails where the kernel takes two", \
        [any(n.endswith(".a") for n in g.bad) for g in got] == [False, True]
    said = f"[ 1.0]     # Subtest: {suites[0]}\n[ 1.0]     # a: EXPECTATION FAILED at b.c:1\n"
    got = kunit_of(kunit_out(suites, "ok 1 a # SKIP no NMI here"), on, console=said)
    yield "KUnit's skip of what had failed fails", [n.endswith(f"{suites[0]}.a") for n in got.bad] == [True]
    yield "a suite that ended half-way fails", not kunit_of(kunit_out(suites).replace("    1..1", "    1..2"), on).good
    yield "a guest that dies after the suites fails", not kunit_of(kunit_out(suites), on, DIED).good
    got = [kunit_of(f"clock: {s}\n" + kunit_out(suites), on, load="300").bad for s in (10801, (1 << 59) // 10**9)]
    yield "in test-all the suites run with clocks that began long ago, if the clock says so at the end", \
        ["3 hours" in bad for bad in map(str, got)] == [False, True] and [len(bad) for bad in got] == [2, 2]

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
    options, passed_on = guest_options()
    yield "and so is all that groups read of the environment", read | passed_on == set(ASKED)
    yield "or pass on to a guest", "QEMU_EXTRA" in passed_on and {"APPEND", "SHARE", "SHELL_TOO"} <= options - passed_on
    yield "and which QEMU and sparse there are", known_versions() == b"qemu-system-aarch64 --version\nsparse --version\n"
    for what, new in changed_keys():
        yield f"{what} is another key of what passed", new
    seen = [os.path.relpath(p, TOP) for p in k.inputs()]
    for path in "kernel/trace/init.c", "patches/0003-riscv-call-ops.patch", "manifest", "configs/expectations", "scripts/guest", "build/base/version":
        yield f"{path} is in it", path in seen

    k = Kernel("x86_64")
    with tempfile.TemporaryDirectory() as k.dir:
        for file, text in ("fragment", "CONFIG_A=y\nCONFIG_TRACE_NMI_KUNIT_TEST=y\n"), ("fragment.lost", "CONFIG_A=y\n"):
            with open(os.path.join(k.dir, file), "w") as f:
                f.write(text)
        yield "a lost option is seen", k.lost() == ["CONFIG_A: lost"]
        k.kernel = "base"
        yield "and one that is not lost any more", k.lost()[1:] == ["CONFIG_TRACE_NMI_KUNIT_TEST: took, but is in configs/lost"]

    yield from test_judging.checks()
    yield from test_commands.checks()

    yield "what passed before is not run again, if it was steady", [passed_twice(s) for s in (True, False)] == [(1, 1), (2, 0)]
    totals = Run.passed, Run.failed, Run.reasons, Run.before
    with Run.lock, contextlib.redirect_stdout(io.StringIO()):
        Run.passed, Run.failed, Run.reasons, Run.before = 0, 0, {}, ["g"]
        run = Run()
        run.result("a", True)
        run.result("b", False)
        run.skip("c", "why")
        run.skip("d", "why")
        last = Run.totals().splitlines()
        for name in "efghi":
            run.skip(name, "why")
            run.unsteady(name.upper(), "its log")
        more = Run.totals().splitlines()
        Run.passed, Run.failed, Run.reasons, Run.before = totals
    yield "the last line", last[-1] == "1 passed, 1 failed, 2 skipped" and last[0] == "skipped, 2: why (c, d)" and last[1].startswith("1 groups had passed")
    yield "all that was unsteady is named at the end, and of others the first three", \
        more[0].startswith("skipped, 5: UNSTEADY") and more[0].endswith("(E, F, G, H, I)") and more[1] == "skipped, 7: why (c, d, e, ...)" and \
        more[-1] == "1 passed, 1 failed, 12 skipped"
    told = Run.last_lines("+ fail why\nFAILED: why\n" + "+ rmdir\n" * 20)
    yield "what a case says is shown though it clears up at length", told[0] == "    | FAILED: why" and len(told) == 17 and \
        len(Run.last_lines("FAILED: why\n" + "+ rmdir\n" * 3)) == 4


def counting(run, k, cases):
    """Totals, keys and ends of guests, without one."""
    wrong, n = [], 0
    for what, ok in checks():
        n += 1
        wrong += [] if ok else [what]
    run.result(f"counting: {n} checks of how tests are counted", not wrong, "\n".join(wrong))
