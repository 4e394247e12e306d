/* What the answers about a player's past share. */
#ifndef CARILLON_GATEWAY_ADAPTERS_HISTORY_READ_H
#define CARILLON_GATEWAY_ADAPTERS_HISTORY_READ_H

#include "services/gateway/adapters/history_entries.h"

#include <libpq-fe.h>

/* A row as journal_rows reads it. */
void history_row_read(const PGresult *result, int i, struct history_row *row_r);
/* From the engine's answer about the player's state. */
void history_hiding_read(const Carillon__SpinReply *reply, struct hiding *hiding_r);
/* False when 503 was answered: too many wait for a read. */
bool history_reads_soon(struct gateway *gateway, struct edge_request *request);
/* Answers with the player's history by the request's query (history_list.c), or with a past round
 * by its number as the path has it (play.c): to the player and to the player's operator alike, who
 * also has the history's cursor and CSV. */
void history_list(struct gateway *gateway, struct edge_request *request, player_id player);
void history_round(struct gateway *gateway, struct edge_request *request, player_id player,
	const char *number);
/* An entry as an object. */
void history_entry_json(struct json_out *out, const struct history_entry *entry);
/* The value, or null where it may not be shown. */
void history_known_json(struct json_out *out, const char *name, bool known, int64_t value);

#endif
