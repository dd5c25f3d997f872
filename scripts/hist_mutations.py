# SPDX-License-Identifier: GPL-2.0-only
"""Commands for histograms and lines for synthetic events, and what becomes of them when a character, a word or a
parameter is changed: the same ones for the same seed. test_mutations.py runs them on the base and on ours."""
import random, re

KILL, KILLED = "events/syscalls/sys_enter_kill", "events/syscalls/sys_exit_kill"
SWITCH, WAKING, FORK = "events/sched/sched_switch", "events/sched/sched_waking", "events/sched/sched_process_fork"
KMALLOC, SYS_ENTER = "events/kmem/kmalloc", "events/raw_syscalls/sys_enter"
TRIGGER = "/trigger"

# What is there when each of them is written.
SYNTHETIC = ["ev u64 a; int b", "st u64 us; pid_t pid; char comm[16]"]
CONTEXT = [(KILL, "hist:keys=common_pid:p=pid,s=sig:ts=common_timestamp.usecs")]

VALID = [
    (KILL, "hist:keys=sig"),
    (KILL, "hist:keys=sig,pid:vals=hitcount,sig:sort=sig.descending,pid"),
    (KILL, "hist:key=common_pid.execname:val=sig.hex,hitcount.percent:size=512"),
    (KILL, "hist:keys=sig.log2:vals=sig.graph:nohitcount if sig > 3 && pid != 0"),
    (KILL, "hist:keys=sig.buckets=4,pid.hex:sort=hitcount.descending:pause"),
    (KILL, "hist:keys=common_stacktrace,common_cpu:vals=pid"),
    (KILL, "hist:name=foo:keys=sig:vals=pid"),
    (KILL, "hist:keys=sig:x=pid,y=sig-1:z=common_timestamp.usecs if pid==1"),
    (KILL, "hist:keys=sig:x=pid*2+sig/3,y=-(pid)"),
    (KILL, "hist:keys=common_pid:x=10,y=2*8-1"),
    (KILL, "hist:keys=common_pid:x=sig:onmax($x).save(pid,sig)"),
    (KILL, "hist:keys=common_pid:x=sig:onchange($x).snapshot()"),
    (KILL, "hist:keys=common_pid:x=sig:onmax($x).trace(ev,$x,sig)"),
    (KILL, "hist:keys=common_pid:clock=mono:t=common_timestamp"),
    (KILLED, "hist:keys=common_pid:lat=common_timestamp.usecs-$ts"),
    (KILLED, "hist:keys=common_pid:lat=common_timestamp.usecs-$ts:onmatch(syscalls.sys_enter_kill).ev($lat,$b):b=ret"),
    (KILLED, "hist:keys=common_pid:r=ret,q=$p:vals=ret"),
    (KILLED, "hist:keys=common_pid:r=ret:onmatch(syscalls.sys_enter_kill).trace(ev,$r,syscalls.sys_enter_kill.sig)"),
    (KILLED, "hist:keys=common_pid:c=syscalls.sys_enter_kill.$p+$s:onchange($c).save(ret)"),
    (KILLED, "hist:keys=ret.hex:vals=hitcount.percent:NOHC:size=4096"),
    (SWITCH, "hist:keys=prev_pid,prev_comm:vals=prev_prio:sort=prev_comm"),
    (SWITCH, "hist:keys=next_pid:w=common_timestamp.usecs,c=next_comm,st=common_stacktrace if next_pid != 0"),
    (SWITCH, "hist:keys=next_pid:n=next_prio:onmax($n).save(next_comm,prev_comm,prev_pid)"),
    (WAKING, "hist:keys=pid:ts0=common_timestamp.usecs if comm==\"sh\""),
    (WAKING, "hist:keys=pid,target_cpu:vals=prio:sort=hitcount.descending,pid.ascending"),
    (FORK, "hist:keys=parent_comm,child_comm:size=256"),
    (FORK, "hist:key=child_comm:val=child_pid:sort=child_comm.descending:size=128:pause"),
    (KMALLOC, "hist:keys=call_site.sym-offset:vals=bytes_req,bytes_alloc:sort=bytes_alloc.descending"),
    (KMALLOC, "hist:keys=call_site.sym,node:vals=bytes_alloc.percent if bytes_req >= 64"),
    (SYS_ENTER, "hist:key=id.syscall,common_pid.execname:val=hitcount:sort=id,hitcount if id == 16"),
    (KILL, "enable_hist:sched:sched_switch:3 if sig == 9"),
    (KILL, "disable_hist:syscalls:sys_exit_kill"),
    ("synthetic_events", "lat u64 us; pid_t pid; char comm[16]"),
    ("synthetic_events", "lat unsigned long[] stack; gfp_t g; bool b; char[] s"),
    ("synthetic_events", "lat s8 a; unsigned int b; u32 c; long d"),
    ("dynamic_events", "s:synthetic/lat u64 us; int b; char d[]"),
    ("dynamic_events", "s:lat pid_t pid; u16 x"),
]

WORDS = ("keys key vals values val sort size name clock pause continue cont clear nohitcount NOHC if hist sig pid ret "
         "common_pid common_cpu cpu common_timestamp common_stacktrace stacktrace hitcount comm next_comm prev_pid id "
         "hex sym sym-offset execname syscall log2 buckets=3 usecs percent graph stacktrace descending ascending "
         "$ts $p $s $x $nobody x y ts onmatch onmax onchange save trace snapshot ev st syscalls.sys_enter_kill "
         "sched.sched_switch nosuch.event 0 1 3 65 -1 0x10 18446744073709551615 99999999999999999999 u64 int char[16] "
         "char[] char[999] long[] float pid_t unsigned").split()
SEPARATORS = list(":,.=$()+-*/;[]!") + [" ", "  ", "\t", "==", "&&", "::", "=,"]

TOKEN = re.compile(r"\$?\w+|\s+|.")


def mutate(rng, text):
    """One change; it may come out valid as well."""
    tokens = TOKEN.findall(text)
    at = rng.randrange(len(tokens))
    how = rng.randrange(11)
    if how == 0:                                        # a character less
        i = rng.randrange(len(text))
        return text[:i] + text[i + 1:]
    if how == 1:                                        # one twice
        i = rng.randrange(len(text))
        return text[:i] + text[i] + text[i:]
    if how == 2:                                        # two change places
        i = rng.randrange(len(text) - 1)
        return text[:i] + text[i + 1] + text[i] + text[i + 2:]
    if how == 3:                                        # a word less
        return "".join(tokens[:at] + tokens[at + 1:])
    if how == 4:                                        # another word
        names = [i for i, t in enumerate(tokens) if t[-1].isalnum()]
        at = rng.choice(names)
        return "".join(tokens[:at] + [rng.choice(WORDS)] + tokens[at + 1:])
    if how == 5:                                        # a word more
        return "".join(tokens[:at] + [rng.choice(SEPARATORS), rng.choice(WORDS)] + tokens[at:])
    if how == 6:                                        # another sign
        signs = [i for i, t in enumerate(tokens) if not t[-1].isalnum()] or [at]
        at = rng.choice(signs)
        return "".join(tokens[:at] + [rng.choice(SEPARATORS)] + tokens[at + 1:])
    if how == 7:                                        # cut off
        return text[:rng.randrange(1, len(text))]
    parts = text.split(":")
    i = rng.randrange(len(parts))
    if how == 8:                                        # a parameter less
        return ":".join(parts[:i] + parts[i + 1:]) or text
    if how == 9:                                        # one twice
        return ":".join(parts[:i] + [parts[i]] + parts[i:])
    j = rng.randrange(len(parts))                       # two change places
    parts[i], parts[j] = parts[j], parts[i]
    return ":".join(parts)


def commands(seed, wanted):
    """(file, text): all that are valid, and as many that were changed once or twice."""
    rng, rows, seen = random.Random(seed), [], set()
    for where, text in VALID:
        rows.append((where if "/" not in where else where + TRIGGER, text))
    while len(rows) < wanted + len(VALID):
        where, text = rng.choice(VALID)
        text = mutate(rng, text)
        if not rng.randrange(4) and len(text) > 2:
            text = mutate(rng, text)
        # What would empty the file is no command, and one in which a line ends is two.
        if not text.strip() or (where, text) in seen or "\n" in text or (where, text) in VALID:
            continue
        seen.add((where, text))
        rows.append((where if "/" not in where else where + TRIGGER, text))
    return rows
