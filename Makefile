# SPDX-License-Identifier: GPL-2.0-only
# The commands of this repository; `make help` lists them.  Everything they make
# is below build/.
ARCH ?= arm64
KERNEL ?= ours
FLAVOUR ?= test
export ARCH KERNEL FLAVOUR TESTS BASE CI
MAKEFLAGS += --no-print-directory

help:
	@echo 'make run        build, boot in QEMU, record some events and show them'
	@echo 'make shell      the same kernel with a shell in the guest'
	@echo 'make test       what CI runs; TESTS="kunit selftests ..." picks some; CPUS=8 of the guests'
	@echo 'make test-all   all tests, on three architectures and in all flavours; goes on where it was'
	@echo 'make soak       ten minutes of switching tracers, 100 rounds of direct calls, half an hour of load;'
	@echo '                with FLAVOUR=debug, for hours, the memory that operations ask for fails in turn, too'
	@echo 'make bench      instructions an operation costs, base and ours'
	@echo 'make bench-all  the same on arm64, x86_64 and riscv64, one after the other; fails if one does'
	@echo 'make series     the overlay as patches in build/series; BASE=tree; CHECK=1 builds each, for hours, CHECK=ends the first and the last'
	@echo 'make deb CONFIG=FILE   Debian packages of a kernel with that configuration in build/deb-ARCH'
	@echo 'make kernel     only build the kernel'
	@echo 'make deps       only install the packages that are missing'
	@echo 'make obj F=kernel/trace/x.o   compile one file (x.i, x.s too)'
	@echo 'make clean      remove build/'
	@echo
	@echo 'ARCH=arm64|riscv64|x86_64 (arm64), KERNEL=ours|base, FLAVOUR=test|debug|lockdep|rt|kcsan|hardened|small|btf|branch|startup|nosnapshot|all'
	@echo 'TESTS: any of  $(shell python3 scripts/test.py --list 2>/dev/null), where own has racing and boots with it, selftests functions'
	@echo 'and of selftests by path, as in TESTS=event/event-enable.tc'

deps:
	@sh scripts/deps.sh

# That they cannot be had is not to be told behind the build.
guest-files: deps
	@sh scripts/rootfs.sh

kernel: deps
	@sh scripts/kernel.sh

obj:
	@sh scripts/kernel.sh $(F)

run: guest-files kernel
	@sh scripts/run.sh

shell: guest-files kernel
	@SHELL_TOO=1 scripts/guest $(ARCH) $(KERNEL)-$(FLAVOUR) -

test: deps
	@python3 scripts/test.py $(TESTS)

test-all: deps
	@for f in hardened btf $(if $(TESTS),$(filter cloud generic,$(TESTS)),cloud generic); do FLAVOUR=$$f sh scripts/deps.sh || exit 1; done
	@LOAD_SECONDS=$${LOAD_SECONDS:-300} FILTERS=$${FILTERS:-10000} PROBE_LINES=$${PROBE_LINES:-500} python3 scripts/test.py --all $(TESTS)

soak: deps
	@LOAD_SECONDS=$${LOAD_SECONDS:-900} python3 scripts/test.py storm direct load

bench: deps
	@sh scripts/bench.sh

bench-all:
	@failed=; for a in arm64 x86_64 riscv64; do \
		ARCH=$$a sh scripts/deps.sh && ARCH=$$a sh scripts/bench.sh || failed="$$failed $$a"; \
	done; [ -z "$$failed" ] || { echo "bench-all: failed on$$failed" >&2; exit 1; }

series: $(if $(CHECK),deps)
	@python3 scripts/series.py $(if $(BASE),--base $(BASE)) $(if $(CHECK),--check --build $(if $(filter ends,$(CHECK)),ends,each)) build/series

deb:
	@ARCH=$(if $(filter-out file,$(origin ARCH)),$(ARCH)) FLAVOUR=deb sh scripts/deb.sh

clean:
	rm -rf build

.PHONY: help deps guest-files kernel obj run shell test test-all soak bench bench-all series deb clean
