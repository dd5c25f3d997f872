# SPDX-License-Identifier: GPL-2.0-only
"""Every user of the interface compiles, not only those that the test kernels hold.

All files of the base that make tracepoints or include a header of ours are compiled under
allmodconfig; ours themselves are in every test kernel.  What the base cannot compile either
(another architecture's drivers, for one) is no fault of ours: those that fail are compiled in the
base's tree as well.  What the kernel will say of the print formats in them is looked at, too.
"""
import os, platform, re, shutil, subprocess, time

import formats
from test_guest import kunit_results, kunit_suites, kunit_tell
from test_kernel import STOPPED, Kernel, splats
from test_run import BUILD, LOGS, TOP, note, overlay

# Parts of the kernel that no architecture's own folder holds.
COMMON = ("block", "crypto", "drivers", "fs", "init", "io_uring", "ipc", "kernel", "lib", "mm", "net", "security",
          "sound", "virt")
ARCH = {"arm64": "arch/arm64", "riscv64": "arch/riscv", "x86_64": "arch/x86"}


def sources(tree, arch, mine):
    """Source files that are built as part of a kernel for @arch and use what is ours, but are not."""
    names = {re.sub(r"^(arch/[^/]+/)?include/", "", h) for h in mine if "include/" in h}
    include = re.compile(r'^[ \t]*#[ \t]*include[ \t]*<([^>]+)>', re.M)
    found = []
    for part in (*COMMON, ARCH[arch]):
        for folder, _, files in os.walk(os.path.join(tree, part)):
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), tree)
                if not name.endswith(".c") or path in mine:
                    continue
                text = open(os.path.join(tree, path), errors="replace").read()
                if "define CREATE_TRACE_POINTS" in text or names & set(include.findall(text)):
                    found.append(path)
    return sorted(found)


def failures(k, objects):
    """Objects that are not made, each with its first error; make may not even try."""
    out = k.make("-k", *objects).stdout
    rows = {}
    for line in out.splitlines():
        m = re.search(r"([\w./-]+\.[ch]):\d+:(?:\d+:)? (?:fatal )?error: .*", line)
        if m:
            rows.setdefault("?", line)
        m = re.search(r"\*\*\* \[[^\]]*: ([\w./-]+\.o)\] Error", line)
        if m:
            rows[os.path.normpath(m[1])] = rows.pop("?", line)
    rows.pop("?", None)
    for o in objects:
        if not os.path.exists(os.path.join(k.dir, o)):
            rows.setdefault(o, "was not made")
    return rows


def users(run, k, cases):
    """Every user of the interface compiles under allmodconfig, if the base's does."""
    t0 = time.time()
    ours, base = Kernel(k.arch, "ours", "users"), Kernel(k.arch, "base", "users")
    prepared = ours.make("modules_prepare")
    if prepared.returncode:
        run.result(f"users {k.arch}: modules_prepare", False, prepared.stdout[-2000:])
        return
    objects = [s[:-2] + ".o" for s in sources(os.path.join(BUILD, "linux"), k.arch, overlay())]
    bad, neither = failures(ours, objects), []
    if bad:
        prepared = base.make("modules_prepare")
        # Of a tree that is not ready nothing compiles, which would excuse all.
        if prepared.returncode:
            run.result(f"users {k.arch}: modules_prepare of the base", False, prepared.stdout[-2000:])
            return
        neither = [o for o in failures(base, sorted(bad)) if bad.pop(o, None)]
        note(f"users {k.arch}: not in the base either: {' '.join(neither)}")
    good = len(objects) - len(bad) - len(neither)
    run.result(f"users {k.arch}: {good} files that use what is ours compile under allmodconfig, {len(neither)} do not in the base either",
               not bad and good > 250,
               "\n".join(f"{o}: {error}" for o, error in sorted(bad.items())), time.time() - t0)
    made = [p for o in objects if os.path.exists(p := os.path.join(ours.dir, o))]
    events, tested, warnings = formats.check(e for p in made for e in formats.Object(p).events())
    run.result(f"users {k.arch}: print formats of {events} events, {tested} of them with strings to look at",
               events > 1000 and not warnings, "\n".join([f"{events} events", *warnings]))


def config(name):
    return open(os.path.join(TOP, f"configs/{name}.config")).read()


# Machines other than those that are tested: what make calls them -> the compiler, what is made, how many objects of ours
# that is at least, the options that it has to have, and whether those of trace.config are asked for as well.
OTHERS = {
    # User mode Linux: one CPU, no function tracer, a clock that moves with the tick.
    "um": ("", ["linux"], 100, config("um"), False),
    # 64 bits, big endian, another function tracer.
    "s390": ("s390x-linux-gnu-", ["kernel/trace/", "kernel/tracepoint.o"], 150, "".join(f"CONFIG_{o}=y\n" for o in (
        "64BIT SMP MODULES KPROBES BPF_SYSCALL BPF_JIT PERF_EVENTS PREEMPT DEBUG_KERNEL DEBUG_FS EXPERT BLOCK "
        "PROC_FS SYSFS").split()), True),
    # Events and probes alone: no function tracer, no snapshots, no modules.
    "x86_64": ("", ["vmlinux"], 60, "".join(f"CONFIG_{o}=y\n" for o in (
        "64BIT FTRACE ENABLE_DEFAULT_TRACERS KPROBES KPROBE_EVENTS WERROR EXPERT PRINTK").split()), False),
    # 32 bits, where there is no tracing, but the headers are included and lockdep wants to know of interrupts.
    "i386": ("", ["vmlinux"], 1, "".join(f"CONFIG_{o}=y\n" for o in (
        "PROVE_LOCKING DEBUG_KERNEL WERROR SMP PREEMPT EXPERT MULTIUSER PRINTK").split()), False),
}


def generic(run, k, cases):
    """kernel/trace compiles without a warning for machines that it is not made for, and passes its KUnit suites as user
    mode Linux."""
    if platform.machine() != "x86_64":
        run.skip("generic: other machines", "they are built on x86_64 only")
        return
    if not k.build(run):
        return
    configured(run)
    for arch, (cross, *what) in OTHERS.items():
        if not shutil.which(f"{cross}gcc"):
            run.skip(f"generic: {arch}", f"there is no {cross}gcc; make test-all installs it")
        elif compiled(run, arch, cross, *what) and arch == "um":
            booted(run, os.path.join(BUILD, "generic-um/linux"))


def configured(run):
    """Kconfig finds no circle, and nothing that is selected against its dependencies, for any machine."""
    bad, tree, out = [], os.path.join(BUILD, "linux"), os.path.join(BUILD, "generic-config")
    archs = sorted(a for a in os.listdir(os.path.join(tree, "arch")) if os.path.exists(os.path.join(tree, "arch", a, "Makefile")))
    for arch in archs:
        os.makedirs(out, exist_ok=True)
        done = subprocess.run(["make", "-s", "-C", tree, f"O={out}", f"ARCH={arch}", "allnoconfig"], capture_output=True, text=True)
        if "recursive dependency" in done.stderr or "unmet direct" in done.stderr or not os.path.exists(os.path.join(out, ".config")):
            bad.append(f"{arch}: {done.stderr[-1000:]}")
        shutil.rmtree(out)
    run.result(f"generic: {len(archs)} machines can be configured", len(archs) > 15 and not bad, "\n".join(bad))


def compiled(run, arch, cross, targets, least, wanted, traced):
    """allnoconfig with these options and what goes with them: no warning in what is ours. Return: it was made."""
    t0, out = time.time(), os.path.join(BUILD, f"generic-{arch}")
    os.makedirs(out, exist_ok=True)
    make = ["make", "-s", "-C", os.path.join(BUILD, "linux"), f"O={out}", f"ARCH={arch}", f"CROSS_COMPILE={cross}",
            f"CC=ccache {cross}gcc"]
    fragment = os.path.join(out, "fragment")
    with open(fragment, "w") as f:
        f.write(wanted + (config("trace") if traced else ""))
    done = subprocess.run([*make, f"KCONFIG_ALLCONFIG={fragment}", "allnoconfig"], capture_output=True, text=True)
    if not done.returncode:
        took = set(open(os.path.join(out, ".config")).read().split("\n"))
        lost = [l for l in wanted.split("\n") if l.startswith("CONFIG_") and l not in took]
        run.result(f"generic: every option of {arch} took", not lost, "\n".join(lost))
        done = subprocess.run([*make, "-j2", *targets], capture_output=True, text=True)
    ours = re.compile(r"(kernel/trace|include/(linux|trace))\S*: .*(warning|error):|\*\*\*")
    said = [line for line in done.stderr.splitlines() if ours.search(line)]
    made = sum(n.endswith(".o") for _, _, names in os.walk(os.path.join(out, "kernel/trace")) for n in names)
    good = not done.returncode and not said and made >= least
    run.result(f"generic: {made} objects for {arch} compile without a warning", good,
               "\n".join(said) or done.stderr[-2000:], time.time() - t0)
    return not done.returncode


def booted(run, linux):
    """The KUnit suites of user mode Linux, from its console."""
    t0, log = time.time(), os.path.join(LOGS, "kunit-um.log")
    command = [linux, "mem=512M", "con=null", "con0=fd:0,fd:1", "kunit.enable=1", "kunit_shutdown=halt"]
    with open(log, "w") as f:
        try:
            status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=f, stderr=f, timeout=300).returncode
        except subprocess.TimeoutExpired:
            status = STOPPED
    text = open(log).read()
    # As debugfs has them: each suite behind a line with its name.
    there = kunit_results(re.sub(r"^ {4}# Subtest: (\S+)$", r"@@ /\1/results", text, flags=re.M))
    for name, _, _, detail in kunit_tell(run, "generic", there, text, False):
        run.result(name, False, detail)
    options = dict(re.findall(r"^(CONFIG_\w+)=(.*)$", open(os.path.join(os.path.dirname(linux), ".config")).read(), re.M))
    for suite in [name for name, off in kunit_suites(options).items() if not off and name not in there]:
        run.result(f"generic {suite}: the suite is there", False, text[-2000:])
    found = splats(text)
    run.result("generic: user mode Linux ran its suites to the end, without a splat",
               not status and not found and "System halted" in text, found or text[-2000:], time.time() - t0)
