#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes the overlay as a patch series: series.py [--check] [--base TREE] OUT

One patch a topic, in an order in which each builds on the ones before; the
base's files go first.  TREE is a 6.12 source tree (default: the unpacked
base).  With --check the series is applied with git am to the pristine files of
TREE, and the result compared with what overlay.py makes of it.
"""
import argparse, filecmp, fnmatch, os, shutil, subprocess, sys, tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import overlay

# Subject, what it is for, files ("*" crosses "/").  The first match takes a file.
TOPICS = [
    ("ring-buffer: per-CPU buffers written by one compare-exchange",
     "The buffer knows bytes and time and nothing of events. Its model comes with it.",
     ["kernel/trace/ring_buffer/*", "include/linux/ring_buffer*.h", "tools/*ring_buffer*", "Documentation/*ring*buffer*"]),
    ("tracing: clocks and sequences", "What every room of tracing prints and times with.",
     ["*trace_clock*", "*trace_seq*"]),
    ("tracepoint: static keys and static calls in front of probes",
     "The iterator walks a copied array; probes come and go under RCU.",
     ["*tracepoint*"]),
    ("tracing: TRACE_EVENT and its stages",
     "One header expanded once for each thing an event needs: fields, record, probe, print.",
     ["include/trace/*", "include/linux/trace_events*"]),
    ("tracing: instances", "A buffer, its sizes, clock, options and files, for the top level and for mkdir alike.",
     ["kernel/trace/instance/*"]),
    ("tracing: output", "Iterators over CPUs in time order, printing, markers, trace_printk, dumps, error_log.",
     ["kernel/trace/output/*"]),
    ("tracing: events", "Registry, fields, enabling at every level, pid lists, syscalls, perf.",
     ["kernel/trace/events/*"]),
    ("selftests/ftrace: cases for what the base does not cover", "Run by ftracetest beside the base's own.",
     ["tools/testing/*"]),
    ("tools/tracing: what tracing operations cost", "A module that counts instructions under QEMU's icount.",
     ["tools/*"]),
    ("Documentation: tracing from the inside", "How the rooms hang together, and where every file's owner is.",
     ["Documentation/*"]),
    ("tracing: build the new rooms", "Kconfig offers what is built, under the names the base uses.",
     ["*"]),
]


def git(folder, *words, **more):
    return subprocess.run(["git", "-C", folder, "-c", "user.name=tracing overlay", "-c", "user.email=overlay@localhost",
                           "-c", "core.autocrlf=false", "-c", "gc.auto=0", "-c", "commit.gpgsign=false", *words],
                          check=True, stdout=subprocess.PIPE, **more)


def put(source, folder, path):
    target = os.path.join(folder, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(source, target)
    shutil.copymode(source, target)


def pristine(folder, base, paths):
    """A repository of just those files of the base: git am looks at no others."""
    os.makedirs(folder)
    git(folder, "init", "-q")
    for path in sorted(paths | {"Makefile"}):
        if os.path.exists(os.path.join(base, path)):
            put(os.path.join(base, path), folder, path)
    git(folder, "add", "-Af")
    git(folder, "commit", "-qm", "base")


def commit(folder, subject, why, paths):
    for i in range(0, len(paths), 500):
        git(folder, "add", "-Af", "--", *paths[i:i + 500])
    if git(folder, "diff", "--cached", "--name-only").stdout:
        git(folder, "commit", "-qm", f"{subject}\n\n{why}")


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--check", action="store_true")
    args.add_argument("--base", default=os.path.join(TOP, "build/base/linux-source-6.12"))
    args.add_argument("out")
    args = args.parse_args()
    base, out = os.path.abspath(args.base), os.path.abspath(args.out)
    if not os.path.exists(os.path.join(base, "kernel/trace/Kconfig")):
        sys.exit(f"series: {base} is no kernel tree (make kernel unpacks one, BASE= names one)")
    mine, gone = overlay.ours(TOP), overlay.removed(TOP, base)
    with tempfile.TemporaryDirectory() as scratch:
        stage = os.path.join(scratch, "patched")
        os.makedirs(stage)
        fixed = overlay.patched(TOP, base, stage)
        touched = mine | gone | fixed
        work = os.path.join(scratch, "work")
        pristine(work, base, touched)

        only_gone = sorted(gone - mine)
        for path in only_gone:
            os.unlink(os.path.join(work, path))
        commit(work, "tracing: take out what is written anew",
               "The clients of tracing stay; what they include and call comes back\nwith the patches that follow.", only_gone)
        for path in sorted(fixed - mine):
            put(os.path.join(stage, path), work, path)
        commit(work, "tracing: small changes around it", "Each is explained in patches/ of the overlay's repository.",
               sorted(fixed - mine))
        left = set(mine)
        for subject, why, globs in TOPICS:
            paths = sorted(p for p in left if any(fnmatch.fnmatch(p, g) for g in globs))
            left -= set(paths)
            for path in paths:
                put(os.path.join(TOP, path), work, path)
            if paths:
                commit(work, subject, why, paths)
        shutil.rmtree(out, ignore_errors=True)
        git(work, "format-patch", "-q", "--no-signature", "-o", out, "--root", "HEAD", "^HEAD~" +
            str(int(git(work, "rev-list", "--count", "HEAD").stdout) - 1))
        patches = sorted(os.listdir(out))
        print(f"{len(patches)} patches in {out}")
        if not args.check:
            return

        again = os.path.join(scratch, "again")
        pristine(again, base, touched)
        git(again, "am", "-q", "--whitespace=nowarn", *[os.path.join(out, p) for p in patches])
        wrong = []
        for path in sorted(touched):
            # "work" was laid out from our files, and they may change meanwhile.
            want, have = os.path.join(work, path), os.path.join(again, path)
            if not os.path.exists(want):
                if os.path.exists(have):
                    wrong.append(f"{path}: still there")
            elif not os.path.exists(have) or not filecmp.cmp(want, have, shallow=False):
                wrong.append(f"{path}: differs")
            elif os.access(want, os.X_OK) != os.access(have, os.X_OK):
                wrong.append(f"{path}: mode differs")
        if wrong:
            sys.exit("\n".join(wrong))
        print(f"git am gives the same tree: {len(touched)} files compared")


if __name__ == "__main__":
    main()
