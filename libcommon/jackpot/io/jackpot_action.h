/* What operators ask of a pool or set on jackpot.commands, alike in both jackpot services: an id
 * that makes it happen once, who, a second approver where one is needed, why, and parameters that
 * the service reads. Done or refused, it becomes a row of <schema>.operator_action and a message on
 * jackpot.facts, with the figures before and after, and who asked is told. The same id again is
 * answered with the same row; with other content nothing is done and that is said. */
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

/* Something an operator asked for, done or refused. */
struct action_record {
	uint8_t id[ACTION_ID_BYTES];
	uint32_t pool;	 /* or set, that it is asked of */
	uint32_t action; /* OperatorAction of jackpot.proto */
	char actor[ACTION_TEXT_MAX], second[ACTION_TEXT_MAX], reason[ACTION_TEXT_MAX];
	char parameters[ACTION_PARAMETERS_MAX];
	bool done;
	char refusal[ACTION_TEXT_MAX];
	char before[ACTION_FIGURES_MAX], after[ACTION_FIGURES_MAX]; /* JSON */
	uint64_t fact_seq;
	uint64_t time_us;
	char game[GAME_LINK_ID_MAX]; /* for whose sake it is refused; "": no game's. Not kept */
};

/* Records of one transaction, until it writes them. Zeroed: empty. */
struct action_list {
	struct action_record *record;
	size_t n, room;
};

/* Copies what was asked of a pool or set into a record. False, with what, found and expected in
 * reason (ACTION_TEXT_MAX bytes), when the command cannot even be recorded: no id of 16 bytes, no
 * actor, a text that is too long. */
bool action_read(uint32_t pool, const Carillon__OperatorCommand *command,
	struct action_record *record_r, char *reason);
/* refusal holds ACTION_TEXT_MAX bytes; always false, to be returned. */
__attribute__((format(printf, 2, 3))) bool action_refuse(char *refusal, const char *format, ...);
/* A second approver, other than the actor; else why not in refusal. */
bool action_second_given(const struct action_record *record, char *refusal);
/* The same was asked, of the same pool. */
bool action_same(const struct action_record *a, const struct action_record *b);

const struct action_record *action_list_find(const struct action_list *list, const uint8_t *id);
void action_list_add(struct action_list *list, const struct action_record *record);
void action_list_free(struct action_list *list);

/* schema "pool" or "cards". */
bool action_find(
	PGconn *conn, const char *schema, const uint8_t *id, struct action_record *record_r);
/* Inside the transaction: all of the list, which is empty then. */
void action_list_save(struct action_list *list, PGconn *conn, const char *schema, uint32_t pool);

/* Where an action is asked: the schema of its service, the records of this transaction, and the
 * shard of the pool or set. */
struct action_place {
	const char *schema;
	struct action_list *list;
	uint32_t shard;
};

/* Was the id done or refused before, in this transaction or for ever? Then it is told again and
 * answered, with what was kept, and nothing is left to do. */
bool action_again(struct service *service, const struct action_place *place,
	const Carillon__JackpotCommand *command, const struct action_record *record);
/* Is it refused for the sake of a game whose definition, as it is announced in carillon.game, is
 * not the one loaded here? Then who asked is told to ask again, and nothing is kept or left to do.
 */
bool action_behind(struct service *service, const struct game_links *links,
	const Carillon__JackpotCommand *command, const struct action_record *record);
/* What was done, or refused, now: kept with its time, told to jackpot.facts under its number and
 * answered, all behind the commit, which is asked for. */
void action_keep(struct service *service, const struct action_place *place,
	const Carillon__JackpotCommand *command, struct action_record *record);

#endif
