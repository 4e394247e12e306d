/* Operators' actions on a set. */
#include "services/jackpot-cards/adapters/set_operator.h"

#include "libcommon/jackpot/io/jackpot_pg.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_args.h"
#include "services/jackpot-cards/adapters/set_request.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ID_HEX_MAX (2 * ACTION_ID_BYTES + 3)
#define NANO_PER_PPM 1000
#define E27_PER_CENT ((int128)INT64_C(10000000) * INT64_C(1000000000000000000))

/* ---- figures
 * ----------------------------------------------------------------------------------------------
 */

static void describe_level(const struct set_instance *instance, enum card_level level, char *out)
{
	const struct pool_row *row = &instance->set.level[level - CARD_CLUBS];
	const struct pool_terms *next = row->next_waits ? &row->next : &row->terms;
	char r[AMOUNT_TEXT_MAX];
	(void)int128_format(row->r.e27, r);
	(void)snprintf(out, ACTION_FIGURES_MAX,
		"{\"level\":\"%s\",\"r_e27\":\"%s\",\"seed_minor\":%" PRId64
		",\"wager_ppm\":%" PRId64 ",\"next_seed_minor\":%" PRId64
		",\"next_wager_ppm\":%" PRId64 "}",
		card_level_text(level), r, row->terms.seed_minor,
		row->terms.share_nano / NANO_PER_PPM, next->seed_minor,
		next->share_nano / NANO_PER_PPM);
}

static void describe_state(const struct set_instance *instance, char *out)
{
	(void)snprintf(out, ACTION_FIGURES_MAX, "{\"status\":\"%s\"}", set_state_text(instance));
}

static void describe_weights(const uint32_t *weight, char *out)
{
	(void)snprintf(out, ACTION_FIGURES_MAX, "{\"weights\":[%u,%u,%u,%u]}", weight[0], weight[1],
		weight[2], weight[3]);
}

/* ---- actions
 * ----------------------------------------------------------------------------------------------
 */

static bool done(enum card_set_status status, char *refusal)
{
	return status == CARD_SET_OK || action_refuse(refusal, "%s", card_set_status_text(status));
}

static bool adjust(struct set_instance *instance, const struct set_request *asked,
	const struct action_record *record, char *refusal)
{
	const struct amount delta = { asked->delta_minor * E27_PER_CENT };
	if (!asked->has_delta || asked->delta_minor == 0 || asked->has_seed || asked->has_ppm)
		return action_refuse(
			refusal, "parameters: expected /level, and a /delta_minor other than 0");
	return action_second_given(record, refusal) &&
	       done(card_set_adjust(&instance->set, asked->level, delta), refusal);
}

static bool terms_change(
	struct set_instance *instance, const struct set_request *asked, char *refusal)
{
	struct card_terms terms;
	bool changed;
	int at = (int)asked->level - (int)CARD_CLUBS;
	if (asked->has_delta || (!asked->has_seed && !asked->has_ppm))
		return action_refuse(refusal,
			"parameters: expected /level with /seed_minor, /wager_ppm or both");
	card_set_terms(&instance->set, &terms);
	if (asked->has_seed)
		terms.seed_minor[at] = asked->seed_minor;
	if (asked->has_ppm)
		terms.wager_ppm[at] = asked->wager_ppm;
	return done(card_set_configure(&instance->set, &terms, &changed), refusal);
}

static void apply_level(struct set_instance *instance, const struct set_request *asked,
	struct action_record *record)
{
	if (asked->level == 0) {
		(void)action_refuse(record->refusal, "parameters: expected /level");
		return;
	}
	describe_level(instance, asked->level, record->before);
	record->done = record->action == CARILLON__OPERATOR_ACTION__ACTION_ADJUST
			       ? adjust(instance, asked, record, record->refusal)
			       : terms_change(instance, asked, record->refusal);
	describe_level(instance, asked->level, record->after);
	instance->levels_dirty = true;
}

static void apply_state(struct set_instance *instance, const struct set_request *asked,
	struct action_record *record)
{
	(void)asked;
	describe_state(instance, record->before);
	instance->paused = record->action == CARILLON__OPERATOR_ACTION__ACTION_PAUSE;
	record->done = true;
	describe_state(instance, record->after);
}

static struct set_change *change_new(struct set_instance *instance, const struct set_request *asked,
	struct action_record *record)
{
	if (instance->change_n == SET_CHANGES_MAX) {
		(void)action_refuse(record->refusal, "too many actions at once: try again");
		return NULL;
	}
	struct set_change *change = &instance->change[instance->change_n++];
	*change = (struct set_change){ .action = record->action,
		.operator_id = (uint32_t)asked->operator_id,
		.game = asked->game,
		.currency = asked->currency,
		.odds_in = asked->odds_in,
		.odds_of = asked->odds_of,
		.takes_part = asked->takes_part };
	memcpy(change->weight, asked->weight, sizeof(change->weight));
	memcpy(change->id, record->id, ACTION_ID_BYTES);
	record->done = true;
	return change;
}

static void apply_weights(struct set_instance *instance, const struct set_request *asked,
	struct action_record *record)
{
	uint32_t operator_id = (uint32_t)asked->operator_id;
	struct set_weights *own = NULL;
	if (!asked->has_weights) {
		(void)action_refuse(record->refusal, "parameters: expected /weights");
		return;
	}
	describe_weights(set_operator_weights(instance, operator_id, asked->game), record->before);
	for (uint32_t i = 0; i < instance->weights_n; i++)
		if (instance->weights[i].operator_id == operator_id &&
			instance->weights[i].game == asked->game)
			own = &instance->weights[i];
	if (own == NULL && instance->weights_n == SET_WEIGHTS_MAX) {
		(void)action_refuse(record->refusal, "found %d weight settings, expected fewer",
			SET_WEIGHTS_MAX);
		return;
	}
	if (change_new(instance, asked, record) == NULL)
		return;
	if (own == NULL)
		own = &instance->weights[instance->weights_n++];
	*own = (struct set_weights){ .operator_id = operator_id, .game = asked->game };
	memcpy(own->weight, asked->weight, sizeof(own->weight));
	describe_weights(own->weight, record->after);
}

/* The newest earlier value of the same setting. */
static void describe_odds(const struct set_instance *instance, const struct set_request *asked,
	PGconn *conn, char *out)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, instance->set.number);
	pg_args_int(&args, asked->operator_id);
	pg_args_int(&args, asked->game);
	pg_args_int(&args, asked->currency);
	PGresult *rows = pg_args_query(&args, conn,
		"select odds_in, odds_of from cards.odds where pool = $1 and operator = $2 and game "
		"= $3 and currency = $4 order by version desc limit 1");
	if (PQntuples(rows) == 1)
		(void)snprintf(out, ACTION_FIGURES_MAX, "{\"in\":%s,\"of\":%s}",
			PQgetvalue(rows, 0, 0), PQgetvalue(rows, 0, 1));
	else
		(void)snprintf(out, ACTION_FIGURES_MAX, "null");
	PQclear(rows);
}

static void apply_odds(struct set_instance *instance, const struct set_request *asked,
	struct action_record *record, PGconn *conn)
{
	if (!set_request_odds(asked, record->refusal))
		return;
	if (!jackpot_settings_room(conn,
		    "select count(*) from (select distinct pool, operator, game, currency from "
		    "cards.odds) o",
		    record->refusal))
		return;
	describe_odds(instance, asked, conn, record->before);
	if (change_new(instance, asked, record) != NULL)
		(void)snprintf(record->after, ACTION_FIGURES_MAX,
			"{\"in\":%" PRId64 ",\"of\":%" PRId64 "}", asked->odds_in, asked->odds_of);
}

static void apply_part(struct set_instance *instance, const struct set_request *asked,
	struct action_record *record, PGconn *conn)
{
	struct pg_args args = { 0 };
	if (!asked->has_part) {
		(void)action_refuse(record->refusal, "parameters: expected /takes_part");
		return;
	}
	if (asked->operator_id == 0) { /* unlike weights and odds, of which 0 is for all */
		(void)action_refuse(record->refusal,
			"parameters /operator: found 0, expected an operator, 1 to %u",
			OPERATOR_MAX);
		return;
	}
	if (!asked->takes_part &&
		!jackpot_settings_room(conn,
			"select count(*) from cards.participation where not takes_part",
			record->refusal))
		return;
	pg_args_int(&args, asked->operator_id);
	pg_args_int(&args, instance->set.number);
	pg_args_int(&args, asked->game);
	PGresult *rows = pg_args_query(&args, conn,
		"select takes_part::int from cards.participation where operator = $1 and pool = $2 "
		"and game = $3");
	bool before = PQntuples(rows) == 0 || pg_number(rows, 0, 0) != 0;
	PQclear(rows);
	(void)snprintf(record->before, ACTION_FIGURES_MAX,
		"{\"operator\":%" PRId64 ",\"game\":%u,\"takes_part\":%s}", asked->operator_id,
		asked->game, before ? "true" : "false");
	if (change_new(instance, asked, record) != NULL)
		(void)snprintf(record->after, ACTION_FIGURES_MAX,
			"{\"operator\":%" PRId64 ",\"game\":%u,\"takes_part\":%s}",
			asked->operator_id, asked->game, asked->takes_part ? "true" : "false");
}

void set_operator_apply(struct set_instance *instance, const struct game_links *links,
	struct action_record *record, PGconn *conn)
{
	struct set_request asked;
	if (!set_request_read(
		    record->parameters, links, instance->set.number, &asked, record->refusal)) {
		memcpy(record->game, asked.unknown, sizeof(record->game));
		return;
	}
	switch (record->action) {
	case CARILLON__OPERATOR_ACTION__ACTION_PAUSE:
	case CARILLON__OPERATOR_ACTION__ACTION_RESUME:
		apply_state(instance, &asked, record);
		break;
	case CARILLON__OPERATOR_ACTION__ACTION_ADJUST:
	case CARILLON__OPERATOR_ACTION__ACTION_PARAMETERS:
		apply_level(instance, &asked, record);
		break;
	case CARILLON__OPERATOR_ACTION__ACTION_WEIGHTS:
		apply_weights(instance, &asked, record);
		break;
	case CARILLON__OPERATOR_ACTION__ACTION_ODDS:
		apply_odds(instance, &asked, record, conn);
		break;
	case CARILLON__OPERATOR_ACTION__ACTION_TAKE_PART:
		apply_part(instance, &asked, record, conn);
		break;
	default:
		(void)action_refuse(record->refusal,
			"action %u: not available for a set of Jackpot Cards", record->action);
		break;
	}
}

/* ---- weights
 * ----------------------------------------------------------------------------------------------
 */

const uint32_t *set_operator_weights(
	const struct set_instance *instance, uint32_t operator_id, uint32_t game)
{
	const uint32_t *best = instance->weight;
	int closest = -1;
	for (uint32_t i = 0; i < instance->weights_n; i++) {
		const struct set_weights *weights = &instance->weights[i];
		if ((weights->operator_id != 0 && weights->operator_id != operator_id) ||
			(weights->game != 0 && weights->game != game))
			continue;
		int close = (weights->operator_id != 0 ? 2 : 0) + (weights->game != 0 ? 1 : 0);
		if (close > closest) {
			closest = close;
			best = weights->weight;
		}
	}
	return best;
}

void set_operator_load(struct set_instance *instance, PGconn *conn)
{
	struct pg_args args = { 0 };
	pg_args_int(&args, instance->set.number);
	PGresult *rows = pg_args_query(&args, conn,
		"select distinct on (operator, game) operator, game, weights[1], weights[2], "
		"weights[3], weights[4] from cards.weights where pool = $1 order by operator, game, "
		"version desc");
	int n = PQntuples(rows);
	if (n > SET_WEIGHTS_MAX) {
		stored_wrong("cards.weights: found %d settings of set %u, expected at most %d", n,
			instance->set.number, SET_WEIGHTS_MAX);
		n = 0;
	}
	for (int i = 0; i < n; i++) {
		struct set_weights *weights = &instance->weights[instance->weights_n++];
		*weights = (struct set_weights){ pg_u32(rows, i, 0), pg_u32(rows, i, 1),
			{ pg_u32(rows, i, 2), pg_u32(rows, i, 3), pg_u32(rows, i, 4),
				pg_u32(rows, i, 5) } };
		if (!card_weights_valid(weights->weight))
			stored_wrong("cards.weights of set %u, operator %u, game %u: found weights "
				     "that cannot be drawn by",
				instance->set.number, weights->operator_id, weights->game);
	}
	PQclear(rows);
}

/* ---- writing
 * ----------------------------------------------------------------------------------------------
 */

static void save_weights(const struct set_change *change, struct pg_args *args, PGconn *conn)
{
	char weights[64];
	(void)snprintf(weights, sizeof(weights), "{%u,%u,%u,%u}", change->weight[0],
		change->weight[1], change->weight[2], change->weight[3]);
	pg_args_text(args, weights);
	pg_args_run(args, conn,
		"insert into cards.weights (pool, operator, game, action, weights, version) select "
		"$1, $2, $3, $4, $5, coalesce(max(version), 0) + 1 from cards.weights where pool = "
		"$1 and operator = $2 and game = $3");
}

static void save_change(uint32_t set, const struct set_change *change, PGconn *conn)
{
	struct pg_args args = { 0 };
	char id[ID_HEX_MAX];
	pg_args_int(&args, set);
	pg_args_int(&args, change->operator_id);
	pg_args_int(&args, change->game);
	pg_args_text(&args, jackpot_hex(change->id, ACTION_ID_BYTES, id));
	if (change->action == CARILLON__OPERATOR_ACTION__ACTION_WEIGHTS) {
		save_weights(change, &args, conn);
	} else if (change->action == CARILLON__OPERATOR_ACTION__ACTION_ODDS) {
		pg_args_int(&args, change->currency);
		pg_args_int(&args, change->odds_in);
		pg_args_int(&args, change->odds_of);
		pg_args_run(&args, conn,
			"insert into cards.odds (pool, operator, game, action, currency, odds_in, "
			"odds_of, version) select $1, $2, $3, $4, $5, $6, $7, coalesce(max(version), "
			"0) + 1 from cards.odds where pool = $1 and operator = $2 and game = $3 and "
			"currency = $5");
	} else {
		pg_args_text(&args, change->takes_part ? "t" : "f");
		pg_args_run(&args, conn,
			"insert into cards.participation (pool, operator, game, action, takes_part) "
			"values ($1, $2, $3, $4, $5) on conflict (operator, pool, game) do update "
			"set takes_part = excluded.takes_part, action = excluded.action, time = "
			"now()");
	}
}

void set_operator_save(struct set_instance *instance, PGconn *conn)
{
	for (uint32_t i = 0; i < instance->change_n; i++)
		save_change(instance->set.number, &instance->change[i], conn);
	instance->change_n = 0;
	action_list_save(&instance->actions, conn, "cards", instance->set.number);
}
