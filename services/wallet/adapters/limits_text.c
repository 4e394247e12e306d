#include "services/wallet/adapters/limits_text.h"

#include <inttypes.h>
#include <stdlib.h>

void limits_pack(const struct wallet_limits *limits, int64_t numbers_r[LIMITS_NUMBERS])
{
	size_t n = 0;

	for (size_t i = 1; i < WALLET_LIMITS_N; i++) {
		numbers_r[n++] = limits->limit[i].value;
		numbers_r[n++] = limits->limit[i].next;
		numbers_r[n++] = (int64_t)limits->limit[i].next_us;
	}
	for (size_t i = 0; i < WALLET_PERIODS_N; i++) {
		numbers_r[n++] = limits->used[i].period;
		numbers_r[n++] = limits->used[i].loss;
		numbers_r[n++] = limits->used[i].wager;
		numbers_r[n++] = limits->used[i].deposit;
	}
	numbers_r[n++] = (int64_t)limits->play_began_us;
	numbers_r[n++] = (int64_t)limits->play_last_us;
}

void limits_unpack(const int64_t numbers[LIMITS_NUMBERS], struct wallet_limits *limits_r)
{
	size_t n = 0;

	wallet_limits_init(limits_r);
	for (size_t i = 1; i < WALLET_LIMITS_N; i++, n += 3)
		limits_r->limit[i] = (struct wallet_limit){ numbers[n], numbers[n + 1],
			(uint64_t)numbers[n + 2] };
	for (size_t i = 0; i < WALLET_PERIODS_N; i++, n += 4)
		limits_r->used[i] = (struct wallet_used){ numbers[n], numbers[n + 1],
			numbers[n + 2], numbers[n + 3] };
	limits_r->play_began_us = (uint64_t)numbers[n];
	limits_r->play_last_us = (uint64_t)numbers[n + 1];
}

void limits_text(struct text *text, const struct wallet_limits *limits)
{
	int64_t numbers[LIMITS_NUMBERS];

	limits_pack(limits, numbers);
	for (size_t i = 0; i < LIMITS_NUMBERS; i++)
		text_add(text, "%c%" PRId64, i == 0 ? '{' : ',', numbers[i]);
	text_add(text, "}");
}

bool limits_read(const char *text, struct wallet_limits *limits_r)
{
	int64_t numbers[LIMITS_NUMBERS];
	size_t n = 0;
	char *end;

	if (text[0] != '{')
		return false;
	for (text++; n < LIMITS_NUMBERS; text = end + 1) {
		numbers[n++] = strtoll(text, &end, 10);
		if (end == text || *end != (n == LIMITS_NUMBERS ? '}' : ','))
			return false;
	}
	limits_unpack(numbers, limits_r);
	return true;
}
