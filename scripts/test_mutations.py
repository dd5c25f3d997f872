# SPDX-License-Identifier: GPL-2.0-only
"""Group `mutations`: commands for histograms and synthetic events that were changed at random, on the base and on ours.
What is compared is the answer, what error_log says and where its caret stands, and what is set afterwards."""
import os, re, tempfile, time

import hist_mutations as commands
from test_kernel import ended
from test_run import BUILD, LOGS, TOP

WANTED = 400

# Each command in one write; bash, as nothing else needs no process for any of it.
GUEST = r"""
cat >/tmp/run <<'END'
cd /sys/kernel/tracing
put() { # file text
	printf '%s\n' "$2" >>"$1"
} 2>/tmp/answer
shows() { # file
	while IFS= read -r line; do
		[[ $line == \#* || -z $line ]] || echo "  $1: $line"
	done <"$1"
}
synthetic() {
	: >dynamic_events
	SYNTHETIC
}
context() {
	CONTEXT
}
synthetic
context
n=0
while IFS= read -r file && IFS= read -r text; do
	n=$((n + 1))
	echo "== $n"
	echo >error_log
	put "$file" "$text"
	status=$?
	answer=
	read -r answer </tmp/answer
	[ $status = 0 ] && echo "  taken" || echo "  refused: ${answer##*: }"
	while IFS= read -r line; do
		[[ $line == \[* ]] && line=${line#*] }
		echo "  log: $line"
	done <error_log
	if [[ $file == *events ]]; then
		shows dynamic_events
		: >events/syscalls/sys_enter_kill/trigger
		synthetic
		context
	else
		shows "$file"
		if ((n <= VALID)) && [[ -e ${file%trigger}hist_debug ]]; then
			while IFS= read -r line; do
				echo "  debug: $line"
			done <"${file%trigger}hist_debug"
		fi
		: >"$file"
		[[ $file != */sys_enter_kill/* ]] || context
	fi
done </host/commands >/tmp/answers
END
bash /tmp/run || exit 1
cp /tmp/answers /host/answers
"""


def script():
    quoted = lambda text: "'" + text.replace("'", "'\\''") + "'"
    synthetic = "\n\t".join(f"put synthetic_events {quoted(t)}" for t in commands.SYNTHETIC)
    context = "\n\t".join(f"put {where}/trigger {quoted(t)}" for where, t in commands.CONTEXT)
    return GUEST.replace("SYNTHETIC", synthetic, 1).replace("CONTEXT", context, 1).replace("VALID", str(len(commands.VALID)), 1)


def ask(k, rows):
    """What the kernel says to each of them."""
    with tempfile.TemporaryDirectory(dir=BUILD) as share:
        with open(os.path.join(share, "commands"), "w") as f:
            f.writelines(f"{where}\n{text}\n" for where, text in rows)
        status, out, console, err = k.guest(script(), 900, share=share, turns=True)
        path = os.path.join(share, "answers")
        answers = open(path, errors="replace").read() if os.path.exists(path) else ""
    with open(os.path.join(LOGS, f"mutations-{k.name}.txt"), "w") as f:
        f.write(answers)
    found = re.split(r"^== \d+\n", re.sub(r"\b[0-9a-f]{16}\b", "P", answers), flags=re.M)[1:]
    # The answer, and apart from it what hist_debug has.
    found = [["".join(re.findall(f"^  {'' if d else '(?!debug:)'}{'debug:' if d else ''}.*\n", a, flags=re.M)) for d in (0, 1)]
             for a in found]
    return status, found, console, err


def plain(debug):
    """hist_debug without what ours has otherwise by design: a type is told as format says it, and for a field of the event
    itself no variable is made, nor a reference to one, as it is read at the hit."""
    debug = debug.replace("char[TASK_COMM_LEN]", "char[16]")
    section = r"  debug:   field variables:\n(?:  debug: *\n|  debug:     .*\n)*"
    made = re.findall(r"field_vars\[\d+\]\.var:\n(?:  debug:       (?!var\.name).*\n)*  debug:       var\.name: (\w+)", debug)
    for name in made if re.search(section, debug) else ():
        debug = re.sub(rf"  debug:     hist_data->var_refs\[\d+\]:\n(?:  debug:       (?!name: ).*\n)*  debug:       name: {name}\n"
                       r"(?:  debug:       .*\n)*(?:  debug: *\n)?", "", debug, count=1)
    return re.sub(section, "", debug)


def differences():
    """configs/hist-differences: a regular expression on the text that is compared, and why that differs."""
    rows = []
    for line in open(os.path.join(TOP, "configs/hist-differences")):
        pattern, mark, why = line.rstrip("\n").partition("\t# ")
        if mark and not line.startswith("#"):
            rows.append((re.compile(pattern, re.S), why))
    return rows


def mutations(run, k, cases):
    """400 commands with mistakes, or MUTATIONS=; MUTATIONS_SEED= has others."""
    base = k.base()
    if k.kernel == "base" or not (k.build(run) and base.build(run)):
        return
    if base.options().get("CONFIG_HIST_TRIGGERS") is None:
        run.skip(f"mutations {k.name}", f"the base has no histograms on {k.arch}: there is nothing to compare with")
        return
    t0 = time.time()
    wanted, seed = int(os.environ.get("MUTATIONS") or WANTED), int(os.environ.get("MUTATIONS_SEED") or 1)
    rows = commands.commands(seed, wanted)
    seen = {}
    for kernel in (base, k):
        status, seen[kernel], console, err = ask(kernel, rows)
        if not ended(run, f"mutations {kernel.name}", status, console, err):
            return
        if len(seen[kernel]) != len(rows):
            run.result(f"mutations {kernel.name}: {len(rows)} commands are answered", False, f"{len(seen[kernel])} answers\n{err}")
            return
    judge(run, k, f"mutations {k.name}: %d commands, seed {seed}", rows, *([a for a, _ in seen[x]] for x in (base, k)), t0)
    taken = sum("  taken\n" in a for a, _ in seen[k])
    # All refused, or all taken, would say little.
    run.result(f"mutations {k.name}: {taken} of them are taken", len(rows) / 8 < taken < len(rows) * 4 / 5)
    debug = [(r, plain(b), plain(o)) for r, (_, b), (_, o) in zip(rows, seen[base], seen[k]) if b]
    judge(run, k, f"mutations {k.name}: hist_debug of %d commands", *zip(*debug), t0)


def judge(run, k, name, rows, before, now, t0):
    """What differs, and is not told in configs/hist-differences."""
    why, wrong, explained, same = differences(), [], [], 0
    for (where, text), b, o in zip(rows, before, now):
        if b == o:
            same += 1
            continue
        whole = f"{where} <- {text}\n base:\n{b} ours:\n{o}"
        if "  refused: " in b and "  log: " not in b and b == re.sub(r"^  log: .*\n", "", o, flags=re.M):
            reason = "what is refused has always a line in error_log"
        else:
            reason = next((reason for pattern, reason in why if pattern.search(whole)), None)
        (explained if reason else wrong).append(whole + (f" because: {reason}\n" if reason else ""))
    name = name % len(rows) + f": {same} as on the base, {len(explained)} for a reason not"
    log = "debug" if "hist_debug" in name else "answers"
    with open(os.path.join(LOGS, f"mutations-{log}-{k.name}.log"), "w") as f:
        f.write("\n".join([name, f"--- {len(wrong)} unexplained", *wrong, "--- explained", *explained, ""]))
    run.result(name, bool(rows) and not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong[:12]), time.time() - t0)
