#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares two benchmark results: bench_chart.py ARCH FOLDER SVG [hot|rare]

FOLDER holds base*.txt and ours*.txt with lines "row NAME INSTRUCTIONS".  Prints
both and their ratio, draws them, and fails if a bar below is not met.  All
figures contain the measuring loop, which the row "empty" states.  With "hot" what
is rarely done is left out, with "rare" all else, but is drawn.
"""
import os
import sys
from xml.sax.saxutils import escape

sys.dont_write_bytecode = True
import bench_rare_rows

ROWS = {
    "empty": "empty loop",
    "off": "tracepoint that is off",
    "function": "traceable function, not traced",
    "stack_tracer": "stack tracer, not the deepest",
    "clock": "trace_clock_local()",
    "write": "ring_buffer_write(), 16 bytes",
    "event": "event: int + unsigned long",
    "event_2": "the same, on in two instances",
    "filter_pass": "the same, filter passes",
    "filter_reject": "the same, filter rejects",
    "filter_reject_3": "the same, three tests reject",
    "hist_on_a": "the same, hist:keys=a, 20,000 keys",
    "hist_on": "the same, hist:keys=b, one key",
    "hist_off_a": "event off, hist:keys=a",
    "hist_off": "event off, hist:keys=b",
    "hist_off_sum": "event off, hist:keys=a:vals=b",
    "hist_off_var": "event off, hist:keys=b:x=a",
    "hist_onmatch": "event off, hist with two keys, onmatch(), an event of three fields",
    "hist_read": "131,072 sorted entries read, ms",
    "event_string": "event: int + __string of 19",
    "printk": 'trace_printk("x %d %lu\\n")',
    "puts": 'trace_puts("hello\\n")',
    "fprobe": "fprobe event on the entry",
    "fprobe_return": "on the return",
    "fprobe_both": "on both",
    "tprobe": "event on a tracepoint",
    "kprobe": "kprobe event on the entry",
    "kprobe_return": "on the return",
    "kprobe_inside": "inside the function",
    "eprobe": "event probe, its event off",
    "uprobe": "adds to a call: a uprobe event",
    "uprobe_return": "adds to a call: on the return",
    "event_pid": "adds to an event: set_event_pid",
    "switch": "context switch, nothing traced",
    "switch_event": "adds to it: sched_switch on",
    "switch_event_2": "the same, on in two instances",
    "switch_rejected": "the same, not in set_event_pid",
    "switch_pids": "set_event_pid, another event on",
    "switch_names": "another event on, names recorded",
    "switch_graph": "function_graph on",
    "wakeup": "wakeup, nothing traced",
    "wakeup_names": "adds to a wakeup: names recorded",
    "wakeup_pids": "set_event_pid, another event on",
    "irqs": "local_irq_disable(), local_irq_enable()",
    "preempt": "preempt_disable(), preempt_enable()",
    "tracer_irqsoff": "adds to the former: irqsoff",
    "irqs_traced": "the former with irqsoff, in all",
    "tracer_preemptoff": "adds to the latter: preemptoff",
    "tracer_wakeup_rt": "adds to a wakeup: wakeup_rt",
    "tracer_wakeup_switch": "adds to a switch: wakeup_rt",
    "tracer_wakeup_traced": "adds to a wakeup that it traces, and back",
    "cat_line": "cat trace, a line of an event",
    "pipe_line": "cat trace_pipe, a line of it",
    "function_1": "function tracer",
    "function_args": "with func-args",
    "function_2": "function tracer, two instances",
    "function_3": "function tracer, three instances",
    "graph": "function_graph, one leaf call",
    "graph_retaddr": "with funcgraph-retaddr",
    "graph_args": "with funcgraph-args",
    "graph_retval": "with funcgraph-retval",
    "functions_on": "all functions on, ms",
    "functions_off": "all functions off, ms",
    "functions_list": "cat available_filter_functions, ms",
    "size_trace": "kernel/trace, without tests, kB",
    "size_vmlinux": "the kernel, without tests, kB",
}

# Upper limits: on arm64, x86_64 and riscv64. A word names the base's own figure, or a part of it; a row
# and a number are so much more than what that row is with ours, a number and a row so many times that, "base" and
# a row the base's figure and that row; of a list the lowest holds. What filters may cost beside arm64 is in the
# proportions of their first limits, event + 35/35/50, 70/80/100 and 80/90/115.
# Base's riscv64 is without PREEMPT and histograms (configs/base-riscv64.config), so there the sizes of the two, what
# preempt_disable() takes, and a wakeup, which takes locks and so does it as well, are not compared; the walk for
# CALLER_ADDR1 takes it for each frame in a module, so what irqsoff adds is compared together with what it is added to. Nor does that base record what a breakpoint finds,
# since its ring buffer takes nothing in an NMI there: what recording the event takes is added to its hit.
# What must cost nothing, a tracepoint that is off and a function that is not traced, is 4, 4, 3 and 7, 9, 12: an
# instruction more is above the bar, a tick meanwhile is not. A line of trace and one of trace_pipe are rounded, hence the 1.
EVERYWHERE = {
    "off": (4.1, 4.1, 3.1), "write": (95, 105, 130), "event": (155, 170, 200), "event_string": (205, 230, 290),
    "event_2": ((1.7, "event"), (1.7, "event"), (1.7, "event")),
    "puts": (120, 125, 160), "printk": (450, 460, 520),
    "filter_pass": (("event", 30), ("event", 30), ("event", 43)), "filter_reject": (60, 69, 84),
    "filter_reject_3": (75, 84, 108),
    "hist_on_a": (("event", 160), ("event", 165), ("event", 190)), "hist_on": (("event", 160), ("event", 165), ("event", 190)),
    "hist_off_a": (200, 220, 270), "hist_off": (180, 200, 240), "hist_off_sum": (230, 250, 310),
    "hist_off_var": (230, 250, 310), "hist_read": ("base", "base", None), "hist_onmatch": ("half", "half", None),
    "fprobe": (240, 260, 310), "fprobe_both": (520, 560, 700), "kprobe": (400, 380, 450), "kprobe_return": (650, 600, 750),
    "kprobe_inside": ("base", "base", ("base", "event")), "uprobe": ("base", "base", "base"), "uprobe_return": ("base", "base", "base"),
    "eprobe": (("event", 220), ("event", 220), ("event", 220)),
    "function": (7.1, 9.1, 12.1), "stack_tracer": ("base", "base", "base"), "function_1": (150, 170, 200),
    "function_2": (("function_1", 100), ("function_1", 120), ("function_1", 130)),
    "function_3": (("function_2", 100), ("function_2", 120), ("function_2", 130)), "graph": (375, 430, 520),
    "switch_event": (220, None, None), "switch_event_2": ((1.7, "switch_event"), (1.7, "switch_event"), (1.7, "switch_event")),
    "cat_line": (1800, 1800, 2360), "pipe_line": ([("cat_line", 1), 1800], ("cat_line", 1), ("cat_line", 1)),
    "irqs": ("base", "base", "base"), "preempt": ("base", "base", None), "tracer_irqsoff": ("base", "base", None),
    "irqs_traced": ("base", "base", "base"),
    "tracer_preemptoff": ("base", "base", None), "tracer_wakeup_rt": ("base", "base", "base"),
    "wakeup": ("base", "base", None), "tracer_wakeup_switch": ("base", "base", "base"), "graph_retval": ("base", "base", "base"),
    "tracer_wakeup_traced": ("base", "base", "base"),
    "size_trace": ("base", "base", None), "size_vmlinux": ("base", "base", "base"),
    # the base's 6.12 has neither arguments nor addresses; x86_64 adds 137, 376 and 337 to a call, riscv64 159, 468 and 443
    "function_args": (280, ("function_1", 145), ("function_1", 170)), "graph_args": (690, ("graph", 395), ("graph", 490)),
    "graph_retaddr": (660, ("graph", 355), ("graph", 465)),
}
BARS = {arch: {row: bars[i] for row, bars in EVERYWHERE.items() if bars[i] is not None}
        for i, arch in enumerate(("arm64", "x86_64", "riscv64"))}
BARS["arm64"].update({"event_pid": 15, "switch_rejected": 60,
                      "switch_pids": "base", "switch_names": "base", "switch_graph": ("switch_names", 0), "wakeup_names": 0,
                      "wakeup_pids": 0, "functions_on": 30, "functions_off": 30, "functions_list": 30})
for bars in BARS.values():
    bars.update(bench_rare_rows.PROBES)
BARS["arm64"].update(bench_rare_rows.BARS)
ROWS.update({name: words if "kB" in words else words + ", ms"
             for name, words in bench_rare_rows.ROWS.items()})


def limit_of(bar, base, ours):
    """What a bar is in instructions; None if that is not known.  "less" is below the base's figure as it is printed."""
    if isinstance(bar, list):
        limits = [limit_of(b, base, ours) for b in bar]
        return None if None in limits else min(limits)
    if isinstance(bar, tuple) and bar[0] == "base":
        return base + ours[bar[1]] if base and bar[1] in ours else None
    if isinstance(bar, tuple):
        times, row, more = (*bar, 0) if isinstance(bar[1], str) else (1, *bar)
        return times * ours[row] + more if row in ours else None
    return {"base": base, "less": base and base - 0.01, "half": base and base / 2, "twentieth": base and base / 20}.get(bar, bar)


def load(path):
    if not os.path.exists(path):
        return {}
    rows = [line.split() for line in open(path)]
    return {name: float(value) for word, name, value in rows if word == "row"}


def number(value):
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.2f}"


def table(arch, base, ours, part):
    """Prints the table, or that part of it; returns what went wrong, one string a row."""
    wrong = []
    print("\n" + ("What is rarely done" if part == "rare" else "Instructions for one operation") +
          f", {arch}" + ("" if part == "rare" else " (the loop included)") + "\n")
    print(f"  {'':32}{'base':>10}{'ours':>10}{'ratio':>8}{'bar':>8}")
    for name, words in ROWS.items():
        b, o = base.get(name), ours.get(name)
        if part not in ("", "rare" if name in bench_rare_rows.ROWS else "hot"):
            continue
        if b is None and o is None and name not in BARS[arch]:
            continue
        ratio = f"{o / b:.2f}" if b and o is not None else "-"
        bar = BARS[arch].get(name)
        limit = limit_of(bar, b, ours)
        mark = ""
        if bar is not None and (o is None or limit is None or o > limit + 0.005):
            mark = "  above the bar" if None not in (o, limit) else "  not measured"
            wrong.append(f"{words} is{mark.replace('  ', ' ')}")
        print(f"  {words:32}{number(b):>10}{number(o):>10}{ratio:>8}"
              f"{number(limit) if bar is not None else '':>8}{mark}")
    unknown = (set(base) | set(ours)) - set(ROWS)
    if unknown:
        wrong.append("rows without a name here: " + " ".join(sorted(unknown)))
    return wrong


def chart(arch, base, ours):
    """Two bars a row; the longest bar of the row is drawn to the full width."""
    rows = [n for n in ROWS if n != "empty" and n in base and n in ours]
    left, full, pitch, top = 240, 420, 44, 64
    height = top + pitch * len(rows) + 34
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + full + 90}" '
           f'height="{height}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="#fff"/>',
           f'<text x="16" y="24" font-size="15">Instructions for one operation, {arch}</text>']
    for i, (colour, words) in enumerate((("#9aa5b1", "base 6.12"), ("#1f6fb2", "ours"))):
        x = left + 100 * i
        out.append(f'<rect x="{x}" y="36" width="12" height="12" fill="{colour}"/>')
        out.append(f'<text x="{x + 18}" y="46">{words}</text>')
    for i, name in enumerate(rows):
        y = top + pitch * i
        out.append(f'<text x="{left - 10}" y="{y + 20}" text-anchor="end">{escape(ROWS[name])}</text>')
        longest = max(base[name], ours[name], 1)
        for j, (value, colour) in enumerate(((base[name], "#9aa5b1"), (ours[name], "#1f6fb2"))):
            width = max(1, full * value / longest)
            out.append(f'<rect x="{left}" y="{y + 16 * j}" width="{width:.1f}" height="14" fill="{colour}"/>')
            out.append(f'<text x="{left + width + 6:.1f}" y="{y + 16 * j + 11}">{number(value)}</text>')
        bar = limit_of(BARS[arch].get(name), base[name], ours)
        if bar is not None and bar <= longest:
            x = left + full * bar / longest
            out.append(f'<path d="M{x:.1f} {y - 3}v36" stroke="#c0392b" stroke-dasharray="3 2"/>')
    out.append(f'<text x="16" y="{height - 12}" fill="#555">Each row has its own scale; '
               'the dashed line is the bar for ours.</text></svg>')
    return "\n".join(out) + "\n"


def main():
    arch, folder, svg, part = (*sys.argv[1:], "")[:4]
    files = [".txt", "-size.txt"] + ([] if part == "hot" else ["-rare.txt"])
    base, ours = ({name: value for f in files for name, value in load(os.path.join(folder, k + f)).items()}
                  for k in ("base", "ours"))
    if not base and not ours:
        sys.exit(f"bench: no results in {folder}")
    for rows in (base, ours):
        if {"irqs", "tracer_irqsoff"} <= set(rows):
            rows["irqs_traced"] = rows["irqs"] + rows["tracer_irqsoff"]
    wrong = table(arch, base, ours, part)
    with open(svg, "w") as f:
        f.write(chart(arch, base, ours))
    print(f"\n  drawn in {svg}")
    if wrong:
        sys.exit("bench: " + "; ".join(wrong))


if __name__ == "__main__":
    main()
