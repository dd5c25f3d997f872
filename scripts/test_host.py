# SPDX-License-Identifier: GPL-2.0-only
"""Groups that look at the files: checkers, the model, the series, the base."""
import fnmatch, glob, os, re, subprocess, sys, time

import overlay as layer
from test_run import BASE, BUILD, TOP, overlay

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
