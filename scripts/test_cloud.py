# SPDX-License-Identifier: GPL-2.0-only
"""A distribution's kernel: packages by scripts/deb.sh of Debian's configuration for clouds, and
what is in them booted, with all events on and all functions traced while its modules come and go.

Only modules of folders that have events are built, and what those need, which is a quarter of
them; with CLOUD=all all are.
"""
import filecmp, glob, lzma, os, re, subprocess, time

from test_kernel import Kernel, splats
from test_run import BASE, BUILD, LOGS, TOP, note

ARCH = "x86_64"
LIMIT = 3600     # seconds that the guest may take
# What a module says that misses its hardware, finds it taken, or does all it does when it is loaded.
ABSENT = ("No such device", "No such device or address", "Operation not supported", "Device or resource busy",
          "Resource temporarily unavailable")

# Their control sockets (inet_ctl_sock_create()) hold them: none of these is ever unloaded, with tracing or without.
OWN_SOCKETS = {"sctp", "dccp_ipv4", "dccp_ipv6"}

SCRIPT = r"""
modprobe -a virtio_pci virtio_console
n=0
until [ -c /dev/hvc0 ] || [ $n = 100 ]; do sleep .1; n=$((n + 1)); done
stty -F /dev/hvc0 raw -echo || exit 1
exec >/dev/hvc0 2>&1
cd /sys/kernel/tracing || exit 1
kept=" $(cut -d ' ' -f 1 /proc/modules | tr '\n' ' ')"
echo "@@ kept $kept"
counts() { echo "@@ $1 $(wc -l <available_events) $(wc -l <available_filter_functions)"; }
counts before
echo 1 >events/enable && echo function >current_tracer || exit 1
n=0
while read -r m; do
	echo "@@ load $m"
	why=$(timeout 300 modprobe "$m" 2>&1)
	rc=$?
	[ $rc != 124 ] || exit 1
	if [ $rc = 0 ] && grep -q "^$m " /proc/modules; then echo "@@ loaded $m"; else echo "@@ absent $m" $why; fi
	# Their own events, too.
	n=$((n + 1))
	[ $((n % 16)) != 0 ] || echo 1 >events/enable || exit 1
done </guest/modules
echo 1 >events/enable || exit 1
counts all
echo "@@ off $(cat events/*/*/enable | grep -c '^0')"
echo "@@ traced $(wc -l <enabled_functions) $(timeout 600 head -n 20000 trace | grep -vc '^#')"
again=1
while [ -n "$again" ]; do
	again=
	while read -r m _ refs by _; do
		[ "$refs" = 0 ] || continue
		case $kept in *" $m "*) continue ;; esac
		case $by in *'[permanent]'*) continue ;; esac
		echo "@@ unload $m"
		timeout 300 rmmod "$m"
		rc=$?
		[ $rc != 124 ] || exit 1
		if [ $rc = 0 ]; then again=1; echo "@@ gone $m"; else echo "@@ refused $m"; fi
	done </proc/modules
done
while read -r m _ refs by _; do echo "@@ left $m $refs $by"; done </proc/modules
counts after
for t in nop function nop; do echo $t >current_tracer || exit 1; done
echo 0 >events/enable || exit 1
exit 0
"""


def configuration():
    """Debian's, from the package that has it."""
    subprocess.run(["sh", os.path.join(TOP, "scripts/rootfs.sh"), "cloud"], env=dict(os.environ, ARCH=ARCH), check=True)
    return os.path.join(BUILD, f"cloud-{ARCH}.config")


def with_events(tree):
    """Names of modules that folders with events make; some are not in this configuration."""
    names = set()
    for part in ("arch/x86", "block", "crypto", "drivers", "fs", "kernel", "lib", "mm", "net", "security", "sound", "virt"):
        for folder, _, files in os.walk(os.path.join(tree, part)):
            if not any(f.endswith(".c") and "define CREATE_TRACE_POINTS" in
                       open(os.path.join(folder, f), errors="replace").read() for f in files):
                continue
            while not (makefiles := glob.glob(folder + "/Makefile") + glob.glob(folder + "/Kbuild")):
                folder = os.path.dirname(folder)
            text = "\n".join(open(m).read().replace("\\\n", " ") for m in makefiles)
            for line in re.findall(r"^obj-\$\(CONFIG_\w+\)\s*[+:]?=\s*(.*)", text, re.M):
                names |= {w[:-2].replace("-", "_") for w in line.split() if w.endswith(".o")}
    return sorted(names)


def packages(k):
    """Makes them and unpacks the kernel's where the guest's modules are looked for."""
    env = k.env(CONFIG=f"{configuration()} {TOP}/configs/cloud.config")
    if os.environ.get("CLOUD") != "all":
        env["LSMOD"] = os.path.join(BUILD, "cloud.modules")
        # As lsmod would print them, which is what the kernel's localmodconfig reads.
        rows = ["Module Size Used"] + [f"{m} 1 0" for m in with_events(BASE) + ["virtio_pci", "virtio_console"]]
        with open(env["LSMOD"], "w") as f:
            f.write("\n".join(rows) + "\n")
    if subprocess.run(["sh", os.path.join(TOP, "scripts/deb.sh")], env=env).returncode:
        return False
    image = [p for p in glob.glob(os.path.dirname(k.dir) + "/linux-image-*.deb") if "-dbg_" not in p]
    mods = os.path.join(k.dir, "mods")
    subprocess.run(["rm", "-rf", mods], check=True)
    subprocess.run(["dpkg-deb", "-x", *image, mods], check=True)
    return True


def modules(k):
    """name -> whether it has events, of all that are in the package."""
    found = {}
    for path in glob.glob(k.dir + "/mods/lib/modules/*/kernel/**/*.ko*", recursive=True):
        data = lzma.open(path).read() if path.endswith(".xz") else open(path, "rb").read()
        found[os.path.basename(path).split(".ko")[0].replace("-", "_")] = b"_ftrace_events\0" in data
    return found


def installs_booted(k):
    """Whether the package has the very image that scripts/guest boots, which is the build's."""
    installed = glob.glob(k.dir + "/mods/boot/vmlinuz-*")
    return len(installed) == 1 and filecmp.cmp(installed[0], k.dir + "/arch/x86/boot/bzImage", shallow=False)


class Seen:
    """What the guest told, line for line."""

    def __init__(self):
        self.at, self.loaded, self.absent, self.gone, self.refused, self.left, self.counts, self.kept = None, [], {}, [], [], {}, {}, []

    def line(self, line):
        m = re.match(r"@@ (\w+) ?(.*)", line)
        if not m:
            return
        what, rest = m[1], m[2]
        if what in ("load", "unload"):
            self.at = f"{what} {rest}"
        elif what in ("loaded", "gone", "refused"):
            getattr(self, what).append(rest)
        elif what == "absent":
            name, _, why = rest.partition(" ")
            self.absent[name] = why
        elif what == "left":
            name, _, how = rest.partition(" ")
            self.left[name] = how
        elif what == "kept":
            self.kept = rest.split()
        else:
            self.counts[what] = [int(n) for n in rest.split()]

    def stuck(self):
        """Modules that stay though nothing keeps them; those that have no exit do, or hold themselves, and what they use."""
        held = set(self.kept) | (OWN_SOCKETS & set(self.left)) - set(self.refused)
        while more := {m for m, how in self.left.items() if m not in held and
                       ("[permanent]" in how or held & set(how.split()[1].split(",")))}:
            held |= more
        return sorted(set(self.left) - held)


def too_few(loaded, of, file):
    """Whether far fewer modules load than did the last time, as @file has it, or than those that miss their hardware explain."""
    last = [int(n) for n in open(file).read().split()] if os.path.exists(file) else [5, 9]
    if loaded * last[1] * 10 < last[0] * of * 9:
        return f"{loaded} of {of} load, the last time {last[0]} of {last[1]}"
    with open(file, "w") as f:
        f.write(f"{loaded} {of}\n")
    return ""


def judge(run, seen, mods, file):
    """What the guest told, which ran to its end."""
    events, functions = seen.counts["all"]
    off, (traced, lines) = seen.counts["off"][0], seen.counts["traced"]
    run.result(f"cloud: {events} events are on, {traced} of {functions} functions traced", not off and lines > 1000 and
               traced >= functions * .99 and any(mods[m] for m in seen.loaded), f"{off} events are off, {lines} lines of trace")
    strange = {m: why for m, why in seen.absent.items() if not why.rstrip().endswith(ABSENT)}
    few = too_few(len(seen.loaded), len(mods), file)
    run.result(f"cloud: {len(seen.loaded)} of {len(mods)} modules load, {sum(mods[m] for m in seen.loaded)} of them with events",
               not strange and not few, "\n".join([f"{m}: {why}" for m, why in strange.items()] + [few]))
    bad = sorted({*seen.refused, *seen.stuck()})
    run.result(f"cloud: {len(seen.gone)} of them unload again", not bad and seen.gone,
               "\n".join(f"{m}: {seen.left.get(m, 'refused')}" for m in bad))
    name = "cloud: events and functions of what is gone are gone"
    if seen.left.keys() - set(seen.kept):
        run.result(name, all(after < there for after, there in zip(seen.counts["after"], seen.counts["all"])), f"{seen.counts}")
    else:
        run.result(name, seen.counts["after"] == seen.counts["before"], f"{seen.counts}")
    if own := sorted(OWN_SOCKETS & set(seen.left)):
        note(f"cloud: held by their own sockets: {' '.join(own)}")
    for why in sorted(set(seen.absent.values())):
        names = sorted(m for m, w in seen.absent.items() if w == why)
        note(f"cloud: not loaded, {why.rsplit(': ', 1)[-1]}: {' '.join(names)}")


def cloud(run, k, cases):
    """Debian's cloud kernel with this tracing, from its package."""
    t0 = time.time()
    k = Kernel(ARCH, "ours", "cloud")
    made = packages(k)
    run.result("cloud: packages of Debian's cloud configuration", made, "see above", time.time() - t0)
    if not made:
        return
    run.result("cloud: the image that is booted is the package's", installs_booted(k))
    mods, seen, t0 = modules(k), Seen(), time.time()
    listed = os.path.join(BUILD, "run", "modules")
    os.makedirs(os.path.dirname(listed), exist_ok=True)
    with open(listed, "w") as f:
        f.write("".join(m + "\n" for m in sorted(mods)))
    status, out, console, err = k.guest(SCRIPT, LIMIT, files=[listed], each=seen.line, memory=3072, append="oops=panic")
    with open(os.path.join(LOGS, "cloud.log"), "w") as log:
        log.write(out + "\n" + console)
    run.result("cloud: it ran to its end", not status, f"status {status}, at: {seen.at}\n{err}", time.time() - t0)
    found = splats(console)
    run.result("cloud: no splat on the console", not found, found)
    if not status:
        judge(run, seen, mods, os.path.join(BUILD, "cloud.loaded"))
