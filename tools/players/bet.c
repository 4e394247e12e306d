/* Which bet is placed: what the options say, else a seeded mix that a player can afford. */
#include "tools/players/player.h"

#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t between(struct player *player, int64_t low, int64_t high)
{
	return low + (int64_t)(player_random(player) % (uint64_t)(high - low + 1));
}

/* A mix: half of the bets with all lines, stakes of at most a fiftieth of the balance where the
 * rules allow it, so that a player lasts for thousands of rounds. */
void bet_choose(struct player *player, int64_t *coin_r, int64_t *lines_r, int64_t *coins_r)
{
	const struct crowd *crowd = player->crowd;
	const struct options *options = crowd->options;
	int64_t afford = player->balance / 50;
	size_t offered = 1;
	while (offered < crowd->coins_n && crowd->coin[offered] * crowd->lines_max <= afford)
		offered++;
	*coin_r = options->coin_minor ? options->coin_minor
				      : crowd->coin[player_random(player) % offered];
	*lines_r = options->lines ? options->lines
		   : player_random(player) % 2
			   ? crowd->lines_max
			   : between(player, crowd->lines_min, crowd->lines_max);
	*coins_r = options->coins ? options->coins
				  : between(player, crowd->coins_min, crowd->coins_max);
	if (player->refused_in_row == 0 && !options->coins) {
		int64_t most = afford / (*coin_r * *lines_r);
		*coins_r = most > crowd->coins_min ? least(*coins_r, most) : crowd->coins_min;
	}
	/* Refused for lack of money: the smallest there is. */
	if (player->refused_in_row && !options->coin_minor && !options->lines && !options->coins) {
		*coin_r = crowd->coin[0];
		*lines_r = crowd->lines_min;
		*coins_r = crowd->coins_min;
	}
	/* The rules' limits of one stake, as far as the options leave room. */
	while (!options->coins && *coins_r < crowd->coins_max &&
		*coin_r * *lines_r * *coins_r < crowd->stake_min)
		++*coins_r;
	while (!options->coins && crowd->stake_max && *coins_r > crowd->coins_min &&
		*coin_r * *lines_r * *coins_r > crowd->stake_max)
		--*coins_r;
}

static void limits(const json_t *bet, const char *name, int64_t *min, int64_t *max)
{
	const json_t *value = json_object_get(bet, name);
	if (!json_is_object(value))
		return;
	*min = json_number(value, "min", *min);
	*max = json_number(value, "max", *max);
}

/* Coin values of the players' currency: a list of its own, or that of the bet. */
static void coins_read(struct crowd *crowd, const json_t *list)
{
	const json_t *value;
	size_t i, n = 0;
	json_array_foreach(list, i, value)
	{
		if (json_is_integer(value) && json_integer_value(value) > 0 && n < COINS_MAX)
			crowd->coin[n++] = json_integer_value(value);
	}
	crowd->coins_n = n ? n : crowd->coins_n;
}

/* Reads what GET /v1/games/{id} offers; whatever it does not say stays as it was. */
void bet_rules_read(struct crowd *crowd, const json_t *game)
{
	const json_t *bet = json_object_get(game, "bet"), *item;
	int64_t vials = json_number(game, "vials", 0);
	size_t i;
	limits(bet, "lines", &crowd->lines_min, &crowd->lines_max);
	limits(bet, "coins", &crowd->coins_min, &crowd->coins_max);
	coins_read(crowd, json_object_get(bet, "coins_minor"));
	json_array_foreach(json_object_get(game, "currencies"), i, item)
	{
		if (strcmp(json_text(item, "currency"), crowd->options->currency) != 0)
			continue;
		coins_read(crowd, json_object_get(item, "coins_minor"));
		crowd->stake_min = json_money(item, "stake_min");
		crowd->stake_max = json_money(item, "stake_max");
	}
	if (vials > 0 && vials <= VIALS_MAX)
		crowd->vials = (uint32_t)vials;
}
