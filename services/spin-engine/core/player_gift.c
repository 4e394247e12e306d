/* Bonus spins that operators have given. They are not in the record of a move, which another
 * engine's record would overwrite: each row that gives, uses or ends some is folded by its id. */
#include "services/spin-engine/core/player.h"

#include <string.h>

static uint32_t index_of(const struct player *player, const uint8_t id[PLAYER_ID_BYTES])
{
	uint32_t at = 0;

	while (at < player->gift_count && memcmp(player->gift[at].id, id, PLAYER_ID_BYTES) != 0)
		at++;
	return at;
}

static void forget(struct player *player, uint32_t at)
{
	uint32_t behind = player->gift_count - at - 1;

	memmove(player->gift + at, player->gift + at + 1, behind * sizeof(player->gift[0]));
	memset(&player->gift[--player->gift_count], 0, sizeof(player->gift[0]));
}

/* The wallet takes no more than these that are not over, so the first to expire has expired. */
static uint32_t first_to_expire(const struct player *player)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < player->gift_count; i++)
		if (player->gift[i].expires_us < player->gift[first].expires_us)
			first = i;
	return first;
}

void player_gift(struct player *player, const struct player_gift *gift)
{
	if (gift->used >= gift->spins || player_gift_of(player, gift->id))
		return;
	if (player->gift_count == PLAYER_GIFTS_MAX)
		forget(player, first_to_expire(player));
	player->gift[player->gift_count++] = *gift;
}

void player_gift_end(struct player *player, const uint8_t id[PLAYER_ID_BYTES])
{
	uint32_t at = index_of(player, id);

	if (at < player->gift_count)
		forget(player, at);
}

const struct player_gift *player_gift_of(
	const struct player *player, const uint8_t id[PLAYER_ID_BYTES])
{
	uint32_t at = index_of(player, id);

	return at < player->gift_count ? &player->gift[at] : NULL;
}

void player_gift_fold(struct player *player, const struct player_fact *fact)
{
	uint32_t at = index_of(player, fact->bonus_spin);

	if (!fact->bonus || at == player->gift_count)
		return;
	/* The wallet's word: whatever was counted here, there are none. */
	bool none = fact->refusal == PLAYER_WALLET_NO_SPINS;

	if (fact->refusal == 0)
		none = ++player->gift[at].used >= player->gift[at].spins;
	if (none)
		forget(player, at);
}

/* RULE mystic-gem 7.2: bet and lines are those that were given, in the base game. */
void player_gift_bet(const struct player *player, struct player_command *command)
{
	const struct player_gift *gift = player_gift_of(player, command->bonus_spin);

	command->mode[0] = '\0';
	command->bet = (struct bet){ .currency = player->currency };
	if (!gift)
		return; /* refused by player_check */
	command->bet.coin_minor = gift->coin_minor;
	command->bet.lines = gift->lines;
	command->bet.coins = gift->coins;
}

enum player_refusal player_gift_check(const struct player *player, uint32_t game,
	const struct player_command *command, uint64_t now_us)
{
	const struct player_gift *gift = player_gift_of(player, command->bonus_spin);

	if (command->autospin)
		return REFUSED_SPINS_AUTOPLAY;
	if (!gift)
		return REFUSED_SPINS_UNKNOWN;
	if (gift->game != game)
		return REFUSED_SPINS_GAME;
	return now_us > gift->expires_us ? REFUSED_SPINS_EXPIRED : REFUSED_NOTHING;
}
