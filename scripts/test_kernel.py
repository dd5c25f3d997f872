# SPDX-License-Identifier: GPL-2.0-only
"""A kernel: built, booted, and what its results come from."""
import contextlib, functools, glob, hashlib, os, platform, re, subprocess, tempfile, threading, time

from test_run import BASE, BUILD, LOGS, SELFTESTS, TOP, overlay, reasons

# What a kernel says on its console when something is wrong with it.
SPLAT = re.compile(r"WARNING:|BUG:|Oops|\bKASAN\b.*in |UBSAN:|INFO: (task|rcu|possible|trying)|"
                   r"Kernel panic|Unable to handle|rcu: INFO|suspicious RCU|possible circular|"
                   r"inconsistent lock state|soft lockup|scheduling while atomic|sleeping function|"
                   r"general protection|Call [Tt]race:|DEBUG_LOCKS_WARN")
# The part of it that belongs to a death that is wanted.
DEATH = re.compile(r"Kernel panic - not syncing|Unable to handle|Oops|Call [Tt]race:|general protection|"
                   r"BUG: kernel NULL pointer|BUG: unable to handle")
# What tracing itself complains of, by WARN(), and the stack behind it.
COMPLAINT = re.compile(r"WARNING: CPU: \d+ PID: \d+ at (kernel/trace/|arch/\w+/kernel/)|Call [Tt]race:")
# What scripts/guest says of a guest that did not end as it should.
STOPPED, DIED = 124, 125
# What the compilers and uname call an architecture where it is not as we do.
MACHINE = {"arm64": "aarch64"}
# Variables that say how much of a group is to be done, with which dice, and in what a guest.
ASKED = ("CLOUD CPUS FILTERS FILTERS_SEED LOAD_SECONDS LOAD_SEED MUTATIONS MUTATIONS_SEED PROBE_LINES PROBE_SEED "
         "QEMU_EXTRA STORM_SEED THREADS").split()

# How much slower flavours with checkers, or tests at boot, are than a plain kernel of arm64.
CHECKED = {"debug": 5, "kcsan": 5, "startup": 5, "lockdep": 4, "rt": 4}


class Kernel:
    def __init__(self, arch, kernel="ours", flavour="test"):
        self.arch, self.kernel, self.flavour = arch, kernel, flavour
        self.spec = kernel + ("" if flavour == "test" else "-" + flavour)
        self.name = f"{self.spec}-{arch}"
        self.dir = os.path.join(BUILD, f"deb-{arch}-cloud/obj" if flavour == "cloud" else
                                f"{kernel}-{arch}" + ("" if flavour == "test" else "-" + flavour))
        # Emulation under the checkers is several times slower, and the tests of the boot take minutes.
        self.checked = flavour in CHECKED
        self.slow = CHECKED.get(flavour, 2 if arch != "arm64" else 1)
        self.built, self.told, self.lock = None, False, threading.Lock()

    def env(self, **more):
        return dict(os.environ, ARCH=self.arch, KERNEL=self.kernel, FLAVOUR=self.flavour, **more)

    def make(self, *targets):
        return subprocess.run(["sh", os.path.join(TOP, "scripts/kernel.sh"), *targets], env=self.env(),
                              text=True, stdout=subprocess.PIPE if targets else None,
                              stderr=subprocess.STDOUT if targets else None)

    def made(self):
        """Builds it, once, whoever asks at the same time."""
        with self.lock:
            if self.built is None:
                self.built = self.make().returncode == 0
        return self.built

    def build(self, run):
        """Builds it, once, and sees that it has the configuration that was asked for."""
        made = self.made()
        with self.lock:
            told, self.told = self.told, True
        if made and not told:
            lost = self.lost()
            run.result(f"build {self.name}: every option of its fragments took", not lost, "\n".join(lost))
        if not made:
            run.result(f"build {self.name}", False, "see above")
        return made

    def lost(self):
        """Options of the fragments that kernel.sh found lost and configs/lost does not explain, and
        those that it explains though they took."""
        def names(file):
            return {m[1] for m in re.finditer(r"^(CONFIG_\w+)=", open(os.path.join(self.dir, file)).read(), re.M)}
        lost, known = names("fragment.lost"), {option for option, _, _ in reasons("lost", self)}
        return [f"{o}: lost" for o in sorted(lost - known)] + \
               [f"{o}: took, but is in configs/lost" for o in sorted(known & names("fragment") - lost)]

    def options(self):
        """The configuration it was built with: option -> value."""
        return dict(l.strip().split("=", 1) for l in open(f"{self.dir}/.config") if re.match(r"CONFIG_\w+=", l))

    def base(self):
        """The base's kernel that this one is compared with: types of names in probes are there in one flavour."""
        return base_of(self.arch, "btf" if self.flavour == "btf" else "test")

    def cpios(self):
        """What guests of it are made of, each by scripts/rootfs.sh."""
        return ["root", "clients"] + ["bpftrace"] * (self.flavour == "btf" and self.arch != "riscv64")

    def inputs(self):
        """All files that a result comes from: kernels and modules, the files of ours that sparse reads,
        the base, tests and scripts, what the guest is made of."""
        files = [f"{d}/{f}" for d in (self.dir, self.base().dir)
                 for f in ("arch/*/boot/*Image", "mods/lib/modules/*/kernel/**/*.ko", ".config")]
        files += [f"{BUILD}/{n}-{self.arch}.cpio" for n in self.cpios()]
        files += [f"{t}/{SELFTESTS}/**/*" for t in (TOP, BASE)]
        files += [f"{TOP}/scripts/**/*", f"{TOP}/configs/*", f"{TOP}/patches/*", f"{TOP}/manifest", f"{BUILD}/base/version"]
        files += [f"{BUILD}/cloud-{self.arch}.config"]
        paths = {p for f in files for p in glob.glob(f, recursive=True)} | {os.path.join(TOP, n) for n in overlay()}
        return sorted(p for p in paths if os.path.isfile(p) and "/__pycache__/" not in p)

    @staticmethod
    def asked(cases=()):
        """Which cases were asked for, and how much."""
        return [sorted(cases), [(name, os.environ.get(name) or "") for name in ASKED]]

    def fingerprint(self, cases=()):
        """Of all that a result comes from: those files, QEMU, sparse, and what was asked for."""
        sums = hashlib.sha256(repr(self.asked(cases)).encode() + versions(self.arch))
        for path in self.inputs():
            with open(path, "rb") as f:
                sums.update(path.encode() + hashlib.file_digest(f, "sha256").digest())
        return sums.hexdigest()

    def guest(self, script, limit, files=(), append="", share=None, clients=False, each=None, cpus=None, memory=1024,
              bpftrace=False, types=(), machine=(), turns=False):
        """Boots and runs the script; returns its status, output and the console.  What it prints
        is given to each() as it comes, a line at a time.  @types: lines for the kernel's debugger, one
        at each prompt on the console.  @machine: options for that of QEMU.  Without @cpus it has as many as the user said, CPUS=, or two; if they
        take @turns, one thread of the host does the work of all."""
        # All that scripts/guest takes, so that nothing but ASKED comes from whoever calls us.
        extra = {"GUEST_FILES": " ".join(files), "APPEND": append, "CPUS": str(cpus or os.environ.get("CPUS") or 2),
                 "MEMORY": str(max(memory, 2048 if self.flavour == "debug" or clients or bpftrace else 0)),
                 "CLIENTS": "1" * clients, "BPFTRACE": "1" * bpftrace, "SHARE": share or "", "SHELL_TOO": "", "CONSOLE_IN": ""}
        # Not in make test-all, which sets this: there everything may race, but for x86_64.
        if turns and not os.environ.get("LOAD_SECONDS"):
            extra["THREADS"] = os.environ.get("THREADS") or "single"
        if machine:
            extra["QEMU_EXTRA"] = f"{os.environ.get('QEMU_EXTRA', '')} -machine {','.join(machine)}"
        out = []
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as f, tempfile.TemporaryFile("w+", errors="replace") as err, \
                tempfile.NamedTemporaryFile("r", dir=LOGS, prefix="console-", errors="replace") as console, \
                (typed(console.name, types) if types else contextlib.nullcontext()) as keyboard:
            f.write(script)
            f.flush()
            if keyboard:
                extra["CONSOLE_IN"] = keyboard
            guest = subprocess.Popen([os.path.join(TOP, "scripts/guest"), self.arch, self.spec, f.name, str(limit * self.slow)],
                                     env=self.env(GUEST_LOG=console.name, **extra), text=True, errors="replace",
                                     stdout=subprocess.PIPE, stderr=err)
            for line in guest.stdout:
                out.append(line.rstrip("\r\n") + "\n")
                if each:
                    each(out[-1][:-1])
            status = guest.wait()
            err.seek(0)
            return status, "".join(out), console.read().replace("\r", ""), err.read()


@contextlib.contextmanager
def typed(console, lines):
    """A pipe to read the console's input from: the next line whenever kdb prompts in the file @console."""
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "keyboard")
        os.mkfifo(pipe)
        # Both ways, so that neither side waits for the other one to open it.
        fd, over = os.open(pipe, os.O_RDWR), threading.Event()

        def typist():
            for prompts, line in enumerate(lines, 1):
                while len(re.findall(r"kdb> ", open(console, errors="replace").read())) < prompts:
                    if over.wait(0.2):
                        return
                os.write(fd, line.encode() + b"\r")
        thread = threading.Thread(target=typist, daemon=True)
        thread.start()
        try:
            yield pipe
        finally:
            over.set()
            thread.join()
            os.close(fd)


@functools.lru_cache(None)
def base_of(arch, flavour="test"):
    """The base's kernel, the same for all groups, so that none builds it while a guest of another's begins."""
    return Kernel(arch, "base", flavour)


def cross(arch):
    """What stands before the names of the tools that make programs for @arch; nothing on such a machine."""
    machine = MACHINE.get(arch, arch)
    return "" if machine == platform.machine() else machine + "-linux-gnu-"


def versions(arch):
    return subprocess.run(["sh", "-c", f"qemu-system-{MACHINE.get(arch, arch)} --version; sparse --version"], capture_output=True).stdout


def ended(run, what, status, console, err):
    """Tells of a guest that did not come to its end, and of a splat: these words are never a matter of luck. Is it well?"""
    found = splats(console)
    if status:
        run.result(f"{what}: it ran to its end", False, f"status {status}\n{err}")
    run.result(f"{what}: no splat on the console", not found, found)
    return not status and not found


def splats(console, wanted=None):
    """The console's complaints but those that are wanted, each with what follows it, as far as a stack reaches."""
    lines, rows, until = console.splitlines(), [], -1
    for i, line in enumerate(lines):
        if SPLAT.search(line) and not (wanted and wanted.search(line)):
            until = max(until, i + 40)
        if i <= until:
            rows.append(line)
    return "\n".join(rows[:400])
