# SPDX-License-Identifier: GPL-2.0-only
"""What user space sees of tracefs, on the base and on ours."""
import difflib, os, re, tempfile

from test_kernel import ended
from test_run import BUILD, TOP

OBSERVE = r"""
cd /sys/kernel/tracing
mkdir instances/x
find . -path './events/*/*/*' -prune -o -path './instances/x/events/*' -prune -o -printf '%m %y %P\n' | sort -k3 >/host/modes
find events/sched/sched_switch events/ftrace/print -printf '%m %y %p\n' 2>/dev/null | sort -k3 >/host/modes.event
rmdir instances/x
sort available_events >/host/available_events
for f in trace_clock trace_options timestamp_mode available_tracers buffer_percent tracing_on events/header_page events/header_event trace set_event set_event_pid saved_tgids; do
	echo "== $f"; cat $f 2>&1
done >/host/defaults
# What the files of snapshots say of themselves while there is none, when it has memory, and afterwards.
for i in freed allocated again; do
	[ $i != allocated ] || echo 1 >snapshot
	for f in snapshot per_cpu/cpu0/snapshot; do
		echo "== $f:$i"; cat $f 2>&1
	done
	[ $i != allocated ] || echo 0 >snapshot
done >>/host/defaults 2>&1
modprobe trace-events-sample
grep -r '' --include=format events >/host/formats

# What the function tracers print, of one task on one CPU that writes a line.
echo 'vfs_write ksys_write' >set_ftrace_filter
echo $$ >set_ftrace_pid
taskset -p 1 $$ >/dev/null
view() { # tracer option...
	tracer=$1
	shift
	echo 0 >tracing_on
	echo $tracer >current_tracer
	for o; do echo $o >trace_options; done
	echo >trace
	echo 1 >tracing_on
	echo hello >trace_marker
	echo hello >trace_marker
	echo 0 >tracing_on
	echo "== $tracer $*"
	cat trace
	for o; do case $o in no*) echo ${o#no} ;; *) echo no$o ;; esac >trace_options; done
	echo nop >current_tracer
}
{
	view function
	for o in sym-offset verbose noprint-parent latency-format nocontext-info noirq-info func-no-repeats; do
		view function $o
	done
	view function_graph
	for o in funcgraph-proc funcgraph-abstime nofuncgraph-cpu nofuncgraph-duration nofuncgraph-overhead \
			funcgraph-overrun funcgraph-tail latency-format nocontext-info print-parent verbose; do
		view function_graph $o
	done
	[ ! -e options/funcgraph-retval ] || view function_graph funcgraph-retval funcgraph-retval-hex
	view function_graph latency-format funcgraph-abstime funcgraph-proc
	view function_graph latency-format nofuncgraph-cpu nofuncgraph-duration
	for f in set_ftrace_filter set_ftrace_notrace set_ftrace_pid set_ftrace_notrace_pid \
			set_graph_function set_graph_notrace max_graph_depth function_profile_enabled; do
		echo "== $f"
		cat $f
	done
} >/host/functions 2>&1

# What each tracer has: its options, and what stands above its records.
heads() { # words...
	echo "-- $*"
	grep '^#' trace
}
tracer() { # name
	echo "== $1"
	echo $1 >current_tracer
	cat current_tracer
	sort trace_options
	find options -type f -printf '%m %p\n' | sort -k2
	heads as chosen
	# A latency tracer would find something at once, or not.
	case $1 in
	*off|wakeup*) ;;
	*) echo 1 >tracing_on; echo hello >trace_marker; echo 0 >tracing_on ;;
	esac
	for o in nolatency-format latency-format; do
		echo $o >trace_options
		heads $o
	done
	echo nolatency-format >trace_options
	echo nop >current_tracer
}
for t in $(tr ' ' '\n' <available_tracers | grep -vx mmiotrace | sort); do
	tracer $t
done >/host/tracers 2>&1

# Tasks that are gone when they are read: how many lines have no name?  All are in the buffer in the end.
echo >trace
echo 1 >tracing_on
echo 1 >events/sched/sched_process_exit/enable
n=0
while [ $n -lt 10000 ]; do
	(:)
	n=$((n + 1))
done
echo 0 >events/sched/sched_process_exit/enable
grep ' sched_process_exit: ' trace >/tmp/exits
echo "$(grep -c '<\.\.\.>-' /tmp/exits) $(wc -l </tmp/exits)" >/host/names

# Last, as it takes CPUs away for as long as it runs.
! grep -qw mmiotrace available_tracers || tracer mmiotrace >>/host/tracers 2>&1
"""

# What differs from boot to boot: times (not their width), durations and their marks, numbers of tasks, addresses.
FIGURES = [(r"[ +!#*@$]*[\d.]+ us +\|", "N us |"), (r"^ +\d+\.\d+ ", "TIME "),
           (r"( +\d+)\.(\d+): ", lambda m: f" TIME {len(m[1])}.{len(m[2])}: "),
           (r" +[\d.]+us[!+#*@$ ]*:", " Nus:"), (r"\[[0-9a-f]+\] [\d.]+ms \([+\d.]+ms\)", "MS"), (r"-\d+ ", "-PID "),
           (r"^( +\w+) +\d+ ", r"\1 PID "), (r"( = )(0x)?[0-9a-f]+", r"\1V"), (r"(tracing_mark_write)\+\S+:", r"\1:"),
           # Whether the tick wanted the CPU back just then.
           (r"^( +\w+ PID +\d+) (\d+) ", lambda m: f"{m[1]} {int(m[2]) & ~0x24} "),
           (r"(?<=[ \d][.dbDX])[nNpPlLbB](?=[.hHsSZz][.\da-f][.\da-f])", "."),
           (r"task: \S+", "task"), (r"^\d+$", "N"), (r"last_ts: +[\d.]+", "last_ts")]
# The base's riscv64 is without PREEMPT, so its functions have other sizes; and its call sites are at their functions'
# first byte, ours at the second instruction of the pair (see function-tracing.rst).
# On x86_64 the base counts what it disabled preemption for itself, when a function is entered.
FIGURES_OF = {"riscv64": [(r"\(M:\w+ ", "(M: "), (r"\+0x[0-9a-f]+/0x[0-9a-f]+", "+N/N")],
              "x86_64": [(r"\.1(\. \|.*\(\) \{)$", r"..\1")]}

# What a latency trace's head says of records and the worst case.
FIGURES_OF_HEADS = [(r"latency: \d+ us, #\d+/\d+, CPU#-?\d+", "latency: N"), (r"task: .*", "task"),
                    (r"(entries-written:) \d+/\d+", r"\1 N")]


# Lines of formats that later kernels brought: arguments, and a record with return addresses.
LATER = [(r"events/ftrace/(function|funcgraph_entry)/format", r"field:unsigned long args\[\];"),
         (r"events/ftrace/fgraph_retaddr_entry/format", r"")]


def compare(run, k, cases):
    """format files and the rest of tracefs, on the base and on ours."""
    base = k.base()
    if not (k.build(run) and base.build(run)):
        return
    for name, detail in differences(run, k, base):
        run.result(f"compare {k.arch}: {name}", not detail, detail)


def differences(run, k, base):
    """Pairs: what was compared, and where the kernels differ."""
    seen = []
    for kernel in (base, k):
        with tempfile.TemporaryDirectory(dir=BUILD) as share:
            status, out, console, err = kernel.guest(OBSERVE, 600, share=share, turns=True)
            if not ended(run, f"compare: {kernel.name}", status, console, err):
                return []
            seen.append({n: open(os.path.join(share, n)).read() for n in os.listdir(share)})
    old, new = seen
    found = [("there is something to compare", "\n".join(too_little(old)))]

    skip = deferred(k.arch)

    def known(name):
        return any(re.fullmatch(s, name) for s in skip)

    def formats(text):
        rows = {}
        for line in text.splitlines():
            path, _, line = line.partition(":")
            # A number the compiler counts up, different with every header.
            line = re.sub(r"__UNIQUE_ID_([a-z]+)_\d+", r"__UNIQUE_ID_\1", line)
            if not line.startswith("ID: ") and not known(path) and \
                    not any(re.fullmatch(f, path) and re.search(l, line) for f, l in LATER):
                rows.setdefault(path, []).append(line)
        return rows

    a, b = formats(old["formats"]), formats(new["formats"])
    wrong = [f"{p}: " + ("missing" if p not in b else next((f"base {x!r}, ours {y!r}" for x, y in
             zip(a[p] + [""], b[p] + [""]) if x != y), "length")) for p in sorted(a) if a[p] != b.get(p)]
    extra = sorted(set(b) - set(a))
    found.append((f"{len(a)} format files are the base's but for the ID", "\n".join(
        wrong[:35] + [f"only ours: {p}" for p in extra[:5]] + [f"{len(wrong)} differ"]) if wrong or extra else ""))
    lost = sorted(set(old["available_events"].split()) ^ set(new["available_events"].split()))
    lost = [e for e in lost if not known("events/" + e.replace(":", "/"))]
    found.append(("available_events", "\n".join(lost)))
    for name in ("modes", "modes.event"):
        rows = [{l.split(" ", 2)[2]: l for l in s[name].splitlines() if l.count(" ") >= 2} for s in (old, new)]
        rows = [{p: l for p, l in r.items() if not known(p)} for r in rows]
        diff = [f"base: {rows[0].get(p)}  ours: {rows[1].get(p)}" for p in sorted(set(rows[0]) | set(rows[1]))
                if rows[0].get(p) != rows[1].get(p)]
        found.append((f"names and {name} of tracefs", "\n".join(diff)))
    parts = [dict(re.findall(r"^== (\S+)\n(.*?)(?=^== |\Z)", s["defaults"], re.M | re.S)) for s in (old, new)]
    for p in parts:
        p["available_tracers"] = " ".join(t for t in p.get("available_tracers", "").split() if not known("tracers/" + t))
    for name in parts[0]:
        x, y = ["\n".join(sorted(p.get(name, "").splitlines())) if name == "trace_options" else p.get(name, "") for p in parts]
        found.append((name, f"base:\n{x}\nours:\n{y}" if x != y else ""))

    def views(text):
        for figure, word in FIGURES + FIGURES_OF.get(k.arch, []):
            text = re.sub(figure, word, text, flags=re.M)
        return re.split(r"^(?=== )", text, flags=re.M)

    x, y = [views(s["functions"]) for s in seen]
    wrong = [f"base:\n{p}ours:\n{q}" for p, q in zip(x, y) if p != q]
    if len(x) != len(y):
        wrong.append(f"base: {len(x)} views, ours: {len(y)}")
    found.append(("what function tracers print with each option", "\n".join(wrong[:3])))

    found.append(unnamed(old["names"], new["names"]))
    x, y = [heads(s["tracers"], FIGURES_OF_HEADS + FIGURES_OF.get(k.arch, []), known) for s in seen]
    for name in x:
        lines = difflib.unified_diff(x[name], y.get(name, []), "base", "ours", lineterm="", n=0)
        found.append((f"options and heads of the tracer {name}", "\n".join(lines)))
    return found


def too_little(seen):
    """What was not observed, or less of it than any kernel has: two that show nothing are alike."""
    paths = {line.partition(":")[0] for line in seen["formats"].splitlines()}
    sections = {n: dict(re.findall(r"^== (.+)\n((?:(?!== ).*\n)*)", seen[n], re.M)) for n in ("defaults", "functions", "tracers")}
    views = [text for name, text in sections["functions"].items() if name.startswith(("function ", "function_graph "))]
    for what, got, floor in (
            ("format files", len(paths), 500), ("format files of the sample", sum("/sample-trace/" in p for p in paths), 5),
            ("events", len(seen["available_events"].split()), 500), ("names", seen["modes"].count("\n"), 500),
            ("names of two events", seen["modes.event"].count("\n"), 8), ("files", len(sections["defaults"]), 12),
            ("options", len(sections["defaults"].get("trace_options", "").split()), 20), ("views of calls", len(views), 15),
            ("views with calls", sum("write" in text for text in views), len(views)), ("tracers", len(sections["tracers"]), 3),
            ("tracers with options and a head", sum("options/" in t and "# tracer:" in t for t in sections["tracers"].values()),
             len(sections["tracers"]))):
        if got < floor:
            yield f"only {got} {what}, not {floor}"


def unnamed(base, ours):
    """What there is to say of short-lived tasks: how many have no name, and how many there are.  oracle/names-kept.tc has
    the same bound for a few of them, and the base's own rate is another."""
    (old, before), (new, all_of_them) = [[int(n) for n in words.split()] for words in (base, ours)]
    said = f"short-lived tasks without a name: {new} of {all_of_them}, with the base {old} of {before}"
    return said, "" if min(before, all_of_them) >= 10000 and new * 100 <= all_of_them and \
        new * before <= old * all_of_them else said


def heads(text, figures, known):
    """What was observed of each tracer: name -> lines, without @figures and options that are @known to differ."""
    tracers = {}
    for line in text.splitlines():
        if line.startswith("== "):
            rows = tracers[line[3:]] = []
            continue
        # A line of trace_options, or a mode and a name.
        name = re.sub(r"^(no)?([\w-]+)$", r"options/\2", line).split(" ")[-1]
        if not known(name):
            for figure, word in figures:
                line = re.sub(figure, word, line)
            rows.append(line)
    return tracers


def deferred(arch):
    """Names in tracefs that are known to differ on @arch: configs/deferred, regular expressions."""
    with open(os.path.join(TOP, "configs/deferred")) as f:
        rows = [line.split("#")[0].split() for line in f]
    return [row[0] for row in rows if row and arch in (row[1].split(",") if row[1:] else [arch])]
