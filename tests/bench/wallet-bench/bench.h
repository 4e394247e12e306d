/* wallet-bench measures the wallet itself: its decoder, its rules, its one transaction with the
 * fence, on a real Postgres. What is left out is Kafka and nanomsg: commands are made here, and
 * what would leave after a commit is dropped. Read main.c first. */
#ifndef CARILLON_BENCH_WALLET_BENCH_BENCH_H
#define CARILLON_BENCH_WALLET_BENCH_BENCH_H

#include "libcommon/base/ids.h"
#include "libcommon/service/service.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_BATCH_MAX 8192

/* One simulated player: what the next command must say. */
struct bench_player {
	uint32_t move;	  /* the last one booked */
	uint32_t pending; /* minor units; the next bet releases them */
};

struct bench_players {
	struct bench_player *player; /* by number - 1 */
	uint32_t *ours;		     /* numbers - 1 of those whose shards this process holds */
	size_t n, ours_n, next;
	uint32_t shards;
	uint64_t records_n, records_bytes;
};

/* commands.c: a batch of wallet.commands, valid until the next call. */
enum bench_command { BENCH_OPEN, BENCH_DEPOSIT, BENCH_BET };
player_id bench_player_id(size_t at);
/* The next n (at most BENCH_BATCH_MAX) players of `ours` in turn, each with one command. What a
 * booked command leaves is noted at once: a refusal would show in the count of booked rounds. */
const struct kafka_message *bench_commands(
	struct bench_players *players, enum bench_command what, size_t n);

#endif
