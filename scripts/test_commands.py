# SPDX-License-Identifier: GPL-2.0-only
"""Group `counting`: what the commands say on machines that are made up: without root, network, disk or packages."""
import contextlib, functools, glob, hashlib, io, lzma, os, re, shutil, subprocess, sys, tarfile, tempfile, time

from test_run import TOP

PIN, OTHER = "6.12.117-1", "6.12.118-1"
# What a machine of Debian has, in a shell's words; $0's folder is next to what they note and give.
FAKES = {
    "apt-get": r"""
echo "apt-get no_proxy=$no_proxy $*" >>$toy/said
[ "$LC_ALL$LANGUAGE" = C ] || exec echo Alles gut
case "$*" in
*install*--print-uris*) cat $toy/uris ;;
*install*--download-only*) cp $toy/package.deb "${APT_CONFIG%/*}/archives/" ;;
*update*--print-uris*) for s in stable bookworm-backports; do echo "'http://mirror/dists/$s/InRelease' x 0"; done ;;
*update*) cat $toy/answer; ! grep -q '^E' $toy/answer ;;
*download*) cp $toy/source.deb . ;;
esac""",
    "apt-cache": r"""
[ "$LC_ALL$LANGUAGE" = C ] || exec echo Installationskandidat
case "$*" in
*policy*) echo "     release o=x,n=$(cat $toy/backports)"; echo "  Candidate: $(tail -n 1 $toy/versions)" ;;
*madison*) sed 's/.*/linux-source-6.12 | & | http:/' $toy/versions ;;
esac""",
    "apt-config": "echo list=/none parts=/none",
    "dpkg": "exit 1", "dpkg-query": "exit 1", "dpkg-deb": 'cat "$2"', "sleep": "exec /bin/sleep 0.02",
    "df": r"""printf 'x\nx 0 0 %s\n' $(cat $toy/free)""",
    "id": "case $1 in -un) echo me ;; *) echo 1000 ;; esac",
}
# As the real one it keeps nothing of the environment.
SUDO = 'case $1 in -n|-v|chown) exit 0 ;; esac\nexec env -i PATH="$PATH" "$@"'


def archive(name, data, how):
    """A tar of one file."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=how) as tar:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


SOURCE = archive("linux-source-6.12/Makefile", b"all:\n", "w:xz")


def copy_scripts(clone):
    shutil.copytree(os.path.join(TOP, "scripts"), clone + "/scripts", ignore=shutil.ignore_patterns("__pycache__"))


@functools.lru_cache(None)
def tools(without):
    """A folder with all programs of this machine but those; they are thousands, so it is there once."""
    folder = tempfile.TemporaryDirectory()
    os.chmod(folder.name, 0o755)
    for path in glob.glob("/usr/bin/*") + ([] if os.path.islink("/bin") else glob.glob("/bin/*")):
        with contextlib.suppress(FileExistsError):
            if os.path.basename(path) not in without:
                os.symlink(path, os.path.join(folder.name, os.path.basename(path)))
    return folder


class Machine:
    """A clone with these scripts, and a PATH of which some programs are made up, and some are not there."""

    def __init__(self, folder, without=("sudo",), **fakes):
        self.top = os.path.join(folder, "clone")
        os.makedirs(self.top + "/bin")
        copy_scripts(self.top)
        for name, text in {**FAKES, **fakes}.items():
            self.put(f"bin/{name}", f"#!/bin/sh\ntoy={self.top}\n{text}\n", 0o755)
        self.path = f"{self.top}/bin:{tools(without).name}"
        self.put("configs/base", f"# x\n{PIN} {hashlib.sha256(SOURCE).hexdigest()}\n")
        self.put("source.deb", archive("./usr/src/linux-source-6.12.tar.xz", SOURCE, "w"))
        self.put("answer", "Get:1 http://mirror stable InRelease\n")
        self.put("free", "100000\n")
        self.put("versions", f"{PIN}\n")
        self.put("backports", "bookworm-backports\n")

    def put(self, path, text="", mode=0o644):
        path = os.path.join(self.top, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text.encode() if isinstance(text, str) else text)
        os.chmod(path, mode)

    def read(self, path):
        with open(os.path.join(self.top, path)) as f:
            return f.read()

    def run(self, script, *words, how=None, **env):
        """Its status and what it says."""
        done = subprocess.run(["/bin/sh", f"{self.top}/scripts/{script}", *words], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={"PATH": self.path, **env}, **(how or {}))
        return done.returncode, done.stdout


@contextlib.contextmanager
def machine(**more):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Machine(folder, **more)


GERMAN = {"LANG": "de_DE.UTF-8", "LANGUAGE": "de", "LC_MESSAGES": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8"}
NO_NETWORK = "Err:1 http://mirror stable InRelease\n  Temporary failure resolving 'mirror'\nE: Failed to fetch http://mirror\n"
IN_BETWEEN = "E: Failed to fetch http://mirror/Packages  File has unexpected size (1 != 2). Mirror sync in progress?\n"


def deps_checks():
    with machine() as m:
        status, said = m.run("deps.sh")
        yield "without root or sudo one is told what to install", \
            status == 1 and "no sudo" in said and "apt-get install make gcc" in said
        yield "packages of a kernel want what a bare machine has not", \
            "build-essential" not in said and " build-essential " in m.run("deps.sh", FLAVOUR="deb")[1]
        m.put("free", "17\n")
        status, said = m.run("deps.sh")
        yield "and before that that the disk is too small", status == 1 and said.count("\n") == 1 and "17 MB free" in said
    with machine(sudo=SUDO) as m:
        m.put("answer", NO_NETWORK)
        status, said = m.run("deps.sh")
        yield "without a network one is told so", \
            status == 1 and "does not answer: no network, or a proxy" in said and "install -y" not in m.read("said")
        m.put("answer", "Get:1 http://mirror stable InRelease\n")
        m.put("backports", "other\n")
        status, said = m.run("deps.sh")
        yield "without backports, too, and nothing is installed", \
            status == 1 and "bookworm-backports, which http://mirror does not have" in said and "install -y" not in m.read("said")
        m.put("backports", "bookworm-backports\n")
        status, _ = m.run("deps.sh", http_proxy="http://proxy", no_proxy="mirror")
        yield "sudo's apt has what the user's has of a proxy", \
            status == 0 and re.search("no_proxy=mirror .* install -y", m.read("said"))
    with machine() as m:
        os.mkdir(m.top + "/build")
        how = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        os.chmod(m.top + "/build", 0o755 if how else 0o555)
        status, said = m.run("deps.sh", how=how)
        yield "a build/ of somebody else is told", \
            status == 1 and said.count("\n") == 1 and "cannot be written to: sudo chown" in said
        os.chmod(m.top + "/build", 0o755)
    for name in "a b", "a:b", "a(b", "a'b", "a$b", "a[b", "a]b", "a&b", "a#b", "a\\b":
        with tempfile.TemporaryDirectory() as folder:
            copy_scripts(f"{folder}/{name}")
            done = subprocess.run(["sh", f"{folder}/{name}/scripts/deps.sh"], capture_output=True, text=True)
            yield f"a path with {name} is told at once", done.returncode == 1 and "has a space" in done.stderr and \
                os.listdir(f"{folder}/{name}") == ["scripts"]


# A make of a kernel, and what kernel.sh wants to call it.
CONFIGURES = 'for w; do case $w in O=*) : >>"${w#O=}/.config" ;; esac; done'
CONFIGURED = ("tree/kernel/trace/Kconfig", "tree/arch/x", "configs/common.config", "configs/arm64.config", "configs/trace.config")


def base_checks():
    with machine() as m:
        yield "the pinned base is taken", \
            m.run("base.sh")[0] == 0 and os.path.exists(m.top + "/build/base/linux-source-6.12/Makefile") and \
            m.read("build/base/version").split()[2] == PIN
    with machine() as m:
        m.put("source.deb", archive("./usr/src/linux-source-6.12.tar.xz", SOURCE + b"\0", "w"))
        status, said = m.run("base.sh")
        yield "one with another hash is not", \
            status == 1 and "is not what configs/base pins" in said and not os.path.exists(m.top + "/build/base/version")
    with machine() as m:
        m.put("answer", NO_NETWORK)
        status, said = m.run("base.sh")
        yield "without a network there is none, and one line says so", status == 1 and said.count("\n") == 1 and "no network, or a proxy" in said
        m.put("answer", "Get:1 http://mirror stable InRelease\n")
        m.put("versions")
        status, said = m.run("base.sh")
        yield "where there is neither it nor another one, that is told", status == 1 and "cannot be had" in said and "no network" not in said
    with machine() as m:
        m.put("versions", OTHER + "\n")
        status, said = m.run("base.sh", **GERMAN)
        yield "who speaks another language has it as well", status == 0 and f"{OTHER}, for want of the pinned" in said
    with machine() as m:
        def have():
            return m.read("build/base/version").split()[2]

        def yesterday():
            os.utime(m.top + "/build/base/version", (time.time() - 90000,) * 2)
        m.put("versions", OTHER + "\n")
        status, said = m.run("base.sh")
        yield "where there is only another one it is taken and named", \
            status == 0 and f"{OTHER}, for want of the pinned" in said and have() == OTHER
        m.put("versions", f"{PIN}\n{OTHER}\n")
        yield "it stays for a day", m.run("base.sh")[0] == 0 and have() == OTHER
        yesterday()
        m.put("answer", NO_NETWORK)
        yield "and as long as there is no network", m.run("base.sh")[0] == 0 and have() == OTHER
        yesterday()
        m.put("answer", "Get:1 http://mirror stable InRelease\n")
        yield "then the pinned one takes its place", m.run("base.sh")[0] == 0 and have() == PIN
        m.put("bin/apt-get", "#!/bin/sh\nexit 1\n", 0o755)
        yesterday()
        yield "and is not looked for again", m.run("base.sh") == (0, "")
    with machine(make=CONFIGURES) as m:
        for path in CONFIGURED:
            m.put(path)

        def built():
            """Whether an object of the last time is still there after a build."""
            status, _ = m.run("kernel.sh", "y.o", TREE=m.top + "/tree")
            there = os.path.exists(m.top + "/build/ours-arm64/x.o")
            m.put("build/ours-arm64/x.o")
            return status == 0 and there
        built()
        yield "what is built stays as long as the base does", built()
        m.put("versions", OTHER + "\n")
        m.put("configs/base", m.read("configs/base").replace(PIN, OTHER))
        yield "another pin is followed at once, and no object of the old base stays", \
            not built() and m.read("build/base/version").split()[2] == OTHER and built()


# apt.sh with the machine's own apt, and no other part of the machine's set-up.
SETS_UP = """. "$(dirname "$0")/lib.sh"
. "$top/scripts/apt.sh"
release=bookworm
apt_setup
cat "$apt"/sources.list.d/overlay-* 2>/dev/null
apt_host apt-get update --print-uris
"""
DEB822 = """Types: deb
URIs: http://mirror/some/
Suites: bookworm%s
Components: main
#Signed-By: /keys/old.gpg
Signed-By: /keys/mine.gpg
"""


LISTED = "deb %shttp://mirror/some bookworm main\n"
OWN = "own/" + "debian"     # not a mirror's


def apt_set_up(name, text):
    """What SETS_UP says where the machine's sources are so, and a key of no source's is there."""
    with machine(**{n: f'exec /usr/bin/{n} "$@"' for n in ("apt-get", "apt-config")}) as m:
        m.put("etc.d/" + name, text)
        m.put("keys.d/own.asc")
        m.put("apt.conf", f'Dir::Etc::SourceList "/none"; Dir::Etc::SourceParts "{m.top}/etc.d"; '
                          f'Dir::Etc::TrustedParts "{m.top}/keys.d";\n')
        m.put("scripts/x.sh", SETS_UP)
        status, said = m.run("x.sh", APT_CONFIG=m.top + "/apt.conf")
    return status, said, [l for l in said.splitlines() if l.startswith("deb ")]


def apt_checks():
    for name, text, key in ("x.sources", DEB822, "/keys/mine.gpg"), ("x.sources", DEB822 + "Enabled: no\n\n" + DEB822, "/keys/mine.gpg"), \
            ("x.list", "deb [arch=all signed-by=/keys/b.gpg] http://mirror/some bookworm%s main\n", "/keys/b.gpg"):
        for more, added in ("", True), (" bookworm-backports", False):
            if more and name == "x.list":
                continue
            status, said, lines = apt_set_up(name, text.replace("%s", more))
            yield f"apt set up by {name}{more or ', with backports of ours'}", \
                status == 0 and bool(lines) == added and all(
                    key in l and "/own.asc" in l and "old" not in l and
                    l.endswith("] http://mirror/some bookworm-backports main") for l in lines) and \
                all(said.count(f"'http://mirror/some/dists/{s}/InRelease'") == 1 for s in ("bookworm", "bookworm-backports"))
    for what, name, text, wanted in ("a line", "x.list", LISTED % "[arch=amd64 trusted=yes] ", True), \
            ("another line", "x.list", LISTED % "[trusted=yes] ", True), ("nobody", "x.list", LISTED % "", False), \
            ("deb822", "x.sources", DEB822 % "" + "Trusted: yes\n", True), \
            ("a comment", "x.sources", DEB822 % "" + "#Trusted: yes\n", False), \
            ("another site", "x.list", LISTED % "" + "deb [trusted=yes] http://other/ x main\n", False):
        status, _, lines = apt_set_up(name, text)
        yield f"a site that needs no key, says {what}: {wanted}", \
            status == 0 and len(lines) == 1 and ("trusted=yes]" in lines[0]) == wanted
    other = "deb http://other/x bookworm main\n"
    for what, text, site in ("updates", LISTED % "" + "deb http://mirror/some bookworm-updates main\n", "mirror/some"), \
            ("its name", f"deb http://{OWN} bookworm main\n", OWN):
        for text in other + text, text + other:
            status, _, lines = apt_set_up("x.list", text)
            yield f"Debian's site among others is known by {what}", \
                status == 0 and f"http://{site} bookworm-backports" in lines[0]


# What a machine's own apt.conf may say, that is not meant for the guest.
HIS = ["-o", "APT::Default-Release=bookworm", "-o", "APT::Install-Recommends=true", "-o", "Dir::Cache::Archives=/his"]


def rootfs_checks():
    with machine() as m:
        m.put("answer", NO_NETWORK)
        status, said = m.run("rootfs.sh")
        yield "the guest's packages: no network", status == 1 and "no network, or a proxy" in said
        m.put("answer", IN_BETWEEN)
        status, said = m.run("rootfs.sh")
        yield "or something else, which is said as it is", status == 1 and "no network" not in said and "Mirror sync" in said
    with machine() as m:
        def made(uris, name, later=True, script=""):
            """The names of files that are in the guest's when apt has packages of other @uris with such a file."""
            if later:
                os.utime(m.top + "/build/root-arm64.packages", (time.time() - 90000,) * 2)
            m.put("uris", uris)
            m.put("package.deb", archive(f"./{name}", b"", "w"))
            m.put("scripts/rootfs.sh", m.read("scripts/rootfs.sh") + script)
            status, _ = m.run("rootfs.sh")
            with open(m.top + "/build/root-arm64.cpio", "rb") as f:
                return [status, *re.findall("first|second|third", f.read().decode())]
        m.put("uris", "0")
        m.put("bin/apt-get", faked := m.read("bin/apt-get").replace("cp $toy/package.deb", ": $toy"), 0o755)
        status, said = m.run("rootfs.sh")
        yield "no guest is made of no packages", status == 1 and not os.path.exists(m.top + "/build/root-arm64.cpio")
        m.put("bin/apt-get", faked.replace(": $toy", "cp $toy/package.deb"), 0o755)
        conf = m.top + "/build/apt/guest-arm64/apt.conf"
        dump = subprocess.run(["apt-config", *HIS, "-c", conf, "dump"], capture_output=True, text=True).stdout.lower()
        yield "its apt has the last word on what it installs, and where", all(f"{line};".lower() in dump for line in (
            'APT::Default-Release ""', 'APT::Install-Recommends "false"',
            f'Dir::Cache::Archives "{os.path.dirname(conf)}/archives"')) and \
            all(f"-c {conf} " in line for line in m.read("said").splitlines() if "install" in line)
        yield "the guest's files are made of packages", made("1", "first", later=False) == [0, "first"]
        m.put("said")
        yield "they stay for a day, and apt is not asked", made("2", "second", later=False) == [0, "first"] and not m.read("said")
        yield "and as long as the packages are the same", made("1", "second") == [0, "first"] and "print-uris" in m.read("said")
        yield "they are made again when those change", made("2", "second") == [0, "second"]
        yield "or the script", made("2", "third", later=False, script="# x\n") == [0, "third"]
        m.put("answer", NO_NETWORK)
        yield "without a network they stay", made("3", "first") == [0, "third"]
        yield "if they are this script's", made("3", "first", script="# x\n") == [1, "third"]
    with machine(**{"apt-get": FAKES["apt-get"].replace("http://mirror", "file:/mirror")}) as m:
        m.put("package.deb", archive("./first", b"", "w"))
        m.put("uris", "1")
        yield "packages of a folder are copied, as apt would not", m.run("rootfs.sh")[0] == 0 and \
            m.read("build/apt/guest-arm64/sources.list").endswith(" copy:/mirror trixie main\n")


def deb_checks():
    plain = b"CONFIG_X86_64=y\n"
    with machine() as m:
        m.put("scripts/deps.sh", 'echo "for $ARCH"; exit 1\n')
        for what, data, reached in ("what is not compressed", plain, True), ("xz", lzma.compress(plain), True), \
                ("damaged xz", lzma.compress(plain)[:-9], False), ("no option", b"# none\n", False), \
                ("another architecture", b"CONFIG_S390=y\n", False), ("a folder", None, False):
            m.put("config", data or b"")
            status, said = m.run("deb.sh", CONFIG=m.top + ("/config" if data else ""))
            yield f"make deb with {what} goes on: {reached}", \
                status == 1 and (said == "for x86_64\n") == reached and ("for " in said) == reached
    with machine(without=("xz",)) as m:
        m.put("scripts/deps.sh", "echo installing; exit 1\n")
        m.put("config", lzma.compress(plain))
        yield "and what unpacks it is installed first", m.run("deb.sh", CONFIG=m.top + "/config") == (1, "installing\n")


def kernel_checks():
    with machine(make="env >>$toy/env\n" + CONFIGURES) as m:
        for path in "scripts/base.sh", "build/base/version", "build/base/linux-source-6.12/x", *CONFIGURED:
            m.put(path)
        words = {w: "1" for w in ("LLVM", "KCFLAGS", "KAFLAGS", "LOCALVERSION", "CROSS_COMPILE", "KBUILD_OUTPUT", "V")}
        status, said = m.run("kernel.sh", "x.o", TREE=m.top + "/tree", **GERMAN, **words)
        names = {line.split("=")[0] for line in m.read("env").splitlines()} if not status else set()
        yield "the kernel's make has nothing of the user's environment", status == 0 and not names & set(words)
        yield "and no word of his language", \
            {"LC_ALL", "LANG"} <= names and not re.search("^(LANG.*|LC_.*)=(?!C$)", m.read("env"), re.M)
    asks = "import os, test_run; print(*map(os.environ.get, ('LC_ALL', 'LANG', 'LANGUAGE')))"
    seen = subprocess.run([sys.executable, "-Bc", asks], cwd=os.path.join(TOP, "scripts"), env={**os.environ, **GERMAN},
                          stdout=subprocess.PIPE, text=True).stdout
    yield "nor has what the tests call", seen == "C C None\n"
    with machine() as m:
        m.put("scripts/base.sh", "echo unpacking; exit 1\n")
        for name, word in ("FLAVOUR", "debgu"), ("KERNEL", "our"), ("ARCH", "arm"):
            status, said = m.run("kernel.sh", **{name: word})
            yield f"a {name} that there is not is told before anything is done", \
                status == 1 and f"{name}={word}" in said and said.count("\n") == 1


def ordered(*words):
    """What make would do."""
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "TESTS", "CHECK")}
    return subprocess.run(["make", "-n", "-C", TOP, *words], capture_output=True, text=True, env=env).stdout


def order_checks():
    yield "the guest's files are had before the kernel is built", \
        re.findall(r"\w+\.sh", ordered("run")) == ["deps.sh", "rootfs.sh", "kernel.sh", "run.sh"]
    yield "what builds the series is installed first, and for nothing else", \
        ["deps.sh" in ordered("series", check).partition("series.py")[0] for check in ("CHECK=ends", "CHECK=")] == [True, False]
    for tests, wanted in ("", True), ("kunit", False), ("kunit cloud", True):
        before = ordered("test-all", f"TESTS={tests}").partition("test.py")[0]
        yield f"test-all {tests}: all packages come before anything is built", \
            ("cloud" in before) == wanted and "hardened" in before and "btf" in before


def checks():
    for some in deps_checks, base_checks, apt_checks, rootfs_checks, deb_checks, kernel_checks, order_checks:
        yield from some()
