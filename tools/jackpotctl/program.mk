# Replays pools by their service's own core; the roles of users are the gateway's.
jackpotctl_LIBS := $(O)/lib/libprogressive-pool-core.a $(O)/lib/libgateway-core.a $(LIB_COMMON)
