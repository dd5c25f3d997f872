#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes the overlay as a patch series: series.py [--check] [--build each|ends] [--base TREE] OUT

One patch a topic, none of them with more than LIMIT new lines, in an order in which each can
be read with what came before.  The base's tracing goes first, and its Kconfig with it: until
the last patch offers the options again every step is a kernel that builds, without tracing.
Each of patches/ is one of its own.
TREE is a 6.12 source tree (default: the unpacked base).  With --check the series is applied
with git am to the pristine files of TREE, and the result compared with what overlay.py makes
of it.  With --build the kernel that ARCH names is built after each patch; that takes hours, and goes
on where it was.  --build ends is for after the first patch and after the last.
"""
import argparse, filecmp, fnmatch, glob, hashlib, os, re, shutil, subprocess, sys, tempfile, textwrap

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import overlay
from test_kernel import cross

LIMIT = 3000    # lines that a patch may add


def options(*names):
    """Options as our kernel/trace/Kconfig has them."""
    with open(os.path.join(TOP, "kernel/trace/Kconfig")) as f:
        text = f.read()
    return "\n".join(re.search(rf"^config {name}\n(?:\t.*\n)+", text, re.M).group() for name in names)


# What the first patch leaves in place of the base's. The entry code calls the tracepoints of system calls, with
# tracing or without; and kretprobes return by rethooks where an architecture has those.
EMPTY = {
    "kernel/trace/Kconfig": "# SPDX-License-Identifier: GPL-2.0-only\n"
                            "# Tracing is being replaced; the series' last patch offers it again.\n"
                            + options("HAVE_SYSCALL_TRACEPOINTS", "HAVE_RETHOOK", "RETHOOK"),
    "kernel/trace/Makefile": "# SPDX-License-Identifier: GPL-2.0-only\nobj-$(CONFIG_RETHOOK) += rethook.o\n",
}

# Subject, why, files ("*" crosses "/").  The first match takes a file; one that none takes is an error.
RB, INS, TASKS, REC, OUT, EV, SITES, FN, DYN, HIST = (f"kernel/trace/{room}/" for room in (
    "ring_buffer", "instance", "tasks", "record", "output", "events", "function/sites", "function", "dynevent", "hist"))
CASES = "tools/testing/selftests/ftrace/test.d/"
TOPICS = [
    ("ring-buffer: tests of time and of swapping",
     "KUnit beside the code: times whatever nests, rings that change their places under writers.",
     [RB + "time_test.c", RB + "validate_test.c", RB + "swap_test.c"]),
    ("ring-buffer: tests",
     "Laws of the buffer, checked by KUnit beside the code: nothing is lost that is not counted,\nnothing is read twice, whoever resizes or empties it meanwhile.",
     [RB + "*test*"]),
    ("ring-buffer: litmus tests of its barriers",
     "An interpreter of the kernel's memory model runs them, with each barrier and without.",
     ["tools/tracing/ring_buffer_model/litmus/*", "tools/tracing/ring_buffer_model/*.py", "tools/tracing/ring_buffer_model/*.list"]),
    ("ring-buffer: a model, and what is proved with it",
     "Reserve, commit, sub-buffer switch, overwrite, readers, swap and resize in Promela.",
     ["tools/tracing/ring_buffer_model/*", "Documentation/trace/ring-buffer-design.rst"]),
    ("ring-buffer: write by one compare-exchange on the CPU's own ring",
     "One word a sub-buffer holds its fill and its time, so that a writer is one exchange and\ndeltas are exact whatever nests. The buffer knows bytes and time and nothing of events.",
     ["include/linux/ring_buffer*.h", RB + "internal.h", RB + "fast.h", RB + "write.c", RB + "alloc.c", RB + "Makefile"]),
    ("ring-buffer: read and wait",
     "Readers take whole sub-buffers or copies of records, and who waits pays for what the writer\ndoes not ask.",
     [RB + "read*.c", RB + "iterator.c", RB + "wait.c", RB + "stat.c", RB + "validate*", RB + "recording.c"]),
    ("ring-buffer: resize and swap",
     "Whatever changes the shape of a buffer, or takes its rings away, goes on beside writers and readers.",
     [RB + "*"]),
    ("tracing: clocks and sequences",
     "What every room of tracing times and prints with, below all of them, so that none\nhas to look into another for it.",
     ["kernel/trace/trace_clock.c", "kernel/trace/local_clock.h", "kernel/trace/lock_once.h", "kernel/trace/missed.h", "kernel/trace/modules.h", "kernel/trace/operands.h", "kernel/trace/rooms.h", "kernel/trace/percpu.h", "kernel/trace/preempt.h", "include/linux/trace_clock.h", "kernel/trace/seq.c", "kernel/trace/printf.[ch]", "kernel/trace/glob.[ch]", "kernel/trace/grace.[ch]", "kernel/trace/graph_quiet.h", "kernel/trace/irq_work.[ch]", "kernel/trace/poll_queue.[ch]", "kernel/trace/recursed.[ch]", "include/linux/trace_seq.h"]),
    ("tracepoint: static keys and static calls in front of probes",
     "The iterator walks a copied array; probes come and go under RCU, and going needs no memory.",
     ["kernel/tracepoint.[ch]", "include/linux/tracepoint*.h", "kernel/trace/tests/*"]),
    ("tracing: TRACE_EVENT and its stages",
     "One header expanded once for each thing an event needs: fields, record, probe, print.",
     ["include/trace/*", "include/linux/trace*.h", "kernel/trace/trace.h", "kernel/trace/trace_output.h", "kernel/trace/trace_probe.h", "kernel/trace/rv_interface.h"]),
    ("tracing: instances",
     "A buffer, its sizes, clock, options and files, for the top level and for mkdir alike.",
     [INS + "instance*", INS + "tracefs.c", INS + "internal.h", INS + "options.c", INS + "flags.h",
      INS + "text.*", INS + "Makefile"]),
    ("tracing: the tracer of an instance", "What a tracer is told and asked, and current_tracer, which chooses it: nop until there are others.",
     [INS + "tracer.h", INS + "current_tracer.c", INS + "nop.c"]),
    ("tracing: what an instance can be told",
     "tracing_on and the CPUs, sizes, clocks, words at boot; error_log, which is here so that every\nfile that takes words can tell what was wrong with them.",
     [INS + "*"]),
    ("tracing: tasks", "A record has a number where a reader wants a name: names and processes behind pids, and\nlists of pids, with one probe on context switches for all of them.", [TASKS + "*"]),
    ("tracing: what is recorded beside events",
     "The fixed entries: markers, trace_printk, stacks; exports. They go the way of events, with\na slot, but their formats are fixed and no event is defined for them.",
     [REC + "*"]),
    ("tracing: from records to lines",
     "Iterators over CPUs in time order, line formats, the printers of fixed entries.",
     [OUT + n for n in ("iterator.c", "line.c", "head.c", "merge.h", "internal.h", "output.h", "printer_registry.c", "print_entries.c", "Makefile")]),
    ("tracing: tests of what is printed and read", "KUnit beside the code: what is printed is what scripts parse, and each way to read has to give\nthe same records, so both are held to the letter where it takes milliseconds.", [OUT + "*_test.c"]),
    ("tracing: files that are read",
     "trace, trace_pipe, raw pages, stats, dump, README: each a way to the same records, of which\nnone holds up who writes, resizes or empties.",
     [OUT + "*"]),
    ("tracing: snapshots", "A second buffer that the first is swapped with while everybody goes on.", ["kernel/trace/snapshot/*"]),
    ("tracing: tests of events", "KUnit beside the code: switching, fields and waiting words where memory fails or a module goes\nin the middle, which no script can bring about.", [EV + "*_test.c"]),
    ("tracing: fields and formats of events",
     "What an event's record holds, described; which arguments of a print format are safe.",
     [EV + n for n in ("fields.c", "format.c", "maps.c", "print_*.c", "ftrace_entries.c", "internal.h", "events.h")]),
    ("tracing: the path of an event's record",
     "From the probe to the slot: the plain case in few instructions, filters and triggers that decide\nbefore there is a slot, and one probe for all instances that an event is on in.",
     [EV + n for n in ("slot.h", "reserve.c", "commit.c", "shared.c", "strings.c", "by_words.h")]),
    ("tracing: registry and switches of events",
     "Events of the kernel and of modules, and enabling at every level. All is decided when an event\nis switched, so that nothing is looked up when it happens.",
     [EV + n for n in ("registry.c", "event_file.c", "find.c", "modules.c", "instances.c", "boot.c", "enable.c", "directories.*", "Makefile")]),
    ("tracing: filters of events: programs",
     "A flat program of typed tests, run by the write path before a record has a slot.",
     [EV + "filter.*"]),
    ("tracing: events of tasks, system calls and perf",
     "set_event and its pid lists, the metadata of system calls, perf's side.",
     [EV + "*"]),
    ("tracing: filters of events: tests",
     "What filters say of records, what is refused, and filters that are exchanged while their event happens.",
     ["kernel/trace/filter/*_test.c"]),
    ("tracing: filters of events: from text to program",
     "Tokens, a tree without recursion, one typed test for each comparison; files, perf.",
     ["kernel/trace/filter/*"]),
    ("tracing: triggers",
     "Commands that hang on events, with counts and filters; functions share them.",
     ["kernel/trace/trigger/*", REC + "triggers.*"]),
    ("tracing: a model of the map of histograms", "Hits that nest and race, growth, a reader: the map takes no lock, so spin looks at all orders\nthat a test would meet one of.",
     ["tools/tracing/hist_map_model/*"]),
    ("ftrace: call sites and their records",
     "What is known of a call site is in its record, flags and all; the files that list them.",
     ["include/linux/ftrace*.h", FN + "Makefile", SITES + "Makefile", *(SITES + n + ".*" for n in (
         "sites", "records", "hash", "freed_symbols", "guard", "test_target", "record_names", "lists", "recursed_functions"))]),
    ("ftrace: ops, and the patching of call sites",
     "Sets of ops are reached through the literal in front of a function; patching is one pass\nand never stops the machine.",
     [SITES + n + ".*" for n in ("sets", "trampolines", "pass", "update", "ops", "enabled", "direct", "filter")]),
    ("arm64: ftrace: call sites of the new core", "One aligned store a step, which every CPU sees whole, so that no machine is stopped; ops are\nfound by the literal in front of the function.", ["arch/arm64/*"]),
    ("riscv: ftrace: call sites of the new core", "auipc stays, jalr comes and goes: a task that was preempted between the two goes on right,\nso functions can be traced with PREEMPT.", ["arch/riscv/*"]),
    ("ftrace: tests of fprobes", "KUnit beside the code: hooks of entries and returns, of one function by the dozen, in tasks\nthat sleep there and that never come back.", [FN + "fprobe/*_test.c"]),
    ("ftrace: tests", "KUnit beside the code, with memory that fails: who goes must not need any, and a refused\nchange has to leave every call site as it was.", [FN + "*_test.c"]),
    ("ftrace: the graph core", "Shadow stacks, and users of them; set_graph_function. Return addresses are kept in one place,\nfor tracers, probes and profilers at once.",
     [FN + "graph/*", FN + "filters/set_graph_function.*", "kernel/trace/rethook.c"]),
    ("ftrace: fprobes", "Handlers at entries and returns, on return hooks; no limit of open calls.",
     [FN + "fprobe/*", "include/linux/fprobe.h"]),
    ("ftrace: the profiler", "How often each function is called, and how long it takes: a table for each CPU.",
     [FN + "filters/function_profile.*"]),
    ("ftrace: filters, commands, pids", "Which functions, of which tasks, and what happens at them. Each instance has its own, above the\ncore, which only knows ops and addresses.", [FN + "filters/*"]),
    ("tracing: events that are made at run time", "A registry of them, the files that define them; synthetic events. One registry, so that a name\nis taken once and each kind is listed and removed in the same way.",
     [DYN + n for n in ("Makefile", "dynevent.*", "internal.h", "release.c", "dynamic_events.c", "command.*", "gen_cmd.c", "synth*")]),
    ("tracing: the arguments of probes", "A language of registers, memory and parameters, with BTF and types; its errors.",
     [DYN + f"probe_{n}.*" for n in ("btf", "expr", "parse", "type", "errors")]),
    ("tracing: probes: tests", "Each kind of argument, in tasks, interrupts and NMIs; what is refused.", [DYN + "probe_test.c"]),
    ("tracing: what probes record", "Arguments are a flat program, parsed once and run at each hit; events of one or several\nprobes, so that one event can be at many places.", [DYN + "probe*"]),
    ("tracing: kprobe events, event probes", "Instructions, entries and returns of functions; fields of other events.",
     [DYN + "kprobe*", DYN + "eprobe*"]),
    ("tracing: uprobe, function and tracepoint probe events", "Programs of users; functions by fprobes; tracepoints without an event.",
     [DYN + "*"]),
    ("tracing: histograms: the map", "Hit from anywhere, with sums of each CPU; it grows behind the hits. Sketches of quantiles.",
     [HIST + "map*", HIST + "quantiles*"]),
    ("tracing: histograms: actions", "What is done when a key matches, has a new maximum, or changes: latencies are found where\nthey happen, and not in a trace of everything.",
     [HIST + "action*", HIST + "field_variables.c"]),
    ("tracing: histograms: a hit", "What is fetched, computed and counted, from what a command was made into: nothing is\nlooked up that could be known before.",
     [HIST + n for n in ("internal.h", "errors.h", "hit.c", "variable.c")]),
    ("tracing: histograms: keys, values, variables", "The language of the command. It is read once and ends as steps for the hit, so that whatever\nis wrong with it is said, with its place, before anything counts.",
     [HIST + n for n in ("field.c", "expr.c", "make.c")]),
    ("tracing: histograms: files and commands", "Triggers that count, sum up and remember by keys; how they are shown. The language is the\nbase's, as scripts have it in their hands.", [HIST + "*"]),
    ("tracing: tracers: tests of hwlat, osnoise, timerlat", "KUnit beside the code: who took how much of a CPU is computed from made-up interrupts and\nswitches, as real noise is never the same twice.", ["kernel/trace/tracers/noise/*_test.c"]),
    ("tracing: tracers: timerlat", "How late a timer's interrupt is, and the thread that it wakes, of the kernel's or of user\nspace's: both go through the same turns, so that they can be compared.",
     ["kernel/trace/tracers/noise/timerlat*"]),
    ("tracing: tracers: hwlat, osnoise",
     "What a thread loses that wants a CPU for itself, and whose it was. One accounting for both\nworkloads, and threads that follow CPUs as they come and go.",
     ["kernel/trace/tracers/noise/*"]),
    ("tracing: latency tracers", "Sections without interrupts or preemption, and wake-ups: the longest, and what led to it.",
     ["kernel/trace/tracers/latency/*"]),
    ("tracing: the stack tracer", "How deep the kernel's stacks get, and which frame takes what: a stack that overflows is found\nout before it does.",
     ["kernel/trace/tracers/stack*"]),
    ("tracing: branches, accesses to devices", "What the compiler counts, and what page faults tell. Both have an entry of their own and are\nasked for by configurations that few have.",
     ["kernel/trace/tracers/branch.*", "kernel/trace/tracers/mmiotrace.c"]),
    ("tracing: tracers are tried at boot", "Each is chosen once, and has to have recorded what it should, before anybody relies on it;\nfor those who port it to a machine.",
     ["kernel/trace/tracers/selftest*"]),
    ("tracing: tracers: what functions were called with", "The registers of a call by the names and types that the kernel knows of the function.",
     ["kernel/trace/tracers/arguments*"]),
    ("tracing: tracers: nop, function, function_graph", "What current_tracer chooses between, in each instance: tracers register themselves, and what\nthey trace is decided by the filters below.", ["kernel/trace/tracers/*"]),
    ("selftests/ftrace: histograms and synthetic events, as on the base", "What is counted in the kernel, by key, and events that are made of others. The base passes the\nsame cases, which tells whether a case is right.",
     [CASES + "oracle/" + n for n in ("*hist*", "synthetic*")]),
    ("selftests/ftrace: filters, triggers, probes, as on the base", "What is decided in the kernel, and events made at run time. The base passes the same cases,\nwhich tells whether a case is right.",
     [CASES + "oracle/" + n for n in ("*event*", "*snapshot*", "trigger*")]),
    ("selftests/ftrace: readers and records, as on the base", "Every way to read, and what is counted, kept and printed. The base passes the same cases,\nwhich tells whether a case is right.",
     [CASES + "oracle/" + n for n in ("a*", "b*", "c*", "l*", "n*", "o*", "p*", "r*")]),
    ("selftests/ftrace: what the base does too", "Cases that hold on the base as well, which tells whether a case is right.", [CASES + "oracle/*"]),
    ("selftests/ftrace: histograms and probes beyond the base, clients", "Examples of the documentation, so that they stay true; storms; programs that use it all as\ntheir users do.",
     [CASES + n for n in ("overlay/*hist*", "overlay/*probe*", "overlay/*synth*", "overlay/dynamic*", "clients/*")]),
    ("selftests/ftrace: noise and timers beyond the base", "Threads that are moved, stopped and killed, CPUs that come and go, users of timerlat_fd.",
     [CASES + "overlay/" + n for n in ("*noise*", "*timerlat*", "hwlat*")]),
    ("selftests/ftrace: tracers and triggers beyond the base", "Functions and their arguments, latencies, stacks; triggers, snapshots, instances.",
     [CASES + "overlay/" + n for n in ("*args*", "*graph*", "*function*", "*latenc*", "*stack*", "*trigger*", "*snapshot*", "instance*")]),
    ("selftests/ftrace: command lines", "What is asked for on the command line is done before anybody can look: each case has a boot of\nits own, and looks at what came of it.", [CASES + "boot/*"]),
    ("selftests/ftrace: what is promised beyond the base", "Cases of ours alone, where the base does something else or has no such file.", ["tools/testing/*"]),
    ("tools/tracing: load: words, failing memory, clocks", "Words and bytes into every file, allocations that fail in turn, old clocks.",
     ["tools/tracing/load/fuzz.c", "tools/tracing/load/failnth.c", "tools/tracing/load/aged.c"]),
    ("tools/tracing: load: probes", "Probes of each kind come and go while what they are in is run, and no hit is lost.",
     ["tools/tracing/load/probes.c"]),
    ("tools/tracing: load: the law that no record is lost", "What was recorded was read, or is told of as lost; and who watches that all go on.",
     ["tools/tracing/load/law.c", "tools/tracing/load/records.c", "tools/tracing/load/watch.c"]),
    ("tools/tracing: load", "Readers of each kind against all that can be changed meanwhile, one by one and all at once.",
     ["tools/tracing/load/*"]),
    ("tools/tracing: programs as users have them", "With libtracefs filters, triggers and snapshots, checked by the records that the library hands\nout; and a ring that is mapped.",
     ["tools/tracing/clients/*"]),
    ("tools/tracing: what filters let through", "Raw records of real events, of instances with filters and of one without.",
     ["tools/tracing/filters/*"]),
    ("tools/tracing: BPF programs on probes", "A program without libraries that has one attached to each kind, as the base's clients call\nwhat is new behind them.",
     ["tools/tracing/bpf/*"]),
    ("tools/tracing: what tracing operations cost", "A module that counts instructions under QEMU's icount, where the same work is the same number\nin each run, and one more is seen.", ["tools/tracing/bench/*"]),
    ("tools/tracing: text that is patched all the time", "A module whose probes come and go while other CPUs come by, and that tells of an int3 which memory\nhas not.", ["tools/tracing/int3/*"]),
    ("Documentation: events and tracers, as they are used and made",
     "A page for each: what it offers beyond the pages that were there, how it comes about, and examples\nthat tests run.",
     ["Documentation/trace/" + n for n in ("event-*", "hist-triggers.rst", "probe-recipes.rst", "tracers.rst", "*-tracer.rst", "*-tracers.rst", "tracing-noise.rst")]),
    ("Documentation: tracing from the inside", "How the rooms hang together, and where every file's owner is: for whoever has to change it\nand has not written it.", ["Documentation/*"]),
    ("tracing: build it", "Kconfig offers what is built, under the names the base uses, so that an existing configuration\ncan be taken as it is.",
     ["kernel/trace/Kconfig*", "kernel/trace/Makefile", "kernel/trace/init.c", "kernel/trace/preemptirq.c"]),
]


def git(folder, *words, **more):
    return subprocess.run(["git", "-C", folder, "-c", "user.name=tracing overlay", "-c", "user.email=overlay@localhost",
                           "-c", "core.autocrlf=false", "-c", "gc.auto=0", *words],
                          check=True, stdout=subprocess.PIPE, env=overlay.plain_git(), **more)


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
        git(folder, "commit", "-qm", f"{subject}\n\n" + "\n\n".join(textwrap.fill(part, 75) for part in why.split("\n\n")))


def small_changes():
    """Those to what is not ours, patches/*.patch: subject, why, the patch, its files."""
    for _, text, paths in overlay.patches(TOP):
        head = re.split(r"^(?:---|diff )", text, maxsplit=1, flags=re.M)[0]
        head = re.sub(r"^(?:From|SPDX-License-Identifier): .*\n|^Subject: ", "", head, flags=re.M)
        subject, _, why = head.strip().partition("\n")
        yield subject, why.strip(), text, paths


def added(folder, paths):
    """How many lines @paths bring, beside what the repository has of them."""
    total = 0
    for path in paths:
        old = os.path.join(folder, path)
        done = subprocess.run(["git", "diff", "--no-index", "--numstat", "--", old if os.path.exists(old) else "/dev/null",
                               os.path.join(TOP, path)], stdout=subprocess.PIPE, text=True, env=overlay.plain_git())
        total += int(done.stdout.split("\t")[0] or 0) if done.stdout and done.stdout[0] != "-" else 0
    return total


def matters(folder, changed):
    """Whether a build in @folder may come out otherwise when files changed as @changed, path -> letter, says.
    Kbuild notes what each object read.  What it does not note, Makefiles and their like, is taken to
    matter, but for new ones: an old one has to change before they are read."""
    for path, how in changed.items():
        name = os.path.basename(path)
        if how != "A" and (name.startswith(("Makefile", "Kbuild", "Kconfig")) or path.startswith("scripts/")):
            return True
    names = [f"/{p}".encode() for p in changed]
    for at, _, files in os.walk(folder):
        for name in files:
            if name.startswith(".") and name.endswith(".cmd"):
                with open(os.path.join(at, name), "rb") as f:
                    text = f.read()
                if any(n in text for n in names):
                    return True
    return False


def states_at_ends(revs):
    """Of the base's state, then one a patch: that behind the first patch, and the last."""
    return {revs[1], revs[-1]}


def unpacked():
    """Dies if the base is not there and cannot be had, which scripts/base.sh has said then."""
    if subprocess.run(["sh", os.path.join(TOP, "scripts/base.sh")]).returncode:
        sys.exit(1)


def build_each(work, base, arch, ends=False):
    """Every state of the repository @work, laid over the base, builds; with @ends only that without
    tracing and the last.  It takes hours, so states that were built before are not built again, nor
    those that change nothing that is compiled."""
    tree, objects = os.path.join(TOP, "build/series-linux"), os.path.join(TOP, f"build/series-{arch}")
    passed = os.path.join(TOP, "build/passed", f"series-{arch}")
    configs = [open(p).read() for p in sorted(glob.glob(TOP + "/configs/*.config"))]
    # A tree of one's own is known by its place, as long as what the series does not touch stays as it is.
    tools = subprocess.run([cross(arch) + "gcc", "--version"], stdout=subprocess.PIPE, text=True).stdout
    key = hashlib.sha256("".join([*configs, open(TOP + "/build/base/version").read(), os.path.realpath(base), tools,
                                  open(TOP + "/scripts/kernel.sh").read()]).encode()).hexdigest()[:16]
    before = set(open(passed).read().split("\n")) if os.path.exists(passed) else set()
    os.makedirs(os.path.dirname(passed), exist_ok=True)
    # Objects of another order of patches may be newer than what they should be made from; ccache has
    # what is still right.
    for old in tree, objects:
        shutil.rmtree(old, ignore_errors=True)
    overlay.copied(base, tree, True)
    last, built = None, False    # whether the objects are of the last state
    revs = git(work, "rev-list", "--reverse", "HEAD").stdout.decode().split()
    for rev in revs:
        if last:
            changed = {}
            for line in git(work, "diff", "--name-status", "--no-renames", last, rev).stdout.decode().splitlines():
                how, path = line.split("\t")
                changed[path] = how
                at = os.path.join(tree, path)
                if os.path.exists(at):    # a link to the base's
                    os.unlink(at)
                if how != "D":
                    os.makedirs(os.path.dirname(at), exist_ok=True)
                    open(at, "wb").write(git(work, "show", f"{rev}:{path}").stdout)
            subject, state = git(work, "show", "-s", "--format=%s %T", rev).stdout.decode().strip().rsplit(" ", 1)
            if ends and rev not in states_at_ends(revs):
                last, built = rev, False
                continue
            if f"{key} {state}" in before:
                print(f"ok   {subject} (built before)", flush=True)
                # Objects of an older state are no word on what the next patch changes.
                built = False
            elif built and not matters(objects, changed):
                print(f"ok   {subject} (nothing that is compiled reads it)", flush=True)
            else:
                done = subprocess.run(["sh", os.path.join(TOP, "scripts/kernel.sh")],
                                      env=dict(os.environ, ARCH=arch, KERNEL="series", FLAVOUR="test", TREE=tree))
                print(f"{'ok  ' if not done.returncode else 'FAIL'} {subject}", flush=True)
                if done.returncode:
                    sys.exit(1)
                built = True
            if f"{key} {state}" not in before:
                with open(passed, "a") as f:
                    f.write(f"{key} {state}\n")
        last = rev


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--check", action="store_true")
    args.add_argument("--build", choices=("each", "ends"))
    args.add_argument("--base")
    args.add_argument("out")
    args = args.parse_args()
    # Whoever has a tree of his own has the builds' configuration from the base all the same.
    if args.build or not args.base:
        unpacked()
    base = os.path.abspath(args.base or os.path.join(TOP, "build/base/linux-source-6.12"))
    out = os.path.abspath(args.out)
    if not os.path.exists(os.path.join(base, "kernel/trace/Kconfig")):
        sys.exit(f"series: {base} is no kernel tree with tracing in it")
    mine, gone = overlay.ours(TOP), overlay.removed(TOP, base)
    with tempfile.TemporaryDirectory() as scratch:
        touched = mine | gone | {path for *_, paths in small_changes() for path in paths}
        work = os.path.join(scratch, "work")
        pristine(work, base, touched)

        only_gone = sorted(gone - mine)
        for path in only_gone:
            os.unlink(os.path.join(work, path))
        for path, text in EMPTY.items():
            open(os.path.join(work, path), "w").write(text)
        commit(work, "tracing: take out what is written anew",
               "The clients of tracing stay; what they include and call comes back\nwith the patches that follow. Until then nothing can be chosen.",
               [*only_gone, *EMPTY])
        for subject, why, text, paths in small_changes():
            subprocess.run(["patch", "-p1", "-s", "-F0", "--no-backup-if-mismatch", "-d", work], input=text, text=True, check=True)
            commit(work, subject, why, paths)
        left = set(mine)
        for subject, why, globs in TOPICS:
            paths = sorted(p for p in left if any(fnmatch.fnmatch(p, g) for g in globs))
            left -= set(paths)
            if paths:
                new = added(work, paths)
                if new > LIMIT:
                    sys.exit(f"series: {subject}: {new} new lines, more than {LIMIT}: divide it")
            for path in paths:
                put(os.path.join(TOP, path), work, path)
            if paths:
                commit(work, subject, why, paths)
        if left:
            sys.exit("series: no topic takes " + " ".join(sorted(left)))
        shutil.rmtree(out, ignore_errors=True)
        git(work, "format-patch", "-q", "--no-signature", "-o", out, "--root", "HEAD", "^HEAD~" +
            str(int(git(work, "rev-list", "--count", "HEAD").stdout) - 1))
        patches = sorted(os.listdir(out))
        print(f"{len(patches)} patches in {out}")
        if args.build:
            build_each(work, base, os.environ.get("ARCH") or "arm64", args.build == "ends")
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
