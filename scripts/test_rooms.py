# SPDX-License-Identifier: GPL-2.0-only
"""Group `rooms`: the rooms of kernel/trace use only rooms below them, by what they include and by
what their objects link to.  No edge is excepted.  The order is also in
Documentation/trace/tracing-rooms.rst, with reasons."""
import os, re, subprocess, time

from test_kernel import cross
from test_run import BASE, TOP, overlay

# Lowest first.  Files that stand in kernel/trace/ itself are the floor if they are named here;
# all others there know every room and are known by none.  What comes from the base, blktrace.c and
# bpf_trace.c, is not of the rooms: it stands beside them like any other part of the kernel.
FLOOR = "trace_clock.c seq.c printf.c printf.h glob.c glob.h grace.c grace.h graph_quiet.h irq_work.c irq_work.h poll_queue.c poll_queue.h local_clock.h lock_once.h missed.h modules.h operands.h percpu.h preempt.h recursed.c recursed.h rethook.c rooms.h".split()
ORDER = "ring_buffer instance tasks record output snapshot events filter trigger function/sites function/graph function/filters function/fprobe dynevent hist tracers tracers/noise tracers/latency tests".split()
TRACE = "kernel/trace/"


class Unplaced(Exception):
    pass


def room(path):
    """The room of a file below kernel/trace, and its place in the order."""
    folder, name = os.path.split(path)
    stem = os.path.splitext(name)[0]
    if not folder:
        return ("the floor", 0) if any(stem == os.path.splitext(f)[0] for f in FLOOR) else ("the top", len(ORDER) + 1)
    if folder not in ORDER:
        raise Unplaced(f"{path}: no room of the order")
    return folder, ORDER.index(folder) + 1


def is_test(path):
    """Suites may look into any room, but no room may use them."""
    return bool(re.search(r"(_test|/test_lib|/test|/test_target)\.[cho]$", path))


def judge(user, used, what):
    """What is wrong with @user's use of @used, if anything."""
    (a, above), (b, below) = room(user), room(used)
    if is_test(used) and not is_test(user):
        return f"{user}: uses {used} ({what}), which is of a test"
    if below > above and not is_test(user):
        return f"{user}: {a} is below {b}, but uses {used} ({what})"
    if os.path.basename(used) == "internal.h" and a != b and not is_test(user):
        return f"{user}: {used} is for the files of {b} only"
    return None


# Where a room is not in the folder of its ROOM_ name.
PLACES = {"FUNCTION": "function/filters", "LATENCY": "tracers/latency", "EXAMPLE": "tests"}
# They carry a slot through their fast paths, see fast.h.
CARRY_SLOTS = ("ring_buffer/", "events/", "record/", "tracers/")


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def kept_inside(texts):
    """What is defined in an internal.h: name -> room.  The ring buffer's has what it hands out pointers to,
    and what fast.h needs; by_includes() looks after that."""
    inside = {}
    for path, text in texts.items():
        folder, name = os.path.split(path)
        if name == "internal.h" and folder != "ring_buffer":
            code = without_comments(text)
            names = re.findall(r"^struct (\w+) \{", code, re.M) + re.findall(r"^static (?:__always_)?inline [^;{]*?(\w+)\(", code, re.M)
            inside.update({n: folder for n in names})
    return inside


def by_includes(texts):
    """@texts: path below kernel/trace -> source."""
    inside = kept_inside(texts)
    for path, text in sorted(texts.items()):
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
            used = os.path.normpath(os.path.join(os.path.dirname(path), name))
            if used in texts:
                yield judge(path, used, "include")
        code = without_comments(text)
        # However its declaration got there: by a header in between, or copied.
        for name in sorted(set(re.findall(r"\bstruct (\w+)|\b(\w+)\(", code))):
            name = name[0] or name[1]
            if inside.get(name, os.path.dirname(path)) != os.path.dirname(path) and not is_test(path):
                yield f"{path}: {name} is inside of {inside[name]}"
        for name in sorted(set(re.findall(r"\broom\[ROOM_(\w+)\]", code))):
            if os.path.dirname(path) != PLACES.get(name, name.lower()):
                yield f"{path}: ROOM_{name} is the place of another room"
        if not path.startswith(CARRY_SLOTS) and not is_test(path):
            for name in sorted(set(re.findall(r"\bslot(?:\.|->)(ring|sub|tail)\b", code))):
                yield f"{path}: a slot's {name} is the ring buffer's own"
        # What fast.h shows of the ring buffer's inside is for its own inline functions.
        if not path.startswith("ring_buffer/") and not is_test(path):
            for name in sorted(set(re.findall(r"\b(?:RB|rb)_\w+(?=\()", code))):
                yield f"{path}: {name}() is inside of the ring buffer"


def called_anywhere():
    """What the base's headers have the kernel call wherever interrupts and preemption go off and on:
    who needs it has switched them, and does not know that tracing has it."""
    text = "".join(open(os.path.join(BASE, "include/linux", h)).read() for h in ("irqflags.h", "ftrace.h"))
    return set(re.findall(r"^ *extern void (trace_(?:hardirqs|preempt)_\w+)\(", text, re.M))


def by_symbols(objects, anywhere=()):
    """@objects: path below kernel/trace -> (symbols it defines, symbols it needs). @anywhere: those
    that are of no room."""
    owner = {s: path for path, (defined, _) in objects.items() for s in defined if s not in anywhere}
    for path, (_, needed) in sorted(objects.items()):
        for s in sorted(needed):
            if s in owner:
                yield judge(path, owner[s], s)


def by_pages(pages, texts):
    """@pages: what Documentation/trace says.  The files that it names are there, and so are functions."""
    code = "\n".join(texts.values())
    for page, text in sorted(pages.items()):
        for name in sorted(set(re.findall(r"``((?:[a-z_]+/)+[a-z_]+\.[ch])``", text))):
            if name.split("/")[0] in {o.split("/")[0] for o in ORDER} and name not in texts:
                yield f"{page}: there is no {name}"
        for name in sorted(set(re.findall(r"``(\w+)\(\)``", text))):
            # TRACE_EVENT makes the functions of an event.
            if not re.search("NAME|_sched_switch$", name) and not re.search(rf"\b{name}\b", code):
                yield f"{page}: there is no {name}()"


LOCK = re.compile(r"^(?:static )?(?:DEFINE_(?:MUTEX|RAW_SPINLOCK|SPINLOCK)\((\w+)\)|arch_spinlock_t (\w+) =)", re.M)


def by_locks(page, text, texts):
    """The table of locks in a page has each lock that is more than a function's own, and no other."""
    table = text[text.index("\nLocks\n"):text.index("\nContexts\n")]
    for path, source in sorted(texts.items()):
        for m in LOCK.finditer("" if is_test(path) else source):
            if f"``{m[1] or m[2]}``" not in table:
                yield f"{page}: {m[1] or m[2]} of {path} is not in the table of locks"
    code = "\n".join(texts.values())
    for name in sorted(set(re.findall(r"``(\w+_(?:mutex|lock|sem))``", table))):
        if not re.search(rf"\b{name}\b", code):
            yield f"{page}: there is no {name}"


def by_files(page, text, texts):
    """The table "Who owns a file": the first source has the file's name, in quotes, or of
    NAME_profile its end.  rv/ is the base's.  And each file that is made by a name in quotes has a row with
    its source, or is in a directory that has one."""
    table = text[text.index("\nWho owns a file\n"):text.index("\nElsewhere:\n")]
    rows = re.findall(r"^``([^`]+)``.*? ``([\w/]+\.[ch])``(.*(?:\n .*)*)", table, re.M)
    for file, source, _ in rows:
        name = re.sub("(cpu|function)N$", "", file.rstrip("/").split("/")[-1])
        name = re.sub(".*(?=_profile$)", "", name)
        if not source.startswith("rv/") and f'{name}"' not in texts.get(source, ""):
            yield f"{page}: {source} has no \"{name}\""
    for path, source in sorted(texts.items()):
        made = re.findall(r'\btrace_create_(cpu_)?file\(\s*"(\w+)"', "" if is_test(path) else source)
        for cpu, name in sorted(set(made)):
            end = re.compile(f"(.*/)?cpuN/{name}|.*/" if cpu else f"((?!.*cpuN).*/)?{name}|.*/")
            if not any(end.fullmatch(file) and f"``{path}``" in f"``{first}``{more}" for file, first, more in rows):
                yield f"{page}: {name} of {path} has no row"


def by_index(names, patch, index):
    """Sphinx finds the pages @names: the base's index has them, or our patch to it."""
    for name in sorted(names):
        stem = os.path.splitext(os.path.basename(name))[0]
        if not re.search(rf"^\+ +{stem}$", patch, re.M) and not re.search(rf"^ +{stem}$", index, re.M):
            yield f"{name}: is in no table of contents, see patches/documentation-trace-index.patch"


def by_examples(page, text, texts):
    """What a page quotes, in a block behind a file's name, stands there: all lines of it in one piece,
    but for what is left out where it says "..."."""
    for name, block in re.findall(r"``([a-z_/]+\.[ch])``::\n\n((?:(?:\t.*)?\n)+)", text):
        have = "\n".join(l.strip() for l in texts.get(name, "").splitlines() if l.strip())
        at = 0
        for piece in re.split(r"^\t\.\.\.$", block, flags=re.M):
            lines = "\n".join(l.strip() for l in piece.splitlines() if l.strip())
            found = have.find(lines, at)
            if found < 0:
                yield f"{page}: what it quotes of {name} is not there: {lines.splitlines()[0]} ..."
                break
            at = found + len(lines)


def read_symbols(nm, folder, names):
    """What nm says of the objects @names below @folder."""
    out = subprocess.run([nm, "-A", "-P", "-g", *names], cwd=folder, capture_output=True, text=True, check=True).stdout
    objects = {name: (set(), set()) for name in names}
    for line in out.splitlines():
        path, symbol, kind = re.match(r"(.*?\.o): (\S+) (\S)", line).groups()
        objects[path][kind in "Uvw"].add(symbol)
    return objects


def built(k, tools, texts):
    """The objects of ours that are linked, not what an earlier build left there."""
    folder = os.path.join(k.dir, "kernel/trace")
    out = subprocess.run([tools + "ar", "t", "built-in.a"], cwd=folder, capture_output=True, text=True, check=True).stdout
    return folder, [n for n in out.splitlines() if n[:-2] + ".c" in texts]


def sources():
    return {n[len(TRACE):]: open(os.path.join(TOP, n)).read() for n in overlay()
            if n.startswith(TRACE) and n.endswith((".c", ".h"))}


def pages():
    names = [n for n in overlay() if n.startswith("Documentation/trace/") and n.endswith(".rst")]
    return {n: open(os.path.join(TOP, n)).read() for n in names}


def verdict(run, name, found, several):
    t0 = time.time()
    try:
        wrong = [w for w in found() if w]
    except Unplaced as error:
        wrong = [str(error)]
    run.result(name, not wrong and several > len(ORDER), "\n".join(wrong) or f"only {several} files", time.time() - t0)


def rooms(run, k, cases):
    texts = sources()
    verdict(run, f"rooms: what {len(texts)} files include", lambda: by_includes(texts), len(texts))
    texts_and_headers = {**texts, **{n: open(os.path.join(TOP, n)).read() for n in overlay() if n.startswith(("include/", "kernel/tracepoint"))}}
    verdict(run, "rooms: what the pages of Documentation/trace name", lambda: by_pages(pages(), texts_and_headers), len(texts))
    conventions = "Documentation/trace/tracing-conventions.rst"
    verdict(run, "rooms: the table of locks", lambda: by_locks(conventions, pages()[conventions], texts_and_headers), len(texts))
    rooms_page = "Documentation/trace/tracing-rooms.rst"
    verdict(run, "rooms: the table of files", lambda: by_files(rooms_page, pages()[rooms_page], texts), len(texts))
    rst = [n for n in overlay() if re.fullmatch(r"Documentation/trace/[^/]+\.rst", n)]
    patch, index = (open(os.path.join(*n)).read() for n in ((TOP, "patches/documentation-trace-index.patch"), (BASE, "Documentation/trace/index.rst")))
    verdict(run, "rooms: the index of Documentation/trace", lambda: by_index(rst, patch, index), len(texts))
    quotes = [w for page, text in pages().items() for w in by_examples(page, text, texts)]
    verdict(run, "rooms: what the pages of Documentation/trace quote", lambda: quotes, len(texts))
    if not k.build(run):
        return
    tools = cross(k.arch)
    folder, names = built(k, tools, texts)
    objects = read_symbols(tools + "nm", folder, names)
    verdict(run, f"rooms {k.name}: what {len(names)} objects link to", lambda: by_symbols(objects, called_anywhere()), len(names))
