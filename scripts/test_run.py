# SPDX-License-Identifier: GPL-2.0-only
"""What all tests share: where things lie, where results go, how far a group is."""
import glob, os, re, select, signal, sys, threading, time

sys.dont_write_bytecode = True
import overlay as layer

# What make, compilers and checkers say is read, so it is said in one language; a kernel's make unsets LC_ALL.
for name in "LANGUAGE", "LC_MESSAGES":
    os.environ.pop(name, None)
os.environ.update(LC_ALL="C", LANG="C")

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(TOP, "build")
BASE = os.path.join(BUILD, "base/linux-source-6.12")
LOGS = os.path.join(BUILD, "logs")
SELFTESTS = "tools/testing/selftests/ftrace"
# As many cases of a group may fail and be tried again; with more of them nothing is a matter of luck.
SECOND_TRIES = 3
UNSTEADY = "UNSTEADY: failed once, then passed alone, twice; its log stands where it did"
# The dice of runs that have others each time: a second try has those of the first.
STARTED = int(time.time())
# Names of results that are never a matter of luck.
GRAVE = r"no splat|to (its|the) end|^build "


class Run:
    """Where a group's results go; one line each, details of a failure indented below.  A test
    passed, failed or was skipped, which is neither and has a reason."""
    passed = failed = 0    # of all groups
    reasons = {}           # why -> the tests that were skipped for it
    before = []            # groups of make test-all that had passed already
    lock = threading.RLock()
    printed = time.time()
    told = None            # a pipe that can be read from when there was a Ctrl-C

    def __init__(self):
        self.good, self.steady, self.count = True, True, 0

    def result(self, name, ok, detail="", seconds=None):
        Run.not_by_interrupt(0 if ok else 0.2)
        lines = [f"{'ok  ' if ok else 'FAIL'} {name}{Run.took(seconds)}"]
        if not ok:
            lines += Run.last_lines(detail)
            Run.keep(name, detail)
        with Run.lock:
            Run.passed += bool(ok)
            Run.failed += not ok
            self.good &= bool(ok)
            self.count += 1
            Run.say("\n".join(lines))

    def skip(self, name, why, seconds=None):
        with Run.lock:
            Run.reasons.setdefault(why, []).append(name)
            self.count += 1
            Run.say(f"skip {name}{Run.took(seconds)}: {why}")

    def unsteady(self, name, detail, seconds=None):
        """It failed, and passed each time it was tried again alone: not passed, not failed, and shown."""
        Run.keep(name, detail)
        with Run.lock:
            self.steady = False
            self.skip(name, UNSTEADY, seconds)
            self.say("\n".join(Run.last_lines(detail)))

    @staticmethod
    def keep(name, detail):
        """All of it, in build/logs/failed, until the same fails again."""
        if detail.count("\n") >= 16 and os.path.isdir(LOGS):
            os.makedirs(os.path.join(LOGS, "failed"), exist_ok=True)
            with open(os.path.join(LOGS, "failed", re.sub(r"[^\w.,:-]+", "-", name)[:200]), "w") as f:
                f.write(detail)

    @staticmethod
    def last_lines(detail):
        """The end says what was wrong; what a case says itself stands in front of what it does to clear up."""
        lines = detail.rstrip().splitlines()
        said = [line for line in lines[:-16] if re.match(r"FAILED: |\[ *[0-9.]+\] .*\b(BUG|WARNING|INFO): ", line)]
        return [f"    | {line[:200]}" for line in said[-4:] + lines[-16:]]

    @staticmethod
    def took(seconds):
        return f"  ({seconds:.0f} s)" if seconds is not None and seconds >= 1 else ""

    @staticmethod
    def say(text):
        with Run.lock:
            Run.printed = time.time()
            print(text, flush=True)

    @staticmethod
    def totals():
        """What was skipped and why, and the line that CI reads. What was unsteady is named, all of it."""
        skipped = sum(map(len, Run.reasons.values()))
        lines = []
        for why, names in sorted(Run.reasons.items()):
            some = names if why == UNSTEADY else names[:3]
            lines.append(f"skipped, {len(names)}: {why} ({', '.join(some)}{', ...' if len(names) > len(some) else ''})")
        if Run.before:
            lines.append(f"{len(Run.before)} groups had passed already, with nothing changed since")
        return "\n".join(lines + [f"{Run.passed} passed, {Run.failed} failed, {skipped} skipped"])

    @staticmethod
    def end_when_interrupted():
        """Ctrl-C ends all at once, as threads that go on would begin the next guests.  By a thread of its own: the first one,
        which Python wants for it, sleeps, and need not be the one that the signal wakes."""
        Run.told, told = os.pipe()
        os.set_blocking(told, False)
        signal.signal(signal.SIGINT, lambda *_: None)
        signal.set_wakeup_fd(told)
        threading.Thread(target=Run.interrupted, daemon=True).start()

    @staticmethod
    def interrupted():
        select.select([Run.told], [], [])
        try:
            Run.lock.acquire(timeout=2)
            # Who reads it may have ended by the same Ctrl-C, or not read any more.
            if select.select([], [1], [], 1)[1]:
                os.write(1, f"interrupted\n{Run.totals()}\n".encode())
        except (OSError, RuntimeError):
            pass
        finally:
            # Also what was begun since the terminal told everybody.
            os.killpg(0, signal.SIGINT)
            os._exit(130)

    @staticmethod
    def not_by_interrupt(wait=0.0):
        """What ends by Ctrl-C has no result, and took no time: it stays here until all is over.  It may hear of it after those
        that it started, so what failed has to @wait."""
        if Run.told is not None and select.select([Run.told], [], [], wait)[0]:
            threading.Event().wait()


class Silent:
    """Takes the results of a second try."""

    def __init__(self):
        self.good, self.count = True, 0

    def result(self, name, ok, detail="", seconds=None):
        self.good &= bool(ok)
        self.count += 1

    def skip(self, name, why, seconds=None):
        self.good = False

    def say(self, text):
        pass


class Patient:
    """Stands before a run and keeps what failed until its group has been tried again, whole: few failures in a
    guest that is well may be the moment's.  A splat and a guest that did not get to its end never are (ended())."""

    def __init__(self, run):
        self.run, self.kept = run, []

    def result(self, name, ok, detail="", seconds=None):
        if ok:
            self.run.result(name, ok, detail, seconds)
        else:
            self.kept.append((name, detail, seconds))
            self.say(f"?    {name}; more of it at the end")

    def skip(self, name, why, seconds=None):
        self.run.skip(name, why, seconds)

    def say(self, text):
        self.run.say(text)

    def settle(self, again):
        """Tells what was kept; @again runs the group for a run that is given to it."""
        few = len(self.kept) <= SECOND_TRIES and not any(re.search(GRAVE, name) for name, *_ in self.kept)
        steady = self.kept and few and all(self.once(again) for _ in range(2))
        for name, detail, seconds in self.kept:
            if steady:
                self.run.unsteady(name, detail, seconds)
            else:
                self.run.result(name, False, detail, seconds)

    @staticmethod
    def once(again):
        run = Silent()
        again(run)
        return run.good and run.count


def note(text):
    Run.say(f"== {text}")


def minutes(seconds):
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


class Progress:
    """Says at a group's start how long it took the last time or, the first time, @rough, and in every quiet minute how far it is."""

    def __init__(self, name, keep=True, rough=0):
        self.name, self.keep, self.rough = name, keep, rough
        self.file = os.path.join(BUILD, "times", "test " + name)
        self.over = threading.Event()

    @staticmethod
    def expected(name):
        try:
            return float(open(os.path.join(BUILD, "times", "test " + name)).read().split()[0])
        except (OSError, ValueError, IndexError):
            return None

    def __enter__(self):
        self.since, self.last = time.time(), self.expected(self.name) or self.rough
        note(self.name + (f", about {minutes(self.last)}" if self.last and self.keep else ""))
        threading.Thread(target=self.tick, daemon=True).start()
        return self

    def tick(self):
        while not self.over.wait(60 - min(59, time.time() - Run.printed)):
            if time.time() - Run.printed >= 59:
                Run.say(f"   {self.name}: {minutes(time.time() - self.since)}"
                        + (f" of about {minutes(self.last)}" if self.last and self.keep else "") + " ...")

    def __exit__(self, kind, *rest):
        Run.not_by_interrupt()
        self.over.set()
        if self.keep and kind is None:
            os.makedirs(os.path.dirname(self.file), exist_ok=True)
            with open(self.file, "w") as f:
                f.write(f"{time.time() - self.since:.0f}\n")


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


def reasons(name, k):
    """Rows of configs/NAME that hold for a kernel: WORD WHERE REST # reason."""
    for line in open(os.path.join(TOP, "configs", name)):
        m = re.match(r"(\w+)\s+(\S+)\s*([^#]*?)\s*#\s*(.+)", line)
        if m and {"*", k.kernel, k.arch, k.flavour, f"{k.arch}-{k.flavour}", f"{k.kernel}-{k.arch}"} & set(m[2].split(",")):
            yield m[1], m[3], m[4].strip()
