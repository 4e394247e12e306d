/* The arithmetic of publishing rows again. */
#include "services/wallet/core/republish.h"

#include <stdbool.h>

static bool running(const struct wallet_republish *republish)
{
	return republish->next != 0 && republish->next <= republish->end;
}

void wallet_republish_request(struct wallet_republish *republish, uint64_t from, uint64_t committed)
{
	uint64_t first = from == 0 ? 1 : from;
	uint64_t end = committed;

	if (first > committed)
		return;
	if (committed - first >= WALLET_REPUBLISH_ROWS)
		end = first + WALLET_REPUBLISH_ROWS - 1;
	if (!running(republish)) {
		republish->next = first;
		republish->end = end;
		republish->seen = committed;
		return;
	}
	if (first < republish->next)
		republish->next = first;
	if (end > republish->end)
		republish->end = end;
}

size_t wallet_republish_turn(struct wallet_republish *republish, uint64_t committed)
{
	uint64_t booked = committed > republish->seen ? committed - republish->seen : 0;
	uint64_t rows = WALLET_REPUBLISH_CHUNK;
	uint64_t left;

	if (!running(republish))
		return 0;
	if (republish->end < committed && committed - republish->next < WALLET_REPUBLISH_ROWS)
		republish->end = committed;
	/* Publishes at least twice as fast as rows are booked, or it would never reach the newest
	 * row. */
	if (booked > WALLET_REPUBLISH_CHUNK / 2)
		rows = booked < WALLET_REPUBLISH_CHUNK_MAX / 2 ? 2 * booked
							       : WALLET_REPUBLISH_CHUNK_MAX;
	republish->seen = committed;
	left = republish->end - republish->next + 1;
	return (size_t)(left < rows ? left : rows);
}

void wallet_republish_spent(struct wallet_republish *republish, uint64_t seq)
{
	uint64_t from = seq > WALLET_REPUBLISH_AROUND ? seq - WALLET_REPUBLISH_AROUND : 1;

	if (republish->spent == 0 || from < republish->spent)
		republish->spent = from;
}

void wallet_republish_spent_due(
	struct wallet_republish *republish, uint64_t committed, uint64_t mono_us)
{
	uint64_t from = republish->spent;
	uint64_t waits;

	if (from == 0 || mono_us < republish->spent_not_before_us)
		return;
	/* A client that keeps requesting an old row must not keep the wallet busy. */
	waits = committed > from ? 1 + (committed - from) / WALLET_REPUBLISH_WAIT_ROWS : 1;
	if (waits > WALLET_REPUBLISH_WAITS_MAX)
		waits = WALLET_REPUBLISH_WAITS_MAX;
	republish->spent = 0;
	republish->spent_not_before_us = mono_us + waits * WALLET_REPUBLISH_WAIT_US;
	wallet_republish_request(republish, from, committed);
}
