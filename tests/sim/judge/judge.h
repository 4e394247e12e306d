/* What must be true, recomputed from the rows themselves: nothing that a service has summed is
 * taken for granted. judge.c reads the journal as it grows and keeps accounts, pendings, tallies
 * and claims of its own; pool.c prices every hit again; replies.c compares what players
 * and back ends were told; judge_final holds everything against everything at rest. A breach ends
 * the run by sim_fail, with the row. */
#ifndef CARILLON_SIM_JUDGE_JUDGE_H
#define CARILLON_SIM_JUDGE_JUDGE_H

#include "tests/sim/clients/clients.h"

void judge_world_begin(void);
void judge_world_end(void);
/* A player's window was answered. */
void judge_reply_spin(const struct window *window, const Carillon__SpinReply *reply);
void judge_reply_card(const struct client *client, const Carillon__CardReply *reply);
/* A player has been told the result of a bet; a bet or a pick goes to the services, perhaps again.
 */
void judge_told(uint32_t shard, uint64_t seq);
void judge_bet_sent(const uint8_t request_id[REQUEST_ID_BYTES]);
void judge_pick_sent(int64_t player, uint64_t move, uint32_t index, uint32_t pick);
/* A back end was answered: the id of its request, and the amount it asked for (signed effect). */
void judge_reply_fact(const struct backend *backend, const uint8_t id[REQUEST_ID_BYTES],
	const Carillon__WalletFact *fact);
/* Voided rounds: is the round voided, and was a back end told so? */
bool judge_is_void(int64_t player, uint64_t round);
void judge_reply_void(int64_t player, uint64_t round);
/* Any round that the player has begun, among the last ones; game_r: of which game. 0: none. */
uint64_t judge_a_round(int64_t player, uint32_t *game_r);
/* Withdrawals: neither paid nor given back; whose; payments.payout.outcome of them (0: none); and
 * the provider is asked to pay one. */
bool judge_hold_open(const uint8_t id[REQUEST_ID_BYTES]);
int64_t judge_holder(const uint8_t id[REQUEST_ID_BYTES]);
int64_t judge_payout_outcome(const uint8_t id[REQUEST_ID_BYTES]);
bool judge_payout_asked(const uint8_t id[REQUEST_ID_BYTES]);
int64_t judge_decision(const uint8_t id[REQUEST_ID_BYTES]); /* by hand: MoveKind; 0: none */
void judge_pay_request(const uint8_t id[REQUEST_ID_BYTES], int64_t amount, const char *currency);
/* Accepted bets so far. */
uint64_t judge_rounds(void);
/* True: a schedule spoils what is stored, or puts it right; no service did it. */
void judge_look_away(bool from_now);
/* What is stored about this pool or set is spoiled, so it is not compared; 0: of none. */
void judge_pool_spoiled(uint32_t pool);
/* True: a schedule spoils payments.payout, so that there are alarms about it. */
void judge_payout_spoiled(bool from_now);
/* Everything that services owe each other is done; else what is not, in words. */
bool judge_settled(char *what, size_t room);

#endif
