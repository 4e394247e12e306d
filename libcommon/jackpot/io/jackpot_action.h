/* Operators' requests to a pool or set, common to both jackpot services. A request has an id, an
 * actor, a second approver where one is needed, a reason, and parameters that the service reads.
 * Whether done or refused, it becomes a row of <schema>.operator_action and a message on
 * jackpot.facts, with the figures before and after, and the sender gets a reply. A repeat with the
 * same id and content gets the reply of that row. Two refusals leave no row: 'retry'
 * (action_behind), and an id that was used before with other content. */
#ifndef CARILLON_JACKPOT_IO_JACKPOT_ACTION_H
#define CARILLON_JACKPOT_IO_JACKPOT_ACTION_H

#include "libcommon/jackpot/io/game_links.h"
#include "libcommon/jackpot/io/jackpot_send.h"

#include <libpq-fe.h>

#define ACTION_ID_BYTES 16
#define ACTION_TEXT_MAX 256
#define ACTION_PARAMETERS_MAX 8192
#define ACTION_FIGURES_MAX 2048
#define ACTION_REPLY_TO_MAX 120

/* An operator's request, done or refused. */
struct action_record {
	uint8_t id[ACTION_ID_BYTES];
	uint32_t pool;	 /* the pool or set that it concerns */
	uint32_t action; /* OperatorAction of jackpot.proto */
	char actor[ACTION_TEXT_MAX], second[ACTION_TEXT_MAX], reason[ACTION_TEXT_MAX];
	char parameters[ACTION_PARAMETERS_MAX];
	bool done;
	char refusal[ACTION_TEXT_MAX];
	char before[ACTION_FIGURES_MAX], after[ACTION_FIGURES_MAX]; /* JSON */
	uint64_t fact_seq;
	uint64_t time_us;
	char game[GAME_LINK_ID_MAX]; /* the game that causes the refusal; "": none. Not stored */
};

/* The records of one transaction, until they are written. Zeroed: empty. */
struct action_list {
	struct action_record *record;
	size_t n, room;
};

/* Copies a request into a record. False when the request cannot be recorded: no id of 16 bytes, no
 * actor, a text that is too long. reason (ACTION_TEXT_MAX bytes) then says what was found and what
 * was expected. */
bool action_read(uint32_t pool, const Carillon__OperatorCommand *command,
	struct action_record *record_r, char *reason);
/* Writes refusal (ACTION_TEXT_MAX bytes). Always returns false, for the caller to return. */
__attribute__((format(printf, 2, 3))) bool action_refuse(char *refusal, const char *format, ...);
/* True when there is a second approver other than the actor; else refusal says why not. */
bool action_second_given(const struct action_record *record, char *refusal);
/* Do both make the same request of the same pool? */
bool action_same(const struct action_record *a, const struct action_record *b);

const struct action_record *action_list_find(const struct action_list *list, const uint8_t *id);
void action_list_add(struct action_list *list, const struct action_record *record);
void action_list_free(struct action_list *list);

/* Finds a stored record. schema is "pool" or "cards". */
bool action_find(
	PGconn *conn, const char *schema, const uint8_t *id, struct action_record *record_r);
/* Inside the transaction: writes all records and empties the list. */
void action_list_save(struct action_list *list, PGconn *conn, const char *schema, uint32_t pool);

/* Where a request arrives: the schema of the service, the records of this transaction, and the
 * shard of the pool or set. */
struct action_place {
	const char *schema;
	struct action_list *list;
	uint32_t shard;
};

enum action_known {
	ACTION_NEW,
	ACTION_AGAIN, /* the caller does nothing more */
	ACTION_TAKEN, /* a request for another pool with this id is being decided: wait for it */
};
/* Was a request with this id already done or refused, in this transaction or an earlier one? If
 * so, publishes the stored fact again and replies with it. Also ACTION_AGAIN for a late copy of a
 * command that action_behind refused with 'retry': the copy is ignored. When the sender retries, it
 * sends a new command. */
enum action_known action_again(struct service *service, const struct action_place *place,
	const Carillon__JackpotCommand *command, const struct action_record *record);
/* Is the request refused because of a game whose announced definition (carillon.game) is not the
 * one loaded here? If so, tells the sender to retry and stores nothing; the caller does nothing
 * more. */
bool action_behind(struct service *service, const struct game_links *links,
	const Carillon__JackpotCommand *command, const struct action_record *record);
/* Stores a request that was done or refused now, with its time, publishes it on jackpot.facts with
 * its fact_seq, and replies. All three wait for the commit, which this function requests. */
void action_keep(struct service *service, const struct action_place *place,
	const Carillon__JackpotCommand *command, struct action_record *record);

#endif
