/* Open claims: what pools owe. There are few at any time, so a plain list is enough. */
#include "services/wallet/adapters/app.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBER_TEXT 24

void wallet_claims_add(struct wallet_shard *shard, const struct open_claim *claim)
{
	if (shard->claims_n == shard->claims_room) {
		shard->claims_room = shard->claims_room == 0 ? 64 : shard->claims_room * 2;
		shard->claims = realloc(shard->claims, shard->claims_room * sizeof(*shard->claims));
		if (shard->claims == NULL)
			fatal("out of memory: %zu open claims", shard->claims_room);
	}
	shard->claims[shard->claims_n++] = *claim;
}

void wallet_claims_open(struct wallet_shard *shard, const struct wallet_row *row, uint64_t mono_us)
{
	for (uint32_t i = 0; i < row->claims_n; i++) {
		struct open_claim claim = { .player = row->player,
			.move = row->move,
			.round = row->round,
			.claim = row->claims[i],
			.currency = row->currency,
			.opened_seq = row->seq,
			.opened_us = row->time_us,
			.next_send_us = mono_us + WALLET_CLAIM_DELAY_US,
			.delay_us = WALLET_CLAIM_DELAY_US };
		wallet_claims_add(shard, &claim);
	}
}

struct open_claim *wallet_claims_find(
	struct wallet_shard *shard, player_id player, uint64_t move, uint32_t index)
{
	for (size_t i = 0; i < shard->claims_n; i++) {
		struct open_claim *claim = &shard->claims[i];
		if (claim->player == player && claim->move == move && claim->claim.index == index)
			return claim;
	}
	return NULL;
}

bool wallet_claims_of_round(const struct wallet_shard *shard, player_id player, uint64_t round)
{
	for (size_t i = 0; i < shard->claims_n; i++)
		if (shard->claims[i].player == player && shard->claims[i].round == round &&
			shard->claims[i].closed_seq == 0)
			return true;
	return false;
}

void wallet_claims_soon(struct wallet_shard *shard, player_id player)
{
	for (size_t i = 0; i < shard->claims_n; i++) {
		if (shard->claims[i].player != player)
			continue;
		shard->claims[i].next_send_us = 0;
		shard->claims[i].delay_us = WALLET_CLAIM_DELAY_US / 2;
	}
}

void wallet_claims_forget_closed(struct wallet_shard *shard)
{
	size_t kept = 0;

	if (shard->claims_closing == 0)
		return;
	for (size_t i = 0; i < shard->claims_n; i++)
		if (shard->claims[i].closed_seq == 0)
			shard->claims[kept++] = shard->claims[i];
	shard->claims_n = kept;
	shard->claims_closing = 0;
}

bool wallet_claims_was_paid(PGconn *conn, player_id player, uint64_t move, uint32_t index)
{
	char numbers[3][NUMBER_TEXT];
	const char *parameters[] = { numbers[0], numbers[1], numbers[2] };

	(void)snprintf(numbers[0], NUMBER_TEXT, "%" PRId64, player);
	(void)snprintf(numbers[1], NUMBER_TEXT, "%" PRIu64, move);
	(void)snprintf(numbers[2], NUMBER_TEXT, "%u", index);
	PGresult *result = pg_query(conn,
		"select 1 from wallet.claim where player = $1 and move = $2 and index = $3 and "
		"closed_seq is not null",
		3, parameters);
	bool paid = PQntuples(result) == 1;
	PQclear(result);
	return paid;
}
