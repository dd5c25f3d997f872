#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run litmus tests under the kernel's memory model, without herd7.

usage: lkmm.py --model DIR [--only WORD] [--mutants] TEST.litmus ...

DIR is tools/memory-model: what is allowed is said by its linux-kernel.bell and
linux-kernel.cat, which are interpreted here as they stand. (lock.cat is not:
a lock is a word that spin_lock() changes from 0 to 1, and may only do so when
it finds 0.) The litmus tests are those of herd7 in the C dialect, with what is
needed here: int and pointers, if, READ_ONCE() and friends, acquire, release,
fences, atomics, cmpxchg, spinlocks, RCU. No loops.

A test passes if its header says "Result: Never" and no execution that is allowed
fulfils "exists", or if it says "Sometimes" and there is one. What the model flags,
data races above all, is shown, and with --mutants must not be there.

With --mutants a line that ends in "// NAME: REPLACEMENT" is a barrier to be
removed: for each there is one more run with the replacement in its place, in
which the outcome must be there or a race be flagged.
"""
import argparse
import itertools
import os
import re
import sys

# ---- Relations: a set of events is an int, a relation a tuple of ints --------


class Rel:
    """A relation among n events; row i has the bits of what i is related to."""
    __slots__ = ("rows",)

    def __init__(self, rows):
        self.rows = tuple(rows)

    def __eq__(self, other):
        return isinstance(other, Rel) and self.rows == other.rows

    def pairs(self):
        for i, row in enumerate(self.rows):
            while row:
                low = row & -row
                yield i, low.bit_length() - 1
                row ^= low


def bits(word):
    while word:
        low = word & -word
        yield low.bit_length() - 1
        word ^= low


def compose(a, b):
    out = []
    rows = b.rows
    for row in a.rows:
        word = 0
        while row:
            low = row & -row
            word |= rows[low.bit_length() - 1]
            row ^= low
        out.append(word)
    return Rel(out)


def inverse(a):
    out = [0] * len(a.rows)
    for i, j in a.pairs():
        out[j] |= 1 << i
    return Rel(out)


def closure(a):
    rows = list(a.rows)
    for k, _ in enumerate(rows):
        bit, add = 1 << k, rows[k]
        if add:
            for i, row in enumerate(rows):
                if row & bit:
                    rows[i] = row | rows[k]
    return Rel(rows)


def acyclic(a):
    return not any(row >> i & 1 for i, row in enumerate(closure(a).rows))


# ---- The cat language ---------------------------------------------------------

CAT_WORD = re.compile(r'\s+|//[^\n]*|\(\*.*?\*\)|(?P<str>"[^"]*")|(?P<id>[A-Za-z_][\w.-]*)|'
                      r"(?P<tag>'[\w-]+)|(?P<op>\^-1|\|\||\+\+|[()\[\]{}|;\\&*+?~=,0-9])", re.S)
CAT_KEY = {"let", "rec", "and", "in", "flag", "empty", "acyclic", "irreflexive", "as",
           "include", "show", "enum", "instructions"}


def cat_words(text):
    """Comments nest in cat, but not in the files at hand."""
    at, out = 0, []
    while at < len(text):
        m = CAT_WORD.match(text, at)
        if not m:
            raise SyntaxError(f"cat: {text[at:at + 40]!r}")
        if m.lastgroup:
            out.append(m[0])
        at = m.end()
    return out


class Words:
    """The words of a text, taken one after the other."""

    def __init__(self, language, words):
        self.language = language
        self.w = words
        self.i = 0

    def peek(self):
        return self.w[self.i] if self.i < len(self.w) else None

    def next(self):
        self.i += 1
        return self.w[self.i - 1]

    def take(self, word):
        if self.peek() == word:
            self.i += 1
            return True
        return False

    def want(self, word):
        if not self.take(word):
            near = self.w[max(0, self.i - 4):self.i + 6]
            raise SyntaxError(f"{self.language}: {word!r} expected at {near}")


class CatParser(Words):
    """Turns the text into a list of statements; expressions are closures over env."""

    def __init__(self, text):
        super().__init__("cat", cat_words(text))

    def parse(self):
        out = []
        while self.peek() is not None:
            w = self.next()
            if w[0] == '"' or w == "include":
                if w == "include":
                    self.next()
            elif w in ("enum", "instructions", "show"):
                # all that matters of these is the names of the events' classes
                while self.peek() is not None and \
                        (self.peek() not in CAT_KEY and self.peek()[0] != '"'):
                    self.next()
            elif w == "let":
                out.append(self.let())
            elif w in ("acyclic", "irreflexive", "empty", "flag"):
                flag = w == "flag"
                negate = self.take("~")
                kind = self.next() if flag else w
                expr = self.expr()
                self.want("as")
                out.append(("check", flag, negate, kind, expr, self.next()))
            else:
                raise SyntaxError(f"cat: {w!r}")
        return out

    def let(self):
        rec = self.take("rec")
        binds = []
        while True:
            name, args = self.next(), []
            if self.take("("):
                while not self.take(")"):
                    args.append(self.next())
                    self.take(",")
            self.want("=")
            binds.append((name, args, self.expr()))
            if not self.take("and"):
                return ("let", rec, binds)

    def expr(self):
        if self.take("let"):
            _, rec, binds = self.let()
            self.want("in")
            body = self.expr()
            return ("in", rec, binds, body)
        return self.infix(0)

    LEVELS = ["|", "++", ";", "\\", "&", "*"]

    def infix(self, level):
        if level == len(self.LEVELS):
            return self.postfix()
        op = self.LEVELS[level]
        left = self.infix(level + 1)
        while self.peek() == op:
            self.next()
            left = (op, left, self.infix(level + 1))
        return left

    def postfix(self):
        e = self.primary()
        while True:
            p = self.peek()
            if p in ("+", "?", "^-1") or (p == "*" and not self.starts(self.i + 1)):
                self.next()
                e = ("post" + p, e)
            else:
                return e

    def starts(self, i):
        w = self.w[i] if i < len(self.w) else None
        return w is not None and w not in CAT_KEY and (w in "([~" or w[0].isalpha() or w[0] == "_")

    def primary(self):
        w = self.next()
        if w == "(":
            e = self.expr()
            self.want(")")
            return e
        if w == "[":
            e = self.expr()
            self.want("]")
            return ("lift", e)
        if w == "~":
            return ("not", self.postfix())
        if self.peek() == "(" and (w[0].isalpha()):
            self.next()
            e = self.expr()
            self.want(")")
            return ("call", w, e)
        return ("name", w)


class Cat:
    """Evaluates statements over one candidate execution."""

    def __init__(self, n, env):
        self.n, self.all = n, (1 << n) - 1
        self.env = env
        self.ident = Rel(1 << i for i in range(n))
        self.none = Rel([0] * n)

    def same(self, a, b):
        """An empty set stands for an empty relation, too."""
        if isinstance(a, Rel) and not isinstance(b, Rel):
            assert b == 0
            return a, self.none
        if isinstance(b, Rel) and not isinstance(a, Rel):
            assert a == 0
            return self.none, b
        return a, b

    def rel(self, a):
        if isinstance(a, Rel):
            return a
        assert a == 0
        return self.none

    def eval(self, e, env):
        op = e[0]
        if op == "name":
            if e[1] in env:
                return env[e[1]]
            if e[1] == "_":
                return self.all
            raise NameError(f"cat: {e[1]}")
        if op == "|":
            a, b = self.same(self.eval(e[1], env), self.eval(e[2], env))
            return Rel(x | y for x, y in zip(a.rows, b.rows)) if isinstance(a, Rel) else a | b
        if op == "&":
            a, b = self.same(self.eval(e[1], env), self.eval(e[2], env))
            return Rel(x & y for x, y in zip(a.rows, b.rows)) if isinstance(a, Rel) else a & b
        if op == "\\":
            a, b = self.same(self.eval(e[1], env), self.eval(e[2], env))
            return Rel(x & ~y for x, y in zip(a.rows, b.rows)) if isinstance(a, Rel) else a & ~b
        if op == ";":
            return compose(self.rel(self.eval(e[1], env)), self.rel(self.eval(e[2], env)))
        if op == "*":
            a, b = self.eval(e[1], env), self.eval(e[2], env)
            return Rel(b if a >> i & 1 else 0 for i in range(self.n))
        if op == "lift":
            a = self.eval(e[1], env)
            return Rel(a & 1 << i for i in range(self.n))
        if op == "not":
            a = self.eval(e[1], env)
            return Rel(self.all & ~r for r in a.rows) if isinstance(a, Rel) else self.all & ~a
        if op == "post^-1":
            return inverse(self.rel(self.eval(e[1], env)))
        if op == "post?":
            a = self.rel(self.eval(e[1], env))
            return Rel(x | 1 << i for i, x in enumerate(a.rows))
        if op == "post+":
            return closure(self.rel(self.eval(e[1], env)))
        if op == "post*":
            a = closure(self.rel(self.eval(e[1], env)))
            return Rel(x | 1 << i for i, x in enumerate(a.rows))
        if op == "call":
            return self.call(e[1], self.eval(e[2], env), env)
        if op == "in":
            inner = dict(env)
            self.bind(e[1], e[2], inner)
            return self.eval(e[3], inner)
        raise NotImplementedError(op)

    def call(self, name, arg, env):
        if name == "domain":
            return sum(1 << i for i, r in enumerate(self.rel(arg).rows) if r)
        if name == "range":
            out = 0
            for r in self.rel(arg).rows:
                out |= r
            return out
        if name == "fencerel":
            po = env["po"]
            return compose(Rel(r & arg for r in po.rows), po)
        if name == "different-values":
            assert not any(self.rel(arg).rows)
            return self.none
        args, body, home = env[name]
        return self.eval(body, {**home, args[0]: arg})

    def bind(self, rec, binds, env):
        if not rec:
            new = {}
            for name, args, body in binds:
                new[name] = (args, body, dict(env)) if args else self.eval(body, env)
            env.update(new)
            return
        for name, _, _ in binds:
            env[name] = 0
        while True:
            changed = False
            for name, _, body in binds:
                value = self.eval(body, env)
                if value != env[name] and not (env[name] == 0 and value == self.none):
                    env[name] = value
                    changed = True
            if not changed:
                return

    def run(self, statements):
        """None if the execution is forbidden, else what is flagged."""
        flags = []
        for s in statements:
            if s[0] == "let":
                self.bind(s[1], s[2], self.env)
                continue
            _, flag, negate, kind, expr, name = s
            value = self.eval(expr, self.env)
            if kind == "empty":
                good = not any(value.rows) if isinstance(value, Rel) else not value
            elif kind == "acyclic":
                good = acyclic(self.rel(value))
            else:
                good = not any(r >> i & 1 for i, r in enumerate(self.rel(value).rows))
            if flag:
                if good != negate:
                    flags.append(name)
            elif good == negate:
                return None
        return flags


# ---- Litmus tests -------------------------------------------------------------

C_WORD = re.compile(r"\s+|//[^\n]*|/\*.*?\*/|(?P<w>[A-Za-z_]\w*|\d+|&&|\|\||[=!<>]=|"
                    r"[-+*/&|^!<>=(){};,])", re.S)


def c_words(text):
    at, out = 0, []
    while at < len(text):
        m = C_WORD.match(text, at)
        if not m:
            raise SyntaxError(f"litmus: {text[at:at + 40]!r}")
        if m["w"]:
            out.append(m["w"])
        at = m.end()
    return out


class CParser(Words):
    TYPES = {"int", "long", "u64", "spinlock_t", "atomic_t", "struct", "unsigned"}
    LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="],
              ["+", "-"], ["*"]]

    def __init__(self, text):
        super().__init__("litmus", c_words(text))

    def threads(self):
        out = []
        while self.peek() is not None:
            name, params = self.next(), []
            if not re.fullmatch(r"P\d+", name):
                raise SyntaxError(f"litmus: {name}")
            self.want("(")
            while not self.take(")"):
                word = self.next()
                if word not in self.TYPES and word not in ("*", ","):
                    params.append(word)
            out.append((params, self.statement()))
        return out

    def statement(self):
        if self.take("{"):
            body = []
            while not self.take("}"):
                body.append(self.statement())
            return ("block", body)
        if self.take(";"):
            return ("block", [])
        if self.take("if"):
            self.want("(")
            cond = self.infix(0)
            self.want(")")
            then = self.statement()
            return ("if", cond, then, self.statement() if self.take("else") else ("block", []))
        if self.peek() in self.TYPES:
            self.next()
            body = []
            while True:
                while self.take("*"):
                    pass
                name = self.next()
                if self.take("="):
                    body.append(("set", ("reg", name), self.infix(0)))
                if not self.take(","):
                    break
            self.want(";")
            return ("block", body)
        left = self.infix(0)
        if self.take("="):
            left = ("set", left, self.infix(0))
        else:
            left = ("expr", left)
        self.want(";")
        return left

    def infix(self, level):
        if level == len(self.LEVELS):
            return self.unary()
        e = self.infix(level + 1)
        while self.peek() in self.LEVELS[level]:
            e = ("op", self.next(), e, self.infix(level + 1))
        return e

    def unary(self):
        if self.take("*"):
            return ("deref", self.unary())
        if self.take("&"):
            return ("addr", self.unary())
        if self.take("!"):
            return ("op", "==", self.unary(), ("num", 0))
        if self.take("-"):
            return ("op", "-", ("num", 0), self.unary())
        if self.take("("):
            e = self.infix(0)
            self.want(")")
            return e
        w = self.next()
        if w.isdigit():
            return ("num", int(w))
        if self.take("("):
            args = []
            while not self.take(")"):
                args.append(self.infix(0))
                self.take(",")
            return ("call", w, args)
        return ("reg", w)


class Test:
    def __init__(self, text):
        self.result = re.search(r"Result:\s*(\w+)", text)
        self.result = self.result[1] if self.result else None
        self.name = text.split("\n")[0].split()[-1]
        text = re.sub(r"\(\*(?=\s).*?\*\)", "", text, flags=re.S)
        head, rest = text.split("{", 1)
        init, rest = rest.split("}", 1)
        m = re.search(r"^(?:locations\b[^\n]*\n)?(exists|filter|forall|~exists)\b(.*)\Z",
                      rest, re.S | re.M)
        if not m or m[1] != "exists":
            raise SyntaxError("litmus: no exists")
        self.cond = CParser(re.sub(r"(\d+):(\w+)", r"reg_\1_\2", m[2]).replace("/\\", "&&").
                            replace("\\/", "||").replace("~", "!").replace("=", "==")).infix(0)
        self.threads = CParser(rest[:m.start()]).threads()
        self.init = {}
        names = {p for params, _ in self.threads for p in params}
        for part in init.split(";"):
            part = re.sub(r"^\s*(int|atomic_t|long|u64|spinlock_t)\b[\s*]*", "", part).strip()
            if "=" in part:
                name, value = (x.strip().lstrip("*&[]") for x in part.split("="))
                self.init[name] = int(value) if value.lstrip("-").isdigit() else "&" + value
                if self.init[name] != int(0) and isinstance(self.init[name], str):
                    names.add(self.init[name][1:])
        for name in names:
            self.init.setdefault(name, 0)


class More(Exception):
    """A read needs a value that nobody has chosen yet."""

    def __init__(self, values):
        self.values = values


class Event:
    __slots__ = ("thread", "kind", "loc", "val", "tags", "addr", "data", "ctrl", "rmw")

    def __init__(self, thread, kind, loc, val, tags):
        self.thread, self.kind, self.loc, self.val, self.tags = thread, kind, loc, val, tags
        self.addr = self.data = self.ctrl = frozenset()
        self.rmw = None


NONE = frozenset()
FENCES = {"smp_mb": "Mb", "smp_rmb": "Rmb", "smp_wmb": "Wmb", "barrier": "Barrier",
          "rcu_read_lock": "Rcu-lock", "rcu_read_unlock": "Rcu-unlock",
          "synchronize_rcu": "Sync-rcu", "synchronize_rcu_expedited": "Sync-rcu",
          "smp_mb__before_atomic": "Before-atomic", "smp_mb__after_atomic": "After-atomic",
          "smp_mb__after_spinlock": "After-spinlock",
          "smp_mb__after_unlock_lock": "After-unlock-lock"}
ORDERS = ["relaxed", "acquire", "release"]


class Run:
    """One execution of a thread, in which the reads get chosen values."""

    def __init__(self, thread, params, body, values, choices):
        self.t, self.values, self.choices = thread, values, choices
        self.regs = {p: ("&" + p, NONE) for p in params}
        self.events, self.ctrl = [], NONE
        self.at = 0
        self.stmt(body)

    def emit(self, kind, loc, val, tags, addr=NONE, data=NONE):
        e = Event(self.t, kind, loc, val, frozenset(tags))
        e.addr, e.data, e.ctrl = addr, data, self.ctrl
        self.events.append(e)
        return len(self.events) - 1

    def choose(self, loc):
        values = self.values[loc]
        if self.at == len(self.choices):
            raise More(values)
        self.at += 1
        return self.choices[self.at - 1]

    def read(self, ptr, tags):
        loc, deps = ptr
        if not isinstance(loc, str):
            raise More([])	# a wild pointer: no such execution
        loc = loc[1:]
        value = self.choose(loc)
        n = self.emit("R", loc, value, tags, addr=deps)
        return value, frozenset([n])

    def write(self, ptr, value, tags):
        if not isinstance(ptr[0], str):
            raise More([])
        return self.emit("W", ptr[0][1:], value[0], tags, addr=ptr[1], data=value[1])

    def stmt(self, s):
        if s[0] == "block":
            for x in s[1]:
                self.stmt(x)
        elif s[0] == "if":
            value, deps = self.expr(s[1])
            old = self.ctrl
            self.ctrl = old | deps
            self.stmt(s[2] if value else s[3])
            self.ctrl = old
        elif s[0] == "set":
            if s[1][0] == "reg":
                self.regs[s[1][1]] = self.expr(s[2])
            else:
                value = self.expr(s[2])
                self.write(self.expr(s[1][1]), value, ["Plain"])
        else:
            self.expr(s[1])

    def lvalue(self, e):
        if e[0] != "deref":
            raise SyntaxError("litmus: not *x")
        return self.expr(e[1])

    def rmw(self, ptr, order, new, test=None):
        """Read, compute, write; full barriers around if @order is empty."""
        fence = order == "" and self.fences
        if fence:
            self.emit("F", None, None, ["Mb"])
        old = self.read(ptr, ["Acquire" if order == "acquire" else "Once", "RMW"])
        if test is not None and old[0] != test[0]:
            if fence:
                # a failed exchange orders nothing: take the fence back
                read = self.events.pop()
                self.events.pop()
                self.events.append(read)
                return old[0], frozenset([len(self.events) - 1])
            return old
        n = len(self.events) - 1
        value = new(old)
        w = self.write(ptr, value, ["Release" if order == "release" else "Once"])
        self.events[w].rmw = n
        if fence:
            self.emit("F", None, None, ["Mb"])
        return old

    fences = True

    def expr(self, e):
        kind = e[0]
        if kind == "num":
            return e[1], NONE
        if kind == "reg":
            if e[1] not in self.regs:
                raise SyntaxError(f"litmus: {e[1]}?")
            return self.regs[e[1]]
        if kind == "addr":
            return self.lvalue(e[1]) if e[1][0] == "deref" else ("&" + e[1][1], NONE)
        if kind == "deref":
            return self.read(self.expr(e[1]), ["Plain"])
        if kind == "op":
            a, b = self.expr(e[2]), self.expr(e[3])
            return arith(e[1], a[0], b[0]), a[1] | b[1]
        return self.call(e[1], e[2])

    def call(self, name, args):
        if name in FENCES:
            self.emit("F", None, None, [FENCES[name]])
            return 0, NONE
        if name in ("READ_ONCE", "rcu_dereference"):
            return self.read(self.lvalue(args[0]), ["Once"])
        if name == "WRITE_ONCE":
            value = self.expr(args[1])
            self.write(self.lvalue(args[0]), value, ["Once"])
            return 0, NONE
        if name in ("rcu_assign_pointer",):
            value = self.expr(args[1])
            self.write(self.lvalue(args[0]), value, ["Release"])
            return 0, NONE
        if name in ("smp_load_acquire", "atomic_read_acquire"):
            return self.read(self.expr(args[0]), ["Acquire"])
        if name in ("smp_store_release", "atomic_set_release"):
            value = self.expr(args[1])
            self.write(self.expr(args[0]), value, ["Release"])
            return 0, NONE
        if name == "smp_store_mb":
            value = self.expr(args[1])
            self.write(self.lvalue(args[0]), value, ["Once"])
            self.emit("F", None, None, ["Mb"])
            return 0, NONE
        if name == "atomic_read":
            return self.read(self.expr(args[0]), ["Once"])
        if name == "atomic_set":
            value = self.expr(args[1])
            self.write(self.expr(args[0]), value, ["Once"])
            return 0, NONE
        if name == "spin_lock":
            ptr = self.expr(args[0])
            old = self.read(ptr, ["Acquire", "LKR"])
            if old[0] != 0:
                raise More([])	# it waits: no such execution
            w = self.write(ptr, (1, NONE), ["LKW"])
            self.events[w].rmw = w - 1
            return 0, NONE
        if name == "spin_unlock":
            self.write(self.expr(args[0]), (0, NONE), ["Release", "UL"])
            return 0, NONE
        base, _, order = name.rpartition("_")
        if order not in ORDERS:
            base, order = name, ""
        if base in ("xchg", "atomic_xchg"):
            value = self.expr(args[1])
            return self.rmw(self.expr(args[0]), order, lambda old: value)
        if base in ("cmpxchg", "atomic_cmpxchg"):
            test, value = self.expr(args[1]), self.expr(args[2])
            return self.rmw(self.expr(args[0]), order, lambda old: value, test)
        m = re.fullmatch(r"atomic_(fetch_)?(add|sub|inc|dec|or|andnot)(_return|_and_test)?", base)
        if not m:
            raise SyntaxError(f"litmus: {name}()?")
        one = m[2] in ("inc", "dec")
        value = (1, NONE) if one else self.expr(args[0])
        ptr = self.expr(args[0 if one else 1])
        op = {"add": "+", "sub": "-", "inc": "+", "dec": "-", "or": "|", "andnot": "&~"}[m[2]]

        def new(old):
            return arith(op, old[0], value[0]), old[1] | value[1]
        if not m[1] and not m[3]:
            old = self.rmw_void(ptr, new)
            return 0, NONE
        old = self.rmw(ptr, order, new)
        if m[1]:
            return old
        value = new(old)
        return (int(value[0] == 0), value[1]) if m[3] == "_and_test" else value

    def rmw_void(self, ptr, new):
        old = self.read(ptr, ["Noreturn"])
        n = len(self.events) - 1
        w = self.write(ptr, new(old), ["Once"])
        self.events[w].rmw = n
        return old


def arith(op, a, b):
    if isinstance(a, str) or isinstance(b, str):
        if op in ("==", "!="):
            return int((a == b) == (op == "=="))
        raise More([])
    return int({"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "&": lambda: a & b,
                "|": lambda: a | b, "^": lambda: a ^ b, "&~": lambda: a & ~b,
                "==": lambda: a == b, "!=": lambda: a != b, "<": lambda: a < b, ">": lambda: a > b,
                "<=": lambda: a <= b, ">=": lambda: a >= b,
                "&&": lambda: a and b, "||": lambda: a or b}[op]())


def thread_runs(t, params, body, values):
    """All executions of a thread, given the values each location can have."""
    todo, out = [()], []
    while todo:
        choices = todo.pop()
        try:
            out.append(Run(t, params, body, values, choices))
        except More as more:
            todo += [choices + (v,) for v in more.values]
    return out


def all_runs(test):
    values = {name: [v] for name, v in test.init.items()}
    # An atomic_inc() can add to any value; but only so often as there are writes.
    rounds = 0
    while True:
        runs = [thread_runs(t, p, b, values) for t, (p, b) in enumerate(test.threads)]
        writes = sum(max((sum(e.kind == "W" for e in run.events) for run in thread), default=0)
                     for thread in runs)
        grown = False
        for run in itertools.chain(*runs):
            for e in run.events:
                if e.kind == "W" and e.val not in values[e.loc]:
                    values[e.loc].append(e.val)
                    grown = True
        rounds += 1
        if not grown or rounds > writes:
            return runs


class Candidate:
    """Events of all threads, with what does not depend on rf and co."""

    def __init__(self, test, runs):
        self.test = test
        self.events = [Event(-1, "W", loc, val, frozenset(["IW"]))
                       for loc, val in sorted(test.init.items())]
        self.n_init = len(self.events)
        base, self.regs = [], {}
        for run in runs:
            base.append(len(self.events))
            self.events += run.events
            for name, (value, _) in run.regs.items():
                self.regs[f"reg_{run.t}_{name}"] = value
        n = self.n = len(self.events)
        ev = self.events

        def rel(test_pair):
            return Rel(sum(1 << j for j in range(n) if test_pair(i, j)) for i in range(n))

        self.po = rel(lambda i, j: i < j and ev[i].thread == ev[j].thread >= 0)
        self.int = rel(lambda i, j: ev[i].thread == ev[j].thread >= 0)
        self.ext = rel(lambda i, j: ev[i].thread != ev[j].thread)
        self.loc = rel(lambda i, j: ev[i].loc is not None and ev[i].loc == ev[j].loc)
        deps = {k: [0] * n for k in ("addr", "data", "ctrl", "rmw")}
        for j, e in enumerate(ev[self.n_init:], self.n_init):
            b = base[e.thread]
            for k in ("addr", "data", "ctrl"):
                for i in getattr(e, k):
                    deps[k][b + i] |= 1 << j
            if e.rmw is not None:
                deps["rmw"][b + e.rmw] |= 1 << j
        self.deps = {k: Rel(v) for k, v in deps.items()}
        self.po_loc = Rel(a & b for a, b in zip(self.po.rows, self.loc.rows))
        self.sets = {k: 0 for k in (
            "Once Release Acquire Noreturn Mb Rmb Wmb Barrier Rcu-lock Rcu-unlock Sync-rcu "
            "Before-atomic After-atomic After-spinlock After-unlock-lock After-srcu-read-unlock "
            "Srcu-lock Srcu-unlock Sync-srcu LKR LKW UL LF RL RU IW R W F RMW Plain").split()}
        for i, e in enumerate(ev):
            for tag in e.tags | {e.kind}:
                self.sets[tag] |= 1 << i
        self.has_plain = bool(self.sets.pop("Plain"))
        self.sets["M"] = self.sets["R"] | self.sets["W"]
        for i, r in enumerate(self.deps["rmw"].rows):
            self.sets["RMW"] |= r | (1 << i if r else 0)
        self.sets["emptyset"] = 0

    def executions(self, wanted):
        """(rf, co, does exists hold?) of all that are coherent and atomic."""
        ev = self.events
        reads = [i for i in bits(self.sets["R"])]
        sources = [[w for w in bits(self.sets["W"])
                    if ev[w].loc == ev[r].loc and ev[w].val == ev[r].val and
                    not self.po.rows[r] >> w & 1] for r in reads]
        if not all(sources):
            return
        orders = []
        for i in range(self.n_init):
            writes = [w for w in bits(self.sets["W"]) if ev[w].loc == ev[i].loc and w != i]
            good = [p for p in itertools.permutations(writes)
                    if all(not self.po.rows[b] >> a & 1
                           for a, b in itertools.combinations(p, 2))]
            orders.append([(i, *p) for p in good])
        for order in itertools.product(*orders):
            final = {ev[o[0]].loc: ev[o[-1]].val for o in order}
            holds = bool(self.value(self.test.cond, final))
            if wanted and not holds:
                continue
            co = [0] * self.n
            for o in order:
                later = 0
                for w in reversed(o):
                    co[w] = later
                    later |= 1 << w
            co = Rel(co)
            for source in itertools.product(*sources):
                rf, fr = [0] * self.n, [0] * self.n
                for r, w in zip(reads, source):
                    rf[w] |= 1 << r
                    fr[r] = co.rows[w]
                if any(row and fr[i] & inverse_row(co, row.bit_length() - 1)
                       for i, row in enumerate(self.deps["rmw"].rows)):
                    continue
                if acyclic(Rel(a | b | c | d for a, b, c, d in
                               zip(self.po_loc.rows, rf, co.rows, fr))):
                    yield Rel(rf), co, Rel(fr), holds

    def value(self, e, final):
        if e[0] == "num":
            return e[1]
        if e[0] == "reg":
            if e[1].startswith("reg_"):
                return self.regs.get(e[1], 0)
            return final[e[1]] if e[1] in final and not e[1].startswith("&") else "&" + e[1]
        if e[0] == "op" and e[1] in ("==", "!="):
            a, b = self.value(e[2], final), self.value(e[3], final)
            # on the right, the name of a location is its address
            if e[3][0] == "reg" and e[3][1] in final:
                b = "&" + e[3][1]
            return int((a == b) == (e[1] == "=="))
        return arith(e[1], self.value(e[2], final), self.value(e[3], final))

    def env(self, rf, co, fr):
        def cut(a, b):
            return Rel(x & y for x, y in zip(a.rows, b.rows))
        env = dict(self.sets)
        env.update({"po": self.po, "int": self.int, "ext": self.ext, "loc": self.loc,
                    "po-loc": self.po_loc, "rf": rf, "co": co, "fr": fr,
                    "id": Rel(1 << i for i in range(self.n)), **self.deps})
        for name, rel in (("rf", rf), ("co", co), ("fr", fr)):
            env[name + "e"], env[name + "i"] = cut(rel, self.ext), cut(rel, self.int)
        return env


def inverse_row(rel, j):
    return sum(1 << i for i, r in enumerate(rel.rows) if r >> j & 1)


def judge(text, statements):
    """("Never" or "Sometimes", flags, number of executions looked at)."""
    test = Test(text)
    runs = all_runs(test)
    seen, flags, found = 0, set(), False
    for combo in itertools.product(*runs):
        c = Candidate(test, combo)
        for rf, co, fr, holds in c.executions(wanted=not c.has_plain):
            seen += 1
            got = Cat(c.n, c.env(rf, co, fr)).run(statements)
            if got is None:
                continue
            flags.update(got)
            found = found or holds
            if found and (flags or not c.has_plain):
                return test, "Sometimes", flags, seen
    return test, "Sometimes" if found else "Never", flags, seen


# ---- Tests and their mutants --------------------------------------------------

MUTANT = re.compile(r"^(?P<code>.*?)\s*// (?P<name>[\w.-]+): (?P<new>.*)$")


def mutants(text):
    """(name, text without that barrier) for each line that is marked."""
    lines = text.split("\n")
    names = []
    for line in lines:
        m = MUTANT.match(line)
        if m and m["name"] not in names:
            names.append(m["name"])
    for name in names:
        out = []
        for line in lines:
            m = MUTANT.match(line)
            if m and m["name"] == name:
                line = re.match(r"\s*", line)[0] + ("" if m["new"] == "-" else m["new"])
            out.append(line)
        yield name, "\n".join(out)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", required=True)
    p.add_argument("--only", default="")
    p.add_argument("--mutants", action="store_true")
    p.add_argument("test", nargs="+")
    a = p.parse_args()
    statements = []
    for name in ("linux-kernel.bell", "linux-kernel.cat"):
        with open(os.path.join(a.model, name), encoding="utf-8") as f:
            statements += CatParser(f.read()).parse()

    bad = 0
    for path in a.test:
        if a.only not in path:
            continue
        with open(path, encoding="utf-8") as f:
            text = f.read()
        try:
            test, got, flags, seen = judge(text, statements)
        except SyntaxError as e:
            print(f"{os.path.basename(path)}: cannot be read: {e}")
            bad += 1
            continue
        races = " ".join(sorted(flags))
        good = got == test.result and not (a.mutants and flags)
        bad += not good
        print(f"{'ok  ' if good else 'FAIL'} {test.name}: {got} {races} ({seen} executions)"
              + ("" if good else f", should be {test.result}"))
        if not a.mutants:
            continue
        count = 0
        for name, changed in mutants(text):
            _, got, flags, seen = judge(changed, statements)
            caught = got == "Sometimes" or flags
            bad += not caught
            count += 1
            print(f"{'ok  ' if caught else 'FAIL'} {test.name} without {name}: "
                  + (f"{got} {' '.join(sorted(flags))}".strip() if caught else "NOT CAUGHT"))
        if not count and test.result == "Never":
            print(f"FAIL {test.name}: there is no barrier to remove")
            bad += 1
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
