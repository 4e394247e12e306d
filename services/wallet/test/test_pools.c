/* Which pools a stake feeds: those that the game names and those linked to it, except pools that
 * the player's operator opted out of. */
#include "services/wallet/core/wallet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define EUR 978
#define SEK 752
#define GAME 5
#define OTHER_GAME 6

static const struct wallet_tally tallies[] = {
	{ 11, 1, GAME, EUR, false },  /* the game's own jackpot */
	{ 12, 2, GAME, EUR, false },  /* its set of cards */
	{ 13, 30, GAME, EUR, false }, /* linked, as the rest */
	{ 14, 31, GAME, EUR, true },  /* closed */
	{ 15, 32, GAME, SEK, false }, /* in another currency only */
	{ 16, 33, GAME, EUR, false },
	{ 17, 34, GAME, EUR, false },
};

static player_id player_of(uint32_t operator_id)
{
	return ((player_id)operator_id << 48) + 7;
}

static const struct {
	const char *label;
	struct wallet_linked_pool linked_pools[3];
	struct wallet_opted_out out;
	uint32_t operator_id, pools[2], tallies[WALLET_POOLS_MAX];
	bool bonus;
	enum wallet_refusal refusal;
} rows[] = {
	{ "the game's own", { { 0 } }, { 0 }, 1, { 1, 2 }, { 11, 12 }, false, 0 },
	{ "and a linked pool", { { 30, GAME } }, { 0 }, 1, { 1, 2 }, { 11, 12, 13 }, false, 0 },
	{ "linked to another game", { { 30, OTHER_GAME } }, { 0 }, 1, { 1, 2 }, { 11, 12 }, false,
		0 },
	{ "closed, and in another currency", { { 31, GAME }, { 32, GAME } }, { 0 }, 1, { 1, 2 },
		{ 11, 12 }, false, 0 },
	{ "named and linked: fed once", { { 1, GAME } }, { 0 }, 1, { 1, 2 }, { 11, 12 }, false, 0 },
	{ "as many as a stake may feed", { { 30, GAME }, { 33, GAME }, { 34, GAME } }, { 0 }, 1,
		{ 1, 2 }, { 11, 12, 13, 16 }, false, 0 },
	{ "no named pool", { { 30, GAME } }, { 0 }, 1, { 0 }, { 13 }, false, 0 },
	{ "the player's operator opted out", { { 30, GAME } }, { 1, 30, 0, false }, 1, { 1, 2 },
		{ 11, 12 }, false, 0 },
	{ "another operator opted out", { { 30, GAME } }, { 2, 30, 0, false }, 1, { 1, 2 },
		{ 11, 12, 13 }, false, 0 },
	{ "opted out of the cards", { { 30, GAME } }, { 1, 2, 0, false }, 1, { 1, 2 }, { 11, 13 },
		false, 0 },
	{ "opted out of the cards in another game", { { 0 } }, { 1, 2, OTHER_GAME, false }, 1,
		{ 1, 2 }, { 11, 12 }, false, 0 },
	{ "all operators opted out of the cards", { { 0 } }, { 0, 2, 0, false }, 9, { 1, 2 },
		{ 11 }, false, 0 },
	{ "opted out of the jackpot", { { 30, GAME } }, { 1, 1, 0, true }, 1, { 1, 2 }, { 0 },
		false, WALLET_REFUSAL_BLOCKED },
	{ "a bonus spin feeds no pool", { { 30, GAME } }, { 0 }, 1, { 0 }, { 0 }, true, 0 },
	{ "a bonus spin, opted out of the linked pool", { { 30, GAME } }, { 1, 30, 0, false }, 1,
		{ 0 }, { 0 }, true, 0 },
	{ "a bonus spin, opted out of the cards", { { 0 } }, { 1, 2, 0, false }, 1, { 0 }, { 0 },
		true, 0 },
	{ "a bonus spin, opted out of the jackpot", { { 0 } }, { 1, 1, 0, true }, 1, { 0 }, { 0 },
		true, WALLET_REFUSAL_BLOCKED },
	{ "a bonus spin, another operator opted out", { { 0 } }, { 2, 1, 0, true }, 1, { 0 }, { 0 },
		true, 0 },
};

static void test_pools_stakes_feed_linked_pools(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static struct wallet_rules rules;
		struct wallet_row row;
		struct wallet_account account = { .player = player_of(rows[i].operator_id),
			.exists = true,
			.currency = EUR,
			.balance = { 100 },
			.last_move = 4 };
		struct wallet_proposal proposal = { .move = 5,
			.round = 5,
			.game = GAME,
			.kind = WALLET_KIND_BET,
			.currency = EUR,
			.stake = 30 };
		struct wallet_bonus_spins spins = { .player = account.player,
			.game = GAME,
			.currency = EUR,
			.spins = 3,
			.expires_us = 9 };
		struct wallet_moment moment = { .now_us = 1, .seq = 9, .rules = &rules };
		if (rows[i].bonus) {
			moment.spins = &spins;
			proposal.bonus = true;
			proposal.stake = 0;
		}
		rules = (struct wallet_rules){ .tallies = tallies,
			.tallies_n = sizeof(tallies) / sizeof(tallies[0]),
			.stake_max = 1000,
			.outside_max = 1000,
			.opted_out_n = rows[i].out.pool != 0 };
		rules.opted_out[0] = rows[i].out;
		for (size_t k = 0; k < 3 && rows[i].linked_pools[k].pool != 0; k++)
			rules.linked_pools[rules.linked_pools_n++] = rows[i].linked_pools[k];
		while (proposal.pools_n < 2 && rows[i].pools[proposal.pools_n] != 0) {
			proposal.pools[proposal.pools_n] = rows[i].pools[proposal.pools_n];
			proposal.pools_n++;
		}
		assert_int_equal(
			wallet_apply_proposal(&account, &proposal, &moment, &row), WALLET_BOOKED);
		if (row.refusal != (uint32_t)rows[i].refusal)
			fail_msg("%s: refusal %u", rows[i].label, row.refusal);
		for (uint32_t k = 0; k < WALLET_POOLS_MAX; k++) {
			uint32_t fed = k < row.tallies_n ? row.tallies[k] : 0;
			if (fed != rows[i].tallies[k])
				fail_msg("%s: tally %u, expected %u", rows[i].label, fed,
					rows[i].tallies[k]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_pools_stakes_feed_linked_pools) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
