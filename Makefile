# Carillon's build. Sources are found by folder, so that a new file needs no change here; docs/contracts.md, "Build", is the
# agreement this file carries out. `make` alone prints what can be made.
#
# Every recipe writes beside its target and renames: a make that is interrupted, or a second one running in the same tree,
# never leaves half a file that looks finished.

MAKEFLAGS += --no-builtin-rules
SHELL := /bin/sh
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
ifneq ($(filter 3.% 4.0% 4.1%,$(MAKE_VERSION)),)
$(error GNU make 4.2 or newer is needed, found $(MAKE_VERSION))
endif

# ---- variants ----------------------------------------------------------------------------------------------------------
# build/ by gcc; build/asan/ with SAN=1, by clang, whose objects serve the unit tests and the fuzzers; build/tsan/ with TSAN=1, by gcc.
# Another compiler has a folder of its own: build/clang/, build/gcc/asan/.
USUAL_CC := $(if $(SAN),clang,gcc)
ifeq ($(origin CC),default)
CC := $(USUAL_CC)
endif
CC_FAMILY := $(if $(findstring clang,$(CC)),clang,gcc)
O := build$(if $(filter-out $(USUAL_CC),$(CC_FAMILY)),/$(CC_FAMILY))$(if $(SAN),/asan)$(if $(TSAN),/tsan)
ifneq ($(and $(SAN),$(TSAN)),)
$(error found SAN and TSAN, expected one of them: the sanitizers exclude each other)
endif
GEN := build/gen
comma := ,
V ?= 0
Q := $(if $(filter 1,$(V)),,@)
# Quiet under make -s too.
say = $(if $(filter 1,$(V))$(findstring s,$(firstword -$(filter-out --%,$(MAKEFLAGS)))),,@echo '  $(1) $(2)')

# ---- flags -------------------------------------------------------------------------------------------------------------
PKGS := gmp rdkafka hiredis libpq libprotobuf-c nanomsg libwebsockets jansson libjwt libsodium openssl libcurl zlib
MARCH ?= $(if $(filter x86_64,$(shell uname -m)),x86-64-v2)
WARN := -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wvla -Wundef -Wswitch-enum -Wstrict-prototypes \
	-Wmissing-prototypes -Wformat=2 -Wcast-qual -Wnull-dereference -Werror
# assert(!"why") is meant.
WARN += $(if $(findstring clang,$(CC)),-Wno-string-conversion)
PKG_CFLAGS := $(patsubst -I%,-isystem%,$(shell pkg-config --cflags $(PKGS) 2>/dev/null))
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null)
CMOCKA_LIBS := -lcmocka
# Asked by every compilation, so that what is missing is said in one line, not by the first header or command that is not there.
HAVE_CC := $(shell command -v $(firstword $(CC)))
need_tools = $(if $(HAVE_CC),,$(error found no $(firstword $(CC)); scripts/setup.sh$(if $(findstring clang,$(CC)), clang) installs it))$(if \
	$(PKG_LIBS),,$(error found not every library that the build needs; `make setup` installs them))
# _GNU_SOURCE is defined empty, so that a file may define it again without a warning. Generated headers count as a library's: their macros
# cast away const.
CPPFLAGS += -I. -isystem $(GEN) -D_GNU_SOURCE= $(PKG_CFLAGS)
BASE_CFLAGS := -std=c11 $(if $(or $(SAN),$(TSAN)),-g1,-g) -fno-omit-frame-pointer -fstack-protector-strong $(if $(MARCH),-march=$(MARCH))
LDFLAGS += -Wl,--as-needed
ifdef SAN
BASE_CFLAGS += -O1 -fsanitize=address,undefined$(if $(filter clang,$(CC_FAMILY)),$(comma)fuzzer-no-link) -fno-sanitize-recover=all
# Linked by lld, in a quarter of the time.
LDFLAGS += -fsanitize=address,undefined$(if $(filter clang,$(CC_FAMILY)), -fuse-ld=lld)
# The sanitizers' own checks hide from gcc what was tested and what was set, so these cry wolf there.
WARN += -Wno-null-dereference $(if $(findstring gcc,$(CC)),-Wno-maybe-uninitialized)
else ifdef TSAN
BASE_CFLAGS += -O1 -fsanitize=thread
LDFLAGS += -fsanitize=thread
WARN += -Wno-null-dereference $(if $(findstring gcc,$(CC)),-Wno-maybe-uninitialized)
else
BASE_CFLAGS += -O2 -D_FORTIFY_SOURCE=2
endif
# A test may try fewer cases then (tests/support/effort.h).
BASE_CFLAGS += $(if $(or $(SAN),$(TSAN)),-DCARILLON_SANITIZED)
ALL_CFLAGS = $(BASE_CFLAGS) $(CFLAGS)
# Objects are kept by ccache where it is installed, in a folder outside the clone (CARILLON_CCACHE; none: without it). All paths are relative, and the
# debugger is told of the clone as ".", so that another clone of the same sources finds them.
export CCACHE_DIR := $(or $(CARILLON_CCACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/carillon/ccache)
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
export CCACHE_MAXSIZE := 3G
CCACHE := $(if $(filter none,$(CCACHE_DIR)),,$(shell command -v ccache))
BASE_CFLAGS += -fdebug-prefix-map=$(CURDIR)=.

# ---- what there is -----------------------------------------------------------------------------------------------------
# A library of libcommon/ is a folder with all below it, its tests excepted; in the order in which the linker must see them.
LIBRARIES := fair edge jackpot service io game base
# Programs: services, and the folders of tools/ and tests/ that have a main.c.
SERVICES := $(patsubst services/%/main.c,%,$(wildcard services/*/main.c))
PROGRAM_DIRS := $(patsubst %/main.c,%,$(wildcard tools/*/main.c tests/*/*/main.c))
PROTOS := $(notdir $(basename $(wildcard proto/*.proto)))
GEN_C := $(PROTOS:%=$(GEN)/%.pb-c.c)
GEN_H := $(PROTOS:%=$(GEN)/%.pb-c.h)
TEST_DIRS := $(sort $(patsubst %/,%,$(dir $(shell find proto libcommon services tools tests -path '*/test/*.c' 2>/dev/null))))

obj = $(patsubst %.c,$(O)/obj/%.o,$(1))
# The C files of a folder and of those below it.
below = $(sort $(shell find $(1) -name '*.c' -not -path '*/test/*' 2>/dev/null))
LIB_COMMON := $(foreach l,$(LIBRARIES),$(O)/lib/lib$(l).a) $(O)/lib/libproto.a
service_libs = $(foreach p,adapters core,$(if $(wildcard services/$(1)/$(p)/*.c),$(O)/lib/lib$(1)-$(p).a)) $(LIB_COMMON)
# What a program is linked with: our libraries, unless its folder says otherwise in a program.mk (NAME_LIBS).
-include $(PROGRAM_DIRS:%=%/program.mk)
program_libs = $(if $(filter undefined,$(origin $(notdir $(1))_LIBS)),$(LIB_COMMON),$($(notdir $(1))_LIBS))

BINS := $(SERVICES:%=$(O)/bin/carillon-%) $(addprefix $(O)/bin/,$(notdir $(PROGRAM_DIRS)))
tests_in = $(patsubst %.c,$(O)/test/%,$(subst /test/,/,$(wildcard $(1)/test_*.c)))
fuzzers_in = $(patsubst %.c,$(O)/fuzz/%,$(subst /test/,/,$(wildcard $(1)/fuzz_*.c)))
TESTS := $(foreach d,$(TEST_DIRS),$(call tests_in,$(d)))
# Tests that have threads: their source includes <pthread.h>.
THREAD_TESTS := $(patsubst %.c,$(O)/test/%,$(subst /test/,/,$(shell grep -ls '<pthread\.h>' $(wildcard $(TEST_DIRS:%=%/test_*.c)))))
# Tests that try all their cases only in the program as it ships.
WHOLE_TESTS := $(foreach f,$(shell grep -ls 'tests/support/effort\.h' $(wildcard $(TEST_DIRS:%=%/test_*.c))),$(patsubst %.c,$(O)/test/%,$(subst /test/,/,$(f))))
FUZZERS := $(foreach d,$(TEST_DIRS),$(call fuzzers_in,$(d)))

# ---- compile, archive, link --------------------------------------------------------------------------------------------
# Changed flags or another compiler rebuild everything.
FLAGS_FILE := $(O)/flags
FLAGS_TEXT := $(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(WARN) $(LDFLAGS)
$(shell mkdir -p $(O) && { echo '$(FLAGS_TEXT)' | cmp -s - $(FLAGS_FILE) || echo '$(FLAGS_TEXT)' >$(FLAGS_FILE); })

compile = $(need_tools)$(Q)mkdir -p $(@D) && $(CCACHE) $(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(1) -MD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@.$$$$ && mv $@.$$$$ $@
# A test does little work itself, nor do a tool and libcommon/io: to optimise them would take longer than it saves. The exact mathematics
# decodes nothing, and the counters that steer the fuzzers would double its time.
test_flags = $(if $(SAN),$(if $(or $(findstring /test/,$(1)),$(filter tools/% tests/% libcommon/io/%,$(1))),-O0) $(if $(filter clang,$(CC_FAMILY)),$(if $(findstring /exact,$(1)),-fno-sanitize=fuzzer-no-link)))
$(O)/obj/%.o: %.c $(FLAGS_FILE) | $(GEN_H)
	$(call say,CC,$<)
	$(call compile,$(WARN) $(call test_flags,$<))
$(O)/obj/gen/%.o: $(GEN)/%.c $(FLAGS_FILE) | $(GEN_H)
	$(call say,CC,$<)
	$(call compile,-w)

$(GEN)/%.pb-c.c $(GEN)/%.pb-c.h &: proto/%.proto
	$(call say,PROTO,$<)
	$(need_tools)$(Q)mkdir -p $(GEN) && t=$$(mktemp -d $(GEN)/.XXXXXX) && { protoc-c -Iproto --c_out=$$t $< && mv $$t/$*.pb-c.c $$t/$*.pb-c.h $(GEN)/; \
	s=$$?; rm -rf $$t; exit $$s; }

# Quick append: files of one name in different folders are different members.
$(O)/lib/%.a:
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@.$$$$ && ar qcs $@.$$$$ $(filter %.o,$^) && mv $@.$$$$ $@
link = $(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) $(1) -o $@.$$$$ $(filter %.o,$^) $(filter %.a,$^) $(PKG_LIBS) -lm -lpthread $(2) \
	&& mv $@.$$$$ $@

# archive: name, folders. It also depends on the folders, whose times change when a file is removed.
define archive_of
$(O)/lib/lib$(1).a: $(call obj,$(3)) $(sort $(dir $(3)))
endef
archive = $(call archive_of,$(1),$(2),$(call below,$(2)))
$(O)/lib/libproto.a: $(GEN_C:$(GEN)/%.c=$(O)/obj/gen/%.o) proto
$(foreach l,$(LIBRARIES),$(eval $(call archive,$(l),libcommon/$(l))))
$(foreach s,$(SERVICES),$(foreach p,adapters core,$(if $(wildcard services/$(s)/$(p)/*.c),$(eval $(call archive,$(s)-$(p),services/$(s)/$(p))))))

define service
$(O)/bin/carillon-$(1): $(O)/obj/services/$(1)/main.o $(call service_libs,$(1))
	$$(call say,LD,$$@)
	$$(call link)
endef
$(foreach s,$(SERVICES),$(eval $(call service,$(s))))

# Benches of one service have a loop of their own, which comes first so that it is taken in the place of the real one.
-include tests/bench/bench.mk

define program
$(O)/bin/$(notdir $(1)): $(call obj,$(call below,$(1))) $(call program_libs,$(1))
	$$(call say,LD,$$@)
	$$(call link)
endef
$(foreach d,$(PROGRAM_DIRS),$(eval $(call program,$(d))))

-include tests/sim/sim.mk
include tools/fairness-wasm/wasm.mk

# The libraries that the tests of one folder are linked with: first what they test, of a service or a program, then all that is common.
test_libs = $(if $(filter services/%,$(1)),$(call service_libs,$(word 2,$(subst /, ,$(1)))),$(if $(wildcard $(1:/test=)/main.c),$(O)/lib/lib$(notdir \
	$(1:/test=))-program.a $(call program_libs,$(1:/test=))) $(LIB_COMMON))
$(foreach d,$(PROGRAM_DIRS),$(eval $(call archive_of,$(notdir $(d))-program,$(d),$(filter-out $(d)/main.c,$(call below,$(d))))))
# Other .c files of a test folder are helpers, linked into each of its programs.
# Games that the tests of the game library and of the engine share are in a library of their own.
helpers = $(call obj,$(filter-out $(1)/test_%.c $(1)/fuzz_%.c,$(wildcard $(1)/*.c))) $(O)/lib/libtest-games.a
$(eval $(call archive,test-games,tests/support/game))
# test_program: folder, source, program, link flags, libraries behind
define test_program
$(3): $(call obj,$(2)) $(call helpers,$(1)) $(call test_libs,$(1))
	$$(call say,LD,$$@)
	$$(call link,$(4),$(5))
endef
$(foreach d,$(TEST_DIRS),$(foreach t,$(wildcard $(d)/test_*.c),\
	$(eval $(call test_program,$(d),$(t),$(O)/test/$(subst /test/,/,$(t:.c=)),,$(CMOCKA_LIBS)))))
# libFuzzer is clang's.
ifneq ($(and $(SAN),$(filter clang,$(CC_FAMILY))),)
$(foreach d,$(TEST_DIRS),$(foreach t,$(wildcard $(d)/fuzz_*.c),\
	$(eval $(call test_program,$(d),$(t),$(O)/fuzz/$(subst /test/,/,$(t:.c=)),-fsanitize=fuzzer,$(CMOCKA_LIBS)))))
endif
.SECONDARY:
-include $(shell find $(O)/obj $(O)/sim/obj -name '*.d' 2>/dev/null)

# ---- what people ask for -----------------------------------------------------------------------------------------------
.PHONY: help all lib web tests thread-tests whole-tests fuzzers list-tests list-thread-tests list-whole-tests list-fuzzers setup run monitor stop status test test-long flakes test-unit test-threads fuzz bench rng-test chaos screenshots access browsers compose-test format format-check tidy clean
help:
	@echo 'Carillon. What can be made:'
	@echo '  make run [SECONDS=n] [PLAYERS=n] [SCALE=n]  the whole stack with simulated players, in the foreground (KAFKA=none: without Kafka; MONITOR=1: watched)'
	@echo '  make stop | status                          stop what runs under CARILLON_DATA (default var/), or look at it'
	@echo '  make monitor                                Prometheus and Alertmanager for what runs under CARILLON_DATA'
	@echo '  make setup                                  install what is missing (make run, test, bench and the like do this by themselves)'
	@echo '  make all [SAN=1|TSAN=1] [CC=clang]          services and tools (build/, build/asan/, build/tsan/, build/clang/)'
	@echo '  make test                                   everything: unit tests, threads, fuzzers, checks, simulator, end to end'
	@echo '  make test-long                              the same for longer: fuzzers 10 minutes, simulator 5, clang-tidy, each bench in its smallest form, and pictures of the pages'
	@echo '  make flakes RUNS=20 [NAME ..]               end-to-end tests again and again beside two busy programs: which fail, how often, how'
	@echo '  make test-unit | fuzz [SECONDS=n]           only the unit tests under ASan and UBSan; only the fuzzers'
	@echo '  make test-threads                           only the tests that have threads, under TSan'
	@echo '  make bench BENCH=e2e|profile|crowd|outage|doors|broadcast|http|wallet|pool|cost|math|proof|report|seal|history|verify [SHORT=1|TRY=1]  measure; results in build/bench/ (SHORT: a first look; TRY: does it work?)'
	@echo '  make sim [SECONDS=60] [SEED=n]              the services on fake servers with faults; whatever it finds, it prints the seed'
	@echo '  make rng-test [SEED=n]                      statistical batteries on the generator (minutes)'
	@echo '  make chaos [KILLS=n] [SEED=n] [ONLY=name]   accidents under load (200 kills and more, a quarter of an hour), then the proof; build/bench/chaos.json'
	@echo '  make screenshots [ONLY=name]                 pictures and films of every game, feature, window and failure; build/screenshots/index.html'
	@echo '  make access                                 axe, the keyboard alone, less motion, and what the page weighs'
	@echo '  make browsers                               one round of each game in Firefox and in WebKitGTK; pictures in build/browsers/'
	@echo '  make compose-test                           images, containers and 30 s of play in them'
	@echo '  make format | format-check                  clang-format'
	@echo '  make tidy [ROOMS=pure]                      clang-tidy over all libraries, services and tools; only over what is pure'
	@echo '  make clean                                  remove build/ (data in var/ and downloads in .cache/ stay)'
	@echo 'Options: -j2, V=1 (show commands), MARCH=native'
# The mathematics' tool has a short path of its own.
$(O)/slotmath: $(O)/bin/slotmath
	$(Q)ln -sf bin/slotmath $@
# The manual page follows from the table of commands. A program with a sanitizer in it may not run everywhere, and prints no other page.
MAN := build/share/man/man1/jackpotctl.1
$(MAN): build/bin/jackpotctl
	$(call say,MAN,$@)
	$(Q)mkdir -p $(@D) && $< manual >$@.$$$$ && mv $@.$$$$ $@
all: $(BINS) $(O)/slotmath web $(if $(filter build,$(O)),$(MAN))
lib: $(LIB_COMMON)
tests: $(TESTS)
thread-tests: $(THREAD_TESTS)
whole-tests: $(WHOLE_TESTS)
fuzzers: $(FUZZERS)
# For scripts/test.sh: what there should be, whether or not it can be built.
list-tests:
	@printf '%s\n' $(TESTS)
list-thread-tests:
	@printf '%s\n' $(THREAD_TESTS)
list-whole-tests:
	@printf '%s\n' $(WHOLE_TESTS)
list-fuzzers:
	@printf '%s\n' $(FUZZERS)
web: $(O)/bin/slotmath build/fairness.wasm
	$(Q)if [ -x scripts/web.sh ]; then scripts/web.sh; fi
setup:
	@scripts/setup.sh
run:
	@scripts/run.sh $(if $(SECONDS),--seconds=$(SECONDS)) $(if $(PLAYERS),--players=$(PLAYERS)) $(if $(SCALE),--scale=$(SCALE)) $(if $(KAFKA),--kafka=$(KAFKA)) $(if $(MONITOR),--monitor)
monitor:
	@scripts/monitor.sh start
stop:
	@scripts/run.sh --stop
status:
	@scripts/run.sh --status
test:
	@scripts/test.sh
test-long:
	@scripts/test.sh long
# make flakes RUNS=20 cash money: the names are goals that make nothing.
ifeq ($(firstword $(MAKECMDGOALS)),flakes)
FLAKES := $(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS))
$(FLAKES):;@:
.PHONY: $(FLAKES)
endif
flakes:
	@scripts/test.sh flakes $(or $(RUNS),20) $(FLAKES)
test-unit:
	@scripts/test.sh unit
test-threads:
	@scripts/test.sh threads
fuzz:
	@scripts/test.sh fuzz $(SECONDS)
bench:
	@scripts/bench.sh $(or $(BENCH),e2e) $(if $(TRY),--try,$(if $(SHORT)$(QUICK),--short))
rng-test:
	@scripts/rng-test.sh $(SEED)
chaos:
	@scripts/setup.sh chaos --quiet && $(MAKE) -s all && python3 tests/chaos/chaos.py $(if $(KILLS),--kills=$(KILLS)) $(if $(SEED),--seed=$(SEED)) $(if $(ONLY),--only=$(ONLY))
# Not part of `make test`: axe and the measurements want a machine of their own.
access:
	@scripts/setup.sh access --quiet && $(MAKE) -s all && CARILLON_TEST_BUILT=1 python3 tests/screens/access.py
screenshots:
	@scripts/setup.sh pictures --quiet && $(MAKE) -s all && CARILLON_TEST_BUILT=1 python3 tests/screens/screens.py $(ONLY)
browsers:
	@scripts/setup.sh browsers --quiet && $(MAKE) -s all && CARILLON_TEST_BUILT=1 python3 tests/screens/browsers.py
compose-test:
	@scripts/compose-test.sh
OUR_C = $(shell git ls-files -co --exclude-standard '*.c' '*.h')
format:
	@scripts/setup.sh format --quiet
	$(Q)clang-format -i $(OUR_C)
format-check:
	@scripts/setup.sh format --quiet
	$(Q)clang-format --dry-run -Werror $(OUR_C)
# A file that was found clean is not read again until it, what it includes or .clang-tidy changes (build/tidy/). ROOMS=pure: what decides
# about money and outcomes.
tidy: $(GEN_H)
	@scripts/setup.sh tidy --quiet
	$(Q)scripts/tidy.sh $(or $(ROOMS),all) -std=c11 $(CPPFLAGS)
clean:
	$(Q)rm -rf build
