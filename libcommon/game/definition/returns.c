/* Compares the published returns with the exact ones. */
#include "libcommon/game/definition/check.h"
#include "libcommon/game/definition_load.h"

#include "libcommon/base/currency.h"
#include "libcommon/game/exact.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PPM 1000000ul
#define PERCENT_TEXT 32
#define FOUND_MAX 160

/* As a percentage with 6 decimals, cut off and not rounded, so a figure outside the band never
 * looks as if it were inside. */
static void percent_text(const mpq_t part, char *out)
{
	mpz_t whole;
	char digits[24];
	size_t length;

	mpz_init(whole);
	mpz_mul_ui(whole, mpq_numref(part), 100 * PPM);
	mpz_fdiv_q(whole, whole, mpq_denref(part));
	if (mpz_sizeinbase(whole, 10) > 15) {
		snprintf(out, PERCENT_TEXT, "over a billion");
	} else {
		gmp_snprintf(digits, sizeof(digits), "%07Zd", whole);
		length = strlen(digits);
		snprintf(out, PERCENT_TEXT, "%.*s.%s", (int)(length - 6), digits,
			digits + length - 6);
	}
	mpz_clear(whole);
}

/* from <= part < below, in ppm. */
static bool in_band(const mpq_t part, const struct published_rtp *published)
{
	return mpq_cmp_ui(part, published->from_ppm, PPM) >= 0 &&
	       mpq_cmp_ui(part, published->below_ppm, PPM) < 0;
}

/* Names what is outside the band: the analysed bet, a level of unlocking, or another bet. Levels
 * are the states whose name is only a number; the return from other states is not published. */
static bool level_outside(const struct exact_mode *mode, char *found)
{
	char rtp[PERCENT_TEXT];

	for (uint32_t i = 0; i < mode->state_count; i++) {
		if (strchr(mode->state[i].name, ',') ||
			in_band(mode->state[i].rtp, mode->published))
			continue;
		percent_text(mode->state[i].rtp, rtp);
		snprintf(found, FOUND_MAX, "an exact return of %s %% at %.64s", rtp,
			mode->state[i].name);
		return true;
	}
	return false;
}

static bool bet_outside(const struct game *game, const struct exact_mode *mode, uint32_t lines,
	uint32_t coins, char *found)
{
	bool max = lines == game->lines_max && coins == game->coins_max, outside;
	char rtp[PERCENT_TEXT];
	mpq_t value;

	if (mode->published->bets != PUBLISHED_ALL_BETS &&
		max != (mode->published->bets == PUBLISHED_MAX_BET))
		return false;
	mpq_init(value);
	outside = exact_bet(game, mode->mode_index, lines, coins, value) == EXACT_OK &&
		  !in_band(value, mode->published);
	percent_text(value, rtp);
	mpq_clear(value);
	snprintf(found, FOUND_MAX, "an exact return of %s %% (%u lines x %u coins)", rtp, lines,
		coins);
	return outside;
}

static void outside_text(const struct game *game, const struct exact_mode *mode, char *found)
{
	char rtp[PERCENT_TEXT];

	percent_text(mode->rtp, rtp);
	snprintf(found, FOUND_MAX, "an exact return of %s %% (%u lines x %u coins)", rtp,
		mode->lines, mode->coins);
	if (!in_band(mode->rtp, mode->published) || level_outside(mode, found))
		return;
	for (uint32_t lines = game->lines_min; lines <= game->lines_max; lines++)
		for (uint32_t coins = game->coins_min; coins <= game->coins_max; coins++)
			if (bet_outside(game, mode, lines, coins, found))
				return;
	snprintf(found, FOUND_MAX,
		"an exact return of %s %%, but for some bet the return at one level of unlocking is "
		"outside the band",
		rtp);
}

static void refuse(const struct node *modes, const struct game *game, const struct exact_mode *mode)
{
	const struct published_rtp *published = mode->published;
	struct node of_mode = node_item(modes, mode->mode_index);
	struct node node = node_member(&of_mode, "published_rtp");
	char found[FOUND_MAX];

	outside_text(game, mode, found);
	node_fail(&node, found, "at least %u.%04u %% and less than %u.%04u %% in mode %s",
		published->from_ppm / 10000, published->from_ppm % 10000,
		published->below_ppm / 10000, published->below_ppm % 10000,
		game->mode[mode->mode_index].id);
}

void definition_prove_returns(const struct node *root, const struct game *game)
{
	struct node modes = node_member(root, "modes");
	uint32_t count = game->demo ? 0 : exact_mode_count(game);
	struct exact_analysis *analysis = exact_open(game, EXACT_RETURN);

	for (uint32_t i = 0; i < count && !root->reader->failed; i++) {
		struct exact_mode mode;
		enum exact_status status =
			analysis ? exact_figure(analysis, i, &mode) : EXACT_NO_MEMORY;

		if (status == EXACT_SIMULATED) {
			exact_mode_free(&mode);
			continue;
		}
		if (status != EXACT_OK) {
			node_fail(&modes, "too little memory", "enough for the exact returns");
			break;
		}
		if (mode.published && !mode.in_band)
			refuse(&modes, game, &mode);
		exact_mode_free(&mode);
	}
	exact_close(&analysis);
}

/* ---- warnings ---- */

/* seed / coin against base seed / base coin; the row's rate is on both sides. */
static bool in_proportion(const struct jackpot_link *link, const struct jackpot_row *row)
{
	__extension__ unsigned __int128 left = (uint64_t)row->seed_minor, right;

	left *= (uint64_t)link->base_coin_minor;
	right = (uint64_t)link->base_seed_minor;
	right *= (uint64_t)row->coin_minor;
	return left == right;
}

/* The return at a row: the return with the seed's part scaled to the row's seed. */
static void row_return(const struct jackpot_link *link, const struct jackpot_row *row,
	const struct exact_mode *mode, mpq_t rtp_r)
{
	mpq_t scale;

	mpq_init(scale);
	mpz_set_si(mpq_numref(scale), row->seed_minor);
	mpz_mul_si(mpq_numref(scale), mpq_numref(scale), link->base_coin_minor);
	mpz_set_si(mpq_denref(scale), row->coin_minor);
	mpz_mul_si(mpq_denref(scale), mpq_denref(scale), link->base_seed_minor);
	mpq_canonicalize(scale);
	mpq_set(rtp_r, mode->rtp);
	for (uint32_t i = 0; i < mode->part_count; i++)
		if (strcmp(mode->part[i].source, "jackpot_seed") == 0) {
			mpq_sub(rtp_r, rtp_r, mode->part[i].rtp);
			mpq_mul(scale, scale, mode->part[i].rtp);
			mpq_add(rtp_r, rtp_r, scale);
		}
	mpq_clear(scale);
}

static void warn_row(const struct jackpot_link *link, const struct jackpot_row *row,
	const struct exact_mode *mode, char *out)
{
	const struct currency *currency = currency_by_number(row->currency);
	char percent[PERCENT_TEXT];
	mpq_t rtp;

	mpq_init(rtp);
	row_return(link, row, mode, rtp);
	percent_text(rtp, percent);
	mpq_clear(rtp);
	snprintf(out, DEFINITION_WARNING_MAX,
		"/jackpot/rows/%s: coin value %" PRId64 " has a seed of %" PRId64
		", out of proportion to the pool's seed of %" PRId64 " at coin value %" PRId64
		": mode %.64s then returns %s %%",
		currency ? currency->code : "?", row->coin_minor, row->seed_minor,
		link->base_seed_minor, link->base_coin_minor, mode->mode, percent);
}

uint32_t definition_warnings(
	const struct game *game, void (*say)(void *context, const char *warning), void *context)
{
	const struct jackpot_link *link = &game->jackpot;
	uint32_t modes = link->pool != 0 ? exact_mode_count(game) : 0, count = 0;

	for (uint32_t m = 0; m < modes; m++) {
		struct exact_mode mode;

		enum exact_status status = exact_mode(game, m, EXACT_RETURN, &mode);

		if (status == EXACT_SIMULATED)
			exact_mode_free(&mode);
		if (status != EXACT_OK)
			continue;
		for (uint32_t i = 0; i < link->row_count; i++) {
			char warning[DEFINITION_WARNING_MAX];

			if (in_proportion(link, &link->row[i]))
				continue;
			warn_row(link, &link->row[i], &mode, warning);
			say(context, warning);
			count++;
		}
		exact_mode_free(&mode);
	}
	return count;
}
