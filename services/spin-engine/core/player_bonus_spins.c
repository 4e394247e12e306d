/* Operators' grants of bonus spins. They are not part of a move's record, because another engine's
 * record would overwrite them: each row that grants, uses or ends bonus spins updates them by id.
 */
#include "services/spin-engine/core/player.h"

#include <string.h>

static uint32_t index_of(const struct player *player, const uint8_t id[PLAYER_ID_BYTES])
{
	uint32_t at = 0;

	while (at < player->bonus_spins_count &&
		memcmp(player->bonus_spins[at].id, id, PLAYER_ID_BYTES) != 0)
		at++;
	return at;
}

static void forget(struct player *player, uint32_t at)
{
	uint32_t behind = player->bonus_spins_count - at - 1;

	memmove(player->bonus_spins + at, player->bonus_spins + at + 1,
		behind * sizeof(player->bonus_spins[0]));
	memset(&player->bonus_spins[--player->bonus_spins_count], 0,
		sizeof(player->bonus_spins[0]));
}

/* The wallet accepts no more live grants than this, so the first to expire has expired. */
static uint32_t first_to_expire(const struct player *player)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < player->bonus_spins_count; i++)
		if (player->bonus_spins[i].expires_us < player->bonus_spins[first].expires_us)
			first = i;
	return first;
}

void player_bonus_spins(struct player *player, const struct player_bonus_spins *bonus_spins)
{
	if (bonus_spins->used >= bonus_spins->spins ||
		player_bonus_spins_of(player, bonus_spins->id))
		return;
	if (player->bonus_spins_count == PLAYER_BONUS_SPINS_MAX)
		forget(player, first_to_expire(player));
	player->bonus_spins[player->bonus_spins_count++] = *bonus_spins;
}

void player_bonus_spins_end(struct player *player, const uint8_t id[PLAYER_ID_BYTES])
{
	uint32_t at = index_of(player, id);

	if (at < player->bonus_spins_count)
		forget(player, at);
}

const struct player_bonus_spins *player_bonus_spins_of(
	const struct player *player, const uint8_t id[PLAYER_ID_BYTES])
{
	uint32_t at = index_of(player, id);

	return at < player->bonus_spins_count ? &player->bonus_spins[at] : NULL;
}

void player_bonus_spins_fold(struct player *player, const struct player_fact *fact)
{
	uint32_t at = index_of(player, fact->bonus_spin);

	if (!fact->bonus || at == player->bonus_spins_count)
		return;
	/* The wallet has refused: none are left, whatever this engine has counted. */
	bool none = fact->refusal == PLAYER_WALLET_NO_BONUS_SPINS;

	if (fact->refusal == 0)
		none = ++player->bonus_spins[at].used >= player->bonus_spins[at].spins;
	if (none)
		forget(player, at);
}

/* RULE mystic-gem 7.2: the grant sets bet and lines, in the base game. */
void player_bonus_spins_bet(const struct player *player, struct player_command *command)
{
	const struct player_bonus_spins *bonus_spins =
		player_bonus_spins_of(player, command->bonus_spin);

	command->mode[0] = '\0';
	command->bet = (struct bet){ .currency = player->currency };
	if (!bonus_spins)
		return; /* refused by player_check */
	command->bet.coin_minor = bonus_spins->coin_minor;
	command->bet.lines = bonus_spins->lines;
	command->bet.coins = bonus_spins->coins;
}

enum player_refusal player_bonus_spins_check(const struct player *player, uint32_t game,
	const struct player_command *command, uint64_t now_us)
{
	const struct player_bonus_spins *bonus_spins =
		player_bonus_spins_of(player, command->bonus_spin);

	if (command->autospin)
		return REFUSED_BONUS_SPINS_AUTOPLAY;
	if (!bonus_spins)
		return REFUSED_BONUS_SPINS_UNKNOWN;
	if (bonus_spins->game != game)
		return REFUSED_BONUS_SPINS_GAME;
	return now_us > bonus_spins->expires_us ? REFUSED_BONUS_SPINS_EXPIRED : REFUSED_NOTHING;
}
