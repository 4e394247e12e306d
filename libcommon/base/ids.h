/* Ids that services exchange, and the functions that place them on shards. These functions decide
 * where money is kept: their results never change. Test vectors are in test/test_ids.c. */
#ifndef CARILLON_BASE_IDS_H
#define CARILLON_BASE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARDS_MAX 256
#define PLAYER_TEXT_MAX 24
#define OPERATOR_MAX 32767u /* keeps the id positive in a signed 64-bit column */
#define PLAYER_NUMBER_MAX ((UINT64_C(1) << 48) - 1)

/* A player. Bits 48..62 are the operator; bits 0..47 are the player's number, unique within that
 * operator. Always > 0. */
typedef int64_t player_id;

/* False when the operator is not in 1..OPERATOR_MAX or the number not in 1..PLAYER_NUMBER_MAX. */
bool player_id_make(uint32_t operator_id, uint64_t number, player_id *id_r);
uint32_t player_operator(player_id id);
uint64_t player_number(player_id id);
bool player_id_valid(player_id id);
/* "7-1234"; out holds PLAYER_TEXT_MAX bytes. */
void player_id_format(player_id id, char *out);
bool player_id_parse(const char *text, player_id *id_r);

/* The public name of a winner: "player ***34", with the last two digits of their number. Numbers
 * below 1,000 show only the last digit, because two would give away too much. out holds
 * PLAYER_TEXT_MAX bytes. */
void player_id_mask(player_id id, char *out);

/* The shard of a player or a pool, 0..shards-1. The finaliser of SplitMix64 mixes the id into 64
 * bits; the shard is the high half of the 128-bit product of these bits and `shards`. So
 * consecutive ids spread over all shards, without modulo bias. */
uint32_t shard_of_player(player_id id, uint32_t shards);
uint32_t shard_of_pool(uint32_t pool, uint32_t shards);

/* A claim: one prize that a move has drawn. */
struct claim_id {
	player_id player;
	uint64_t move;
	uint32_t index;
};

#endif
