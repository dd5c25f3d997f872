# SPDX-License-Identifier: GPL-2.0-only
"""Groups that boot a kernel and ask it: KUnit, the selftests, long runs."""
import os, re, subprocess, time

from test_kernel import COMPLAINT, DEATH, DIED, STOPPED, cross, splats
from test_run import BASE, BUILD, SECOND_TRIES, TOP, Silent, header, overlay, reasons, selftest_files

# Run after so many cases of ftracetest, and after the last: each costs what ftracetest does between
# two cases, whatever the case then is.
NOTHING_TRACED = "overlay/nothing-traced.tc"
CHECKED_TOGETHER = 8
# Results of a case that neither passed nor is wrong by itself.
NEITHER = ("UNSUPPORTED", "UNRESOLVED", "UNTESTED", "XFAIL")
# Why a KUnit test is skipped that lacks a CPU: the guest has two, where the kernel takes them.
LACKS_CPU = re.compile(r"only one CPU|no CPU that can go|needs (two CPUs|a second CPU)")


# --- KUnit ---

def makefile_objects(text, config):
    """The objects that a kernel Makefile builds in: object -> the option that decides, or what else
    leaves it out.  Knows obj-$(CONFIG_X), obj-y, ifdef and ifeq of options."""
    objects, closed = {}, []
    for line in text.replace("\\\n", " ").splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        m = re.match(r"\s*(?:ifdef (\w+)|ifeq \(\$\((\w+)\),(\w*)\))", line)
        if m:
            on = m[1] in config if m[1] else config.get(m[2], "") == m[3]
            closed.append(None if on else m[1] or m[2])
        elif words[0] == "else":
            closed[-1] = None if closed[-1] else "else"
        elif words[0] == "endif":
            closed.pop()
        m = re.match(r"obj-(?:y|\$\((\w+)\))\s*[+:]?=\s*(.*)", line)
        if m:
            off = next((c for c in closed if c), None) or (m[1] if m[1] and config.get(m[1]) != "y" else None)
            for name in m[2].split():
                # One line that builds it is enough.
                objects[name] = None if objects.get(name, off) is None else off
    return objects


def kunit_suites(config, top=TOP, names=None):
    """The suites there are in ours: name -> the option whose lack leaves it out, or None."""
    suites = {}
    for path in names or overlay():
        if not path.endswith(".c"):
            continue
        text = open(os.path.join(top, path)).read()
        found = re.findall(r'(?:struct kunit_suite \w+ = \{[^}]*\.name\s*=\s*|^TRACE_KUNIT_SUITE\()"([^"]+)"', text, re.M)
        off, piece = None, os.path.basename(path)[:-2] + ".o"
        folder = os.path.dirname(path)
        # Its own line, and that of each folder on the way there.
        while folder.startswith("kernel/trace") and off is None:
            makefile = os.path.join(top, folder, "Makefile")
            if os.path.exists(makefile):
                off = makefile_objects(open(makefile).read(), config).get(piece, f"a line in {folder}/Makefile")
            folder, piece = os.path.dirname(folder), os.path.basename(folder) + "/"
        for name in found:
            suites[name] = off if path.endswith("_test.c") else f"{path} is not named *_test.c and"
    return suites


def kunit_results(out):
    """What debugfs has of the suites: suite -> (planned cases, {case: (result, words)})."""
    suites, suite = {}, None
    for line in out.splitlines():
        if line.startswith("@@ "):
            suite = suites.setdefault(line.split("/")[-2], [0, {}])
        elif suite is not None:
            m = re.match(r"    1\.\.(\d+)", line)
            if m:
                suite[0] = int(m[1])
            m = re.match(r"    (not ok|ok) \d+ (\S+)(?:\s+#\s*(.*))?", line)
            if m:
                words = m[3] or ""
                skip = re.match(r"SKIP\s*(.*)", words)
                suite[1][m[2]] = ("skip", skip[1]) if skip and m[1] == "ok" else (m[1], words)
    return suites


# What make test-all adds to the local clock at boot, see kernel/trace/tests/aged_clock.c: how old it is then, in ns.
AGES = {"3 hours": 3 * 3600 * 10**9, "90 days": 90 * 86400 * 10**9, "18 years": 1 << 59}


def kunit(run, k, cases):
    """KUnit suites at boot, read from debugfs; in make test-all also with clocks that began long ago."""
    if not k.build(run):
        return
    if k.kernel == "base":
        run.skip(f"kunit {k.name}", "the suites are ours")
        return
    kunit_with(run, k, f"kunit {k.name}")
    # Load, as the group of that name, has its time in make test-all, which sets this.
    if os.environ.get("LOAD_SECONDS") and k.flavour == "test":
        for age, ns in AGES.items():
            kunit_with(run, k, f"kunit {k.name}, {age} old", ns)


def kunit_hidden(console):
    """(suite, case) of what the console says has failed: the results say nothing but a skip if
    that came behind it."""
    suite, found = None, set()
    for line in console.splitlines():
        if m := re.search(r"(?:^|\] ) {4}# Subtest: (\S+)", line):
            suite = m[1]
        if m := re.search(r"# (\S+): (?:EXPECTATION|ASSERTION) FAILED", line):
            found.add((suite, m[1]))
    return found


def kunit_tell(run, what, there, console, smp):
    """What kunit_results() gave of a boot, but for what failed: that is returned, (name, suite, case, detail) each."""
    bad = "\n".join(l for l in console.splitlines() if re.search(r"# .*(EXPECT|ASSERT|not ok)|not ok", l))
    failed, hidden = [], kunit_hidden(console)
    for suite, (planned, results) in there.items():
        for case, (got, words) in results.items():
            name = f"{what} {suite}.{case}"
            if got == "skip" and LACKS_CPU.search(words) and smp:
                run.result(name, False, f"skipped in a guest with two CPUs: {words}")
            elif got == "skip" and (suite, case) in hidden:
                failed.append((name, suite, case, f"skipped when it had failed: {words}\n{bad}"))
            elif got == "skip":
                run.skip(name, words or "the suite says no reason")
            elif got == "ok":
                run.result(name, True)
            else:
                failed.append((name, suite, case, words + "\n" + bad))
        if not results or len(results) != planned:
            run.result(f"{what} {suite}: all of it ran", False, f"{len(results)} of {planned} cases")
    return failed


def kunit_with(run, k, what, age=0):
    """All suites, in a boot whose local clock is @age ns ahead."""
    t0 = time.time()
    status, out, console, err = kunit_boot(k, age)
    there = kunit_results(out)
    failed = kunit_tell(run, what, there, console, k.options().get("CONFIG_SMP") == "y")
    known = {option: why for option, _, why in reasons("lost", k)}
    for suite, off in kunit_suites(k.options()).items():
        if off in known:
            run.skip(f"{what} {suite}", f"without {off}: {known[off]}")
        elif off:
            run.result(f"{what} {suite}: the suite is there", False, f"{off} is off, and configs/lost says no reason")
        elif suite not in there:
            run.result(f"{what} {suite}: the suite is there", False, "\n".join(console.splitlines()[-30:]))
    if status or not there:
        run.result(f"{what}: the suites ran", False, err + "\n" + "\n".join(console.splitlines()[-30:]))
    if age:
        # Behind all suites it still is, or they ran with another clock.
        seconds = re.search(r"^clock: (\d+)$", out, re.M)
        old = bool(seconds) and 0 <= int(seconds[1]) - age // 10**9 < 7200
        run.result(f"{what}: so says the clock at the end", old, out[-300:])
    found = splats(console)
    for name, suite, case, detail in failed:
        if not status and not found and len(failed) <= SECOND_TRIES and \
                all(kunit_passes(k, suite, case, age) for _ in range(2)):
            run.unsteady(name, detail)
        else:
            run.result(name, False, detail)
    run.result(f"{what}: no splat on the console", not found, found, time.time() - t0)


CLOCK = """
cd /sys/kernel/tracing
mkdir instances/clock && echo now >instances/clock/trace_marker
sed -n 's/.* \\([0-9]*\\)\\.[0-9]*: tracing_mark_write: now$/clock: \\1/p' instances/clock/trace
"""


def kunit_boot(k, age=0, more=""):
    return k.guest('for f in /sys/kernel/debug/kunit/*/results; do echo "@@ $f"; cat $f; done' + (CLOCK if age else ""), 600,
                   append="kunit.enable=1" + more + (f" aged_clock.ns={age}" if age else ""))


def kunit_passes(k, suite, case, age=0):
    """Does it in a boot of its own, without a splat?"""
    status, out, console, _ = kunit_boot(k, age, f" kunit.filter_glob={suite}.{case}")
    return not status and not splats(console) and kunit_results(out).get(suite, [0, {}])[1].get(case, [""])[0] == "ok"


# --- cases of ftracetest ---

class Cases:
    """What ftracetest prints of its cases, told as it comes: "[N] description", "[RESULT]", on the
    same line or behind what went to the console meanwhile, and a failed case's log."""

    def __init__(self, run, names, what, expected):
        self.run, self.names, self.what, self.expected = run, names, what, expected
        self.current, self.number, self.log, self.since, self.failed = None, 0, [], time.time(), None
        self.told, self.traced, self.bad = set(), [], []

    def line(self, line):
        m = re.match(r"\[(\d+)\].*?(?:\t\[([A-Z]+)\])?$", line)
        # Their numbers grow: a smaller one is a word of a case's log.
        if m and (m[2] or "\t" not in line) and self.number < int(m[1]) <= len(self.names):
            self.end()
            self.number = int(m[1])
            self.current, self.log = self.names[self.number - 1], []
            if m[2]:
                self.tell(m[2])
        elif self.current:
            m = re.match(r"\t\[([A-Z]+)\]$", line)
            if m and self.current not in self.told:
                self.tell(m[1])
            else:
                self.log.append(line)

    def tell(self, got):
        name, took, self.since = self.current, time.time() - self.since, time.time()
        self.told.add(name)
        want, why = self.expected.get(name, ("PASS", ""))
        if name.startswith(NOTHING_TRACED):
            self.traced += [name] * (got != "PASS")
        elif got != want:
            self.failed = name, f"{self.what} {name}: {got}, expected {want}", took
            self.run.say(f"?    {self.failed[1]}; more of it at the end")
        elif got == "PASS":
            self.run.result(f"{self.what} {name}", True, seconds=took)
        else:
            # Also a FAIL that is expected.
            self.run.skip(f"{self.what} {name}: {got}", why, took)

    def end(self):
        """No more of a case comes, so that a failed one's log is whole."""
        if self.failed:
            self.bad.append((*self.failed, "\n".join(self.log)))
            self.failed = None


# Ours are run by ftracetest with less to do between them.  The base's are not, but in flavours whose checkers make of it
# minutes a case; the cases themselves never change.
QUICK_RESET = """sed -i -E 's/^(reset|clear)_(trigger|events_filter|ftrace_filter|dynamic_events)\\(\\)/\\1_every_\\2()/' \\
	test.d/functions || exit 1
{ echo; cat test.d/overlay/quick-reset; } >>test.d/functions || exit 1
"""


def ftracetest(run, k, cases, what, expected, limit, clients=False, files=(), again=False, once=(), turns=True, cpus=None):
    """Runs cases of ftracetest in one boot, on CPUs that take @turns, against the expectations.  @again: a second try, which is
    about those that failed and has no results of its own.  @once: those that are not run in an instance
    as well, though they say that they can.  @cpus: so many of them, if not as usual.  Return: did all pass?"""
    tree = BASE if k.kernel == "base" else os.path.join(BUILD, "linux")
    # Fewer of them are what somebody looks at; on other CPUs it is the group's.
    t0, many = time.time(), len(cases) > SECOND_TRIES or cpus is not None
    if k.kernel == "ours":
        steps = [cases[i:i + CHECKED_TOGETHER] for i in range(0, len(cases), CHECKED_TOGETHER)]
        cases = [c for step in steps for c in (*step, NOTHING_TRACED)]
        checks = iter([f"{NOTHING_TRACED} after {', '.join(step)}" for step in steps])
    names = cases + [c + " (instance)" for c in cases
                     if c not in once and any("instance" in f for f in header(tree, c, "flags"))]
    # The check that runs between them is told apart by the cases that it follows.
    names = [next(checks) if n == NOTHING_TRACED else n for n in names]
    group, what = what, f"{what} {k.name}" + (f", {cpus} CPUs" if cpus else "")
    told = run
    if again:
        names = [f"{n} #{i}" for i, n in enumerate(names)]
        run = Silent()
    seen = Cases(run, names, what, expected)
    paths = " ".join(f"test.d/{c}" for c in cases)
    quick = QUICK_RESET if k.kernel == "ours" and (group != "selftest" or k.checked) else ""
    for c in once:
        quick += f"sed -i '/^#[ \t]*flags:/s/instance//' test.d/{c} || exit 1\n"
    # For overlay/tracers-storm.tc, which says what it took.
    if os.environ.get("STORM_SEED"):
        quick += f"export STORM_SEED={int(os.environ.get('STORM_SEED'))}\n"
    script = (f"cd /selftests/ftrace\n{quick}./ftracetest -v {paths}; echo '@@ left:'; "
              "cat /sys/kernel/tracing/enabled_functions; echo finished; exit 0\n")
    status, out, console, err = k.guest(script, limit, files=files, clients=clients, each=seen.line, turns=turns,
                                       cpus=cpus)
    seen.end()
    missing = [n for n in names if n not in seen.told]
    if missing:
        run.result(f"{what}: all cases ran", False, "\n".join([*seen.log, *missing]))
    left = out.partition("@@ left:\n")[2]
    if k.kernel == "ours":
        run.result(f"{what}: no call site is left patched after any of them",
                   not seen.traced and left == "finished\n", "\n".join(seen.traced) + "\n" + left)
    if status or not left.endswith("finished\n"):
        run.result(f"{what}: ran to the end", False, err)
    found = splats(console)
    run.result(f"{what}: no splat on the console", not found, found, time.time() - t0)
    if again:
        return run.good and not seen.bad
    # A guest that is well, and few of many: is it the case, or the moment?
    second = run.good and many and len(seen.bad) <= SECOND_TRIES
    for name, line, took, log in seen.bad:
        case = name.removesuffix(" (instance)")
        # A result that is better than expected is no matter of luck.
        if second and name not in expected and ftracetest(told, k, [case, case], group, {}, limit, clients, files, again=True,
                                 once=[c for c in once if c == case], turns=turns, cpus=cpus):
            told.unsteady(line, log, took)
        else:
            told.result(line, False, log, took)


def expectations(k):
    """What configs/expectations says of this kernel: case -> result, reason."""
    return {case: (result, why) for result, case, why in reasons("expectations", k)}


def picked(run, k, what, all_cases, cases):
    """Those that were asked for; that there are none at all is a failure."""
    if not all_cases:
        run.result(f"{what} {k.name}: there are cases", False)
    return [c for c in all_cases if not cases or c in cases]


# About half of the base's cases, as time goes: those of functions.
OF_FUNCTIONS = ("direct/", "ftrace/", "kprobe/")


def of_base(run, k, cases, wanted):
    """The base's own ftrace selftests that are @wanted, unmodified."""
    if not k.build(run):
        return
    mine = set(selftest_files(TOP))
    every = picked(run, k, "selftest", [c for c in selftest_files(BASE) if c not in mine and wanted(c)], cases)
    if every:
        ftracetest(run, k, every, "selftest", expectations(k), 2400)


def selftests(run, k, cases):
    """The base's cases, but for those of the next group."""
    of_base(run, k, cases, lambda c: not c.startswith(OF_FUNCTIONS))


def functions(run, k, cases):
    """The base's cases of functions, in a guest of their own, beside the other's."""
    of_base(run, k, cases, lambda c: c.startswith(OF_FUNCTIONS))


# The groups of our cases: each takes those that want a guest like its own.
BOOTS, RACING, OWN = "boots", "racing", "own"


def group_of_case(case):
    if header(TOP, case, "boot"):
        return BOOTS
    return RACING if header(TOP, case, "cpus") == ["at once"] else OWN


def drop_long(run, k, group, mine, cases):
    """Out of @mine those with "# long:", which are for make test-all; return: is this that, or were @cases asked for?"""
    # Load, as the group of that name, has its time in make test-all, which sets this.
    if cases or os.environ.get("LOAD_SECONDS"):
        return True
    for case in [c for c in mine if header(TOP, c, "long")]:
        run.skip(f"{group} {k.name} {case}", f"make test-all has it: {header(TOP, case, 'long')[0]}")
        mine.remove(case)
    return False


def of_group(run, k, group, cases):
    """Our cases that are @group's and are to be run, and those of them that are not to be run in an instance as well,
    which only make test-all does."""
    mine = picked(run, k, group, [c for c in selftest_files(TOP) if not c.startswith("clients/") and c != NOTHING_TRACED
                                  and group_of_case(c) == group], cases)
    if k.kernel == "base":
        mine = [c for c in mine if c.startswith("oracle/")]
        for case in [c for c in mine if header(TOP, c, "base") and c not in cases]:
            run.skip(f"{group} {k.name} {case}", header(TOP, case, "base")[0])
            mine.remove(case)
    once = []
    if not drop_long(run, k, group, mine, cases):
        once = [c for c in mine if any("instance" in f for f in header(TOP, c, "flags"))]
        for case in once:
            run.skip(f"{group} {k.name} {case} (instance)", "make test-all has it: here the base's cases are run in instances, too")
    return mine, once


def own(run, k, cases):
    """Our selftests, but for those of the next two groups."""
    if k.build(run):
        mine, once = of_group(run, k, OWN, cases)
        if mine:
            ftracetest(run, k, mine, OWN, expectations(k), 2400, once=once)


def racing(run, k, cases):
    """Our selftests with "# cpus: at once", which race, or measure times: they have a guest whose CPUs do not take turns, but
    for x86_64, see scripts/guest.  Those with "# eight:" have one with eight as well, in make test-all, which sets this."""
    if k.build(run):
        mine, once = of_group(run, k, RACING, cases)
        if mine:
            ftracetest(run, k, mine, RACING, expectations(k), 2400, once=once, turns=False)
        eight = [c for c in mine if header(TOP, c, "eight")]
        if eight and os.environ.get("LOAD_SECONDS"):
            # They share few of the host.
            ftracetest(run, k, eight, f"{RACING} on 8 CPUs", expectations(k), 2 * 2400, once=once, turns=False, cpus=8)


def oracle(run, k, cases):
    """Those of our cases that are about what both kernels do, on the base, which tells whether they are right."""
    for group in own, racing:
        group(run, k.base(), cases)


def boots(run, k, cases):
    """Our selftests with "# boot:", each in a boot of its own."""
    if not k.build(run):
        return
    mine, _ = of_group(run, k, BOOTS, cases)
    for case in mine:
        boot_case(run, k, case)
    if k.kernel == "base" and not cases:
        run.skip(f"{BOOTS} {k.name}", "the command lines are of cases of ours alone")


def boot_case(run, k, case):
    """A case in a boot of its own; if it fails in a guest that is well, again.  "# needs:" names options
    that the kernel must have been built with, or configs/lost says why it is not."""
    lacks = [o for line in header(TOP, case, "needs") for o in line.split() if k.options().get(o) is None]
    known = {option: why for option, _, why in reasons("lost", k)}
    if lacks and all(o in known for o in lacks):
        run.skip(f"{BOOTS} {k.name} {case}", f"without {lacks[0]}: {known[lacks[0]]}")
        return
    if lacks:
        run.result(f"{BOOTS} {k.name} {case}", False, f"{' '.join(lacks)}: off, and configs/lost says no reason")
        return
    t0 = time.time()
    ok, well, detail = boot_once(k, case)
    name, took = f"{BOOTS} {k.name} {case}", time.time() - t0
    if not ok and well and all(boot_once(k, case)[0] for _ in range(2)):
        run.unsteady(name, detail, took)
    else:
        run.result(name, ok, detail, took)


def boot_once(k, case):
    """A case with the command line that its "# boot:" says, outside ftracetest, which would
    clear what the boot recorded.  "# console:" says what must then be on the console, "# complains:"
    that a splat is wanted, but none of a checker, "# ends: dies" that the kernel is to panic, "# types:" what is answered to
    the prompts of its debugger, "# machine:" what QEMU's -machine is to have.  Return: it passed; nothing but its own word
    says that it did not; what it printed."""
    status, out, console, err = k.guest(f"cd /sys/kernel/tracing && sh -ex /selftests/ftrace/test.d/{case}", 120,
                                        append=" ".join(header(TOP, case, "boot")), types=header(TOP, case, "types"),
                                        machine=header(TOP, case, "machine"))
    missing = [w for w in header(TOP, case, "console") if not re.search(w, console)]
    if "dies" in header(TOP, case, "ends"):
        # By itself: a guest that hangs on its way is stopped, and says less or more than one panic.
        found = splats(console, DEATH)
        panics = len(re.findall("Kernel panic - not syncing", console))
        ok = status == DIED and panics == 1
        out += "" if ok else f"\nstatus {status}, {panics} panics; wanted are {DIED} and 1\n"
    else:
        found = splats(console, COMPLAINT if header(TOP, case, "complains") else None)
        ok = status == 0
    detail = out + err + "".join(f"\nnot on the console: {w}" for w in missing) + "\n" + found
    return ok and not found and not missing, not found and status not in (DIED, STOPPED), detail


def client_programs(k):
    """Programs of ours that are linked with the guest's libtracefs; their names."""
    out = os.path.join(BUILD, f"clients-{k.arch}.bin")
    for command in (["sh", os.path.join(TOP, "scripts/rootfs.sh"), "clients"],
                    ["make", "-s", "-C", os.path.join(TOP, "tools/tracing/clients"), f"CC={cross(k.arch)}gcc",
                     f"DEV={BUILD}/clients-{k.arch}.dev", f"BASE={BASE}", f"OUT={out}"]):
        done = subprocess.run(command, env=k.env(), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}:\n{done.stdout}")
    return [os.path.join(out, name) for name in ("libtracefs", "libtracefs_probes", "mapped", "map_test")]


def clients(run, k, cases):
    """trace-cmd, perf and libtracefs of Debian 13, unchanged."""
    if not k.build(run):
        return
    mine = picked(run, k, "client", [c for c in selftest_files(TOP) if c.startswith("clients/")], cases)
    drop_long(run, k, "client", mine, cases)
    if mine:
        ftracetest(run, k, mine, "client", expectations(k), 1200, clients=True, files=client_programs(k))


# --- long runs, only if asked for ---

# Runs a case of ftracetest and is true if it passed: ftracetest itself also is where a case
# was not supported or found nothing out.
PASSES = r"""
passes() {
	./ftracetest -vv "$1" >/tmp/passes 2>&1
	grep -q '^# of passed:  *1$' /tmp/passes && ! grep -qE '^# of (failed|unresolved|unsupported|untested|undefined).*: *[1-9]' /tmp/passes && return
	tail -n 60 /tmp/passes
	return 1
}
"""


def long_run(run, k, name, script, limit, append=""):
    """A script in a boot of its own that ends with status 0, without a splat."""
    if not k.build(run):
        return
    t0 = time.time()
    status, out, console, err = k.guest("cd /selftests/ftrace\n" + PASSES + script, limit, append=append)
    run.result(name, status == 0, f"status {status}\n" + out[-4000:] + err)
    found = splats(console)
    run.result(f"{name}: no splat on the console", not found, found, time.time() - t0)


def storm(run, k, cases):
    """Ten minutes of tracers switching while all functions are traced, modules and CPUs come
    and go."""
    long_run(run, k, f"storm {k.name}: ten minutes of tracers switching",
             "passes test.d/oracle/function-storm.tc\n", 1500, append="storm_seconds=600")


def direct(run, k, cases):
    """A hundred rounds of the base's test of direct calls."""
    long_run(run, k, f"direct {k.name}: the base's test a hundred times", r"""
for i in $(seq 100); do
	passes test.d/direct/ftrace-direct.tc || exit 1
	[ -z "$(cat /sys/kernel/tracing/enabled_functions)" ] || exit 1
	echo "@@ direct $i"
done
""", 4500)
