cd /sys/kernel/tracing
wc -l available_filter_functions; head -3 available_filter_functions
cat available_tracers
echo schedule > set_ftrace_filter && cat set_ftrace_filter
echo function > current_tracer; sleep 0.2; echo nop > current_tracer.x 2>/dev/null
cat enabled_functions
echo 0 > tracing_on; head -20 trace
echo nop > current_tracer; echo 1 > tracing_on
cat enabled_functions | wc -l
echo > set_ftrace_filter; cat set_ftrace_filter
echo "== all functions"
time echo function > current_tracer
cat enabled_functions | wc -l
sleep 0.3
time echo nop > current_tracer
cat enabled_functions | wc -l
echo "== two instances"
mkdir instances/a instances/b
echo 'kfree*' > instances/a/set_ftrace_filter
echo '*free' > instances/b/set_ftrace_filter
echo function > instances/a/current_tracer
echo function > instances/b/current_tracer
grep -c . enabled_functions
grep '^kfree ' enabled_functions
ls > /dev/null
grep -c kfree instances/a/trace
grep -c kfree instances/b/trace
echo nop > instances/a/current_tracer
echo nop > instances/b/current_tracer
rmdir instances/a instances/b
cat enabled_functions | wc -l
echo "== graph"
echo '*open*' > set_ftrace_filter
echo function_graph > current_tracer
ls > /dev/null
echo 0 > tracing_on
head -40 trace
echo nop > current_tracer; echo 1 > tracing_on
echo > set_ftrace_filter
echo "== graph all"
time echo function_graph > current_tracer
sleep 0.5
echo 0 > tracing_on
head -60 trace | tail -50
echo nop > current_tracer
echo 1 > tracing_on
cat enabled_functions | wc -l
dmesg | tail -5
