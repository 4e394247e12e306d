/* Plays blocks of rounds: draws, examines the spins that need it, and keeps the statistics. */
#include "libcommon/game/montecarlo/internal.h"

#include <stdlib.h>
#include <string.h>

#define STREAM_SPINS 0u
#define STREAM_DRAWS 1u

struct fast_player *fast_player_new(const struct fast_sim *sim, enum fast_path path)
{
	struct fast_player *player = calloc(1, sizeof(*player));

	if (player == NULL)
		return NULL;
	player->sim = sim;
	player->avx512 = path != FAST_SCALAR && fast_has_avx512();
	return player;
}

void fast_player_free(struct fast_player **player)
{
	free(*player);
	*player = NULL;
}

/* ---- statistics ---- */

static void wins_add(
	const struct fast_sim *sim, struct fast_stats *stats, uint64_t win, uint64_t count)
{
	uint32_t bin = FAST_BINS - 1;

	if (win == 0 || count == 0)
		return;
	while (win < sim->bin_from[bin])
		bin--;
	stats->histogram[bin] += count;
	stats->hits += count;
	stats->win += (fast_sum)win * count;
	stats->square += (fast_sum)win * win * count;
	if (win > stats->win_max)
		stats->win_max = win;
}

/* The balance over the rounds of a block. Separate from the player, so that a loop over rounds
 * keeps it in registers. */
struct balance {
	int64_t stake, won, peak, trough, drawdown;
};

/* The balance before round `index` and after it. Rounds between two wins only lose, so a low or a
 * high can only occur here. */
static inline void walk(struct balance *balance, uint64_t index, uint64_t win)
{
	int64_t low = balance->won - balance->stake * (int64_t)index, high;

	if (low < balance->trough)
		balance->trough = low;
	if (balance->peak - low > balance->drawdown)
		balance->drawdown = balance->peak - low;
	balance->won += (int64_t)win;
	high = low + (int64_t)win - balance->stake;
	if (high > balance->peak)
		balance->peak = high;
}

static void stats_close(struct fast_player *player, struct balance *balance, uint64_t rounds)
{
	const struct fast_sim *sim = player->sim;
	struct fast_stats *stats = player->stats;

	walk(balance, rounds, 0);
	stats->peak = balance->peak;
	stats->trough = balance->trough;
	stats->drawdown = balance->drawdown;
	for (uint32_t gain = 1; gain < PLAIN_MAX; gain++) {
		wins_add(sim, stats, gain * sim->line_bet, player->plain[gain]);
		stats->source[SOURCE_LINES] += (fast_sum)gain * sim->line_bet * player->plain[gain];
	}
	stats->rounds = rounds;
	stats->stake = sim->stake;
	stats->net = balance->won - (int64_t)(sim->stake * rounds);
	stats->histogram[0] = rounds - stats->hits;
}

/* ---- rounds ---- */

/* A round whose paid spin gave this sum. */
static inline void round_settle(struct fast_player *player, struct balance *balance, uint64_t index,
	uint32_t sum, const struct place *place)
{
	const struct fast_sim *sim = player->sim;
	uint32_t gain_bits = place->table->gain_bits;
	uint32_t gain = sum & ((1u << gain_bits) - 1);
	uint64_t win;

	if (player->quiet[sum >> gain_bits] != 0 && gain < player->plain_max) {
		player->plain[gain]++;
		win = gain * sim->line_bet;
	} else {
		settle_round(player, sum, place);
		win = player->run.win;
		wins_add(sim, player->stats, win, 1);
	}
	if (win > 0)
		walk(balance, index, win);
}

struct look {
	uint32_t sum, place;
};

/* Computes the sums of the listed spins; keeps the spins with a pay or a feature. `reels`: the
 * number of reels after the prefix, a constant in each caller, so that the compiler unrolls the
 * inner loop. */
static inline uint32_t batch_sums_of(const struct spin_table *table, const uint8_t *quiet,
	const struct batch *batch, struct look *restrict look, const uint32_t reels)
{
	const uint32_t gain_bits = table->gain_bits, gain_mask = (1u << gain_bits) - 1;
	const uint32_t listed = batch->listed;
	const struct step *const class = table->prefix_class;
	const uint32_t *const last = table->last;
	const struct step *steps[GAME_REELS_MAX];
	const uint8_t *column[GAME_REELS_MAX];
	uint32_t weight[GAME_REELS_MAX], kept = 0;

	for (uint32_t r = 0; r < reels; r++) {
		steps[r] = table->step[table->prefix_reels + r];
		weight[r] = table->weight[table->prefix_reels + r];
		column[r] = table->column[table->prefix_reels + r];
	}
	for (uint32_t i = 0; i < listed; i++) {
		struct step at = class[batch->class[i]];
		uint32_t rest = batch->fraction[i];

		for (uint32_t r = 0; r < reels; r++) {
			uint64_t product = (uint64_t)rest * weight[r];
			uint32_t place = at.row + column[r][product >> 32];

			if (r + 1 == reels) {
				at.sum += last[place];
			} else {
				at.sum += steps[r][place].sum;
				at.row = steps[r][place].row;
			}
			rest = (uint32_t)product;
		}
		look[kept] = (struct look){ at.sum, batch->place[i] };
		kept += ((at.sum & gain_mask) != 0) | (quiet[at.sum >> gain_bits] == 0);
	}
	return kept;
}

static uint32_t batch_sums(
	const struct fast_player *player, const struct batch *batch, struct look *look)
{
	const struct spin_table *table = &player->sim->base[0];
	const uint8_t *quiet = player->quiet;

	switch (table->reels - table->prefix_reels) {
	case 0:
		return batch_sums_of(table, quiet, batch, look, 0);
	case 1:
		return batch_sums_of(table, quiet, batch, look, 1);
	case 2:
		return batch_sums_of(table, quiet, batch, look, 2);
	default:
		return batch_sums_of(table, quiet, batch, look, table->reels - table->prefix_reels);
	}
}

/* Plays the spins of a batch that pay or start something. */
static void batch_settle(struct fast_player *player, struct balance *balance_io,
	const struct batch *batch, const struct look *look, uint32_t kept, uint64_t done)
{
	const struct spin_table *table = &player->sim->base[0];
	struct balance balance = *balance_io;

	for (uint32_t i = 0; i < kept; i++) {
		/* batch_sums wrote the first `kept`.
		 * NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
		struct place place = { .table = table, .word = batch->word[look[i].place >> 16] };

		if (table->pair)
			place.word |= (uint64_t)batch->other[look[i].place >> 16] << 32;
		round_settle(
			player, &balance, done + (look[i].place & 0xffff), look[i].sum, &place);
	}
	*balance_io = balance;
}

static void play_batches(struct fast_player *player, struct balance *balance, uint64_t rounds)
{
	const struct spin_table *table = &player->sim->base[0];
	struct batch batch;
	struct look look[BATCH];
	uint64_t done = 0;

	while (done < rounds) {
		uint32_t words = rounds - done < BATCH ? (uint32_t)(rounds - done) : BATCH, kept;

		stream_fill(&player->words, batch.word, (words + 15) / 16 * 16);
		if (table->pair)
			stream_fill(&player->words, batch.other, (words + 15) / 16 * 16);
		if (player->avx512)
			batch_scan_avx512(table, &batch, words);
		else
			batch_scan(table, &batch, words);
		kept = batch_sums(player, &batch, look);
		batch_settle(player, balance, &batch, look, kept, done);
		done += batch.count;
	}
}

/* The table of this choice of bought reels. */
static const struct spin_table *table_of(const struct fast_sim *sim, uint32_t wild_reels)
{
	uint32_t i = 0;

	while (sim->base[i].wild_reels != wild_reels)
		i++;
	return &sim->base[i];
}

static void play_guaranteed(struct fast_player *player, struct balance *balance, uint64_t rounds)
{
	const struct spin_rank *rank = player->sim->game->mode[player->sim->bet.mode].rank;

	for (uint64_t i = 0; i < rounds; i++) {
		uint16_t stop[GAME_REELS_MAX];
		struct place place = { .stop = stop };
		uint32_t position = 0;

		if (rank->position_count > 1)
			position = spin_rank_position_of(
				rank, stream_below64(&player->draws, rank->weight));
		spin_rank_stops(rank, position,
			stream_below64(&player->draws, rank->position[position].count), stop);
		place.table = table_of(player->sim, rank->position[position].reels);
		round_settle(player, balance, i, table_sum_of_stops(place.table, stop), &place);
	}
}

/* Plays spins one by one: for bought reels in several positions, or a cycle too long for words of
 * 32 bits. */
static void play_singly(struct fast_player *player, struct balance *balance, uint64_t rounds)
{
	const struct fast_sim *sim = player->sim;
	const struct game_mode *mode = &sim->game->mode[sim->bet.mode];

	for (uint64_t i = 0; i < rounds; i++) {
		struct place place;
		uint32_t value, position = 0, sum;

		if (sim->bases > 1) {
			value = stream_below(&player->draws, mode->position_weight);
			while (value >= mode->position[position].weight)
				value -= mode->position[position++].weight;
		}
		sum = table_spin(&sim->base[position], &player->draws, &place);
		round_settle(player, balance, i, sum, &place);
	}
}

static void play(struct fast_player *player, bool features, uint64_t seed, uint64_t block,
	uint64_t rounds, struct fast_stats *stats_r)
{
	const struct fast_sim *sim = player->sim;
	struct balance balance = { .stake = (int64_t)sim->stake };

	*stats_r = (struct fast_stats){ 0 };
	player->stats = stats_r;
	player->features = features;
	player->quiet = features ? sim->quiet[CONTEXT_BASE] : sim->unpaid;
	player->plain_max = features && sim->on_win != 0 ? 1 : PLAIN_MAX;
	player->state = sim->start;
	memset(player->plain, 0, sizeof(player->plain));
	stream_open(&player->words, seed, block, STREAM_SPINS, player->avx512);
	stream_open(&player->draws, seed, block, STREAM_DRAWS, player->avx512);
	if (sim->game->mode[sim->bet.mode].guarantee != GUARANTEE_NONE)
		play_guaranteed(player, &balance, rounds);
	else if (sim->bases > 1 || sim->base[0].wide)
		play_singly(player, &balance, rounds);
	else
		play_batches(player, &balance, rounds);
	stats_close(player, &balance, rounds);
}

void fast_block(struct fast_player *player, uint64_t seed, uint64_t block, uint64_t rounds,
	struct fast_stats *stats_r)
{
	play(player, true, seed, block, rounds, stats_r);
}

void fast_spins(struct fast_player *player, uint64_t seed, uint64_t block, uint64_t rounds,
	struct fast_stats *stats_r)
{
	play(player, false, seed, block, rounds, stats_r);
}
