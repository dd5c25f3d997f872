# SPDX-License-Identifier: GPL-2.0-only
"""Events of compiled objects: their print formats and fields, and what the kernel's own check
of print formats says of them.  Nothing is run but the check; objects may be of any of our
architectures, which are all 64 bit and little endian."""
import os, shutil, struct, subprocess, tempfile

from test_run import TOP

FIELD = 24    # sizeof(struct trace_event_fields): type at 0, name at 8


class Object:
    """What is needed of an ELF file: symbols, and what the pointers in its data point at."""

    def __init__(self, path):
        self.data = data = open(path, "rb").read()
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path}: no 64 bit little endian ELF")
        start, size, count = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 58)
        count = count or struct.unpack_from("<Q", data, start + 32)[0]
        # name, type, flags, address, offset, size, link, info, align, entry size
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
        self.symbols, self.at, self.pointers = [], {}, {}
        for s in self.sections:
            if s[1] == 2:
                names = self.sections[s[6]][4]
                for o in range(s[4], s[4] + s[5], 24):
                    name, info, _, index, value, length = struct.unpack_from("<IBBHQQ", data, o)
                    self.symbols.append((self.text(names + name), info & 15, index, value, length))
        for name, kind, index, value, length in self.symbols:
            if kind == 1:
                self.at[index, value] = name, length
        for s in self.sections:
            if s[1] != 4:
                continue
            for o in range(s[4], s[4] + s[5], 24):
                where, info, addend = struct.unpack_from("<QQq", data, o)
                _, _, index, value, _ = self.symbols[info >> 32]
                self.pointers[s[7], where] = index, value + addend

    def text(self, offset):
        return self.data[offset:self.data.index(b"\0", offset)].decode(errors="replace")

    def string(self, place):
        index, offset = place
        return self.text(self.sections[index][4] + offset)

    def pointed(self, index, value, length, prefix):
        """The first thing of a name with @prefix that the struct points at."""
        for o in range(value, value + length, 8):
            place = self.pointers.get((index, o))
            if place in self.at and self.at[place][0].startswith(prefix):
                return place
        return None

    def events(self):
        """Name, format and fields of each event that is defined here; system calls make theirs at boot."""
        names = self.sections[struct.unpack_from("<H", self.data, 62)[0]][4]
        arrays = {i for i, s in enumerate(self.sections) if self.text(names + s[0]) == "_ftrace_events"}
        for place in sorted(p for (index, _), p in self.pointers.items() if index in arrays):
            name, length = self.at[place]
            fmt = self.pointed(*place, length, "print_fmt_")
            if not fmt:
                continue
            group = self.pointed(*place, length, "event_class_")
            fields = self.pointed(*group, self.at[group][1], "trace_event_fields_")
            rows = []
            for o in range(fields[1], fields[1] + self.at[fields][1], FIELD):
                kind, what = self.pointers.get((fields[0], o)), self.pointers.get((fields[0], o + 8))
                if not kind or not what:
                    break
                rows.append((self.string(kind), self.string(what)))
            yield name[len("event_"):], self.string(fmt), rows


def check(events):
    """How many @events there are, how many of them have strings that are looked at when they are
    printed, and what the kernel will warn of."""
    words = []
    for name, fmt, fields in events:
        words += [name, fmt, str(len(fields))] + [w for row in fields for w in row]
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copy(os.path.join(TOP, "kernel/trace/events/print_fmt.c"), scratch)
        os.makedirs(scratch + "/linux")
        for empty in "linux/ctype.h", "linux/string.h", "linux/trace_events.h", "internal.h":
            open(os.path.join(scratch, empty), "w").close()
        subprocess.run(["gcc", "-O1", "-Wall", "-I", scratch, "-o", scratch + "/formats", os.path.join(TOP, "scripts/formats.c")], check=True)
        done = subprocess.run([scratch + "/formats"], input="".join(w + "\0" for w in words), text=True, check=True, stdout=subprocess.PIPE)
    lines = done.stdout.splitlines()
    tested, safe = [sum(line.endswith(end) for line in lines) for end in (" tested", " safe")]
    return tested + safe, tested, [line for line in lines if not line.endswith((" tested", " safe"))]
