# build/fairness.wasm: the core, the loader and libcommon/fair for browsers. What it is made of is listed, because each file costs every
# visitor of the page some bytes; the linker drops functions that nothing calls.
WASM_CC ?= clang
WASM_O := build/wasm
WASM_C := $(wildcard tools/fairness-wasm/*.c libcommon/fair/*.c libcommon/game/core/*.c libcommon/game/features/*/rule*.c libcommon/game/features/*/definition.c) \
	libcommon/game/features/cascade/cycle.c $(filter-out %/load.c %/returns.c,$(wildcard libcommon/game/definition/*.c)) \
	$(addprefix libcommon/game/exact/,spin_rank_build.c reel_machine.c machine_columns.c machine_lines.c) \
	$(addprefix libcommon/base/,currency.c hex.c hmac256.c portable_chacha20.c portable_sha256.c rng.c rng_health.c)
WASM_C := $(wildcard $(WASM_C))
WASM_OBJ := $(WASM_C:%.c=$(WASM_O)/%.o)
WASM_FLAGS := --target=wasm32-wasi -std=c11 -Os -ffunction-sections -fdata-sections -Itools/fairness-wasm/include -I.
# A struct game and a phase are on the stack of some functions.
WASM_LINK := -mexec-model=reactor -Wl,--gc-sections,--strip-all,--stack-first,-z,stack-size=2097152
$(WASM_O)/%.o: %.c tools/fairness-wasm/wasm.mk
	$(call say,WASM,$<)
	$(Q)mkdir -p $(@D) && $(WASM_CC) $(WASM_FLAGS) -Wall -Wextra -Werror -MD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@.$$$$ && mv $@.$$$$ $@
build/fairness.wasm: $(WASM_OBJ)
	$(call say,LD,$@)
	$(Q)$(WASM_CC) --target=wasm32-wasi $(WASM_LINK) -o $@.$$$$ $(WASM_OBJ) && mv $@.$$$$ $@
-include $(WASM_OBJ:.o=.d)
