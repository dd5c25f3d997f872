# SPDX-License-Identifier: GPL-2.0-only
"""The group recipes: what pages of Documentation/trace tell to do is done, in their order, and has to print what stands
there.  A line of a literal block that begins with "# " is a command, the others are what it prints; "..." is anything,
also lines.

On the pages of the tracers each block is an example, which begins with all as it was at first, and what it prints has
other figures each time, see likely().  Heads of traces begin with "# " as well: `trace` is what a block reads last."""
import os, re, time
from collections import namedtuple

from test_kernel import splats
from test_run import TOP

RECIPES = ("probe-recipes", "event-triggers", "event-filters", "tracing-rooms")
EXAMPLES = ("tracers", "function-tracing", "latency-tracers", "stack-tracer", "tracing-noise")

# The introduction are the words in front of an example; commands are (command, [line that it prints]).
Recipe = namedtuple("Recipe", "name intro commands example")

# What examples change, but for filters, is read at first and written again before each.
AS_AT_FIRST = """
settings=$(for file in current_tracer tracing_on tracing_thresh tracing_max_latency options/* osnoise/period_us \\
		osnoise/runtime_us osnoise/timerlat_period_us osnoise/cpus hwlat_detector/window hwlat_detector/width \\
		function_profile_enabled stack_max_size /proc/sys/kernel/stack_tracer_enabled /proc/sys/kernel/printk \\
		/sys/block/loop0/trace/enable; do
	[ ! -e $file ] || { read -r value _ <$file; echo $file:$value; }
done)
as_at_first() {
	for setting in $settings; do
		read -r value _ <${setting%%:*}
		[ "$value" = "${setting#*:}" ] || echo "${setting#*:}" >${setting%%:*}
	done
	for file in set_ftrace_filter set_graph_function stack_trace_filter trace; do
		[ ! -e $file ] || echo >$file
	done
	losetup -D
	rmmod preemptirq_delay_test testmmiotrace 2>/dev/null
}
"""


def blocks_of(text, example=False):
    """Literal blocks with commands: [(heading, introduction, commands)]"""
    found, lines, heading, intro, margin, above = [], text.splitlines(), "", [], "", ""
    for line, below in zip(lines, [*lines[1:], ""]):
        command = re.match(r"(\s+)# (.*)", line)
        if example and margin and re.search(r"\strace$", found[-1][2][-1][0]):
            command = None
        if line.strip() and re.fullmatch(r"-+|=+", below):
            heading, intro, margin = line, [], ""
        elif heading and command:
            if not margin:
                found.append((heading, " ".join(intro), []))
            margin = command[1]
            found[-1][2].append((command[2], []))
        elif line and not line[0].isspace():
            intro, margin = [*intro, line] if above else [line], ""
        elif margin and line.startswith(margin):
            found[-1][2][-1][1].append(line[len(margin):])
        above = line
    return found


def recipes_of(text):
    """A recipe is all under a heading."""
    found = {}
    for heading, _, commands in blocks_of(text):
        found.setdefault(heading, []).extend(commands)
    return [Recipe(heading, "", commands, False) for heading, commands in found.items()]


def examples_of(page, text):
    return [Recipe(f"{page} {n}, {heading}", intro, commands, True)
            for n, (heading, intro, commands) in enumerate(blocks_of(text, True), 1)]


def pages(asked=()):
    """What stands on those that are @asked for, or on all."""
    for name in RECIPES + EXAMPLES:
        if not asked or f"{name}.rst" in asked:
            with open(os.path.join(TOP, f"Documentation/trace/{name}.rst")) as f:
                yield from examples_of(f"{name}.rst", f.read()) if name in EXAMPLES else recipes_of(f.read())


def lacks(k, intro):
    """Why an example is not one for a kernel: its introduction names other architectures, or an option."""
    archs = re.findall(r"\b(?:arm64|riscv64|x86_64)\b", intro)
    if archs and k.arch not in archs:
        return f"an example for {' and '.join(sorted(set(archs)))}"
    for without, option in re.findall(r"(without )?``(CONFIG_\w+)``", intro, re.I):
        if bool(without) == (option in k.options()):
            return f"an example for kernels {'without' if without else 'with'} {option}"
    return None


def script(recipes):
    """What examples print goes to the console when they are done: writing there takes long, with interrupts off."""
    rows = ["cd /sys/kernel/tracing", "echo >dynamic_events", AS_AT_FIRST]
    for r, recipe in enumerate(recipes):
        rows += ["as_at_first", "{"] * recipe.example
        for c, (command, _) in enumerate(recipe.commands):
            rows += [f"echo '@@ {r} {c}'", f"{{ {command}\n}} 2>&1", "echo \"@@ status $?\""]
        rows += ["} >/tmp/said", "cat /tmp/said"] * recipe.example
    return "\n".join([*rows, "exit 0", ""])


def literally(line):
    return ".*".join(re.escape(p) for p in line.split("..."))


# What there is in a line of an example, and what may stand there another time.
LIKELY = [(r"^ *(?:<idle>|<\.\.\.>|ksoftirqd/\d+)-\d+", r" *.+-\\d+"),      # who was interrupted
          (r"(?<=\d:)[A-Z](?= +(?:\+|==>) )", "[A-Z]"),                    # and whether it was about to sleep
          (r"(?<=\] )[.\w]{5}(?= )", r"[.\\w]{5}"), (r"(?<= )\d[.dbDX][.\w]{4}(?= )", r"\\d+[.\\w]{5}"),
          (r"\d+us[ +!#*@$]*:", r"\\d+us[ +!#*@$]*:"),
          (r"(?:[+!#*@$] )?[\d.]+ us +\|", r"(?:[+!#*@$] )? *[\\d.]+ us +\\|"),
          (r"(?<=\(M:)\w+", r"\\w+"), (r"(?<=\|) {2,}", r"\g<0>"), (r"\.\.\.", ".*"),
          (r"0x[0-9a-f]+", "0x[0-9a-f]+"), (r"(?<![A-Za-z_])\d[\d.]*", r"[\\d.]+"), (r" +", " +")]


def likely(line, given=()):
    """A line of an example: its figures may be others, but for hexadecimal ones that are @given.  One that is all there
    is has as many digits, give or take one; columns are as wide as they have to be."""
    if line.isdigit():
        return rf"\d{{{max(1, len(line) - 1)},{len(line) + 1}}}"
    # But lines of heads stand where they do.
    kinds = LIKELY[:-1] if line.startswith("#") else LIKELY
    at = len(line) - len(line.lstrip(" "))
    out = " *" if at else ""
    for m in re.finditer("|".join(f"({what})" for what, _ in kinds), line):
        if m.end() > at:
            out += re.escape(line[at:max(at, m.start())])
            out += m[0] if m[0].startswith("0x") and int(m[0], 16) in given else m.expand(kinds[m.lastindex - 1][1])
            at = m.end()
    return out + re.escape(line[at:])


def matches(wanted, printed, pattern=literally):
    """Lines that are "..." alone stand for any number of them."""
    parts = [[]]
    for line in wanted:
        if line == "...":
            parts.append([])
        else:
            parts[-1].append(re.compile(pattern(line)))

    def is_at(part, at):
        return at + len(part) <= len(printed) and all(p.fullmatch(line) for p, line in zip(part, printed[at:]))
    at = len(parts[0])
    if not is_at(parts[0], 0) or len(parts) == 1:
        return len(parts) == 1 and len(printed) == at and is_at(parts[0], 0)
    for part in parts[1:-1]:
        at = next((i + len(part) for i in range(at, len(printed) + 1) if is_at(part, i)), None)
        if at is None:
            return False
    return at + len(parts[-1]) <= len(printed) and is_at(parts[-1], len(printed) - len(parts[-1]))


def prints(recipe, lines, printed):
    """Is it what a command of a recipe is to print?"""
    if not recipe.example:
        return matches(lines, printed)
    # Of bytes that are read, say; small ones are everywhere.
    given = {int(n) for command, _ in recipe.commands for n in re.findall(r"\b\d{3,}\b", command)}
    return matches(lines, [line.rstrip() for line in printed if line.strip()], lambda line: likely(line, given))


def recipes(run, k, cases):
    """The pages with recipes: their commands are run, in one boot, and print what they say."""
    if not k.build(run):
        return
    wanted, t0 = list(pages([c for c in cases if c.endswith(".rst")])), time.time()
    for recipe in wanted:
        if lacks(k, recipe.intro):
            run.skip(f"recipes {k.name}: {recipe.name}", lacks(k, recipe.intro))
    wanted = [recipe for recipe in wanted if not lacks(k, recipe.intro)]
    status, out, console, err = k.guest(script(wanted), 300, turns=True)
    got = {(int(a), int(b)): (text.splitlines(), int(rc)) for a, b, text, rc in
           re.findall(r"^@@ (\d+) (\d+)\n(.*?)^@@ status (\d+)$", out.replace("\r", ""), re.M | re.S)}
    for r, recipe in enumerate(wanted):
        wrong = []
        for c, (command, lines) in enumerate(recipe.commands):
            printed, rc = got.get((r, c), ([], None))
            if rc != 0 or not prints(recipe, lines, printed):
                wrong.append(f"# {command}\nis to print:\n" + "\n".join(lines) + f"\nstatus {rc}:\n" + "\n".join(printed[:30]))
        run.result(f"recipes {k.name}: {recipe.name}", not wrong, "\n".join(wrong))
    if status or not wanted:
        run.result(f"recipes {k.name}: ran to the end", False, f"{len(wanted)} recipes, status {status}\n{err}")
    found = splats(console)
    run.result(f"recipes {k.name}: no splat on the console", not found, found, time.time() - t0)
