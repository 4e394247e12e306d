/* Players who are quarantined: something stored about them cannot be read, by this build or by any.
 * Their commands are answered 503 `account_quarantined` and their rows are not taken. Everybody
 * else plays on. A release reads the rows again that were missed. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_QUARANTINE_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_QUARANTINE_H

#include "services/spin-engine/adapters/engine.h"

/* Quarantines a player, and raises an alarm. The next checkpoint writes it. Commands that wait are
 * answered. seq: the row that cannot be read. waits: another build may know it. */
__attribute__((format(printf, 5, 6))) void quarantine_put(struct engine *engine, struct seat *seat,
	uint64_t seq, bool waits, const char *format, ...);
/* Answers the request and frees it. */
void quarantine_answer(struct engine *engine, struct seat *seat, struct request *request);
/* Loads the quarantined players of a shard. Tries those that wait for another build. */
void quarantine_open(struct engine *engine, uint32_t shard);
/* Once a second: tries the players that an operator has released. */
void quarantine_tick(struct engine *engine);
/* Inside the transaction: writes new quarantines and deletes those that have ended. */
void quarantine_save(PGconn *conn, struct seats *seats);

#endif
