# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the cases about arguments of functions, behind oracle/lib.sh. With BTF the kernel names
# them, without it shows all registers that arguments come in.

regs=8
[ "$(uname -m)" != x86_64 ] || regs=6
has_btf() {
	[ -e /sys/kernel/btf/vmlinux ]
}
# What the arguments of a function look like, as a regular expression: those of its parameters
# that are given, NAME=VALUE in their order, or *.
args_of() { # parameter...
	if has_btf; then
		names=$(IFS=,; echo "$*" | sed 's/,/, /g')
		echo "\\($names\\)"
		return
	fi
	list=
	for i in 1 2 3 4 5 6 7 8; do
		[ $i -le $regs ] || break
		value=0x[0-9a-f]+
		case ${1#*=} in
		0x*) value=${1#*=} ;;
		esac
		list="$list${list:+, }$value"
		[ $# -eq 0 ] || shift
	done
	echo "\\($list\\)"
}
# Also when the case fails: ftracetest does not reset options of tracers.
options_off() {
	trap 'pkill -P $PID || :; all_off' EXIT
}
all_off() {
	for o in $args_options; do
		[ ! -e options/$o ] || echo 0 >options/$o
	done
	[ ! -e max_graph_depth ] || echo 0 >max_graph_depth
}
args_options='func-args funcgraph-args funcgraph-retaddr funcgraph-retval'
args_options="$args_options func_stack_trace func-no-repeats"
ptr='0x[0-9a-f]+'

fresh() {
	echo 0 >tracing_on
	echo >trace
	echo 1 >tracing_on
}

# What is traced: 4,321 (0x10e1) bytes are read, and a name is looked up from the current folder.
read_some() {
	dd if=/dev/zero of=/dev/null bs=4321 count=${1:-1} 2>/dev/null
	cat /proc/self/comm >/dev/null
}
vfs_read_args=$(args_of file=$ptr buf=$ptr count=0x10e1 pos=$ptr)
ksys_read_args=$(args_of fd=0x0 buf=$ptr count=0x10e1)
