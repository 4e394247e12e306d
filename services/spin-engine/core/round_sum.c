/* Sums of a round, its digest, and the words for its parts. */
#include "services/spin-engine/core/round.h"

#include <assert.h>
#include <string.h>

#define WIN_BYTES 20u
#define DRAW_BYTES 10u
#define FIXED_BYTES 64u

_Static_assert(FIXED_BYTES + 2 * GAME_REELS_MAX + GAME_CELLS_MAX + PHASE_WINS_MAX * WIN_BYTES +
			       PHASE_DRAWS_MAX * DRAW_BYTES <=
		       PHASE_BYTES_MAX,
	"a phase fits its canonical form");

static uint8_t *put(uint8_t *p, uint64_t value, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		*p++ = (uint8_t)(value >> (8 * i));
	return p;
}

/* The screen's fixed part. A new field may only be added together with a new definition format:
 * digests in the journal are for ever. */
static uint8_t *put_fixed(uint8_t *p, const struct phase *phase)
{
	p = put(p, phase->index, 4);
	p = put(p, (uint32_t)phase->kind, 1);
	p = put(p, (uint32_t)phase->needs_player, 1);
	p = put(p, phase->picks_needed, 1);
	p = put(p, phase->vials_shown, 1);
	p = put(p, phase->reels, 1);
	p = put(p, phase->rows, 1);
	p = put(p, phase->feature_cells, 4);
	p = put(p, phase->feature_count, 1);
	p = put(p, phase->battle_won, 1);
	p = put(p, (uint32_t)phase->outcome, 1);
	p = put(p, phase->outcome_value, 4);
	p = put(p, phase->free_spins_awarded, 4);
	p = put(p, phase->free_spins_left, 4);
	p = put(p, phase->free_spins_appended, 4);
	p = put(p, phase->multiplier, 4);
	p = put(p, phase->jackpot_hit, 1);
	p = put(p, phase->claim_index, 4);
	return put(p, (uint64_t)phase->win_total.minor, 8);
}

size_t phase_encode(const struct phase *phase, uint8_t *out)
{
	uint8_t *p = put_fixed(out, phase);
	uint32_t cells = (uint32_t)phase->reels * phase->rows;

	assert(cells <= GAME_CELLS_MAX && phase->win_count <= PHASE_WINS_MAX &&
		phase->draw_count <= PHASE_DRAWS_MAX);
	for (uint32_t r = 0; r < phase->reels; r++)
		p = put(p, phase->stop[r], 2);
	memcpy(p, phase->window, cells);
	p += cells;
	p = put(p, phase->win_count, 1);
	for (uint32_t i = 0; i < phase->win_count; i++) {
		const struct win_item *item = &phase->win[i];

		p = put(p, item->what, 1);
		p = put(p, item->symbol, 1);
		p = put(p, item->count, 1);
		p = put(p, item->line, 1);
		p = put(p, item->cells, 4);
		p = put(p, item->multiplier, 4);
		p = put(p, (uint64_t)item->amount.minor, 8);
	}
	p = put(p, phase->draw_count, 1);
	for (uint32_t i = 0; i < phase->draw_count; i++) {
		p = put(p, phase->draw[i].meaning, 1);
		p = put(p, phase->draw[i].reel, 1);
		p = put(p, phase->draw[i].below, 4);
		p = put(p, phase->draw[i].value, 4);
	}
	return (size_t)(p - out);
}

void round_sum_begin(struct round_summing *summing, struct money stake)
{
	summing->sum = (struct round_sum){ .stake = stake };
	crypto_hash_sha256_init(&summing->sha);
}

/* RULE bewitched 2.8: all is added; RULE bewitched 5.9: lines of the paid spin are kept apart. */
bool round_sum_add(struct round_summing *summing, const struct phase *phase)
{
	struct round_sum *sum = &summing->sum;
	bool base = phase->kind == PHASE_SPIN;
	struct money *part = base ? &sum->win_base_lines : &sum->win_feature;
	uint8_t bytes[PHASE_BYTES_MAX];
	struct money total, part_total;

	if (!money_add(sum->win_total, phase->win_total, &total) ||
		!money_add(*part, phase->win_total, &part_total))
		return false;
	sum->win_total = total;
	*part = part_total;
	sum->phases++;
	sum->jackpot_hits += phase->jackpot_hit;
	sum->free_spins += phase->kind == PHASE_FREE_SPIN;
	sum->has_feature |= phase->needs_player != NEEDS_NOTHING;
	crypto_hash_sha256_update(&summing->sha, bytes, phase_encode(phase, bytes));
	return true;
}

void round_sum_end(struct round_summing *summing, struct round_sum *sum_r)
{
	crypto_hash_sha256_final(&summing->sha, summing->sum.digest);
	*sum_r = summing->sum;
}

enum round_status round_play(const struct game *game, const struct bet *bet,
	const struct game_state *state, struct rng *rng, struct phase *phase,
	struct round_sum *sum_r)
{
	struct round round;
	struct round_summing summing;
	enum round_status status = round_begin(game, bet, state, rng, &round);

	if (status != ROUND_OK)
		return status;
	round_sum_begin(&summing, round.stake);
	while ((status = round_next(&round, phase)) == ROUND_OK) {
		bool fits = round_sum_add(&summing, phase);

		assert(fits); /* bounds of the loader */
	}
	round_sum_end(&summing, sum_r);
	return status;
}

const char *phase_kind_text(enum phase_kind kind)
{
	switch (kind) {
	case PHASE_SPIN:
		return "spin";
	case PHASE_BATTLE:
		return "battle";
	case PHASE_BONUS:
		return "bonus";
	case PHASE_FREE_SPIN:
		return "free_spin";
	}
	return "unknown";
}

const char *win_what_text(enum win_what what)
{
	switch (what) {
	case WIN_LINE:
		return "line";
	case WIN_SCATTER:
		return "scatter";
	case WIN_BONUS:
		return "bonus";
	}
	return "unknown";
}

const char *vial_kind_text(enum vial_kind kind)
{
	switch (kind) {
	case VIAL_MONEY:
		return "money";
	case VIAL_FREE_SPINS:
		return "free_spins";
	case VIAL_JACKPOT:
		return "jackpot";
	}
	return "unknown";
}

const char *draw_text(const struct draw *draw)
{
	static const char *const stop[GAME_REELS_MAX] = { "stop reel 1", "stop reel 2",
		"stop reel 3", "stop reel 4", "stop reel 5", "stop reel 6" };

	if (draw->meaning == DRAW_STOP && draw->reel < GAME_REELS_MAX)
		return stop[draw->reel];
	return draw->meaning == DRAW_BATTLE ? "battle outcome"
	       : draw->meaning == DRAW_VIAL ? "vial outcome"
					    : "unknown";
}
