# SPDX-License-Identifier: GPL-2.0-only
"""The group recipes: what pages of Documentation/trace tell to do is done, in their order, and has to print what stands there.
A line of a literal block that begins with "# " is a command, the others are what it prints; "..." is anything, also lines."""
import os, re, time

from test_kernel import splats
from test_run import TOP

PAGES = [os.path.join(TOP, "Documentation/trace", n + ".rst")
         for n in ("probe-recipes", "event-triggers", "event-filters", "tracing-rooms")]


def recipes_of(text):
    """[(heading, [(command, [lines that it prints])])]"""
    found, lines, margin = [], text.splitlines(), ""
    for i, line in enumerate(lines):
        command = re.match(r"(\s+)# (.*)", line)
        if i + 1 < len(lines) and re.fullmatch(r"-+|=+", lines[i + 1]) and line.strip():
            found.append((line, []))
            margin = ""
        elif found and command:
            margin = command[1]
            found[-1][1].append((command[2], []))
        elif line and not line[0].isspace():
            margin = ""
        elif margin and line.startswith(margin):
            found[-1][1][-1][1].append(line[len(margin):])
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
    """The pages with recipes: their commands are run, in one boot, and print what they say."""
    if not k.build(run):
        return
    wanted, t0 = [r for page in PAGES for r in recipes_of(open(page).read())], time.time()
    status, out, console, err = k.guest(script(wanted), 300, turns=True)
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
