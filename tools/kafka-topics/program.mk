# The stack is started by it, so it builds when nothing else does: no library of ours but what logs in to Kafka.
kafka-topics_LIBS := $(O)/lib/libio.a $(O)/lib/libbase.a
