# SPDX-License-Identifier: GPL-2.0-only
"""The group probelines: commands of probes, right ones and mutations of them, on the base and on ours.  Each has to get the
same answer, the same lines of error_log with the caret at the same place, the same listings and the same format.
PROBE_LINES= says how many mutations, PROBE_SEED= which. With FLAVOUR=btf they are about names, members and their
types, and the base is one with BTF as well."""
import os, random, re, tempfile, time

from test_kernel import ended
from test_run import BUILD

VALID = {
    "kprobe_events": [
        "p vfs_read", "p:a vfs_read", "p:g/a vfs_read+0 $stack $stack4", "r:b vfs_read $retval", "r10:b vfs_read r=$retval:s32",
        "p:c vfs_open n=$arg1 +8($arg1):u64 +0(+8($arg1)):x32", "p:d do_sys_openat2 name=+0($arg2):ustring flags=$arg3:x16",
        "p:e vfs_write c=$comm i=\\5 t=\\\"text\" s=+0($stack):string", "p:f vfs_read%return $retval:symbol $arg1:x64",
        "p:g vfs_read a=+0($arg1):u8[4] b=$arg1:b4@2/32 c=$arg1:symstr d=$arg1:char", "p:h vfs_read @jiffies:u32 @jiffies+4:x8",
        "p:i vfs_read +u0($arg2):u8 -8($stack):s16", "p:j vfs_statx+0 a=\\1 b=\\2 c=\\3", "-:a", "-:g/", "-:b vfs_read",
        "p:k vfs_read +0(+0($stack)):string[3]"],
    "uprobe_events": [
        "p /bin/sh:0x1000", "p:u /bin/sh:4096 $stack0 +0($stack):u32", "r:u /bin/sh:0x1000 $retval", "p:g/u /bin/sh:0x1000(0x20)",
        "p:v /bin/sh:0x1000%return $comm", "p:w /bin/sh:0x1000 @+16:u8 +0(+8($stack1)):string", "-:u"],
    "dynamic_events": [
        "e:e sched.sched_switch", "e:g/e sched/sched_switch p=$prev_pid c=$next_comm:string", "e sched.sched_wakeup $pid:s32 $comm",
        "e:e sched.sched_switch p=$prev_pid if prev_pid > 0", "-:e", "e:e syscalls.sys_enter_read +0($buf):ustring n=$count"],
}
# On functions and tracepoints, for a kernel whose base has them.
FUNCTIONS = {
    "dynamic_events": [
        "f vfs_read", "f:a vfs_read $stack $stack1:u32", "f:g/a vfs_open n=$arg1 +8($arg1):u64 c=$comm",
        "f:b vfs_read%return r=$retval:s32", "f10:b vfs_read%return $retval:symbol", "f:c vfs_write i=\\5 t=\\\"text\" $arg3:u16",
        "f:d vfs_read @jiffies:u32 +u0($arg2):u8 +0($arg1):x8[4]", "f:e do_sys_openat2 +0($arg2):ustring $arg3:b4@2/32",
        "t sched_switch", "t:a sched_process_fork $arg1 c=$comm", "t:g/a sched_wakeup_new +0($arg1):x32 $arg1:symstr",
        "t:b sched_switch $arg1:b1@0/8 $stack0", "-:f", "-:g/f", "-:t", "- f"],
}
# With names of parameters and members, for a kernel with BTF.
TYPED = {
    "kprobe_events": [
        "p:l vfs_read file count n=count:u16", "p:l vfs_read $arg*", "p:l vfs_read $arg3:u16 $arg1", "r:l vfs_read $retval count",
        "r:l vfs_write $arg* r=$retval:s32", "p:l vfs_read name=file->f_path.dentry->d_name.name:string file->f_flags",
        "p:l vfs_read +0(file->f_path.dentry):x32 +0(file->f_path.dentry->d_name.name):string", "p:l vfs_open path->dentry->d_flags",
        "p:l setup_new_exec a=bprm->point_of_no_return b=bprm->have_execfd:u8", "p:l vfs_read file->f_inode->i_sb->s_type->name:string"],
}
TYPED_FUNCTIONS = {
    "dynamic_events": [
        "f:l vfs_read file count n=count:u16", "f:l vfs_read $arg*", "f:l vfs_read%return $retval count", "t:m sched_switch $arg*",
        "f:l vfs_read file->f_path.dentry->d_name.name:string file->f_flags", "f:l getname_flags%return path=$retval->name:string",
        "t:m sched_process_fork child=child->comm:string parent->pid", "t:m sched_switch preempt p=prev->pid:u16 next"],
}
TYPED_BITS = ["->", ".", "-", "file", "count", "f_flags", "$arg*", "$arg9", ":string", ":u16", "$retval->x"]
BITS = ["$", "%", "@", "+", "-", "(", ")", ":", "=", "/", ".", "[", "]", "\\", "\"", "0", "1", "9", "64", "65", "0x", "u", " ", "arg", "$arg1",
        "$stack", "$comm", "$retval", "string", "u8", ":x64", ":symstr", "[3]", "[0]", "return", "_", "if", "4096", "99999999999999999999"]

GUEST = r"""
cd /sys/kernel/tracing
i=0
while IFS= read -r file && IFS= read -r line; do
	i=$((i + 1))
	printf '== %s %s %s\n' $i $file "$line"
	echo >dynamic_events
	if [ "${line#-}" != "$line" ]; then
		echo 'p:a vfs_read' >>kprobe_events
		echo 'r:b vfs_read' >>kprobe_events
		echo 'p:g/z vfs_read' >>kprobe_events
		echo 'p:u /bin/sh:0x1000' >>uprobe_events
		echo 'e:e sched.sched_switch' >>dynamic_events
		[ -z "$functions" ] || {
			echo 'f:f vfs_read' >>dynamic_events
			echo 't:t sched_switch' >>dynamic_events
		}
	fi
	echo >error_log
	printf '%s\n' "$line" >/tmp/line
	dd if=/tmp/line of=$file bs=64k conv=notrunc oflag=append status=none 2>&1 | sed 's/.*: //'
	sed 's/^\[ *[0-9.]*\] //' error_log
	cat dynamic_events kprobe_profile uprobe_profile
	sed -n 's/^[preft][0-9]*:\([^ ]*\) .*/\1/p' dynamic_events | while read -r e; do
		# A number of an event is another one in each.
		grep -v '^ID: ' events/$e/format
	done
done </guest/lines
echo >dynamic_events
exit 0
"""


def has_functions(arch):
    """Are there lines about functions? The base has fprobes on x86_64 only."""
    return arch == "x86_64"


def mutate(dice, line, bits):
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        at = dice.randrange(len(line) + 1)
        what = dice.randrange(6)
        if what == 0:
            line = line[:at] + line[at + 1:]
        elif what == 1:
            line = line[:at] + dice.choice(bits) + line[at:]
        elif what == 2:
            line = line[:at] + dice.choice(bits) + line[at + 1:]
        elif what == 3:
            words = line.split(" ")
            words.insert(dice.randrange(len(words) + 1), dice.choice(words))
            line = " ".join(words)
        elif what == 4:
            words = line.split(" ")
            words.pop(dice.randrange(len(words)))
            line = " ".join(words)
        else:
            line = line[:at]
    return line


def make_lines(seed, count, arch, typed):
    """The right ones, and @count that are none of them, each another one."""
    dice = random.Random(seed)
    every, more, bits = (TYPED, TYPED_FUNCTIONS, BITS + 5 * TYPED_BITS) if typed else (VALID, FUNCTIONS, BITS)
    if has_functions(arch):
        every = {f: every.get(f, []) + more.get(f, []) for f in every | more}
    right = [(f, l) for f, valid in every.items() for l in valid]
    lines = dict.fromkeys(right)
    while len(lines) < len(right) + count:
        file = dice.choice(list(every))
        line = mutate(dice, dice.choice(every[file]), bits)
        # Nothing of it may end up in another place than the file; the base takes a # for a comment as well. A maxactive
        # of 0 is the default, as its pages say, and is refused by the base.
        if line.strip() and "\n" not in line and not re.match(r"[rft](0x?)?0+(?![1-9a-zA-Z])", line):
            lines[file, line] = None
    return list(lines)


def answers(text):
    return {m[1]: m[2] for m in re.finditer(r"^== (\d+) (.*?)(?=^== \d+ |\Z)", text, re.M | re.S)}


CARET = re.compile(r"^(  Command: (.*)\n)( *)\^\n", re.M)


def alike(base, ours):
    """Where the base says nothing in error_log of a line that it refuses, ours may; and may then have another error. Behind
    the last member of a structure the base has lost its place: the caret is far behind the command, or anywhere."""
    if any(len(m[3]) > len(m[2]) + 20 for m in CARET.finditer(base)):
        base, ours = CARET.sub(r"\1", base), CARET.sub(r"\1", ours)
    if "error: " not in base:
        told = re.subn(r"^(?:(?:kprobe|uprobe|dynamic)_events|event_probe): error: .*\n  Command: .*\n *\^\n", "", ours, flags=re.M)
        if told[1]:
            refused = r"(?<=\n)(?:Invalid argument|No such file or directory)\n"
            return re.sub(refused, "", base, count=1) == re.sub(refused, "", told[0], count=1) and re.search(refused, base)
    return base == ours


def probelines(run, k, cases):
    """Commands of probes and 150 mutations of them, or PROBE_LINES= (make test-all: 500): the same answers, carets, listings and
    formats as on the base."""
    typed = k.flavour == "btf"
    base = k.base()
    if not (k.build(run) and base.build(run)):
        return
    count, seed = int(os.environ.get("PROBE_LINES") or 150), os.environ.get("PROBE_SEED") or "1"
    lines, seen, t0 = make_lines(seed, count, k.arch, typed), [], time.time()
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        path = os.path.join(folder, "lines")
        with open(path, "w") as f:
            f.write("".join(f"{file}\n{line}\n" for file, line in lines))
        guest = ("functions=1\n" if has_functions(k.arch) else "functions=\n") + GUEST
        for kernel in (base, k):
            status, out, console, err = kernel.guest(guest, 900, files=[path], turns=True)
            if not ended(run, f"probelines {kernel.name}", status, console, err + out[-2000:]):
                return
            # An address in the kernel is another one in each.
            seen.append(answers(re.sub(r"0x[0-9a-f]{16}\b(?!\()", "ADDR", out)))
    old, new = seen
    wrong = [f"base:\n{old[i]}ours:\n{new.get(i)}" for i in old if not alike(old[i], new.get(i, ""))]
    run.result(f"probelines {k.name}: {len(lines) - count} lines and {count} mutations, seed {seed}",
               len(old) == len(lines) and not wrong,
               f"{len(wrong)} differ\n" + "\n".join(wrong[:12]), time.time() - t0)
