#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Brings TREE to "base + ours": overlay.py [--link] TOP BASE TREE

Removes what the manifest names, applies patches/*.patch, lays the files of the
repository over it.  Only files whose content differs are written, so make
rebuilds no more than it must.  What an earlier run laid down and is no longer
wanted goes back to the base's version.  With --link a new TREE shares its files with
the base: it needs no room of its own, and must not be edited.

overlay.py --note TOP BASE writes configs/base-files: what the base's files look like
that ours replace, remove or patch, as they were when ours were last compared with them.
"""
import fnmatch, hashlib, os, shutil, subprocess, sys, tempfile

# The parts of the repository that mirror the kernel tree; the rest (Makefile,
# scripts, configs, ...) is for the host.
PARTS = ("Documentation", "arch", "include", "kernel", "lib", "samples", "tools")


def plain_git():
    """An environment in which git is what it is without the user: no hooks, formats or repositories of his."""
    return {**{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}


def ours(top, parts=PARTS):
    """Paths of the overlay's files: all in PARTS that git does not ignore."""
    found = subprocess.run(["git", "-C", top, "ls-files", "-coz", "--exclude-standard", "--", *parts],
                           capture_output=True, env={k: v for k, v in os.environ.items() if not k.startswith("GIT_")})
    if found.returncode == 0:
        names = found.stdout.decode().split("\0")
    else:
        names = [os.path.relpath(os.path.join(d, n), top)
                 for p in parts for d, _, ns in os.walk(os.path.join(top, p)) for n in ns]
    return {n for n in names if n and os.path.isfile(os.path.join(top, n))}


def removed(top, base):
    gone = set()
    for line in open(os.path.join(top, "manifest")):
        line = line.split("#")[0].strip()
        if not line:
            continue
        keep, glob = line.startswith("!"), line.lstrip("!")
        folder, last = os.path.split(glob.rstrip("/"))
        if glob.endswith("/"):
            hits = {os.path.relpath(os.path.join(d, n), base)
                    for d, _, ns in os.walk(os.path.join(base, glob)) for n in ns}
        else:
            hits = {os.path.join(folder, n) for n in os.listdir(os.path.join(base, folder))
                    if fnmatch.fnmatch(n, last) and os.path.isfile(os.path.join(base, folder, n))}
        if not hits:
            sys.exit(f"overlay: manifest: {glob} is not in the base")
        gone = gone - hits if keep else gone | hits
    return gone


def patches(top):
    """The patches: name, text and the files that it touches."""
    folder = os.path.join(top, "patches")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.endswith(".patch"):
            with open(os.path.join(folder, name)) as f:
                text = f.read()
            yield name, text, [l[6:].split("\t")[0] for l in text.splitlines() if l.startswith("+++ b/")]


def patched(top, base, scratch):
    """Applies the patches to copies of the files they touch; returns those."""
    paths = set()
    for name, text, touched in patches(top):
        for path in touched:
            copy = os.path.join(scratch, path)
            if path not in paths and os.path.exists(os.path.join(base, path)):
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                shutil.copy(os.path.join(base, path), copy)
            paths.add(path)
        done = subprocess.run(["patch", "-p1", "-s", "-F0", "--no-backup-if-mismatch", "-d", scratch],
                              input=text, text=True, stdout=sys.stderr)
        if done.returncode:
            sys.exit(f"patches/{name} does not apply")
    return paths


def copied(base, tree, link):
    """Makes @tree a copy of @base, if it can @link: files are replaced there and never written to, so the base's stay as
    they are.  Links fail over file systems, and to somebody else's files."""
    # Of a run that was cut off; cp would copy into it.
    shutil.rmtree(tree + ".new", ignore_errors=True)
    if not link or subprocess.run(["cp", "-al", base, tree + ".new"], stderr=subprocess.DEVNULL).returncode:
        shutil.rmtree(tree + ".new", ignore_errors=True)
        subprocess.check_call(["cp", "-a", "--reflink=auto", base, tree + ".new"])
    os.rename(tree + ".new", tree)


def same(a, b):
    try:
        with open(a, "rb") as x, open(b, "rb") as y:
            return x.read() == y.read()
    except FileNotFoundError:
        return False


def replaced(top, base):
    """The base's files that are not used as they are, and a sum of each."""
    names = ours(top) | removed(top, base) | {p for _, _, paths in patches(top) for p in paths}
    sums = {}
    for name in sorted(names):
        path = os.path.join(base, name)
        if os.path.isfile(path):
            with open(path, "rb") as f:
                sums[name] = hashlib.sha256(f.read()).hexdigest()[:16]
    return sums


def noted(top):
    """The same as configs/base-files has it."""
    with open(os.path.join(top, "configs/base-files")) as f:
        return dict(reversed(l.split()) for l in f if not l.startswith("#"))


def note(top, base):
    with open(os.path.join(top, "configs/base-files"), "w") as f:
        f.write("# SPDX-License-Identifier: GPL-2.0-only\n"
                "# The base's files that ours replace, remove or patch, as they were when ours were last\n"
                "# compared with them; written by scripts/overlay.py --note.\n")
        f.writelines(f"{s} {n}\n" for n, s in replaced(top, base).items())


def main():
    if sys.argv[1:2] == ["--note"]:
        return note(*sys.argv[2:])
    link = sys.argv[1:2] == ["--link"]
    top, base, tree = sys.argv[1 + link:]
    if not os.path.isdir(tree):
        copied(base, tree, link)
    if os.path.realpath(tree) == os.path.realpath(base):
        sys.exit(f"overlay: {tree} is the base itself")
    state = os.path.join(tree, ".overlay")
    before = set(open(state).read().split("\n")) - {""} if os.path.exists(state) else set()
    mine, gone = ours(top), removed(top, base)
    with tempfile.TemporaryDirectory() as scratch:
        fixed = patched(top, base, scratch)
        source = {p: os.path.join(base, p) for p in before}
        source.update({p: None for p in gone})
        source.update({p: os.path.join(scratch, p) for p in fixed})
        source.update({p: os.path.join(top, p) for p in mine})
        # Written first: a run that is cut off half-way is put right by the next.
        with open(state, "w") as f:
            f.write("\n".join(sorted(before | mine | gone | fixed)))
        changed = 0
        for path, want in sorted(source.items()):
            have = os.path.join(tree, path)
            if want is None or not os.path.exists(want):
                if os.path.lexists(have):
                    os.unlink(have)
                    changed += 1
            elif not same(want, have):
                os.makedirs(os.path.dirname(have), exist_ok=True)
                shutil.copyfile(want, have + ".overlay~")
                shutil.copymode(want, have + ".overlay~")
                os.rename(have + ".overlay~", have)
                changed += 1
        with open(state, "w") as f:
            f.write("\n".join(sorted(mine | gone | fixed)))
    if changed:
        print(f"overlay: {changed} files changed")


if __name__ == "__main__":
    main()
