/* Sums of a round, its digest, and the names of its parts. */
#include "libcommon/game/round.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The largest size of a part: a number of 32 bits takes at most 5 bytes, a number of 64 bits 10. */
#define WIN_BYTES 24u
#define DRAW_BYTES 22u
#define LOAD_BYTES 12u
#define FIXED_BYTES 136u

_Static_assert(FIXED_BYTES + 3 * GAME_REELS_MAX + GAME_CELLS_MAX + PHASE_WINS_MAX * WIN_BYTES +
			       PHASE_DRAWS_MAX * DRAW_BYTES + GAME_CELLS_MAX * LOAD_BYTES <=
		       PHASE_BYTES_MAX,
	"a phase fits its canonical form");

/* Seven bits a byte, the lowest first, the top bit set on all but the last. Most numbers of a phase
 * are small, and the time of the digest depends on the number of bytes. */
static uint8_t *put(uint8_t *p, uint64_t value)
{
	while (value >= 0x80) {
		*p++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*p++ = (uint8_t)value;
	return p;
}

/* Parts that most phases do not have: a mask says which follow. The most frequent parts have the
 * lowest bits, so one byte is usually enough. */
enum part {
	PART_WINS = 1 << 0,
	PART_STOPS = 1 << 1,
	PART_COVERED = 1 << 2,
	PART_STATE = 1 << 3,
	PART_FREE_SPINS = 1 << 4,
	PART_LOADS = 1 << 5,
	PART_MULTIPLIER = 1 << 6,
	PART_PLAYER = 1 << 7,
	PART_HELD = 1 << 8,
	PART_FEATURE = 1 << 9,
	PART_RESPINS = 1 << 10,
	PART_LANDED = 1 << 11,
	PART_OUTCOME = 1 << 12,
	PART_COLLECTED = 1 << 13,
	PART_JACKPOT = 1 << 14,
};

static uint32_t when(bool present, enum part part)
{
	return present ? (uint32_t)part : 0;
}

static bool any(const uint8_t *bytes, size_t count)
{
	uint8_t all = 0;

	for (size_t i = 0; i < count; i++)
		all |= bytes[i];
	return all != 0;
}

/* A stop that equals the value drawn for its reel is not encoded again. */
static bool stops_are_draws(const struct phase *phase)
{
	if (phase->draw_count < phase->reels)
		return false;
	for (uint32_t r = 0; r < phase->reels; r++) {
		const struct draw *draw = &phase->draw[r];

		if (draw->meaning != DRAW_STOP || draw->where != r || draw->value != phase->stop[r])
			return false;
	}
	return true;
}

static uint32_t parts_of(const struct phase *phase)
{
	const struct round_state *state = &phase->state;

	return when(phase->needs_player != NEEDS_NOTHING, PART_PLAYER) |
	       when(phase->covered != 0, PART_COVERED) | when(phase->held != 0, PART_HELD) |
	       when(phase->win_count > 0, PART_WINS) | when(!stops_are_draws(phase), PART_STOPS) |
	       when((phase->free_spins_awarded | phase->free_spins_left |
			    phase->free_spins_appended) != 0,
		       PART_FREE_SPINS) |
	       when(phase->feature_count > 0, PART_FEATURE) |
	       when(phase->multiplier != 1, PART_MULTIPLIER) |
	       when(phase->respins_left > 0, PART_RESPINS) | when(phase->landed != 0, PART_LANDED) |
	       when(phase->loaded != 0, PART_LOADS) |
	       when(phase->kind == PHASE_BONUS, PART_OUTCOME) |
	       when(phase->features != 0 || phase->explodes ||
			       any(phase->collected_colour, phase->reels),
		       PART_COLLECTED) |
	       when(any(state->collectibles, GAME_COLOURS) || state->unlocked > 0, PART_STATE) |
	       when(phase->jackpot_hit, PART_JACKPOT);
}

static uint8_t *put_wins(uint8_t *p, const struct phase *phase)
{
	p = put(p, phase->win_count);
	for (uint32_t i = 0; i < phase->win_count; i++) {
		const struct win_item *item = &phase->win[i];

		*p++ = item->what;
		*p++ = item->symbol;
		*p++ = item->count;
		*p++ = item->line;
		p = put(p, item->cells);
		p = put(p, item->multiplier);
		p = put(p, (uint64_t)item->amount.minor);
	}
	return put(p, (uint64_t)phase->win_total.minor);
}

static uint8_t *put_loads(uint8_t *p, const struct phase *phase)
{
	p = put(p, phase->loaded);
	for (uint32_t cell = 0; cell < (uint32_t)phase->reels * phase->rows; cell++) {
		const struct cell_load *load = &phase->load[cell];

		if (!(phase->loaded & UINT32_C(1) << cell))
			continue;
		*p++ = load->kind;
		*p++ = load->award;
		p = put(p, load->x);
		p = put(p, load->own);
	}
	return p;
}

static uint8_t *put_collected(uint8_t *p, const struct phase *phase)
{
	p = put(p, phase->features);
	*p++ = phase->explodes;
	memcpy(p, phase->collected_colour, phase->reels);
	return p + phase->reels;
}

static uint8_t *put_state(uint8_t *p, const struct round_state *state)
{
	memcpy(p, state->collectibles, GAME_COLOURS);
	p[GAME_COLOURS] = state->unlocked;
	return p + GAME_COLOURS + 1;
}

/* Parts of any game. */
static uint8_t *put_parts(uint8_t *p, const struct phase *phase, uint32_t parts)
{
	if (parts & PART_PLAYER) {
		*p++ = (uint8_t)phase->needs_player;
		p = put(p, phase->picks_needed);
		p = put(p, phase->picks_offered);
	}
	if (parts & PART_COVERED)
		p = put(p, phase->covered);
	if (parts & PART_HELD)
		p = put(p, phase->held);
	if (parts & PART_WINS)
		p = put_wins(p, phase);
	if (parts & PART_FREE_SPINS) {
		p = put(p, phase->free_spins_awarded);
		p = put(p, phase->free_spins_left);
		p = put(p, phase->free_spins_appended);
	}
	if (parts & PART_FEATURE) {
		p = put(p, phase->feature_cells);
		p = put(p, phase->feature_count);
		*p++ = phase->scatter_award_won;
	}
	if (parts & PART_MULTIPLIER)
		p = put(p, phase->multiplier);
	return p;
}

/* Parts of single features. */
static uint8_t *put_feature_parts(uint8_t *p, const struct phase *phase, uint32_t parts)
{
	if (parts & PART_RESPINS)
		p = put(p, phase->respins_left);
	if (parts & PART_LANDED)
		p = put(p, phase->landed);
	if (parts & PART_LOADS)
		p = put_loads(p, phase);
	if (parts & PART_OUTCOME) {
		*p++ = (uint8_t)phase->outcome;
		p = put(p, phase->outcome_value);
	}
	if (parts & PART_COLLECTED)
		p = put_collected(p, phase);
	if (parts & PART_STATE)
		p = put_state(p, &phase->state);
	if (parts & PART_JACKPOT)
		p = put(p, phase->claim_index);
	return p;
}

/* Meaning and place in one number; the place of a stop is its reel. */
static uint8_t *put_draws(uint8_t *p, const struct phase *phase)
{
	p = put(p, phase->draw_count);
	for (uint32_t i = 0; i < phase->draw_count; i++) {
		const struct draw *draw = &phase->draw[i];

		p = put(p, (uint64_t)draw->meaning * 32 + draw->where);
		p = put(p, draw->below);
		p = put(p, draw->value);
	}
	return p;
}

/* Add a new field only as a new part, which phases without it do not have: digests in the journal
 * must stay valid. */
size_t phase_encode(const struct phase *phase, uint8_t *out)
{
	uint32_t cells = (uint32_t)phase->reels * phase->rows, parts = parts_of(phase);
	uint8_t *p = out;

	assert(cells <= GAME_CELLS_MAX && phase->win_count <= PHASE_WINS_MAX &&
		phase->draw_count <= PHASE_DRAWS_MAX);
	*p++ = (uint8_t)phase->kind;
	p = put(p, phase->index);
	p = put(p, parts);
	*p++ = (uint8_t)(phase->reels << 4 | phase->rows);
	*p++ = phase->strips;
	for (uint32_t r = 0; (parts & PART_STOPS) && r < phase->reels; r++)
		p = put(p, phase->stop[r]);
	memcpy(p, phase->window, cells);
	p = put_parts(p + cells, phase, parts);
	p = put_feature_parts(p, phase, parts);
	p = put_draws(p, phase);
	return (size_t)(p - out);
}

void round_sum_begin(struct round_summing *summing, struct money stake)
{
	summing->sum = (struct round_sum){ .stake = stake };
	sha256_begin(&summing->sha);
}

/* RULE bewitched 5.9: line wins of the paid spin are summed separately. */
static bool add_base_lines(const struct phase *phase, struct money *base)
{
	bool fits = true;

	if (phase->kind != PHASE_SPIN)
		return true;
	for (uint32_t i = 0; i < phase->win_count; i++)
		if (phase->win[i].what == WIN_LINE)
			fits &= money_add(*base, phase->win[i].amount, base);
	return fits;
}

/* RULE bewitched 2.8: all is added. */
bool round_sum_add(struct round_summing *summing, const struct phase *phase)
{
	struct round_sum *sum = &summing->sum;
	uint8_t bytes[PHASE_BYTES_MAX];

	if (!money_add(sum->win_total, phase->win_total, &sum->win_total) ||
		!add_base_lines(phase, &sum->win_base_lines))
		return false;
	sum->win_feature = money_of(sum->win_total.minor - sum->win_base_lines.minor);
	sum->state = phase->state;
	sum->phases++;
	sum->jackpot_hits += phase->jackpot_hit;
	sum->free_spins += phase->kind == PHASE_FREE_SPIN;
	sum->has_feature |= phase->needs_player != NEEDS_NOTHING;
	sha256_add(&summing->sha, bytes, phase_encode(phase, bytes));
	return true;
}

void round_sum_end(struct round_summing *summing, struct round_sum *sum_r)
{
	sha256_end(&summing->sha, summing->sum.digest);
	*sum_r = summing->sum;
}

enum round_status round_play(const struct game *game, const struct bet *bet,
	const struct round_state *state, struct rng *rng, struct phase *phase,
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
	static const char *const texts[PHASE_KINDS] = {
#define PHASE(id, text, source, event) [PHASE_##id] = (text),
#include "libcommon/game/features.def"
	};

	return kind < PHASE_KINDS ? texts[kind] : "unknown";
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
	case WIN_CELL:
		return "cell";
	case WIN_JACKPOT:
		return "jackpot";
	}
	return "unknown";
}

const char *unlock_kind_text(enum unlock_kind kind)
{
	switch (kind) {
	case UNLOCK_HIGH_SYMBOLS:
		return "high_symbols";
	case UNLOCK_RANDOM_WILDS:
		return "random_wilds";
	case UNLOCK_MULTIPLIER:
		return "multiplier";
	case UNLOCK_MEGA_WILD:
		return "mega_wild";
	}
	return "unknown";
}

const char *pick_outcome_kind_text(enum pick_outcome_kind kind)
{
	switch (kind) {
	case PICK_MONEY:
		return "money";
	case PICK_FREE_SPINS:
		return "free_spins";
	case PICK_JACKPOT:
		return "jackpot";
	}
	return "unknown";
}

/* Places are shown counted from 1. */
const char *draw_text(const struct draw *draw, char *out)
{
	static const char *const words[DRAW_MEANINGS] = {
#define DRAW(id, text) [DRAW_##id] = (text),
#include "libcommon/game/features.def"
	};
	static const char place[] = "%u";
	const char *word = draw->meaning < DRAW_MEANINGS ? words[draw->meaning] : "unknown";
	size_t length = strcspn(word, "%");

	memcpy(out, word, length);
	out[length] = 0;
	if (word[length])
		snprintf(out + length, DRAW_TEXT_MAX - length, place, draw->where + 1u);
	return out;
}
