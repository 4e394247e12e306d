#include "services/wallet/adapters/sums.h"

#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define AMOUNTS 6

struct group {
	uint32_t game, mode, currency, kind;
	uint64_t rows, refused;
	int64_t amounts[AMOUNTS]; /* release, stake, win_balance, win_pending, forfeit, amount */
};

static struct {
	struct group *groups;
	size_t n, room, last;
} sums;

static struct {
	struct leg_sum *legs;
	size_t n, room;
} books;

static void *grow(void *array, size_t *room, size_t size)
{
	*room = *room == 0 ? 32 : *room * 2;
	array = realloc(array, *room * size);
	if (array == NULL)
		fatal("out of memory: %zu sums of a batch", *room);
	return array;
}

static void add(int64_t *sum, int64_t amount)
{
	if (__builtin_add_overflow(*sum, amount, sum))
		fatal("a sum of a batch exceeds 64 bits");
}

static bool group_is(const struct group *group, const struct wallet_row *row)
{
	return group->kind == row->kind && group->game == row->game && group->mode == row->mode &&
	       group->currency == row->currency;
}

/* There are few groups, and a row mostly has the group of the previous row. */
static struct group *group_of(const struct wallet_row *row)
{
	if (sums.last < sums.n && group_is(&sums.groups[sums.last], row))
		return &sums.groups[sums.last];
	for (sums.last = 0; sums.last < sums.n; sums.last++)
		if (group_is(&sums.groups[sums.last], row))
			return &sums.groups[sums.last];
	if (sums.n == sums.room)
		sums.groups = grow(sums.groups, &sums.room, sizeof(*sums.groups));
	sums.groups[sums.n] = (struct group){
		.game = row->game, .mode = row->mode, .currency = row->currency, .kind = row->kind
	};
	return &sums.groups[sums.n++];
}

static void group_add(const struct wallet_row *row)
{
	const int64_t amounts[AMOUNTS] = { row->release, row->stake, row->win_balance,
		row->win_pending, row->forfeit, row->amount };
	struct group *group = group_of(row);

	group->rows++;
	if (row->refusal != WALLET_REFUSAL_NONE) {
		group->refused++;
		return;
	}
	for (size_t i = 0; i < AMOUNTS; i++)
		add(&group->amounts[i], amounts[i]);
}

struct text *sums_text(const struct booked *rows, size_t n)
{
	static struct text text;

	sums.n = sums.last = 0;
	for (size_t i = 0; i < n; i++)
		group_add(&rows[i].row);
	text_clear(&text);
	text_add(&text, "\x01[");
	for (size_t i = 0; i < sums.n; i++) {
		const struct group *group = &sums.groups[i];
		text_add(&text, "%s[%u,%u,%u,%u,%" PRIu64 ",%" PRIu64, i == 0 ? "" : ",",
			group->game, group->mode, group->currency, group->kind, group->rows,
			group->refused);
		for (size_t j = 0; j < AMOUNTS; j++)
			text_add(&text, ",%" PRId64, group->amounts[j]);
		text_add(&text, "]");
	}
	text_add(&text, "]");
	return &text;
}

static void leg_add(uint32_t currency, const struct wallet_leg *leg)
{
	size_t i = 0;

	while (i < books.n &&
		(books.legs[i].currency != currency || books.legs[i].account != leg->account ||
			books.legs[i].pool != leg->pool))
		i++;
	if (i == books.n) {
		if (books.n == books.room)
			books.legs = grow(books.legs, &books.room, sizeof(*books.legs));
		books.legs[books.n++] = (struct leg_sum){ currency, leg->account, leg->pool, 0 };
	}
	add(&books.legs[i].amount, leg->amount);
}

size_t legs_sum(const struct booked *rows, size_t n, const struct leg_sum **legs_r)
{
	books.n = 0;
	for (size_t i = 0; i < n; i++) {
		struct wallet_leg legs[WALLET_LEGS_MAX];
		size_t legs_n = wallet_row_legs(&rows[i].row, legs);
		for (size_t j = 0; j < legs_n; j++)
			leg_add(rows[i].row.currency, &legs[j]);
	}
	*legs_r = books.legs;
	return books.n;
}

size_t leg_name(const struct leg_sum *leg, char name_r[LEG_NAME_MAX])
{
	static const char *const names[] = {
		[WALLET_LEG_PLAYER] = "PLAYER",
		[WALLET_LEG_PENDING] = "PENDING",
		[WALLET_LEG_HOUSE] = "HOUSE",
		[WALLET_LEG_CASH] = "CASH",
		[WALLET_LEG_PROMO] = "PROMO",
		[WALLET_LEG_JACKPOT] = "JACKPOT",
		[WALLET_LEG_VOID] = "VOID_RECEIVABLE",
		[WALLET_LEG_WITHDRAWAL] = "WITHDRAWAL",
	};
	int n = leg->account == WALLET_LEG_JACKPOT
			? snprintf(name_r, LEG_NAME_MAX, "JACKPOT:%u", leg->pool)
			: snprintf(name_r, LEG_NAME_MAX, "%s", names[leg->account]);

	return (size_t)n;
}
