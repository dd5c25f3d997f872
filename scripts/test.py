#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the tests: test.py [--all | --list] [GROUP | TESTCASE.tc ...]

Every group builds what it needs.  ARCH, KERNEL and FLAVOUR in the environment
choose the kernel (arm64, ours, test).  The last line is "N passed, N failed".
"""
import fnmatch, glob, hashlib, os, re, subprocess, sys, tempfile, threading, time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
import overlay as layer

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(TOP, "build")
BASE = os.path.join(BUILD, "base/linux-source-6.12")
LOGS = os.path.join(BUILD, "logs")
SELFTESTS = "tools/testing/selftests/ftrace"

# What a kernel says on its console when something is wrong with it.
SPLAT = re.compile(r"WARNING:|BUG:|Oops|\bKASAN\b.*in |UBSAN:|INFO: (task|rcu|possible|trying)|"
                   r"Kernel panic|Unable to handle|rcu: INFO|suspicious RCU|possible circular|"
                   r"inconsistent lock state|soft lockup|scheduling while atomic|sleeping function|"
                   r"general protection|Call [Tt]race:|DEBUG_LOCKS_WARN")


class Run:
    """Where a group's results go; one line each, details of a failure indented below."""
    passed = failed = 0    # of all groups
    lock = threading.Lock()

    def __init__(self):
        self.good = True

    def result(self, name, ok, detail="", seconds=None):
        took = f"  ({seconds:.0f} s)" if seconds is not None and seconds >= 1 else ""
        lines = [f"{'ok  ' if ok else 'FAIL'} {name}{took}"]
        if not ok:
            lines += [f"    | {line}" for line in detail.rstrip().splitlines()[-40:]]
        with Run.lock:
            Run.passed += ok
            Run.failed += not ok
            self.good &= ok
            print("\n".join(lines), flush=True)


def note(text):
    print(f"== {text}", flush=True)


class Kernel:
    def __init__(self, arch, kernel="ours", flavour="test"):
        self.arch, self.kernel, self.flavour = arch, kernel, flavour
        self.spec = kernel + ("" if flavour == "test" else "-" + flavour)
        self.name = f"{self.spec}-{arch}"
        self.dir = os.path.join(BUILD, f"{kernel}-{arch}" + ("" if flavour == "test" else "-" + flavour))
        # Emulation under the checkers is several times slower.
        self.slow = 5 if flavour == "debug" else 2 if arch != "arm64" else 1
        self.built = None

    def env(self, **more):
        return dict(os.environ, ARCH=self.arch, KERNEL=self.kernel, FLAVOUR=self.flavour, **more)

    def make(self, *targets):
        return subprocess.run(["sh", os.path.join(TOP, "scripts/kernel.sh"), *targets], env=self.env(),
                              text=True, stdout=subprocess.PIPE if targets else None,
                              stderr=subprocess.STDOUT if targets else None)

    def build(self, run):
        if self.built is None:
            self.built = self.make().returncode == 0
            if not self.built:
                run.result(f"build {self.name}", False, "see above")
        return self.built

    def fingerprint(self):
        """Of all that a result in the guest comes from."""
        files = [f"{self.dir}/arch/*/boot/*Image", f"{self.dir}/mods/**/*.ko", f"{TOP}/{SELFTESTS}/**/*",
                 f"{TOP}/scripts/**/*", f"{TOP}/configs/*"]
        sums = hashlib.sha256()
        for path in sorted({p for f in files for p in glob.glob(f, recursive=True) if os.path.isfile(p)}):
            sums.update(path.encode() + hashlib.sha256(open(path, "rb").read()).digest())
        return sums.hexdigest()

    def guest(self, script, limit, files=(), append="", share=None, clients=False, each=None):
        """Boots and runs the script; returns its status, output and the console.  What it prints
        is given to each() as it comes, a line at a time."""
        extra = {"GUEST_FILES": " ".join(files), "APPEND": append,
                 "MEMORY": "2048" if self.flavour == "debug" or clients else "1024"}
        if clients:
            extra["CLIENTS"] = "1"
        if share:
            extra["SHARE"] = share
        out = []
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as f, tempfile.TemporaryFile("w+", errors="replace") as err, \
                tempfile.NamedTemporaryFile("r", dir=LOGS, prefix="console-", errors="replace") as console:
            f.write(script)
            f.flush()
            guest = subprocess.Popen([os.path.join(TOP, "scripts/guest"), self.arch, self.spec, f.name, str(limit * self.slow)],
                                     env=self.env(GUEST_LOG=console.name, **extra), text=True, errors="replace",
                                     stdout=subprocess.PIPE, stderr=err)
            for line in guest.stdout:
                out.append(line.rstrip("\r\n") + "\n")
                if each:
                    each(out[-1][:-1])
            status = guest.wait()
            err.seek(0)
            return status, "".join(out), console.read().replace("\r", ""), err.read()


def splats(console):
    """The console's complaints, each with a few lines after it."""
    lines, rows, until = console.splitlines(), [], -1
    for i, line in enumerate(lines):
        if SPLAT.search(line):
            until = max(until, i + 15)
        if i <= until:
            rows.append(line)
    return "\n".join(rows[:60])


def overlay():
    return sorted(layer.ours(TOP))


def selftest_files(tree):
    top = os.path.join(tree, SELFTESTS, "test.d")
    return sorted(os.path.relpath(p, top) for p in glob.glob(top + "/**/*.tc", recursive=True))


def header(tree, case, key):
    # Ours are not in the base's tree, but run there as well.
    paths = [os.path.join(t, SELFTESTS, "test.d", case) for t in (tree, TOP)]
    text = open(next(p for p in paths if os.path.exists(p))).read()
    return [v.strip() for v in re.findall(rf"^#[ \t]*{key}:(.*)$", text, re.M)]


# Run after every case of ftracetest.
NOTHING_TRACED = "overlay/nothing-traced.tc"


# --- groups: each takes the run, the kernel and the cases that were asked for ---

def kunit(run, k, cases):
    """KUnit suites at boot, read from debugfs."""
    if not k.build(run):
        return
    t0 = time.time()
    status, out, console, err = k.guest('for f in /sys/kernel/debug/kunit/*/results; do echo "@@ $f"; cat $f; done',
                                        300, append="kunit.enable=1")
    results, suite = {}, "?"
    for line in out.splitlines():
        if line.startswith("@@ "):
            suite = line.split("/")[-2]
        m = re.match(r"    (not ok|ok) \d+ (\S+)(.*)", line)
        if m:
            good = m[1] == "ok" and "SKIP" not in m[3]
            results[f"{suite}.{m[2]}"] = good, m[3]
    bad = [l for l in console.splitlines() if re.search(r"# .*(EXPECT|ASSERT|not ok)|not ok", l)]
    for name, (good, more) in results.items():
        run.result(f"kunit {k.name} {name}", good, more + "\n" + "\n".join(bad))
    if status or not results:
        run.result(f"kunit {k.name}: the suites ran", False, err + "\n" + "\n".join(console.splitlines()[-30:]))
    found = splats(console)
    run.result(f"kunit {k.name}: no splat on the console", not found, found, time.time() - t0)


class Cases:
    """What ftracetest prints of its cases, told as it comes: "[N] description", "[RESULT]", on the
    same line or behind what went to the console meanwhile, and a failed case's log."""

    def __init__(self, run, names, what, expected):
        self.run, self.names, self.what, self.expected = run, names, what, expected
        self.current, self.log, self.since, self.failed = None, [], time.time(), None
        self.told, self.traced = set(), []

    def line(self, line):
        m = re.match(r"\[(\d+)\].*?(?:\t\[([A-Z]+)\])?$", line)
        if m and (m[2] or "\t" not in line) and int(m[1]) <= len(self.names):
            self.end()
            self.current, self.log = self.names[int(m[1]) - 1], []
            if m[2]:
                self.tell(m[2])
        elif self.current:
            m = re.match(r"\t\[([A-Z]+)\]$", line)
            if m:
                self.tell(m[1])
            else:
                self.log.append(line)

    def tell(self, got):
        name, took, self.since = self.current, time.time() - self.since, time.time()
        self.told.add(name)
        want, why = self.expected.get(name, ("PASS", ""))
        if name.startswith(NOTHING_TRACED):
            self.traced += [name] * (got != "PASS")
        elif got == want:
            self.run.result(f"{self.what} {name}" + (f": {got}, {why}" if want != "PASS" else ""), True, seconds=took)
        else:
            self.failed = f"{self.what} {name}: {got}, expected {want}", took

    def end(self):
        """No more of a case comes, so that a failed one's log is whole."""
        if self.failed:
            name, took = self.failed
            self.run.result(name, False, "\n".join(self.log), took)
            self.failed = None


def ftracetest(run, k, cases, what, expected, limit, clients=False):
    """Runs cases of ftracetest in one boot against the expectations."""
    tree = BASE if k.kernel == "base" else os.path.join(BUILD, "linux")
    t0 = time.time()
    if k.kernel == "ours":
        cases = [c for case in cases for c in (case, NOTHING_TRACED)]
    names = cases + [c + " (instance)" for c in cases if any("instance" in f for f in header(tree, c, "flags"))]
    # The check that runs between them is told apart by the case that it follows.
    names = [f"{NOTHING_TRACED} after {names[i - 1]}" if n == NOTHING_TRACED else n for i, n in enumerate(names)]
    what = f"{what} {k.name}"
    seen = Cases(run, names, what, expected)
    paths = " ".join(f"test.d/{c}" for c in cases)
    script = (f"cd /selftests/ftrace; ./ftracetest -v {paths}; echo '@@ left:'; "
              "cat /sys/kernel/tracing/enabled_functions; echo finished; exit 0\n")
    status, out, console, err = k.guest(script, limit, clients=clients, each=seen.line)
    seen.end()
    missing = [n for n in names if n not in seen.told]
    if missing:
        run.result(f"{what}: all cases ran", False, "\n".join([*seen.log, *missing]))
    left = out.partition("@@ left:\n")[2]
    if k.kernel == "ours":
        run.result(f"{what}: no call site is left patched after any of them",
                   not seen.traced and left == "finished\n", "\n".join(seen.traced) + "\n" + left)
    if "finished" not in out:
        run.result(f"{what}: ran to the end", False, err)
    found = splats(console)
    run.result(f"{what}: no splat on the console", not found, found, time.time() - t0)


def expectations(k):
    """What configs/expectations says of this kernel: case -> result, reason."""
    rows = {}
    for line in open(os.path.join(TOP, "configs/expectations")):
        m = re.match(r"([A-Z]+)\s+(\S+)\s+(\S+\.tc(?: \(instance\))?)\s*#\s*(.+)", line)
        if m and {"*", k.kernel, k.arch, k.flavour, f"{k.arch}-{k.flavour}"} & set(m[2].split(",")):
            rows[m[3]] = m[1], m[4].strip()
    return rows


def selftests(run, k, cases):
    """The base's own ftrace selftests, unmodified."""
    if not k.build(run):
        return
    mine = set(selftest_files(TOP))
    every = [c for c in selftest_files(BASE) if c not in mine]
    if cases:
        every = [c for c in every if c in cases]
    if every:
        ftracetest(run, k, every, "selftest", expectations(k), 1500)


def own(run, k, cases):
    """Our selftests.  Those with "# boot:" get a boot of their own with that
    command line, and are run outside ftracetest, which would clear what the boot
    recorded; "# console:" says what must then be on the console, "# complains:" that a
    splat is wanted."""
    if not k.build(run):
        return
    mine = [c for c in selftest_files(TOP) if (not cases or c in cases) and not c.startswith("clients/")]
    if k.kernel == "base":
        mine = [c for c in mine if c.startswith("oracle/")]
    together = [c for c in mine if not header(TOP, c, "boot") and c != NOTHING_TRACED]
    if together:
        ftracetest(run, k, together, "own", expectations(k), 1200)
    for case in mine:
        boot = header(TOP, case, "boot")
        if not boot:
            continue
        t0 = time.time()
        wanted = header(TOP, case, "console")
        status, out, console, err = k.guest(
            f"cd /sys/kernel/tracing && sh -ex /selftests/ftrace/test.d/{case}", 120, append=" ".join(boot))
        missing = [w for w in wanted if not re.search(w, console)]
        if "dies" in header(TOP, case, "ends"):
            ok, found = status == 125, ""
        else:
            found = "" if header(TOP, case, "complains") else splats(console)
            ok = status == 0 and not found
        run.result(f"own {k.name} {case}", ok and not missing,
                   out + err + "".join(f"\nnot on the console: {w}" for w in missing) + "\n" + found,
                   time.time() - t0)


def clients(run, k, cases):
    """trace-cmd and perf of Debian 13, unchanged."""
    if not k.build(run):
        return
    mine = [c for c in selftest_files(TOP) if c.startswith("clients/") and (not cases or c in cases)]
    if mine:
        ftracetest(run, k, mine, "client", expectations(k), 600, clients=True)


def long_run(run, k, name, script, limit, end, append=""):
    """A script in a boot of its own that ends with a word of its own, without a splat."""
    if not k.build(run):
        return
    t0 = time.time()
    status, out, console, err = k.guest("cd /selftests/ftrace\n" + script, limit, append=append)
    run.result(name, end in out, out[-4000:] + err)
    found = splats(console)
    run.result(f"{name}: no splat on the console", not found, found, time.time() - t0)


def storm(run, k, cases):
    """Ten minutes of tracers switching while all functions are traced, modules and CPUs come
    and go.  Only if asked for."""
    long_run(run, k, f"storm {k.name}: ten minutes of tracers switching",
             "./ftracetest -vv test.d/oracle/function-storm.tc && echo '@@ storm passed'\n", 1500,
             "@@ storm passed", append="storm_seconds=600")


def direct(run, k, cases):
    """A hundred rounds of the base's test of direct calls.  Only if asked for."""
    long_run(run, k, f"direct {k.name}: the base's test a hundred times", r"""
for i in $(seq 100); do
	./ftracetest -v test.d/direct/ftrace-direct.tc || break
	[ -z "$(cat /sys/kernel/tracing/enabled_functions)" ] || break
	echo "@@ direct $i"
done
exit 0
""", 4500, "@@ direct 100")


OBSERVE = r"""
cd /sys/kernel/tracing
mkdir instances/x
find . -path './events/*/*/*' -prune -o -path './instances/x/events/*' -prune -o -printf '%m %y %P\n' | sort -k3 >/host/modes
find events/sched/sched_switch events/ftrace/print -printf '%m %y %p\n' 2>/dev/null | sort -k3 >/host/modes.event
rmdir instances/x
sort available_events >/host/available_events
for f in trace_clock trace_options timestamp_mode available_tracers buffer_percent tracing_on events/header_page events/header_event trace set_event set_event_pid saved_tgids; do
	echo "== $f"; cat $f 2>&1
done >/host/defaults
modprobe trace-events-sample
grep -r '' --include=format events >/host/formats

# What the function tracers print, of one task on one CPU that writes a line.
echo 'vfs_write ksys_write' >set_ftrace_filter
echo $$ >set_ftrace_pid
taskset -p 1 $$ >/dev/null
view() { # tracer option...
	tracer=$1
	shift
	echo 0 >tracing_on
	echo $tracer >current_tracer
	for o; do echo $o >trace_options; done
	echo >trace
	echo 1 >tracing_on
	echo hello >trace_marker
	echo hello >trace_marker
	echo 0 >tracing_on
	echo "== $tracer $*"
	cat trace
	for o; do case $o in no*) echo ${o#no} ;; *) echo no$o ;; esac >trace_options; done
	echo nop >current_tracer
}
{
	view function
	for o in sym-offset verbose noprint-parent latency-format nocontext-info noirq-info func-no-repeats; do
		view function $o
	done
	view function_graph
	for o in funcgraph-proc funcgraph-abstime nofuncgraph-cpu nofuncgraph-duration nofuncgraph-overhead \
			funcgraph-overrun funcgraph-tail latency-format nocontext-info print-parent verbose; do
		view function_graph $o
	done
	[ ! -e options/funcgraph-retval ] || view function_graph funcgraph-retval funcgraph-retval-hex
	view function_graph latency-format funcgraph-abstime funcgraph-proc
	view function_graph latency-format nofuncgraph-cpu nofuncgraph-duration
	for f in set_ftrace_filter set_ftrace_notrace set_ftrace_pid set_ftrace_notrace_pid \
			set_graph_function set_graph_notrace max_graph_depth function_profile_enabled; do
		echo "== $f"
		cat $f
	done
} >/host/functions 2>&1
"""

# What differs from boot to boot: times (not their width), durations and their marks, numbers of tasks, addresses.
FIGURES = [(r"[ +!#*@$]*[\d.]+ us +\|", "N us |"), (r"^ +\d+\.\d+ ", "TIME "),
           (r"( +\d+)\.(\d+): ", lambda m: f" TIME {len(m[1])}.{len(m[2])}: "),
           (r" +[\d.]+us[!+#*@$ ]*:", " Nus:"), (r"\[[0-9a-f]+\] [\d.]+ms \([+\d.]+ms\)", "MS"), (r"-\d+ ", "-PID "),
           (r"^( +\w+) +\d+ ", r"\1 PID "), (r"( = )(0x)?[0-9a-f]+", r"\1V"), (r"(tracing_mark_write)\+\S+:", r"\1:"),
           (r"task: \S+", "task"), (r"^\d+$", "N"), (r"last_ts: +[\d.]+", "last_ts")]
# The base's riscv64 is without PREEMPT, so its functions have other sizes; and its call sites are at their functions'
# first byte, ours at the second instruction of the pair (see function-tracing.rst).
# On x86_64 the base counts what it disabled preemption for itself, when a function is entered.
FIGURES_OF = {"riscv64": [(r"\(M:\w+ ", "(M: "), (r"\+0x[0-9a-f]+/0x[0-9a-f]+", "+N/N")],
              "x86_64": [(r"\.1(\. \|.*\(\) \{)$", r"..\1")]}


def compare(run, k, cases):
    """format files and the rest of tracefs, on the base and on ours."""
    base = Kernel(k.arch, "base")
    if not (k.build(run) and base.build(run)):
        return
    seen = []
    for kernel in (base, k):
        with tempfile.TemporaryDirectory(dir=BUILD) as share:
            status, out, console, err = kernel.guest(OBSERVE, 300, share=share)
            if status:
                run.result(f"compare: {kernel.name} gave its files", False, err)
                return
            seen.append({n: open(os.path.join(share, n)).read() for n in os.listdir(share)})
    old, new = seen

    def formats(text):
        rows = {}
        for line in text.splitlines():
            path, _, line = line.partition(":")
            # A number the compiler counts up, different with every header.
            line = re.sub(r"__UNIQUE_ID_([a-z]+)_\d+", r"__UNIQUE_ID_\1", line)
            if not line.startswith("ID: "):
                rows.setdefault(path, []).append(line)
        return rows

    a, b = formats(old["formats"]), formats(new["formats"])
    wrong = [f"{p}: " + ("missing" if p not in b else next((f"base {x!r}, ours {y!r}" for x, y in
             zip(a[p] + [""], b[p] + [""]) if x != y), "length")) for p in sorted(a) if a[p] != b.get(p)]
    extra = sorted(set(b) - set(a))
    run.result(f"compare {k.arch}: {len(a)} format files are the base's but for the ID",
               not wrong and not extra, "\n".join(wrong[:35] + [f"only ours: {p}" for p in extra[:5]] + [f"{len(wrong)} differ"]))
    lost = sorted(set(old["available_events"].split()) ^ set(new["available_events"].split()))
    run.result(f"compare {k.arch}: available_events", not lost, "\n".join(lost))
    for name in ("modes", "modes.event"):
        rows = [{l.split(" ", 2)[2]: l for l in s[name].splitlines() if l.count(" ") >= 2} for s in (old, new)]
        skip = deferred()
        rows = [{p: l for p, l in r.items() if not any(re.fullmatch(s, p) for s in skip)} for r in rows]
        diff = [f"base: {rows[0].get(p)}  ours: {rows[1].get(p)}" for p in sorted(set(rows[0]) | set(rows[1]))
                if rows[0].get(p) != rows[1].get(p)]
        run.result(f"compare {k.arch}: names and {name} of tracefs", not diff, "\n".join(diff))
    parts = [dict(re.findall(r"^== (\S+)\n(.*?)(?=^== |\Z)", s["defaults"], re.M | re.S)) for s in (old, new)]
    for name in parts[0]:
        x, y = ["\n".join(sorted(p.get(name, "").splitlines())) if name == "trace_options" else p.get(name, "") for p in parts]
        run.result(f"compare {k.arch}: {name}", x == y, f"base:\n{x}\nours:\n{y}")


    def views(text):
        for figure, word in FIGURES + FIGURES_OF.get(k.arch, []):
            text = re.sub(figure, word, text, flags=re.M)
        return re.split(r"^(?=== )", text, flags=re.M)

    wrong = [f"base:\n{x}ours:\n{y}" for x, y in zip(views(old["functions"]), views(new["functions"])) if x != y]
    run.result(f"compare {k.arch}: what function tracers print with {len(views(new['functions']))} options",
               old["functions"].count("==") == new["functions"].count("==") and not wrong, "\n".join(wrong[:3]))


def deferred():
    """Names in tracefs that later work brings: configs/deferred, regular expressions."""
    path = os.path.join(TOP, "configs/deferred")
    return [l.split("#")[0].strip() for l in open(path) if l.split("#")[0].strip()] if os.path.exists(path) else []


def checkpatch(run, k, cases):
    """checkpatch --strict on every file of ours; configs/checkpatch-allowed
    has what it misjudges: file, type, reason."""
    names = [n for n in overlay() if n.endswith((".c", ".h", ".S", ".rst", ".tc", ".sh")) or "/Kconfig" in n or n.endswith("/Makefile")]
    t0 = time.time()
    # It takes seconds a file: as many at a time as there are processors.
    work = [subprocess.Popen(["perl", os.path.join(BASE, "scripts/checkpatch.pl"), "--strict", "--no-summary", "--terse",
                              "--show-types", "--root", BASE, "--ignore", "FILE_PATH_CHANGES", "-f",
                              *(os.path.join(TOP, n) for n in names[i::os.cpu_count()])],
                             cwd=BASE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for i in range(os.cpu_count())]
    out = "".join(w.communicate()[0] for w in work).replace(TOP + "/", "")
    rows = [l for l in out.splitlines() if not re.match(r"total: ", l)]
    allowed = []
    path = os.path.join(TOP, "configs/checkpatch-allowed")
    for line in open(path) if os.path.exists(path) else []:
        if line.split("#")[0].strip():
            allowed.append(line.split("#")[0].split())
    rows = [r for r in rows if not any(fnmatch.fnmatch(r.split(":")[0], f) and f":{t}:" in r for f, t in
                                       ((a[0], a[1]) for a in allowed))]
    with open(os.path.join(BUILD, "logs/checkpatch.log"), "w") as f:
        f.write(out)
    run.result(f"checkpatch --strict: {len(names)} files", not rows,
               "\n".join(rows[-39:] + [f"{len(rows)} in all"]), time.time() - t0)


def sparse(run, k, cases):
    """sparse on what is built of ours."""
    if not k.build(run):
        return
    t0 = time.time()
    mine = overlay()
    folders = sorted({os.path.dirname(n) for n in mine if n.startswith("kernel/trace") and n.endswith(".c")})
    top = [f for f in folders if not any(f.startswith(g + "/") for g in folders)]
    targets = [f + "/" for f in top] + [n[:-2] + ".o" for n in mine if n.endswith(".c") and n.startswith(("kernel/tracepoint", "arch/"))
                                        and os.path.exists(os.path.join(k.dir, n[:-2] + ".o"))]
    done = k.make("C=2", *targets)
    tree = os.path.join(BUILD, "linux")
    rows = []
    for line in done.stdout.splitlines():
        m = re.match(r"(?:\.\./)*(?:.*?build/linux/)?([^ :]+):\d+:\d+: (warning|error)", line)
        if m and os.path.normpath(m[1]) in mine:
            rows.append(line.replace(tree + "/", ""))
    rows = list(dict.fromkeys(rows))
    run.result(f"sparse {k.name}", done.returncode == 0 and not rows,
               "\n".join(rows) or done.stdout[-2000:], time.time() - t0)


def kerneldoc(run, k, cases):
    """kernel-doc comments parse."""
    names = [n for n in overlay() if n.endswith((".c", ".h"))]
    done = subprocess.run(["perl", os.path.join(BASE, "scripts/kernel-doc"), "-none", *names], cwd=TOP,
                          capture_output=True, text=True)
    rows = [l for l in (done.stdout + done.stderr).splitlines() if "warning:" in l or "error:" in l]
    run.result(f"kernel-doc: {len(names)} files", not rows, "\n".join(rows))


def spdx(run, k, cases):
    """Every file of ours names its licence."""
    bad = [n for n in overlay() + glob.glob("scripts/**/*", root_dir=TOP, recursive=True)
           if os.path.isfile(os.path.join(TOP, n)) and not n.endswith((".svg", ".json", ".pyc"))
           and "SPDX-License-Identifier: GPL-2.0" not in open(os.path.join(TOP, n), errors="replace").read(600)]
    run.result("spdx", not bad, "\n".join(bad))


def model(run, k, cases):
    """The ring buffer's model in spin."""
    for path in sorted(n for n in overlay() if re.search(r"ring_buffer.*/Makefile$", n) and "model" in n):
        folder = os.path.dirname(path)
        out = os.path.join(BUILD, "model")
        os.makedirs(out, exist_ok=True)
        t0 = time.time()
        done = subprocess.run(["make", "-s", "-C", os.path.join(TOP, folder), f"OUT={out}", "check"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        run.result(f"model {folder}", done.returncode == 0, done.stdout, time.time() - t0)
        return
    run.result("model: there is one", False)


def series(run, k, cases):
    """The patch series applies with git am and gives the same tree."""
    t0 = time.time()
    done = subprocess.run([sys.executable, os.path.join(TOP, "scripts/series.py"), "--check",
                           os.path.join(BUILD, "series-test")], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    run.result("series: git am gives the same tree", done.returncode == 0, done.stdout, time.time() - t0)


def originality(run, k, cases):
    """Runs of lines shared with the base; only where the tool is at hand."""
    tool = os.path.join(os.path.dirname(TOP), "shared/tools/originality")
    if not os.path.exists(tool):
        note("originality: ../shared is not here")
        return
    done = subprocess.run([sys.executable, tool, BASE, TOP], capture_output=True, text=True)
    percent = re.search(r"\(([\d.]+) %\)", done.stdout)
    run.result(f"originality: {percent[0] if percent else '?'}", bool(percent) and float(percent[1]) <= 2.0, done.stdout)


HOST = [spdx, checkpatch, kerneldoc, model, series, originality]
GUEST = [kunit, selftests, own, clients, compare, sparse]
LONG = [storm, direct]
ONLY_TEST = [compare, sparse]    # what other flavours would only repeat
GROUPS = {g.__name__: g for g in [*HOST, *GUEST, *LONG]}


def main():
    words = sys.argv[1:]
    if "--list" in words:
        print(*GROUPS)
        return
    everything = "--all" in words
    words = [w for w in words if w != "--all"]
    cases = {w for w in words if w.endswith(".tc")}
    unknown = [w for w in words if w not in GROUPS and w not in cases]
    known = set(selftest_files(TOP)) | (set(selftest_files(BASE)) if os.path.isdir(BASE) else cases)
    unknown += [c for c in cases if c not in known]
    if unknown:
        sys.exit(f"test: no group or test case of this name: {' '.join(unknown)} (groups: {' '.join(GROUPS)})")
    chosen = [g for n, g in GROUPS.items() if n in words] or ([selftests, own, clients] if cases else [*HOST, *GUEST])
    os.makedirs(LOGS, exist_ok=True)
    t0 = time.time()
    first = Kernel(os.environ.get("ARCH") or "arm64", os.environ.get("KERNEL") or "ours",
                   os.environ.get("FLAVOUR") or "test")
    kernels = [first]
    if everything:
        kernels = [Kernel("arm64"), Kernel("riscv64"), Kernel("x86_64")]
        kernels += [Kernel(arch, "ours", flavour) for flavour in ("debug", "hardened", "small") for arch in ("arm64", "riscv64")]

    def one_kernel(k):
        groups = [g for g in [*GUEST, *LONG] if g in chosen and not (k.flavour != "test" and g in ONLY_TEST)]
        # The build comes first: it unpacks the base, which the rest reads.
        if (groups or not os.path.isdir(BASE)) and k.build(Run()):
            for group in groups:
                passed_before(k, group) if everything else group_of(k, group)

    def group_of(k, group):
        note(f"{group.__name__} {k.name}")
        run = Run()
        group(run, k, cases)
        return run.good

    def passed_before(k, group):
        """It takes hours, so what an interrupted run has done need not be done again."""
        done = os.path.join(BUILD, "passed", f"{group.__name__}-{k.name}")
        now = k.fingerprint()
        if os.path.exists(done) and open(done).read() == now:
            note(f"{group.__name__} {k.name}: passed already, and nothing has changed since")
        elif group_of(k, group):
            os.makedirs(os.path.dirname(done), exist_ok=True)
            open(done, "w").write(now)

    # Two at once: emulation waits a lot, and builds do not.
    with ThreadPoolExecutor(2 if everything else 1) as lanes:
        list(lanes.map(one_kernel, kernels))
    for group in HOST:
        if group in chosen:
            group_of(first, group)
    took = int(time.time() - t0)
    print(f"took {took // 60} min {took % 60} s")
    print(f"{Run.passed} passed, {Run.failed} failed")
    sys.exit(1 if Run.failed else 0)


main()
