#include "services/wallet/adapters/digest.h"

#include "libcommon/base/sha256.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#define EPOCH_2000_US UINT64_C(946684800000000)
#define NUMBERS 21
#define TALLIES_TEXT_MAX (WALLET_POOLS_MAX * 11 + 1)

static void hash_bytes(struct sha256 *state, const void *bytes, size_t length)
{
	uint32_t big = htobe32((uint32_t)length);

	sha256_add(state, &big, sizeof(big));
	sha256_add(state, bytes, length);
}

static void hash_row(struct sha256 *state, const struct wallet_row *row)
{
	uint64_t numbers[NUMBERS] = { row->seq, (uint64_t)row->player, row->kind, row->move,
		row->round, row->game, row->mode, row->refusal, row->currency,
		(uint64_t)row->release, (uint64_t)row->stake, (uint64_t)row->win_balance,
		(uint64_t)row->win_pending, (uint64_t)row->forfeit, (uint64_t)row->amount,
		(uint64_t)row->balance_after, (uint64_t)row->pending_after, row->prev_seq,
		row->claims_n, row->last_move, row->time_us - EPOCH_2000_US };
	char tallies[TALLIES_TEXT_MAX];
	size_t length = 0;

	for (size_t i = 0; i < NUMBERS; i++)
		numbers[i] = htobe64(numbers[i]);
	sha256_add(state, numbers, sizeof(numbers));
	for (uint32_t i = 0; i < row->tallies_n; i++)
		length += (size_t)snprintf(tallies + length, sizeof(tallies) - length,
			i == 0 ? "%u" : ",%u", row->tallies[i]);
	hash_bytes(state, tallies, length);
	hash_bytes(state, row->request_id, row->request_id_length);
	hash_bytes(state, row->outside_id, row->outside_id_length);
	hash_bytes(state, row->record, row->record_length);
}

void chain_digest(const uint8_t previous[DIGEST_BYTES], const struct booked *rows, size_t n,
	uint8_t digest_r[DIGEST_BYTES])
{
	struct sha256 state;

	sha256_begin(&state);
	sha256_add(&state, previous, DIGEST_BYTES);
	for (size_t i = 0; i < n; i++)
		hash_row(&state, &rows[i].row);
	sha256_end(&state, digest_r);
}
