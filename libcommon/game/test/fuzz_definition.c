/* Fuzzes the loader: whatever it takes must be playable in every mode, whatever it refuses must be
 * told in words. The published bands are left out: they cost exact mathematics and change nothing
 * that the engine does.
 *
 * Bytes changed at random are hardly ever JSON, so half of the changes are made to the document: a
 * value takes another number, or that of another place, a list loses an entry or gets one twice. */
#include "libcommon/game/definition_load.h"
#include "libcommon/game/round.h"

#include <assert.h>
#include <jansson.h>
#include <string.h>

#define NODES_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* ---- changes of the document ---- */

struct nodes {
	json_t *of[NODES_MAX];
	size_t count;
};

static void collect(json_t *json, struct nodes *nodes)
{
	const char *key;
	json_t *value;
	size_t i;

	if (nodes->count == NODES_MAX)
		return;
	nodes->of[nodes->count++] = json;
	if (json_is_array(json)) {
		json_array_foreach(json, i, value) collect(value, nodes);
	} else {
		json_object_foreach(json, key, value) collect(value, nodes);
	}
}

static uint32_t next(unsigned int *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 8;
}

static json_t *new_value(struct nodes *nodes, unsigned int *seed)
{
	static const int64_t numbers[] = { 0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 16, 64, 100, 1000, 1024,
		65536, 1000000, 1000000000, INT64_C(1000000000000), -1, INT64_MAX };

	switch (next(seed) % 4) {
	case 0:
		return json_null();
	case 1:
		return json_integer(numbers[next(seed) % (sizeof(numbers) / sizeof(numbers[0]))]);
	default:
		return json_deep_copy(nodes->of[next(seed) % nodes->count]);
	}
}

static void change_array(json_t *array, struct nodes *nodes, unsigned int *seed)
{
	size_t at = next(seed) % json_array_size(array);

	switch (next(seed) % 4) {
	case 0:
		json_array_remove(array, at);
		break;
	case 1:
		json_array_append_new(array, json_deep_copy(json_array_get(array, at)));
		break;
	case 2:
		json_array_set_new(array, at,
			json_deep_copy(json_array_get(array, next(seed) % json_array_size(array))));
		break;
	default:
		json_array_set_new(array, at, new_value(nodes, seed));
	}
}

static void change_object(json_t *object, struct nodes *nodes, unsigned int *seed)
{
	size_t at = next(seed) % json_object_size(object);
	void *member = json_object_iter(object);

	while (at-- > 0)
		member = json_object_iter_next(object, member);
	if (next(seed) % 16 == 0)
		json_object_del(object, json_object_iter_key(member));
	else
		json_object_iter_set_new(object, member, new_value(nodes, seed));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	static struct nodes nodes;
	json_t *json = json_loadb((const char *)data, size, 0, NULL);
	size_t written = 0;

	nodes.count = 0;
	if (json && next(&seed) % 8 != 0) {
		json_t *at;

		collect(json, &nodes);
		at = nodes.of[next(&seed) % nodes.count];
		if (json_is_array(at) && json_array_size(at) > 0)
			change_array(at, &nodes, &seed);
		else if (json_is_object(at) && json_object_size(at) > 0)
			change_object(at, &nodes, &seed);
		else if (json_is_integer(at))
			json_integer_set(at, json_integer_value(at) + next(&seed) % 7 - 3);
		written = json_dumpb(json, (char *)data, max_size, JSON_COMPACT);
	}
	json_decref(json);
	if (written > 0 && written <= max_size)
		return written;
	return LLVMFuzzerMutate(data, size, max_size);
}

/* ---- what must hold ---- */

static void play(const struct game *game, struct bet *bet, struct rng *rng)
{
	static struct phase phase;
	struct round_state state = { .unlocked = 0 };
	struct round_sum sum;
	struct bet_error error;
	struct money stake;

	for (uint32_t mode = 0; mode < game->mode_count; mode++) {
		bet->mode = mode;
		if (bet_check(game, bet, &stake, &error) != BET_OK) {
			assert(mode > 0);
			continue;
		}
		for (int i = 0; i < 10; i++) {
			assert(round_play(game, bet, &state, rng, &phase, &sum) == ROUND_DONE);
			assert(sum.win_total.minor >= 0);
			state = sum.state;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct game game;
	char error[DEFINITION_ERROR_MAX];
	uint8_t key[RNG_KEY_BYTES] = { 1 };
	struct rng rng;

	if (definition_parse_flags("fuzz", (const char *)data, size, DEFINITION_UNPROVEN, &game,
		    error) != DEFINITION_OK) {
		assert(error[0] && memchr(error, 0, sizeof(error)));
		return 0;
	}
	assert(!error[0]);
	rng_init(&rng, key);
	for (uint32_t c = 0; c < game.currency_count; c++) {
		struct money stake;
		struct bet bet;

		assert(bet_smallest(&game, game.currency[c].number, &bet, &stake) == BET_OK);
		play(&game, &bet, &rng);
	}
	definition_free(&game);
	return 0;
}
