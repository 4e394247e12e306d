# Replays pools by their service's own core.
jackpotctl_LIBS := $(O)/lib/libprogressive-pool-core.a $(LIB_COMMON)
