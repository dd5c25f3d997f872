# SPDX-License-Identifier: GPL-2.0-only
"""Groups that look at the files: checkers, the model, the series, the base."""
import ast, fnmatch, glob, hashlib, itertools, os, re, shutil, subprocess, sys, tempfile, threading, time
from concurrent.futures import ThreadPoolExecutor

import overlay as layer
from test_kernel import cross
from test_run import BASE, BUILD, SELFTESTS, TOP, overlay, selftest_files

def sum_of(*paths, more=""):
    """Of names, ways and bytes: what a check on the host that reads nothing else depends on."""
    sums = hashlib.sha256(more.encode())
    for path in paths:
        with open(path, "rb") as f:
            sums.update(path.encode() + hashlib.file_digest(f, "sha256").digest())
    return os.path.join(BUILD, "kept", sums.hexdigest())


def keep(file, text):
    os.makedirs(os.path.dirname(file), exist_ok=True)
    # Half a file, as on a full disk, would be a word on all of it.
    with open(f"{file}.{os.getpid()}", "w") as f:
        f.write(text)
    os.replace(f.name, file)


def without_maintainers(root):
    """Links to BASE, but for the script that checkpatch asks of each file whether it is obsolete: that
    takes longer than to check a small file."""
    os.mkdir(os.path.join(root, "scripts"))
    for name in os.listdir(BASE):
        if name != "scripts":
            os.symlink(os.path.join(BASE, name), os.path.join(root, name))
    return root


def checkpatch_of(names):
    """What checkpatch --strict says of files: name -> lines.  It takes seconds a file, so it is asked
    only for those that it has not seen as they are."""
    scripts = [os.path.join(BASE, "scripts", n) for n in ("checkpatch.pl", "spelling.txt", "const_structs.checkpatch")]
    files = {n: sum_of(*scripts, os.path.join(TOP, n)) for n in names}
    work = iter([n for n in names if not os.path.exists(files[n])])
    lock = threading.Lock()

    def lane(_):
        while True:
            with lock:
                some = list(itertools.islice(work, 8))
            if not some:
                return
            done = subprocess.run(["perl", scripts[0], "--strict", "--no-summary", "--terse", "--show-types", "--root", root,
                                   "--ignore", "FILE_PATH_CHANGES", "-f", *(os.path.join(TOP, n) for n in some)],
                                  cwd=BASE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            lines = [l for l in done.stdout.replace(TOP + "/", "").splitlines(True) if not l.startswith("total: ")]
            # One that was interrupted, or says what is of no file, is asked again the next time.
            if done.returncode not in (0, 1) or any(l.split(":")[0] not in some for l in lines):
                strays.extend([*lines, f"checkpatch ended with {done.returncode}\n"])
                continue
            for name in some:
                keep(files[name], "".join(l for l in lines if l.startswith(name + ":")))

    strays = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as lanes:
        root = without_maintainers(folder)
        list(lanes.map(lane, range(os.cpu_count())))
    return "".join(strays) + "".join(open(files[n]).read() for n in names if os.path.exists(files[n]))


def checkpatch(run, k, cases):
    """checkpatch --strict on every file of ours; configs/checkpatch-allowed
    has what it misjudges: file, type, reason."""
    names = [n for n in overlay() if n.endswith((".c", ".h", ".S", ".rst", ".tc", ".sh")) or "/Kconfig" in n or n.endswith("/Makefile")]
    t0 = time.time()
    out = checkpatch_of(names)
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
    # All that it reads is the base, what lies over it, and what the configuration makes of both.
    tools = subprocess.run(["sh", "-c", f"sparse --version; {cross(k.arch)}gcc --version"], capture_output=True, text=True).stdout
    around = [os.path.join(TOP, "manifest"), *sorted(glob.glob(TOP + "/patches/*"))]
    passed = sum_of(*(os.path.join(TOP, n) for n in mine), *around, os.path.join(k.dir, ".config"), os.path.join(BUILD, "base/version"),
                    more=f"{tools} {k.name} {targets}")
    if os.path.exists(passed):
        run.result(f"sparse {k.name}: passed before, and all is as it was", True)
        return
    done = k.make("C=2", *targets)
    tree = os.path.join(BUILD, "linux")
    rows = []
    for line in done.stdout.splitlines():
        m = re.match(r"(?:\.\./)*(?:.*?build/linux/)?([^ :]+):\d+:\d+: (warning|error)", line)
        if m and os.path.normpath(m[1]) in mine:
            rows.append(line.replace(tree + "/", ""))
    rows = list(dict.fromkeys(rows))
    if done.returncode == 0 and not rows:
        keep(passed, "")
    run.result(f"sparse {k.name}", done.returncode == 0 and not rows,
               "\n".join(rows) or done.stdout[-2000:], time.time() - t0)


def kerneldoc(run, k, cases):
    """kernel-doc comments parse."""
    names = [n for n in overlay() if n.endswith((".c", ".h"))]
    done = subprocess.run(["perl", os.path.join(BASE, "scripts/kernel-doc"), "-none", *names], cwd=TOP,
                          capture_output=True, text=True)
    rows = [l for l in (done.stdout + done.stderr).splitlines() if "warning:" in l or "error:" in l]
    run.result(f"kernel-doc: {len(names)} files", not rows, "\n".join(rows))


# Packages come from where the machine's apt gets its own: no file says where that is.
MIRROR = re.compile(r"https?://\S*debian|deb\.debian\.org|ftp\.[a-z.]*debian")


def unlicensed(top, names):
    """Those that do not name the licence of all, and those that name a mirror."""
    for name in names:
        with open(os.path.join(top, name), errors="replace") as f:
            text = f.read()
        if name != "LICENSE" and not re.search(r"SPDX-License-Identifier: GPL-2\.0-only\b", text[:600]):
            yield f"{name}: no SPDX-License-Identifier: GPL-2.0-only"
        if m := MIRROR.search(text):
            yield f"{name}: {m[0]}"


def spdx(run, k, cases):
    """Every file of ours names its licence, and none a mirror."""
    names = sorted(n for n in layer.ours(TOP, ["."]) if not n.startswith(("build/", ".git/")))
    bad = list(unlicensed(TOP, names))
    run.result(f"spdx: {len(names)} files", not bad and "Makefile" in names, "\n".join(bad))


# Under `set -e` a case goes on after a negated command that fails, and after one in front of an "&&".
UNSEEN = re.compile(r"\s*(?:! |(?:\[|test|grep|cmp)\s(?!.*&& *(?:\w+=|fail|return|break|continue|exit|\{)).*&&)(?!.*\|\|)")


def unseen(text):
    """Lines of a case whose failure nobody sees: they stand neither before a "||" nor last in a function or in the case."""
    lines = re.sub(r"(\\|&&|\|\|)\n\s*", lambda m: m[1].strip("\\") + " ", text).splitlines()
    lines = [l for l in lines if l.strip() and not l.lstrip().startswith("#")] + ["}"]
    return [l.strip() for l, behind in zip(lines, lines[1:]) if UNSEEN.match(l) and not re.match(r"\s*[})]", behind)]


def undecided(text):
    """Cases of a suite that are skipped for another reason than the configuration or the CPUs: what does not work is then skipped, too."""
    lines = text.splitlines()
    return [l.strip() for i, l in enumerate(lines) if "kunit_skip(" in l
            and not re.search(r"IS_ENABLED|is_built|_cpu|#else", "\n".join(lines[max(0, i - 3):i]))]


def hiding(text):
    """Skips behind an expectation of the same function, whose failure they would hide. A failed
    assertion does not come as far."""
    bad = []
    for body in re.findall(r"^\{\n(.*?)^\}", text, re.M | re.S):
        expects = re.search(r"\bKUNIT_(?:EXPECT_|FAIL\()", body)
        bad += [l.strip() for l in body[expects.start():].splitlines() if "kunit_skip(" in l] if expects else []
    return bad


def unfailing(text):
    return undecided(text) + hiding(text)


def assertions(run, k, cases):
    """What cases, with what they source, and suites assert can fail."""
    folder = os.path.join(TOP, SELFTESTS, "test.d")
    sourced = sorted(os.path.relpath(p, folder) for p in glob.glob(folder + "/**/*", recursive=True)
                     if os.path.isfile(p) and not p.endswith(".tc"))
    for what, top, names, wrong in (("cases", folder, selftest_files(TOP), unseen),
                                    ("files that they source", folder, sourced, unseen),
                                    ("suites", TOP, [n for n in overlay() if n.endswith("_test.c")], unfailing)):
        bad = [f"{n}: {line}" for n in names for line in wrong(open(os.path.join(top, n)).read())]
        run.result(f"assertions: of {len(names)} {what} none is lost", not bad and names, "\n".join(bad))


def modelled(folder, names):
    """What a model is about, as the code of the rings and of the maps: with its folder, all that its list of barriers has."""
    clocks = ["patches/sched_clock-read-inline.patch", "patches/sched_clock-tsc-inline.patch"]
    with open(os.path.join(TOP, "tools/tracing/ring_buffer_model/check.py")) as f:
        files = ast.literal_eval(re.search(r"^ELSEWHERE = (\[.*?\])", f.read(), re.M | re.S)[1])
    elsewhere = [os.path.normpath(f"kernel/trace/ring_buffer/{name}") for name in files]
    return clocks + [n for n in names if n.startswith((folder + "/", "kernel/trace/ring_buffer/", "kernel/trace/hist/"))
            or n in elsewhere]


def barriers(run, k, cases):
    """The code has the barriers that the models' lists have; whether each is needed is for group model."""
    for name in sorted(n for n in overlay() if re.search(r"tools/tracing/\w+_model/barriers\.list$", n)):
        t0 = time.time()
        done = subprocess.run([sys.executable, os.path.join(TOP, os.path.dirname(name), "check.py"), "--list"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        run.result(f"barriers: {name}", done.returncode == 0, done.stdout, time.time() - t0)


def model(run, k, cases):
    """The models of the ring buffer and of the map of histograms in spin."""
    folders = sorted(os.path.dirname(n) for n in overlay() if re.search(r"tools/tracing/\w+_model/Makefile$", n))
    for folder in folders:
        out = os.path.join(BUILD, "model")
        os.makedirs(out, exist_ok=True)
        t0 = time.time()
        spin = subprocess.run(["sh", "-c", "spin -V; cc --version"], capture_output=True, text=True).stdout
        # The same model by the same tools has the same states; its barriers are those of the code.
        about = modelled(folder, overlay())
        passed = sum_of(*(os.path.join(TOP, n) for n in about), *sorted(glob.glob(BASE + "/tools/memory-model/*.*")), more=spin)
        if os.path.exists(passed):
            run.result(f"model {folder}: passed before, and is as it was", True)
            continue
        done = subprocess.run(["make", "-s", "-C", os.path.join(TOP, folder), f"OUT={out}", "check"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if not done.returncode:
            keep(passed, "")
        run.result(f"model {folder}", done.returncode == 0, done.stdout, time.time() - t0)
    run.result("model: there are two", len(folders) == 2)


def series(run, k, cases):
    """The patch series applies with git am and gives the same tree."""
    t0 = time.time()
    done = subprocess.run([sys.executable, os.path.join(TOP, "scripts/series.py"), "--check",
                           os.path.join(BUILD, "series-test")], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    run.result("series: git am gives the same tree", done.returncode == 0, done.stdout, time.time() - t0)


SERIES_TREE = threading.Lock()


def ends(run, k, cases):
    """The kernels without tracing, which the series begins with, and with all of it."""
    t0, out = time.time(), os.path.join(BUILD, f"series-ends-{k.arch}")
    # One tree is for all architectures.
    with SERIES_TREE:
        done = subprocess.run([sys.executable, os.path.join(TOP, "scripts/series.py"), "--build", "ends", out], env=k.env(),
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    shutil.rmtree(out, ignore_errors=True)
    run.result(f"ends {k.arch}: the series builds without tracing, and with all of it", done.returncode == 0, done.stdout,
               time.time() - t0)


def originality(run, k, cases):
    """Runs of lines shared with the base; only where the tool is at hand."""
    tool = os.path.join(os.path.dirname(TOP), "shared/tools/originality")
    if not os.path.exists(tool):
        run.skip("originality", "the tool, ../shared/tools/originality, is not here")
        return
    done = subprocess.run([sys.executable, tool, BASE, TOP], capture_output=True, text=True)
    percent = re.search(r"\(([\d.]+) %\)", done.stdout)
    run.result(f"originality: {percent[0] if percent else '?'}", bool(percent) and float(percent[1]) <= 2.0, done.stdout)


def base(run, k, cases):
    """The base is the pinned one, and its files that ours replace, remove or patch are those that ours
    were written against: configs/base, configs/base-files."""
    pin = next(l.split() for l in open(os.path.join(TOP, "configs/base")) if not l.startswith("#"))
    have = open(os.path.join(BUILD, "base/version")).read().split()[2:]
    was, now = layer.noted(TOP), layer.replaced(TOP, BASE)
    changed = sorted(n for n in was.keys() & now.keys() if was[n] != now[n])
    # Of another base only what is in both can be compared; of the pinned one, all.
    gone, new = sorted(was.keys() - now.keys()), sorted(now.keys() - was.keys())
    rows = [f"changed: {n}" for n in changed] + [f"not in it any more: {n}" for n in gone] + \
           [f"not noted yet: {n}" for n in new]
    if have == pin:
        run.result("base: ours replace what configs/base-files notes", not rows,
                   "\n".join(rows + ["look at these; then scripts/overlay.py --note"]))
    else:
        run.skip("base: ours replace what configs/base-files notes",
                 f"the base is {have[0]} for want of the pinned {pin[0]}: "
                 + (", ".join(rows) + " under ours" if rows else "nothing changed under ours"))
