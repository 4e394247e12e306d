/* What the files of the named schedules share. */
#ifndef CARILLON_SIM_WORLD_SCENARIO_H
#define CARILLON_SIM_WORLD_SCENARIO_H

#include "tests/sim/judge/book.h"
#include "tests/sim/sim.h"

#define LIMIT_US UINT64_C(240000000)
#define S UINT64_C(1000000)

/* Of what a schedule is about; counted by filters and hooks. */
extern uint64_t happened, also;
extern char scenario_source[]; /* of messages that a filter has made */

void scenario_run(uint64_t us);
/* So many rounds more; a world that stands still fails. */
void scenario_play(uint64_t rounds);
void scenario_begin(void);
void scenario_need(uint64_t count, uint64_t least, const char *what);
/* Nobody asks for anything: what is under way comes to its end. */
void scenario_rest(uint64_t us);
void scenario_end(void);

/* On their way: a command to the wallet, a claim to a pool, totals to a pool; NULL: none, or one
 * that a filter has made itself. To be freed. */
Carillon__WalletCommand *scenario_command(enum topic topic, const uint8_t *bytes, size_t n);
void scenario_command_free(Carillon__WalletCommand *command); /* NULL: nothing */
Carillon__JackpotFeed *scenario_feed(enum topic topic, const uint8_t *bytes, size_t n);
Carillon__JackpotFeed *scenario_totals(enum topic topic, const uint8_t *bytes, size_t n);
/* On nanomsg: a row for an engine; totals that a pool has asked for. */
bool scenario_is_verdict(const char *url, const uint8_t *bytes, size_t n);
bool scenario_is_answer(const char *url, const uint8_t *bytes, size_t n);
bool scenario_is_bet(const Carillon__WalletCommand *command);
/* A filter's own messages go to the same partition, as if another instance had sent them. */
void scenario_sign(Carillon__Envelope *envelope);
void scenario_send(const Carillon__WalletCommand *command);
void scenario_send_feed(Carillon__JackpotFeed *feed);
void scenario_feed_later(Carillon__JackpotFeed *feed, uint64_t us); /* and freed */

/* The schedules. */
void run_two_builds(void);
void run_kafka_tail(void);
void run_no_kafka(void);
void run_facts_lost(void);
void run_stakes_before(void);
void run_commit_publish(void);
void run_five_times(void);
void run_grant_between(void);
void run_zombie(void);
void run_expect_ahead(void);
void run_pick_early(void);
void run_postgres_away(void);
void run_permute(void);
void run_abandoned(void);
void run_retired(void);
void run_poison(void);
void run_poison_row(void);
void run_poison_state(void);
void run_poison_pool(void);
void run_poison_account(void);
void run_poison_claim(void);
void run_poison_award(void);
void run_poison_payout(void);
void run_unknown_kind(void);
void run_drained(void);

#endif
