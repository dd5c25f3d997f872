# SPDX-License-Identifier: GPL-2.0-only
# Runs in a guest with Debian's bpftrace and BTF: a program for each kind of probe, while dd reads
# 4,321 bytes three times. What is to be in its output stands beside it. Prints "@@ ok NAME" or
# "@@ FAIL NAME: why".
failed=0
libc=$(ls /usr/lib/*/libc.so.6)
mine='/comm == "dd"/'
big='/comm == "dd" && args.count == 4321/'

one() { # name expression program
	timeout 120 bpftrace -e "$3" -c '/usr/bin/dd if=/dev/zero of=/dev/null bs=4321 count=3 status=none' \
		>/tmp/out 2>&1
	status=$?
	if grep -Eq "$2" /tmp/out; then
		echo "@@ ok bpftrace $1"
	else
		echo "@@ FAIL bpftrace $1: status $status, $(tail -n 8 /tmp/out | tr '\n' '|')"
		failed=1
	fi
}

[ -e /sys/kernel/btf/vmlinux ] || { echo "@@ FAIL bpftrace: no BTF"; exit 1; }
one kprobe '^@\[4321\]: 3$' "kprobe:vfs_read $mine { @[arg2] = count(); }"
one kretprobe '^@\[4321\]: 3$' "kretprobe:vfs_read $mine { @[retval] = count(); }"
one 'kprobes of a pattern' '^@\[vfs_read\]: [3-9]' "kprobe:vfs_r* $mine { @[func] = count(); }"
one 'members by BTF' '^zero$' \
	"kprobe:vfs_read $mine { printf(\"%s\\n\", str(((struct file *)arg0)->f_path.dentry->d_name.name)); }"
# on arm64 the caller of a function that is at its first instruction is not in it
one 'kernel stacks' 'sys_read\+' "kprobe:vfs_read $mine { @[kstack(3)] = count(); }"
one fentry '^@: 3$' "fentry:vfs_read $big { @ = count(); }"
one fexit '^@\[4321\]: 3$' "fexit:vfs_read $big { @[retval] = count(); }"
one tracepoint '^@: 3$' "tracepoint:syscalls:sys_enter_read $big { @ = count(); }"
one rawtracepoint '^@: [1-9]' "rawtracepoint:sys_enter $mine { @ = count(); }"
one uprobe '^@: [3-9]' "uprobe:$libc:read $mine { @ = count(); }"
one uretprobe '^@\[4321\]: 3$' "uretprobe:$libc:read $mine { @[retval] = count(); }"
one software '^@: [1-9]' "software:page-faults:1 $mine { @ = count(); }"
one 'entry, exit and time' '^@ns: .*count 3' \
	"fentry:vfs_read $big { @t[tid] = nsecs; } fexit:vfs_read $big { @ns = stats(nsecs - @t[tid]); delete(@t[tid]); }"
echo "@@ done bpftrace $failed"
exit 0
