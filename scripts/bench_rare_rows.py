# SPDX-License-Identifier: GPL-2.0-only
"""Rows of what is rarely done, see tools/tracing/bench/rare.sh: milliseconds, but for the last."""

ROWS = {
    "rare_events_on": "all events on",
    "rare_events_off": "all events off",
    "rare_system_on": "events/sched on",
    "rare_system_off": "events/sched off",
    "rare_formats_find": "find events -name format",
    "rare_formats_cat": "cat of all formats",
    "rare_instance_on": "mkdir of an instance",
    "rare_instance_off": "rmdir of an instance",
    "rare_resize_on": "resize to 100 MB a CPU",
    "rare_resize_off": "resize back to 1408 KB",
    "rare_tracers": "each of available_tracers, nop",
    "rare_empty": "echo > trace",
    "rare_probes_on": "1,000 kprobe events written",
    "rare_probes_off": "1,000 kprobe events removed",
    "rare_filter_on": "one filter for 1,000 events of a system",
    "rare_filter_off": "0 into the filter of that system",
    "rare_module_on": "a module with 50 events loaded",
    "rare_module_off": "a module with 50 events unloaded",
    "rare_many_on": "mkdir of 1,000 instances",
    "rare_many_list": "ls of 1,000 instances",
    "rare_many_off": "rmdir of 1,000 instances",
    "rare_idle_kb": "an instance not used, kB",
}

# The base waits for each probe that it removes, and a wait is longer than this by ten times.
PROBES = {"rare_probes_on": "base", "rare_probes_off": "twentieth"}
# "half": of the base's figure. A thousand instances, or events that get a filter, are to take less than there, and not as much.
BARS = {name: "less" if name.startswith(("rare_many", "rare_filter")) else "half" for name in ROWS}
BARS.update(PROBES, rare_idle_kb=150)
