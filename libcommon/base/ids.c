/* Player ids, claims, and the functions that place players and pools on shards. */
#include "libcommon/base/ids.h"

#include <stdio.h>

#define NUMBER_BITS 48

bool player_id_make(uint32_t operator_id, uint64_t number, player_id *id_r)
{
	if (operator_id < 1 || operator_id > OPERATOR_MAX || number < 1 ||
		number > PLAYER_NUMBER_MAX)
		return false;
	*id_r = (player_id)(((uint64_t)operator_id << NUMBER_BITS) | number);
	return true;
}

uint32_t player_operator(player_id id)
{
	return (uint32_t)((uint64_t)id >> NUMBER_BITS);
}

uint64_t player_number(player_id id)
{
	return (uint64_t)id & PLAYER_NUMBER_MAX;
}

bool player_id_valid(player_id id)
{
	return id > 0 && player_operator(id) >= 1 && player_number(id) >= 1;
}

void player_id_format(player_id id, char *out)
{
	(void)snprintf(out, PLAYER_TEXT_MAX, "%u-%llu", player_operator(id),
		(unsigned long long)player_number(id));
}

void player_id_mask(player_id id, char *out)
{
	uint64_t number = player_number(id);
	if (number < 1000)
		(void)snprintf(out, PLAYER_TEXT_MAX, "player ***%u", (unsigned)(number % 10));
	else
		(void)snprintf(out, PLAYER_TEXT_MAX, "player ***%02u", (unsigned)(number % 100));
}

static bool digits_parse(const char **text, uint64_t max, uint64_t *value_r)
{
	const char *at = *text;
	uint64_t value = 0;
	if (*at < '1' || *at > '9') /* no leading zero: each player has one text form */
		return false;
	for (; *at >= '0' && *at <= '9'; at++) {
		uint64_t digit = (uint64_t)(*at - '0');
		if (value > (max - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*text = at;
	*value_r = value;
	return true;
}

bool player_id_parse(const char *text, player_id *id_r)
{
	uint64_t operator_id;
	uint64_t number;
	if (!digits_parse(&text, OPERATOR_MAX, &operator_id) || *text++ != '-')
		return false;
	if (!digits_parse(&text, PLAYER_NUMBER_MAX, &number) || *text != '\0')
		return false;
	return player_id_make((uint32_t)operator_id, number, id_r);
}

static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static uint32_t spread(uint64_t id, uint32_t shards)
{
	__extension__ typedef unsigned __int128 wide;
	return (uint32_t)(((wide)mix(id) * shards) >> 64);
}

uint32_t shard_of_player(player_id id, uint32_t shards)
{
	return spread((uint64_t)id, shards);
}

uint32_t shard_of_pool(uint32_t pool, uint32_t shards)
{
	return spread(pool, shards);
}
