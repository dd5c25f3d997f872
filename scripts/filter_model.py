# SPDX-License-Identifier: GPL-2.0-only
"""Filters of events as the documentation has them, for comparison with a kernel: random ones are made,
and looked at for what they say of raw records.  Knows nothing of how a kernel does it.

A verdict is True, False or None: it cannot be known from the record."""
import bisect, collections, re, struct

HEADER = 8          # bytes of the common fields
NEED_RESCHED = 0x0c # bits of common_flags that change between two looks at the same event
WIDTHS = {"int": 4, "u32": 4, "unsigned long": 8, "u64": 8}  # of what dynamic arrays have
SAFE = re.compile(r"[A-Za-z0-9_/.:-]{1,60}")

Record = collections.namedtuple("Record", "event cpu time data")


class Field:
    """One line "field:" of a format file."""
    def __init__(self, kind, name, count, offset, size, signed):
        self.name, self.offset, self.size, self.signed, self.type = name, offset, size, signed, kind
        self.dynamic = "data" if kind.startswith("__data_loc") else "rel" if kind.startswith("__rel_loc") else None
        base = re.sub(r"^__(data|rel)_loc |\[\]$|\b(const|volatile) ", "", kind).strip()
        if base == "char" and (self.dynamic or count):
            self.kind = "string"
        elif self.dynamic and base == "cpumask_t":
            self.kind = "mask"
        elif self.dynamic and base in WIDTHS:
            self.kind = "list"
        elif self.dynamic or "char *" in kind or "cpumask" in kind or "char" in kind and count:
            self.kind = "other"
        elif count:
            self.kind = "array" if count and size // count in (1, 2, 4, 8) else "other"
        else:
            self.kind = "number" if size in (1, 2, 4, 8) else "other"
        self.count = count
        self.width = size // count if self.kind == "array" else WIDTHS[base] if self.kind == "list" else size

    def number(self, data, index=0):
        at = self.offset + index * self.width
        return int.from_bytes(data[at:at + self.width], "little", signed=self.signed)

    def dynamic_bytes(self, data):
        word = int.from_bytes(data[self.offset:self.offset + 4], "little")
        at = (word & 0xffff) + (self.offset + 4 if self.dynamic == "rel" else 0)
        return data[at:at + (word >> 16)]

    def element(self, data, index):
        """Of a dynamic array; () if it is not there."""
        raw = self.dynamic_bytes(data)[index * self.width:(index + 1) * self.width]
        return int.from_bytes(raw, "little", signed=self.signed) if len(raw) == self.width else ()

    def string(self, data):
        raw = self.dynamic_bytes(data) if self.dynamic else data[self.offset:self.offset + self.size]
        return raw.split(b"\0")[0].decode("latin-1")

    def mask(self, data):
        """The CPUs in it."""
        bits = int.from_bytes(self.dynamic_bytes(data), "little")
        return {cpu for cpu in range(bits.bit_length()) if bits >> cpu & 1}

    def bytes(self, data):
        if self.kind == "mask":
            return self.dynamic_bytes(data)
        if self.dynamic:
            return self.string(data).encode("latin-1") if self.kind == "string" else b""
        return data[self.offset:self.offset + self.size] if self.kind != "string" else self.string(data).encode("latin-1")

    def fits(self, value):
        """A constant, in the field's type."""
        bits = 8 * self.width
        value &= (1 << bits) - 1
        return value - (1 << bits) if self.signed and value >> (bits - 1) else value

    def extremes(self):
        bits = 8 * self.width
        return (-1 << (bits - 1), (1 << (bits - 1)) - 1) if self.signed else (0, (1 << bits) - 1)


class Event:
    """A format file."""
    def __init__(self, name, text):
        self.name = name
        self.id = int(re.search(r"^ID: (\d+)", text, re.M)[1])
        self.fields = []
        for m in re.finditer(r"field:([^;]+);\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d);", text):
            words = re.match(r"(.*?[ *])(\w+)((?:\[[^]]*\])?)$", m[1].strip())
            if words:
                size, bound = int(m[3]), re.search(r"\d+", words[3])
                # "[TASK_COMM_LEN]" is a word that has no value here: an array of characters is one of its size.
                count = int(bound[0]) if bound else size if words[3] and words[3] != "[]" else 0
                self.fields.append(Field(words[1].strip(), words[2], count, int(m[2]), size, m[4] == "1"))
        self.by_name = {f.name: f for f in self.fields}

    def key(self, data, apart=()):
        """What a record says, without what may differ between two looks at the same event."""
        return b"\0".join(f.bytes(data) for f in self.fields if f.name not in ("common_flags", *apart))

    def show(self, data):
        said = {"number": lambda f: str(f.number(data)), "string": lambda f: repr(f.string(data)),
                "array": lambda f: str([f.number(data, i) for i in range(f.count)]), "mask": lambda f: str(f.mask(data)),
                "list": lambda f: str([f.element(data, i) for i in range(len(f.dynamic_bytes(data)) // f.width)]),
                "other": lambda f: "?"}
        return " ".join(f"{f.name}={said[f.kind](f)}" for f in self.fields)


def formats(text):
    """name -> Event, of "== NAME" and what follows."""
    parts = re.split(r"^== (\S+)\n", text, flags=re.M)[1:]
    return {name: Event(name, body) for name, body in zip(parts[::2], parts[1::2])}


class Lost(Exception):
    pass


def page_records(page, by_id, cpu):
    """The records of a sub-buffer as trace_pipe_raw gives it."""
    time, commit = struct.unpack_from("<QQ", page)
    if commit >> 30 & 3:
        raise Lost(f"records were lost on CPU {cpu}")
    at, end = 16, 16 + (commit & 0xfffff)
    while at < end:
        word, = struct.unpack_from("<I", page, at)
        kind, delta = word & 31, word >> 5
        at += 4
        if kind == 29:      # padding
            if not delta:
                return
            at += struct.unpack_from("<I", page, at)[0]
        elif kind in (30, 31):
            time_bits = (struct.unpack_from("<I", page, at)[0] << 27) + delta
            time = time_bits if kind == 31 else time + time_bits
            at += 4
        else:
            time += delta
            size = kind * 4
            if not kind:
                size = struct.unpack_from("<I", page, at)[0] - 4
                at += 4
            data = page[at:at + size]
            event = by_id.get(int.from_bytes(data[:2], "little"))
            if event:
                yield Record(event, cpu, time, data)
            at += size


def round_records(raw, events):
    """A round's file: the records of each instance, between the times that it tells."""
    by_id = {e.id: e for e in events.values()}
    times, found, at = {}, collections.defaultdict(list), 0
    while at < len(raw):
        instance, cpu, size = struct.unpack_from("<III", raw, at)
        body = raw[at + 12:at + 12 + size]
        at += 12 + size
        if instance == 0xffffffff:
            times[cpu] = struct.unpack("<QQ", body)
        else:
            found[instance] += [r for r in page_records(body, by_id, cpu) if times[cpu][0] < r.time < times[cpu][1]]
    return found


# --- what a filter says

def glob_matches(pattern, text):
    out, at = "", 0
    while at < len(pattern):
        c = pattern[at]
        close = pattern.find("]", at + 1) if c == "[" else -1
        out += {"*": ".*", "?": "."}.get(c) or (pattern[at:close + 1] if close > 0 else re.escape(c))
        at = close + 1 if close > 0 else at + 1
    return bool(re.fullmatch(out, text, re.S))


COMPARE = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
           ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "&": lambda a, b: bool(a & b)}


class World:
    """What filters ask for beside the record."""
    def __init__(self, cpus=2, names=None, symbols=""):
        self.cpus, self.names = cpus, names or {}
        # The per-CPU variables of x86_64 begin at 0, where the kernel knows no function.
        rows = sorted({(int(a, 16), n) for a, n in re.findall(r"^([0-9a-f]+) [^A] (\S+)$", symbols, re.M)})
        self.starts = sorted({a for a, _ in rows})
        self.named = collections.defaultdict(list)
        for a, n in rows:
            self.named[n].append(a)
        self.name_at = dict(rows)

    def function(self, address):
        """Where the function at @address begins and ends; None: it is in none."""
        i = bisect.bisect_right(self.starts, address) - 1
        return (self.starts[i], self.starts[i + 1]) if 0 <= i < len(self.starts) - 1 else None

    def comm(self, record):
        pid = int.from_bytes(record.data[4:8], "little")
        return self.names.get(pid) if pid else f"swapper/{record.cpu}"

    def tgid(self, record):
        """Of those who have a name here, none has threads."""
        pid = int.from_bytes(record.data[4:8], "little")
        return pid if not pid or pid in self.names else None


class Test:
    """A comparison; its parts, and its text."""
    def __init__(self, text, says, names):
        self.text, self.says, self.names = text, says, names

    def asks(self, name):
        return name in self.names


class Not:
    def __init__(self, inner):
        self.inner = inner

    def says(self, record, world):
        v = self.inner.says(record, world)
        return None if v is None else not v

    def asks(self, name):
        return self.inner.asks(name)


class Join:
    """&& or || of two or more."""
    def __init__(self, word, parts):
        self.word, self.parts = word, parts

    def says(self, record, world):
        decides = self.word == "||"
        said = [p.says(record, world) for p in self.parts]
        return decides if decides in said else None if None in said else not decides

    def asks(self, name):
        return any(p.asks(name) for p in self.parts)


def verdict(tree, record, world):
    if not tree.asks("common_flags"):
        return tree.says(record, world)
    # What they were a moment later, when the filter looked, may differ in these.
    said = set()
    for bits in {0, 4, 8, NEED_RESCHED}:
        data = bytearray(record.data)
        data[2] = data[2] & ~NEED_RESCHED | bits
        said.add(tree.says(record._replace(data=bytes(data)), world))
    return said.pop() if len(said) == 1 else None


# --- random filters

class Maker:
    """Random filters over the fields of an event, with constants near what records have."""
    def __init__(self, random, event, sample, world, beyond):
        self.random, self.event, self.sample, self.world, self.beyond = random, event, sample, world, beyond
        self.makers = [self.of_cpu, self.of_comm]
        if beyond and "tgid" not in event.by_name:
            self.makers.append(self.of_tgid)
        self.makers += [m for f in event.fields for m in self.makers_of(f)]

    def makers_of(self, field):
        # What is common to all events is one field among many.
        often = 1 if field.offset < HEADER else 3
        if field.kind == "number":
            out = [lambda: self.of_number(field)] * often
            if self.functions(field):
                out += [lambda: self.of_function(field)] * 3
            if self.beyond:
                out += [lambda: self.of_set(field)] + [self.of_others] * (field.offset >= HEADER)
            return out
        if field.kind == "string":
            return [lambda: self.of_string(field.name, [field.string(r.data) for r in self.some()],
                                           lambda r, w: field.string(r.data), field.dynamic)] * 3
        # The base looks for a mask at a place that is relative as if it were not.
        if field.kind == "mask" and (self.beyond or field.dynamic == "data"):
            return [lambda: self.of_mask(field)] * 3
        if field.kind == "array" and self.beyond:
            return [lambda: self.of_element(field)] * 3
        return []

    def some(self):
        return self.random.sample(self.sample, min(3, len(self.sample)))

    def spaces(self):
        return self.random.choice(["", " ", " ", "  ", "\t"])

    def joined(self, left, op, right):
        return f"{left}{self.spaces()}{op}{self.spaces()}{right}"

    def constant(self, field, index=0):
        """A value and how it is written."""
        low, high = field.extremes()
        seen = [field.number(r.data, index) for r in self.some()]
        pick = self.random.random()
        if seen and pick < .7:
            value = self.random.choice(seen) + self.random.choice([0, 0, 0, 1, -1])
        elif pick < .85:
            value = self.random.choice([low, high, 0, 1, low + 1, high - 1])
        else:
            value = self.random.getrandbits(self.random.randrange(1, 8 * field.width + 1))
        if field.signed and self.random.random() < .1:
            # More than the field has: it counts what is left of it in its type.
            value += self.random.choice([1, -1, 2]) << 8 * field.width
        value = max(-1 << 63, min(value, (1 << 63) - 1)) if field.signed else max(0, min(value, (1 << 64) - 1))
        pick = self.random.random()
        if value >= 0 and pick < .25:
            return value, f"0x{value:x}"
        if 0 <= value < 1 << 40 and pick < .35:
            return value, f"0{value:o}"
        return value, str(value)

    def of_number(self, field):
        return self.number_test(field, field.name, 0)

    def of_element(self, field):
        index = self.random.randrange(field.count)
        return self.number_test(field, f"{field.name}[{index}]", index)

    def number_test(self, field, name, index):
        op = self.random.choice(list(COMPARE))
        value, text = self.constant(field, index)
        value = field.fits(value)
        return Test(self.joined(name, op, text), lambda r, w: COMPARE[op](field.number(r.data, index), value), {field.name})

    def of_set(self, field):
        ranges, texts = [], []
        for _ in range(self.random.randrange(1, 5)):
            a, b = sorted(field.fits(self.constant(field)[0]) for _ in range(2))
            if self.random.random() < .5:
                b = a
            ranges.append((a, b))
            texts.append(str(a) if a == b else f"{a}-{b}")
        said = lambda r, w: any(a <= field.number(r.data) <= b for a, b in ranges)
        return Test(f"{field.name} in {{{', '.join(texts)}}}", said, {field.name})

    def numbers(self):
        """What can be compared with each other: text, name, and what it is: None if that is not known, () if it is not there."""
        out, random = [], self.random
        for f in self.event.fields:
            if f.kind == "number":
                out.append((f.name, f.name, lambda r, w, f=f: f.number(r.data)))
            elif f.kind == "array":
                i = random.randrange(f.count)
                out.append((f"{f.name}[{i}]", f.name, lambda r, w, f=f, i=i: f.number(r.data, i)))
            elif f.kind == "list":
                i = random.randrange(6)
                out.append((f"{f.name}[{i}]", f.name, lambda r, w, f=f, i=i: f.element(r.data, i)))
        cpu = random.choice([n for n in ("CPU", "cpu", "common_cpu") if n not in self.event.by_name])
        out.append((cpu, "CPU", lambda r, w: r.cpu))
        if "tgid" not in self.event.by_name:
            out.append(("tgid", "tgid", lambda r, w: w.tgid(r)))
        return out

    def of_others(self):
        # What is common to all events may only stand on the right.
        common = {f.name for f in self.event.fields if f.offset < HEADER}
        numbers = self.numbers()
        left, a_name, a = self.random.choice([n for n in numbers if n[1] not in common])
        right, b_name, b = self.random.choice(numbers)
        op = self.random.choice([o for o in COMPARE if o != "&"])

        def says(r, w):
            values = a(r, w), b(r, w)
            return False if () in values else None if None in values else COMPARE[op](*values)
        return Test(self.joined(left, op, right), says, {a_name, b_name})

    def functions(self, field):
        """Functions that a field has the addresses of."""
        if field.size != 8 or "*" not in field.type and "long" not in field.type:
            return []
        spans = {self.world.function(field.number(r.data) & (1 << 64) - 1) for r in self.sample[:40]} - {None}
        names = {self.world.name_at[a] for a, _ in spans}
        return sorted(n for n in names if len(self.world.named[n]) == 1 and re.fullmatch(r"\w+", n))

    def of_function(self, field):
        name = self.random.choice(self.functions(field) + ["schedule", "vfs_read"])
        if len(self.world.named[name]) != 1:
            return self.of_number(field)
        first, last = self.world.function(self.world.named[name][0])
        op = self.random.choice(["==", "!="])
        inside = lambda r, w: first <= field.number(r.data) & (1 << 64) - 1 < last
        # The base takes what follows up to a space for a part of the name.
        return Test(f"{field.name}.function {op} {name} ", lambda r, w: inside(r, w) == (op == "=="), {field.name})

    def of_string(self, name, seen, get, dynamic=True):
        seen = [s for s in seen if SAFE.fullmatch(s)] or ["sh"]
        if self.beyond and self.random.random() < .2:
            return self.of_strings(name, seen, get)
        value = self.random.choice(seen)
        op = self.random.choice(["==", "!=", "~"])
        if op == "~":
            value = self.glob(value, dynamic)
        elif self.random.random() < .2:
            value = self.random.choice([value + "x", value[:-1] or "x", value.upper()])
        quote = self.random.choice("\"\"'")

        def says(r, w):
            text = get(r, w)
            if text is None:
                return None
            return glob_matches(value, text) if op == "~" else COMPARE[op](text, value)
        return Test(self.joined(name, op, quote + value + quote), says, {name})

    def of_strings(self, name, seen, get):
        near = [*seen, "sh", "nobody", seen[0] + "x", seen[0][:-1] or "x"]
        values = [self.random.choice(near) for _ in range(self.random.randrange(1, 5))]

        def says(r, w):
            text = get(r, w)
            return None if text is None else text in values
        words = ", ".join(f'"{v}"' for v in values)
        return Test(f"{name} in {{{words}}}", says, {name})

    def glob(self, value, dynamic):
        a, b = sorted(self.random.randrange(len(value) + 1) for _ in range(2))
        c = self.random.choice(value)
        kinds = [value[:a] + "*", f"*{value[a:b]}*", value[:a] + "*" + value[b:] + "*", value.replace(c, "?"),
                 value.replace(c, f"[{c}]", 1), value.replace(c, "[a-f]", 1), value]
        if dynamic or self.beyond:
            # The base looks for it at the end of the array, not of the string.
            kinds += ["*" + value[a:], value[:a] + "*" + value[b:]]
        return self.random.choice(kinds)

    def of_comm(self):
        # "comm" may be a field of the event.
        return self.of_string("COMM", ["verdicts", "swapper/0"], lambda r, w: w.comm(r), False)

    def of_cpu(self):
        random, cpus = self.random, self.world.cpus
        if random.random() < .5:
            # To the base the number of a CPU has no bits.
            op, value = random.choice([o for o in COMPARE if o != "&" or self.beyond]), random.randrange(-1, cpus + 2)
            return Test(self.joined("CPU", op, str(value)), lambda r, w: COMPARE[op](r.cpu, value), {"CPU"})
        return self.mask_test("CPU", lambda r: {r.cpu})

    def of_mask(self, field):
        return self.mask_test(field.name, lambda r: field.mask(r.data))

    def mask_test(self, name, get):
        cpus = self.world.cpus
        op, mask = self.random.choice(["==", "!=", "&"]), set(self.random.sample(range(cpus), self.random.randrange(1, cpus + 1)))

        def says(r, w):
            return {"&": bool(get(r) & mask), "==": mask == get(r), "!=": mask != get(r)}[op]
        return Test(f"{name} {op} CPUS{{{','.join(map(str, sorted(mask)))}}}", says, {name})

    def of_tgid(self):
        near = [0, 1, *self.world.names]
        value = self.random.choice(near) + self.random.choice([0, 0, 0, 1])
        if self.random.random() < .3:
            low, high = sorted([value, self.random.choice(near)])
            text, holds = f"tgid in {{{low}-{high}}}", lambda tgid: low <= tgid <= high
        else:
            op = self.random.choice(list(COMPARE))
            text, holds = self.joined("tgid", op, str(value)), lambda tgid: COMPARE[op](tgid, value)
        return Test(text, lambda r, w: None if w.tgid(r) is None else holds(w.tgid(r)), {"tgid"})

    def tree(self, depth=0):
        pick = self.random.random()
        if depth > 3 or pick < (.25, .5, .6, .7)[depth]:
            return self.random.choice(self.makers)()
        if pick > .9:
            return Not(self.tree(depth + 1))
        word = self.random.choice(["&&", "||"])
        return Join(word, [self.tree(depth + 1) for _ in range(self.random.choice([2, 2, 2, 3, 4]))])

    def text(self, node, within=None):
        """With no more parentheses than it needs, most often."""
        if isinstance(node, Test):
            out, bare = node.text, True
        elif isinstance(node, Not):
            return f"!{self.random.choice(['', ' '])}{self.text(node.inner, '!')}"
        else:
            s = self.spaces
            out = "".join(("" if not i else s() + node.word + s()) + self.text(p, node.word) for i, p in enumerate(node.parts))
            # && before ||; the same word side by side
            bare = within is None or within == node.word or (within == "||" and node.word == "&&")
        if bare and self.random.random() < .9:
            return out
        return f"({self.spaces()}{out}{self.spaces()})"

    def filter(self):
        while True:
            tree = self.tree()
            text = self.text(tree).strip()
            # a page, and a few words fewer for the way there
            if len(text) < 3000 and "\n" not in text:
                return text, tree


def compare(event, text, tree, without, with_filter, world, apart=()):
    """What is wrong with the records that were let through: rows of text. @apart: fields in which the records of one event
    in two instances may differ."""
    rows = []
    wanted, maybe, got, shown = (collections.Counter(), collections.Counter(), collections.Counter(), {})
    for record in without:
        key = (record.cpu, event.key(record.data, apart))
        shown[key] = record
        said = verdict(tree, record, world)
        wanted[key] += said is True
        maybe[key] += said is None
    for record in with_filter:
        key = (record.cpu, event.key(record.data, apart))
        got[key] += 1
        shown.setdefault(key, record)
    for key, record in shown.items():
        if wanted[key] <= got[key] <= wanted[key] + maybe[key]:
            continue
        said = verdict(tree, record, world)
        rows += [f"{event.name}: {text}", f"  record on CPU {record.cpu}: {event.show(record.data)}",
                 f"  the model says {said}; of {wanted[key]} to {wanted[key] + maybe[key]} the kernel let {got[key]} through"]
    return rows
