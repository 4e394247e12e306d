# The simulator (docs/simulator.md): each sharded service as a library that leaves the outside world undefined, and a program that
# defines it. What is put in the place of NAME is called __wrap_NAME, and the linker sends the calls there: so no index of the code
# takes a fake for the real one, and what the program itself asks of the system is not touched.
SIM_SERVICES := wallet spin-engine progressive-pool jackpot-cards payments
SIM_FAKED := $(patsubst %,libcommon/io/%.c,kafka kafka_consumer kafka_login kafka_producer nn_bus redis_link clock log health metrics in_hand deadline) \
	$(patsubst %,libcommon/game/definition/%.c,prove returns)
SIM_WRAPPED := malloc calloc realloc free strdup epoll_create1 epoll_ctl epoll_wait signalfd sigprocmask signal usleep getpid read close exit \
	_exit __assert_fail randombytes_buf sodium_malloc sodium_free sodium_mlock definition_prove definition_prove_returns
# What the libraries and modules are faked by, told by the FAKE lines of tests/sim/fake.h: wrapped for the program too, which calls some.
SIM_FAKES := $(shell sed -n 's/^FAKE(\([A-Za-z0-9_]*\));/\1/p' tests/sim/servers/*.c tests/sim/postgres/*.c)
SIM_FAKES_FILE := $(O)/sim/fakes
$(shell mkdir -p $(O)/sim && { echo '$(SIM_FAKES)' | cmp -s - $(SIM_FAKES_FILE) || echo '$(SIM_FAKES)' >$(SIM_FAKES_FILE); })
# What an instance seals and opens with is called from outside of its library.
SIM_SEAL := begin list close open
sim_wrap = $(1:%=-Wl,--wrap=%)
SIM_SOS := $(SIM_SERVICES:%=$(O)/sim/carillon-%.so)
# It is measured by how much it has tried: what guards the real programs against attackers is left out. A trace shows lines, and nobody looks at variables (-g1).
SIM_CFLAGS := -g1 -fPIC -fno-semantic-interposition -fno-plt -fno-stack-protector -U_FORTIFY_SOURCE
sim_obj = $(patsubst %.c,$(O)/sim/obj/%.o,$(1))
SIM_COMMON := $(filter-out $(SIM_FAKED),$(call below,$(LIBRARIES:%=libcommon/%)))
$(O)/sim/obj/%.o: %.c $(FLAGS_FILE) | $(GEN_H)
	$(call say,CC,$< for sim)
	$(call compile,$(WARN) $(SIM_CFLAGS))
$(O)/sim/obj/gen/%.o: $(GEN)/%.c $(FLAGS_FILE) | $(GEN_H)
	$(call say,CC,$< for sim)
	$(call compile,-w $(SIM_CFLAGS))
$(O)/sim/lib/common.a: $(call sim_obj,$(filter-out libcommon/edge/%,$(SIM_COMMON))) $(GEN_C:$(GEN)/%.c=$(O)/sim/obj/gen/%.o)
sim_archive = $(Q)mkdir -p $(@D) && rm -f $@.$$$$ && ar qcs $@.$$$$ $(filter %.o,$^) && mv $@.$$$$ $@
sim_link = -shared $(ALL_CFLAGS) -Wl,-Bsymbolic $(call sim_wrap,$(SIM_WRAPPED) $(SIM_FAKES)) \
	$(SIM_SEAL:%=-Wl,-u,seal_box_%)
$(O)/sim/lib/%.a:
	$(call say,AR,$@)
	$(sim_archive)
# What a service is linked from, in this order: its main, what the simulator puts in the place of something, its own files, ours.
sim_parts = $(O)/sim/obj/services/$(1)/main.o $(call sim_obj,$(wildcard tests/sim/service/$(1).c)) $(O)/sim/lib/$(1).a $(O)/sim/lib/common.a
define sim_service
$(O)/sim/lib/$(1).a: $(call sim_obj,$(foreach p,core adapters,$(call below,services/$(1)/$(p))))
$(O)/sim/carillon-$(1).so: $(call sim_parts,$(1)) $(SIM_FAKES_FILE)
	$$(call say,LD,$$@)
	$(Q)mkdir -p $$(@D) && $(CC) $(sim_link) -o $$@.$$$$$$$$ $(call sim_parts,$(1)) $(SIM_LIBS) && mv $$@.$$$$$$$$ $$@
endef
# Those that allocate are linked in, so that what they allocate goes with their instance.
SIM_LIBS := -Wl,-Bstatic -lprotobuf-c -Wl,-Bdynamic -ljansson -lsodium -lcrypto -lgmp -lm
$(foreach s,$(SIM_SERVICES),$(eval $(call sim_service,$(s))))
# What the program uses of the libraries itself.
SIM_OURS := libcommon/io/seal.c libcommon/io/seal_keys.c libcommon/io/key_files.c libcommon/io/seal_box.c libcommon/service/permit.c
SIM_CORES := $(foreach s,gateway notifications,$(O)/lib/lib$(s)-core.a) $(foreach l,jackpot proto base,$(O)/lib/lib$(l).a)
$(O)/bin/sim: $(call sim_obj,$(filter-out tests/sim/service/%,$(call below,tests/sim)) $(SIM_OURS)) $(SIM_CORES) $(SIM_FAKES_FILE)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -rdynamic $(call sim_wrap,$(SIM_FAKES)) -o $@.$$$$ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group \
	-lprotobuf-c -ljansson -lsodium -lcrypto -ldl -lm && mv $@.$$$$ $@
# For its own tests: what is faked, without the program. A test defines some of it itself, which lld takes for defined twice.
$(eval $(call archive,sim-program,$(patsubst %,tests/sim/%,world servers postgres clients judge)))
$(O)/test/tests/sim/test_%: private LDFLAGS += $(call sim_wrap,$(SIM_FAKES)) $(if $(SAN),-fuse-ld=bfd)

.PHONY: sim sim-parts
sim: sim-parts
	$(Q)$(O)/bin/sim --sos=$(O)/sim --seconds=$(or $(SECONDS),60) $(if $(SEED),--seed=$(SEED))
sim-parts: $(O)/bin/sim $(SIM_SOS)
# One service with some of its sources exchanged (tests/sim/mutations.py): SERVICE, SOURCES, INTO.
.PHONY: sim-mutant
sim-mutant:
	$(Q)$(CC) $(CPPFLAGS) -w -fPIC $(sim_link) -o $(INTO) $(SOURCES) $(call sim_parts,$(SERVICE)) $(SIM_LIBS)
