# SPDX-License-Identifier: GPL-2.0-only
"""The group recipes: what Documentation/trace/probe-recipes.rst tells to do is done, in its order, and has to print what stands
there.  A line of a literal block that begins with "# " is a command, the others are what it prints; "..." is anything, also lines."""
import os, re, time

from test_kernel import splats
from test_run import TOP

PAGE = os.path.join(TOP, "Documentation/trace/probe-recipes.rst")


def recipes_of(text):
    """[(heading, [(command, [lines that it prints])])]"""
    found, lines = [], text.splitlines()
    for i, line in enumerate(lines):
        if i + 1 < len(lines) and re.fullmatch(r"-+", lines[i + 1]) and line.strip():
            found.append((line, []))
        elif found and line.startswith("    # "):
            found[-1][1].append((line[6:], []))
        elif found and line.startswith("    ") and found[-1][1]:
            found[-1][1][-1][1].append(line[4:])
    return [f for f in found if f[1]]


def script(recipes):
    rows = ["cd /sys/kernel/tracing", "echo >dynamic_events"]
    for r, (_, commands) in enumerate(recipes):
        for c, (command, _) in enumerate(commands):
            rows += [f"echo '@@ {r} {c}'", f"{{ {command}\n}} 2>&1", "echo \"@@ status $?\""]
    return "\n".join([*rows, "exit 0", ""])


def matches(wanted, printed):
    pattern = "\n".join(".*" if w == "..." else ".*".join(re.escape(p) for p in w.split("...")) for w in wanted)
    # A line that is "..." alone may be any number of them.
    return re.fullmatch(pattern.replace("\n.*\n", r"\n(?:.*\n)*"), "\n".join(printed)) is not None


def recipes(run, k, cases):
    """The page of recipes: its commands are run, and print what it says."""
    if not k.build(run):
        return
    wanted, t0 = recipes_of(open(PAGE).read()), time.time()
    status, out, console, err = k.guest(script(wanted), 300)
    got = {(int(a), int(b)): (text.splitlines(), int(rc)) for a, b, text, rc in
           re.findall(r"^@@ (\d+) (\d+)\n(.*?)^@@ status (\d+)$", out.replace("\r", ""), re.M | re.S)}
    for r, (heading, commands) in enumerate(wanted):
        wrong = []
        for c, (command, lines) in enumerate(commands):
            printed, rc = got.get((r, c), ([], None))
            if rc != 0 or not matches(lines, printed):
                wrong.append(f"# {command}\nis to print:\n" + "\n".join(lines) + f"\nstatus {rc}:\n" + "\n".join(printed[:30]))
        run.result(f"recipes {k.name}: {heading}", not wrong, "\n".join(wrong))
    if status or not wanted:
        run.result(f"recipes {k.name}: ran to the end", False, f"{len(wanted)} recipes, status {status}\n{err}")
    found = splats(console)
    run.result(f"recipes {k.name}: no splat on the console", not found, found, time.time() - t0)
