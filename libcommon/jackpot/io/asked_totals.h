/* Requests the wallet's running totals before a jackpot is priced, for both jackpot services. So
 * the price includes every bet, on any shard, that was answered before the player sent the winning
 * bet.
 *
 * A pool sends a request to the owner of each wallet shard by nanomsg. One request serves all
 * claims that came before it. Claims that come while it is open wait for the next request. The
 * wallet replies after a commit, which proves that it owns the shard. If a shard does not reply
 * within ASKED_TOTALS_SILENT_US, or has no owner, the pool reads its totals from the database
 * (shard_totals.h). If no reading succeeds within ASKED_TOTALS_GIVE_UP_US of the request, the pool
 * leaves the shard out: it raises an alarm, and the hit names the shard.
 *
 * While jackpot.feed brings nothing, a pool also sends a request every ASKED_TOTALS_QUIET_US, so
 * that its counters keep growing while Kafka is away.
 *
 * Nothing blocks: a claim waits in its pool, and the service calls asked_totals_turn each turn. */
#ifndef CARILLON_JACKPOT_IO_ASKED_TOTALS_H
#define CARILLON_JACKPOT_IO_ASKED_TOTALS_H

#include "bus.pb-c.h"
#include "libcommon/jackpot/io/jackpot_totals.h"

#define ASKED_TOTALS_SILENT_US 250000u
#define ASKED_TOTALS_GIVE_UP_US 2000000u
#define ASKED_TOTALS_QUIET_US 3000000u /* the wallet sends its totals every second */
#define ASKED_TOTALS_TEXT_MAX (SHARDS_MAX * 4 + 4)

/* The state of a pool's requests. Zeroed at the start; part of the pool's struct. */
struct asked_totals {
	uint64_t number;      /* of the last request; 0: none yet */
	bool wanted;	      /* some claim waits for the next request */
	uint32_t silent;      /* how many shards have not replied to the last request */
	uint64_t heard_us;    /* when the feed last brought totals, or a request was last sent
				 because it brought none; monotonic */
	uint64_t asked_us;    /* when the last request was sent; monotonic */
	uint64_t read_us;     /* the last attempt to read silent shards, monotonic; 0: none */
	bool has[SHARDS_MAX]; /* the shard has replied or was read; by wallet shard */
	bool left_out[SHARDS_MAX];
};

/* What this module needs of a pool. */
struct asked_totals_pool {
	struct asked_totals *asked;
	struct pool_source *source;
	const struct jackpot_taker *taker;
	bool *dirty; /* as in jackpot_totals_take */
};

/* The number of the request that a claim must wait for if it arrives now: the next one. */
uint64_t asked_totals_want(struct asked_totals *asked);
/* True when every shard that is not left out has replied to that request or was read. */
bool asked_totals_complete(const struct asked_totals *asked, uint64_t number);
/* While the last request is incomplete, reads the shards that are silent. Otherwise sends the next
 * request, if a claim waits for it or the feed has brought nothing for a while. The next request
 * replaces the last one, so the caller must price the claims of the last one before this call.
 * After the call, source->vector may have grown. The caller must book this growth as contributions
 * before it prices any further claim. */
void asked_totals_turn(
	struct service *service, const struct asked_totals_pool *pool, uint64_t mono_us);
/* The feed has brought totals. */
void asked_totals_heard(struct asked_totals *asked, uint64_t mono_us);
/* Takes a reply of the wallet. The totals of a reply to an older request are taken too, because
 * totals only grow, but the shard still has to reply to the present request. Here too,
 * source->vector may have grown afterwards. A reply that the wallet cannot have sent is logged and
 * ignored. */
void asked_totals_answer(struct service *service, const struct asked_totals_pool *pool,
	const Carillon__TotalsAnswer *answer);
/* The wallet shards left out of the last request, as an SQL array, "{2,3}"; NULL: none. */
const char *asked_totals_left_out(
	const struct asked_totals *asked, char text_r[ASKED_TOTALS_TEXT_MAX]);
/* Makes a struct asked_totals_pool from the service's own struct of a pool or set (an "instance" of
 * jackpot_list.h). */
typedef struct asked_totals_pool asked_totals_of(void *instance);
/* Takes the reply from a nanomsg message. Returns the instance of its pool, whose vector may have
 * grown. NULL: the message is not such a reply, its pool is not here, or it is malformed
 * (logged). */
void *asked_totals_message(
	struct service *service, const uint8_t *bytes, size_t length, asked_totals_of *of);

#endif
