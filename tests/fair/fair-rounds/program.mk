# The engine's view of a round, in the gateway's JSON.
$(O)/lib/libgateway-json.a: $(O)/obj/services/gateway/adapters/json_out.o
fair-rounds_LIBS := $(O)/lib/libgateway-json.a $(call service_libs,spin-engine)
