# The wallet's and the pools' benches are these services with another loop (bench-loop), which is linked before the real one.
$(eval $(call archive,bench-loop,tests/bench/bench-loop))
wallet-bench_LIBS := $(O)/lib/libbench-loop.a $(call service_libs,wallet)
pool-bench_LIBS := $(O)/lib/libbench-loop.a $(call service_libs,progressive-pool)
# The broadcast's server is notifications without its feeds, which broadcast-bench defines itself.
broadcast-bench_LIBS := $(call service_libs,notifications)
