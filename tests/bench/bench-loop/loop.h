/* What the benchmarks of one service have in place of libcommon/service/service.c's loop and of
 * what sends: the service's callbacks, its leases, its fence and its transaction are the real ones;
 * messages come from the caller, and what would leave after a commit is copied and dropped. */
#ifndef CARILLON_BENCH_BENCH_LOOP_LOOP_H
#define CARILLON_BENCH_BENCH_LOOP_LOOP_H

#include "libcommon/io/log.h"
#include "libcommon/service/service.h"

#include <stddef.h>
#include <stdint.h>

struct bench_sent {
	uint64_t messages, bytes;
};

/* Connects and takes shards by lease as every instance does; `held` of them when others share, 0:
 * all. */
struct service *bench_loop_start(const struct service_ops *ops, enum log_level level, size_t held);
/* One turn: the service's callbacks for the messages, its tick, then the transaction if it is asked
 * for. Returns the microseconds from begin to the return of commit, 0: there was none. */
uint64_t bench_loop_turn(struct service *service, const struct kafka_message *messages, size_t n);
void bench_loop_end(struct service *service);
/* All that would have left. */
struct bench_sent bench_loop_sent(void);

/* Of this process: memory in use, and processor time since its start. */
uint64_t bench_rss_bytes(void);
double bench_cpu_us(void);

#endif
