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
# build/ by gcc; build/asan/ with SAN=1; build/tsan/ with TSAN=1; build/clang/ with CC=clang; build/fuzz/ with FUZZ=1 (used by the
# fuzz targets).
ifeq ($(origin CC),default)
CC := gcc
endif
ifdef FUZZ
O := build/fuzz
else
O := build$(if $(findstring clang,$(CC)),/clang)$(if $(SAN),/asan)$(if $(TSAN),/tsan)
endif
ifneq ($(and $(SAN),$(TSAN)),)
$(error found SAN and TSAN, expected one of them: the sanitizers exclude each other)
endif
GEN := build/gen
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
# _GNU_SOURCE is defined empty, so that a file may define it again without a warning. Generated headers count as a library's: their macros
# cast away const.
CPPFLAGS += -I. -isystem $(GEN) -D_GNU_SOURCE= $(PKG_CFLAGS)
BASE_CFLAGS := -std=c11 $(if $(or $(SAN),$(TSAN),$(FUZZ)),-g1,-g) -fno-omit-frame-pointer -fstack-protector-strong $(if $(MARCH),-march=$(MARCH))
LDFLAGS += -Wl,--as-needed
ifdef FUZZ
BASE_CFLAGS += -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
LDFLAGS += -fsanitize=address,undefined
else ifdef SAN
BASE_CFLAGS += -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
LDFLAGS += -fsanitize=address,undefined
# The sanitizers' own checks hide from gcc what was tested and what was set, so these cry wolf there.
WARN += -Wno-null-dereference $(if $(findstring gcc,$(CC)),-Wno-maybe-uninitialized)
else ifdef TSAN
BASE_CFLAGS += -O1 -fsanitize=thread
LDFLAGS += -fsanitize=thread
WARN += -Wno-null-dereference $(if $(findstring gcc,$(CC)),-Wno-maybe-uninitialized)
else
BASE_CFLAGS += -O2 -D_FORTIFY_SOURCE=2
endif
ALL_CFLAGS = $(BASE_CFLAGS) $(CFLAGS)

# ---- what there is -----------------------------------------------------------------------------------------------------
dirs = $(notdir $(patsubst %/,%,$(dir $(wildcard $(1)))))
SERVICES := $(call dirs,services/*/main.c)
SERVICE_PARTS := core exact simulate adapters
SERVICE_DIRS := $(sort $(SERVICES) $(foreach p,$(SERVICE_PARTS),$(patsubst services/%/$(p)/,%,$(dir $(wildcard services/*/$(p)/*.c)))))
# The simulator is no tool like the others: see below.
TOOLS := $(filter-out sim,$(call dirs,tools/*/main.c))
TOOL_DIRS := $(sort $(call dirs,tools/*/*.c))
COMMON_DIRS := $(sort $(call dirs,libcommon/*/*.c))
PROTOS := $(notdir $(basename $(wildcard proto/*.proto)))
GEN_C := $(PROTOS:%=$(GEN)/%.pb-c.c)
GEN_H := $(PROTOS:%=$(GEN)/%.pb-c.h)
TEST_DIRS := $(patsubst %/,%,$(sort $(dir $(wildcard proto/test/*.c libcommon/*/test/*.c services/*/test/*.c tools/*/test/*.c))))

obj = $(patsubst %.c,$(O)/obj/%.o,$(1))
lib = $(if $(wildcard $(2)),$(O)/lib/lib$(1).a)
# What everything may use, in the order in which the linker must see it.
LIB_COMMON := $(call lib,io,libcommon/io/*.c) $(call lib,proto,proto/*.proto) $(call lib,base,libcommon/base/*.c)
service_libs = $(foreach p,adapters simulate exact core,$(call lib,$(1)-$(p),services/$(1)/$(p)/*.c)) $(LIB_COMMON)
# The tools that need the games' mathematics share the engine's core and its loader of definitions.
TOOL_LIBS := $(call lib,definition,services/spin-engine/adapters/definition_*.c) \
	$(call lib,progressive-pool-core,services/progressive-pool/core/*.c) \
	$(foreach p,simulate exact core,$(call lib,spin-engine-$(p),services/spin-engine/$(p)/*.c)) $(LIB_COMMON)

# The stack is started by these, so they must build when nothing else does: no library of ours.
ALONE := carillon-supervisor kafka-topics kafka-embedded
# These are a service with another loop, which comes first so that it is taken in the place of the real one.
bench_libs = $(O)/lib/libtool-bench-loop.a $(call service_libs,$(1))
tool_libs = $(if $(filter $(1),$(ALONE)),,$(if $(filter $(1),wallet-bench),$(call bench_libs,wallet),$(if $(filter \
	$(1),pool-bench),$(call bench_libs,progressive-pool),$(TOOL_LIBS))))

BINS := $(SERVICES:%=$(O)/bin/carillon-%) $(TOOLS:%=$(O)/bin/%)
tests_in = $(patsubst %.c,$(O)/test/%,$(subst /test/,/,$(wildcard $(1)/test_*.c)))
fuzzers_in = $(patsubst %.c,$(O)/%,$(subst /test/,/,$(wildcard $(1)/fuzz_*.c)))
TESTS := $(foreach d,$(TEST_DIRS),$(call tests_in,$(d)))
# Tests that have threads: their source includes <pthread.h>.
THREAD_TESTS := $(patsubst %.c,$(O)/test/%,$(subst /test/,/,$(shell grep -ls '<pthread\.h>' $(wildcard $(TEST_DIRS:%=%/test_*.c)))))
FUZZERS := $(foreach d,$(TEST_DIRS),$(call fuzzers_in,$(d)))

# ---- compile, archive, link --------------------------------------------------------------------------------------------
# Changed flags or another compiler rebuild everything.
FLAGS_FILE := $(O)/flags
FLAGS_TEXT := $(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(WARN) $(LDFLAGS)
$(shell mkdir -p $(O) && { echo '$(FLAGS_TEXT)' | cmp -s - $(FLAGS_FILE) || echo '$(FLAGS_TEXT)' >$(FLAGS_FILE); })

compile = $(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(1) -MD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@.$$$$ && mv $@.$$$$ $@
$(O)/obj/%.o: %.c $(FLAGS_FILE) | $(GEN_H)
	$(call say,CC,$<)
	$(call compile,$(WARN))
$(O)/obj/gen/%.o: $(GEN)/%.c $(FLAGS_FILE) | $(GEN_H)
	$(call say,CC,$<)
	$(call compile,-w)

$(GEN)/%.pb-c.c $(GEN)/%.pb-c.h &: proto/%.proto
	$(call say,PROTO,$<)
	$(Q)mkdir -p $(GEN) && t=$$(mktemp -d $(GEN)/.XXXXXX) && { protoc-c -Iproto --c_out=$$t $< && mv $$t/$*.pb-c.c $$t/$*.pb-c.h $(GEN)/; \
	s=$$?; rm -rf $$t; exit $$s; }

# An archive also depends on its folder, whose time changes when a file is removed.
$(O)/lib/%.a:
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@.$$$$ && ar rcs $@.$$$$ $(filter %.o,$^) && mv $@.$$$$ $@
link = $(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) $(1) -o $@.$$$$ $(filter %.o,$^) $(filter %.a,$^) $(PKG_LIBS) -lm -lpthread $(2) \
	&& mv $@.$$$$ $@

# archive: name, folder, sources
define archive
$(O)/lib/lib$(1).a: $(call obj,$(3)) $(2)
endef
$(O)/lib/libproto.a: $(GEN_C:$(GEN)/%.c=$(O)/obj/gen/%.o) proto
$(foreach d,$(COMMON_DIRS),$(eval $(call archive,$(d),libcommon/$(d),$(wildcard libcommon/$(d)/*.c))))
$(foreach s,$(SERVICE_DIRS),$(foreach p,$(SERVICE_PARTS),$(if $(wildcard services/$(s)/$(p)/*.c),\
	$(eval $(call archive,$(s)-$(p),services/$(s)/$(p),$(wildcard services/$(s)/$(p)/*.c))))))
$(eval $(call archive,definition,services/spin-engine/adapters,$(wildcard services/spin-engine/adapters/definition_*.c)))
$(foreach t,$(TOOL_DIRS),$(eval $(call archive,tool-$(t),tools/$(t),$(filter-out %/main.c,$(wildcard tools/$(t)/*.c)))))

define service
$(O)/bin/carillon-$(1): $(O)/obj/services/$(1)/main.o $(call service_libs,$(1))
	$$(call say,LD,$$@)
	$$(call link)
endef
$(foreach s,$(SERVICES),$(eval $(call service,$(s))))

define tool
$(O)/bin/$(1): $(call obj,$(wildcard tools/$(1)/*.c)) $(call tool_libs,$(1))
	$$(call say,LD,$$@)
	$$(call link)
endef
$(foreach t,$(TOOLS),$(eval $(call tool,$(t))))

# The simulator (docs/simulator.md): each sharded service as a library that leaves the outside world undefined, and a program that
# defines it. What the services' code asks of the system is renamed to __wrap_*, so that nobody else's calls are touched.
SIM_SERVICES := wallet spin-engine progressive-pool jackpot-cards payments
SIM_FAKED := $(patsubst %,libcommon/io/%.c,kafka kafka_consumer kafka_producer nn_bus redis_link clock log health metrics) \
	$(wildcard libcommon/io/edge*.c libcommon/io/http_*.c) $(wildcard services/spin-engine/adapters/definition_prove.c \
	services/spin-engine/adapters/definition_returns.c)
SIM_WRAPPED := malloc calloc realloc free strdup epoll_create1 epoll_ctl epoll_wait signalfd sigprocmask signal usleep getpid read close exit \
	_exit __assert_fail randombytes_buf sodium_malloc sodium_free sodium_mlock
SIM_SOS := $(SIM_SERVICES:%=$(O)/sim/carillon-%.so)
# It is measured by how much it has tried: what guards the real programs against attackers is left out.
SIM_CFLAGS := -fPIC -fno-semantic-interposition -fno-plt -fno-stack-protector -U_FORTIFY_SOURCE
sim_obj = $(patsubst %.c,$(O)/sim/obj/%.o,$(1))
sim_sources = $(filter-out $(SIM_FAKED),$(foreach p,$(SERVICE_PARTS),$(wildcard services/$(1)/$(p)/*.c)) $(wildcard libcommon/io/*.c) \
	$(wildcard libcommon/base/*.c))
$(O)/sim/obj/%.o: %.c $(FLAGS_FILE) | $(GEN_H)
	$(call say,CC,$< for sim)
	$(call compile,$(WARN) $(SIM_CFLAGS))
$(O)/sim/obj/gen/%.o: $(GEN)/%.c $(FLAGS_FILE) | $(GEN_H)
	$(call say,CC,$< for sim)
	$(call compile,-w $(SIM_CFLAGS))
comma := ,
define sim_service
$(O)/sim/lib/$(1).a: $(call sim_obj,$(call sim_sources,$(1))) $(GEN_C:$(GEN)/%.c=$(O)/sim/obj/gen/%.o)
	$$(call say,AR,$$@)
	$(Q)mkdir -p $$(@D) && rm -f $$@.$$$$$$$$ && ar rcs $$@.$$$$$$$$ $$(filter %.o,$$^) && mv $$@.$$$$$$$$ $$@
$(O)/sim/carillon-$(1).so: $(O)/sim/obj/services/$(1)/main.o $(call sim_obj,$(wildcard tools/sim/service/$(1).c)) $(O)/sim/lib/$(1).a
	$$(call say,LD,$$@)
	$(Q)mkdir -p $$(@D) && $(CC) -shared $(ALL_CFLAGS) -Wl,-Bsymbolic $(SIM_WRAPPED:%=-Wl,--wrap=%) -o $$@.$$$$$$$$ $$(filter %.o,$$^) \
	$$(filter %.a,$$^) $(SIM_LIBS) && mv $$@.$$$$$$$$ $$@
endef
# Those that allocate are linked in, so that what they allocate goes with their instance.
SIM_LIBS := -Wl,-Bstatic -lprotobuf-c -Wl,-Bdynamic -ljansson -lsodium -lcrypto -lgmp -lm
$(foreach s,$(SIM_SERVICES),$(eval $(call sim_service,$(s))))
SIM_CORES := $(foreach s,gateway notifications,$(call lib,$(s)-core,services/$(s)/core/*.c)) $(call lib,proto,proto/*.proto) \
	$(call lib,base,libcommon/base/*.c)
$(O)/bin/sim: $(call sim_obj,$(wildcard tools/sim/*.c)) $(SIM_CORES)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -rdynamic -o $@.$$$$ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group \
	-lprotobuf-c -ljansson -lsodium -lcrypto -ldl -lm && mv $@.$$$$ $@

# The libraries that the tests of one folder are linked with.
kind = $(firstword $(subst /, ,$(1)))
module = $(word 2,$(subst /, ,$(1)))
test_libs = $(if $(filter services,$(call kind,$(1))),$(call service_libs,$(call module,$(1))),$(if $(filter tools,$(call kind,$(1))),\
	$(if $(filter-out %/main.c,$(wildcard tools/$(call module,$(1))/*.c)),$(O)/lib/libtool-$(call module,$(1)).a) $(call tool_libs,$(call module,$(1))),$(LIB_COMMON)))
# Other .c files of a test folder are helpers, linked into each of its programs.
helpers = $(call obj,$(filter-out $(1)/test_%.c $(1)/fuzz_%.c,$(wildcard $(1)/*.c)))
# test_program: folder, source, program, link flags, libraries behind
define test_program
$(3): $(call obj,$(2)) $(call helpers,$(1)) $(call test_libs,$(1))
	$$(call say,LD,$$@)
	$$(call link,$(4),$(5))
endef
$(foreach d,$(TEST_DIRS),$(foreach t,$(wildcard $(d)/test_*.c),\
	$(eval $(call test_program,$(d),$(t),$(O)/test/$(subst /test/,/,$(t:.c=)),,$(CMOCKA_LIBS)))))
ifdef FUZZ
$(foreach d,$(TEST_DIRS),$(foreach t,$(wildcard $(d)/fuzz_*.c),\
	$(eval $(call test_program,$(d),$(t),$(O)/$(subst /test/,/,$(t:.c=)),-fsanitize=fuzzer,$(CMOCKA_LIBS)))))
.PHONY: fuzz-programs
fuzz-programs: $(FUZZERS)
else
build/fuzz/%: FORCE
	@$(MAKE) --no-print-directory FUZZ=1 CC=clang $@
.PHONY: fuzz-programs
fuzz-programs:
	@$(MAKE) --no-print-directory FUZZ=1 CC=clang $@
endif
FORCE:
.SECONDARY:
-include $(shell find $(O)/obj $(O)/sim/obj -name '*.d' 2>/dev/null)

# ---- what people ask for -----------------------------------------------------------------------------------------------
.PHONY: help all lib web tests thread-tests list-tests list-thread-tests list-fuzzers setup run stop status test test-unit test-threads fuzz bench rng-test chaos compose-test format format-check tidy clean FORCE sim sim-parts sim-mutant
help:
	@echo 'Carillon. What can be made:'
	@echo '  make run [SECONDS=n] [PLAYERS=n] [SCALE=n]  the whole stack with simulated players, in the foreground (KAFKA=embedded: no Kafka)'
	@echo '  make stop | status                          stop what runs under CARILLON_DATA (default var/), or look at it'
	@echo '  make setup                                  install what is missing (make run does this by itself)'
	@echo '  make all [SAN=1|TSAN=1] [CC=clang]          services and tools (build/, build/asan/, build/tsan/, build/clang/)'
	@echo '  make test                                   everything: unit tests, threads, fuzzers, purity, end to end'
	@echo '  make test-unit | fuzz [SECONDS=n]           only the unit tests under ASan and UBSan; only the fuzzers'
	@echo '  make test-threads                           only the tests that have threads, under TSan'
	@echo '  make bench BENCH=e2e|wallet|pool|cost|math [QUICK=1]  measure; results in build/bench/ (QUICK: shorter)'
	@echo '  make sim [SECONDS=60] [SEED=n]              the services on fake servers with faults; whatever it finds, it prints the seed'
	@echo '  make rng-test [SEED=n]                      statistical batteries on the generator (minutes)'
	@echo '  make chaos [KILLS=n] [SEED=n] [ONLY=name]   accidents under load (200 kills and more, a quarter of an hour), then the proof; build/bench/chaos.json'
	@echo '  make compose-test                           images, containers and 30 s of play in them'
	@echo '  make format | format-check                  clang-format'
	@echo '  make tidy                                   clang-tidy over libcommon/base and services/*/core'
	@echo '  make clean                                  remove build/ (data in var/ and downloads in .cache/ stay)'
	@echo 'Options: -j2, V=1 (show commands), MARCH=native'
# The mathematics' tool has a short path of its own.
SHORT_PATH := $(if $(filter slotmath,$(TOOLS)),$(O)/slotmath)
$(O)/slotmath: $(O)/bin/slotmath
	$(Q)ln -sf bin/slotmath $@
all: $(BINS) $(SHORT_PATH) web
sim: $(O)/bin/sim $(SIM_SOS)
	$(Q)$(O)/bin/sim --sos=$(O)/sim --seconds=$(or $(SECONDS),60) $(if $(SEED),--seed=$(SEED))
sim-parts: $(O)/bin/sim $(SIM_SOS)
# One service with some of its sources exchanged (tests/sim/mutations.py): SERVICE, SOURCES, INTO.
sim-mutant:
	$(Q)$(CC) -shared $(CPPFLAGS) $(ALL_CFLAGS) -w -fPIC -Wl,-Bsymbolic $(SIM_WRAPPED:%=-Wl,--wrap=%) -o $(INTO) $(SOURCES) \
	$(O)/sim/obj/services/$(SERVICE)/main.o $(call sim_obj,$(wildcard tools/sim/service/$(SERVICE).c)) $(O)/sim/lib/$(SERVICE).a $(SIM_LIBS)
lib: $(filter %.a,$(LIB_COMMON) $(foreach s,$(SERVICE_DIRS),$(call service_libs,$(s))))
tests: $(TESTS)
thread-tests: $(THREAD_TESTS)
# For scripts/test.sh: what there should be, whether or not it can be built.
list-tests:
	@printf '%s\n' $(TESTS)
list-thread-tests:
	@printf '%s\n' $(THREAD_TESTS)
list-fuzzers:
	@printf '%s\n' $(FUZZERS:$(O)/%=build/fuzz/%)
web: $(O)/bin/slotmath
	$(Q)if [ -x scripts/web.sh ]; then scripts/web.sh; fi
setup:
	@scripts/setup.sh
run:
	@scripts/run.sh $(if $(SECONDS),--seconds=$(SECONDS)) $(if $(PLAYERS),--players=$(PLAYERS)) $(if $(SCALE),--scale=$(SCALE)) $(if $(KAFKA),--kafka=$(KAFKA))
stop:
	@scripts/run.sh --stop
status:
	@scripts/run.sh --status
test:
	@scripts/test.sh
test-unit:
	@scripts/test.sh unit
test-threads:
	@scripts/test.sh threads
fuzz:
	@scripts/test.sh fuzz $(SECONDS)
bench:
	@scripts/bench.sh $(or $(BENCH),e2e) $(if $(QUICK),--short)
rng-test:
	@scripts/rng-test.sh $(SEED)
chaos:
	@scripts/setup.sh --quiet && $(MAKE) -s all && python3 tests/chaos/chaos.py $(if $(KILLS),--kills=$(KILLS)) $(if $(SEED),--seed=$(SEED)) $(if $(ONLY),--only=$(ONLY))
compose-test:
	@scripts/compose-test.sh
OUR_C = $(shell git ls-files -co --exclude-standard '*.c' '*.h')
format:
	$(Q)clang-format -i $(OUR_C)
format-check:
	$(Q)clang-format --dry-run -Werror $(OUR_C)
# What decides about money and outcomes; all of the tree would take many minutes.
tidy: $(GEN_H)
	$(Q)clang-tidy --quiet $(wildcard libcommon/base/*.c services/*/core/*.c) -- -std=c11 $(CPPFLAGS)
clean:
	$(Q)rm -rf build
