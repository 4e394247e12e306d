#include "services/progressive-pool/adapters/created_pool_read.h"

#include "libcommon/io/log.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

static const struct game_link *game_of(const struct game_links *links, const char *id)
{
	for (size_t i = 0; i < links->count; i++)
		if (strcmp(links->link[i].id, id) == 0)
			return &links->link[i];
	return NULL;
}

static bool games_read(json_t *json, const struct game_links *links,
	struct created_pool_request *asked, char *refusal)
{
	if (!json_is_array(json) || json_array_size(json) == 0 ||
		json_array_size(json) > CREATED_GAMES_MAX)
		return action_refuse(refusal,
			"parameters /games: expected an array of 1 to %d games", CREATED_GAMES_MAX);
	for (size_t i = 0; i < json_array_size(json); i++) {
		const char *id = json_string_value(json_array_get(json, i));
		const struct game_link *link = id != NULL ? game_of(links, id) : NULL;
		if (link == NULL && id != NULL && strlen(id) < sizeof(asked->unknown))
			memcpy(asked->unknown, id, strlen(id) + 1);
		if (link == NULL)
			return action_refuse(refusal,
				"parameters /games/%zu: found \"%.40s\", expected a game's id", i,
				id != NULL ? id : "no text");
		for (uint32_t k = 0; k < asked->games_n; k++)
			if (asked->games[k] == link->game)
				return action_refuse(refusal,
					"parameters /games/%zu: \"%.40s\" appears twice", i, id);
		asked->games[asked->games_n++] = link->game;
	}
	return true;
}

/* The members that the definition's reader accepts, plus the number. */
static bool pool_read(
	json_t *json, uint32_t number, struct created_pool_request *asked, char *refusal)
{
	static const char *const NAMES[] = { "pool", "contribution_ppm", "base_coin_eur_minor",
		"rows", "games" };
	char error[GAME_LINKS_ERROR_MAX];
	const char *name;
	json_t *value;
	json_object_foreach(json, name, value)
	{
		bool known = false;
		for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
			known = known || strcmp(NAMES[i], name) == 0;
		if (!known)
			return action_refuse(
				refusal, "parameters /%.64s: this member is not expected", name);
	}
	if (json_object_set_new(json, "pool_number", json_integer(number)) != 0)
		fatal("out of memory");
	asked->text = json_dumps(json, JSON_COMPACT | JSON_PRESERVE_ORDER);
	if (asked->text == NULL)
		fatal("out of memory");
	if (!game_links_parse_pool(
		    "parameters", asked->text, strlen(asked->text), &asked->link, error))
		return action_refuse(refusal, "%.250s", error);
	return true;
}

bool created_pool_read(const char *parameters, uint32_t number, const struct game_links *links,
	struct created_pool_request *asked_r, char *refusal)
{
	json_t *json = json_loads(parameters, JSON_REJECT_DUPLICATES, NULL);
	memset(asked_r, 0, sizeof(*asked_r));
	bool good = json_is_object(json) ||
		    action_refuse(refusal, "parameters: expected a JSON object");
	good = good && games_read(json_object_get(json, "games"), links, asked_r, refusal) &&
	       pool_read(json, number, asked_r, refusal);
	json_decref(json);
	if (!good) {
		free(asked_r->text);
		asked_r->text = NULL;
	}
	return good;
}

bool take_part_read(const char *parameters, uint32_t *operator_r, bool *takes_part_r, char *refusal)
{
	json_t *json = json_loads(parameters, JSON_REJECT_DUPLICATES, NULL);
	json_t *who = json_object_get(json, "operator");
	json_t *part = json_object_get(json, "takes_part");
	int64_t operator_id = json_is_integer(who) ? json_integer_value(who) : 0;
	bool good = json_object_size(json) == 2 && operator_id >= 1 &&
		    operator_id <= (int64_t)OPERATOR_MAX && json_is_boolean(part);
	*operator_r = good ? (uint32_t)operator_id : 0;
	*takes_part_r = good && json_is_true(part);
	json_decref(json);
	return good || action_refuse(refusal,
			       "parameters: expected {\"operator\":1 to %u,\"takes_part\":true or "
			       "false}",
			       OPERATOR_MAX);
}
