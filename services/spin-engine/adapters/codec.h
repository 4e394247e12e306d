/* Encodes and decodes the stored state: the record in a journal row, the states in Postgres
 * (proto/record.proto). Every decoder rejects bytes that its encoder cannot produce from a possible
 * state, so the core sees only valid states. */
#ifndef CARILLON_SPIN_ENGINE_ADAPTERS_CODEC_H
#define CARILLON_SPIN_ENGINE_ADAPTERS_CODEC_H

#include "services/spin-engine/core/player.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_BYTES_MAX 1024 /* of a record; the wallet's limit */
#define STATE_BYTES_MAX 1024  /* of a game's state */
#define PLAYER_BYTES_MAX 2288 /* of a player's state */

enum codec_status {
	CODEC_OK = 0,
	CODEC_MALFORMED, /* not a protobuf of this message */
	CODEC_FORMAT,	 /* a format that this build does not know: the reader must stop */
	CODEC_RANGE,	 /* a field is out of its range */
};

/* All encoders assert that the result fits; record_bytes_worst() proves it at the start. They
 * return the length. */
size_t record_encode(const struct player_record *record, uint8_t out[RECORD_BYTES_MAX]);
enum codec_status record_decode(const uint8_t *bytes, size_t count, struct player_record *record_r);
size_t player_game_encode(const struct player_game *play, uint8_t out[STATE_BYTES_MAX]);
enum codec_status player_game_decode(
	const uint8_t *bytes, size_t count, struct player_game *play_r);
/* id, account and last_move are columns of their own. */
size_t player_encode(const struct player *player, uint8_t out[PLAYER_BYTES_MAX]);
enum codec_status player_decode(const uint8_t *bytes, size_t count, struct player *player_r);

/* Length of the longest possible record. */
size_t record_bytes_worst(void);

const char *codec_status_text(enum codec_status status);

#endif
