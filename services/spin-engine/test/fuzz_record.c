/* Fuzzes the decoders of the engine's stored state: accepted bytes encode again, and decode to the
 * same state. */
#include "services/spin-engine/adapters/codec.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t bytes[RECORD_BYTES_MAX], again[RECORD_BYTES_MAX], whole[PLAYER_BYTES_MAX];
	struct player_record record, back;
	struct player_game play;
	struct player player = { 0 };
	size_t length;

	if (record_decode(data, size, &record) == CODEC_OK) {
		length = record_encode(&record, bytes);
		assert(record_decode(bytes, length, &back) == CODEC_OK);
		assert(record_encode(&back, again) == length && memcmp(bytes, again, length) == 0);
	}
	if (player_game_decode(data, size, &play) == CODEC_OK)
		(void)player_game_encode(&play, bytes);
	if (player_decode(data, size, &player) == CODEC_OK)
		(void)player_encode(&player, whole);
	return 0;
}
