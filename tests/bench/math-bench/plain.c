/* The measure of the measures: a plain C loop, as anyone would write it for one game, and the
 * generator by itself. Every window it pays is held against the engine's own line evaluation once,
 * before anything is measured. */
#include "libcommon/base/rng.h"
#include "libcommon/game/lines.h"
#include "libcommon/game/montecarlo.h"
#include "libcommon/game/montecarlo_stream.h"
#include "tests/bench/math-bench/bench.h"

#include <string.h>

#define CHECKED 100000
#define WORDS 2048u
#define WINS 8192u

struct plain {
	const struct game *game;
	const struct game_strips *strips;
	struct rng rng;
	uint64_t coins;		  /* won, for one coin a line */
	uint64_t histogram[WINS]; /* windows by coins won; the last: so many or more */
	uint16_t stop[GAME_REELS_MAX];
	uint8_t window[GAME_REELS_MAX][GAME_ROWS_MAX];
};

static uint32_t line_coins(const struct plain *plain, const uint8_t *line)
{
	const struct game *game = plain->game;
	uint32_t lead = 0, length, best, pay;
	uint8_t symbol;

	while (lead < game->reels && plain->window[lead][line[lead]] == game->wild)
		lead++;
	best = game->wild_pay[lead];
	if (lead == game->reels)
		return best;
	symbol = plain->window[lead][line[lead]];
	if (game->symbol[symbol].kind != SYMBOL_LINE)
		return best;
	length = lead + 1;
	while (length < game->reels && (plain->window[length][line[length]] == symbol ||
					       plain->window[length][line[length]] == game->wild))
		length++;
	pay = game->symbol[symbol].pay[length];
	return pay > best ? pay : best;
}

static void show_reel(struct plain *plain, uint32_t reel)
{
	for (uint32_t row = 0; row < plain->game->rows; row++)
		plain->window[reel][row] =
			plain->strips->reel[reel].symbol[plain->stop[reel] + row];
}

/* All lines and scatters of the window. */
static uint32_t window_coins(const struct plain *plain)
{
	const struct game *game = plain->game;
	uint32_t coins = 0, scatters = 0;

	for (uint32_t line = 0; line < game->line_count; line++)
		coins += line_coins(plain, game->line[line]);
	for (uint32_t r = 0; r < game->reels; r++)
		for (uint32_t row = 0; row < game->rows; row++)
			scatters += plain->window[r][row] == game->scatter[0];
	return coins + game->symbol[game->scatter[0]].pay[scatters] * game->line_count;
}

static void spin(struct plain *plain)
{
	for (uint32_t r = 0; r < plain->game->reels; r++) {
		plain->stop[r] = (uint16_t)rng_below(&plain->rng, plain->strips->reel[r].length);
		show_reel(plain, r);
	}
}

static void spins(void *context, uint64_t units)
{
	struct plain *plain = context;

	for (uint64_t i = 0; i < units; i++) {
		spin(plain);
		plain->coins += window_coins(plain);
	}
}

/* All combinations of one stop of the last reels, and so on to the first: `units` of them, going on
 * where the last call ended, reel 5 fastest. */
static void scan(void *context, uint64_t units)
{
	struct plain *plain = context;

	for (uint64_t i = 0; i < units; i++) {
		uint32_t coins = window_coins(plain), reel = plain->game->reels - 1;

		plain->histogram[coins < WINS ? coins : WINS - 1]++;
		while (reel > 0 && plain->stop[reel] + 1u == plain->strips->reel[reel].length) {
			plain->stop[reel] = 0;
			show_reel(plain, reel--);
		}
		plain->stop[reel] =
			(uint16_t)((plain->stop[reel] + 1u) % plain->strips->reel[reel].length);
		show_reel(plain, reel);
	}
}

static void check(struct plain *plain)
{
	const struct game *game = plain->game;
	struct line_terms terms = { .multiplier = 1 };
	uint8_t window[GAME_CELLS_MAX];

	for (uint32_t i = 0; i < CHECKED; i++) {
		spin(plain);
		for (uint32_t r = 0; r < game->reels; r++)
			memcpy(window + r * game->rows, plain->window[r], game->rows);
		for (uint32_t line = 0; line < game->line_count; line++)
			if (line_best(game, window, line, &terms).coins !=
				line_coins(plain, game->line[line]))
				refuse("%s: found a line the plain loop pays otherwise than the engine",
					game->id);
	}
}

/* Nothing but reels, lines, a wild and one scatter, which is what the plain loop knows. */
static bool is_plain(const struct game *game)
{
	const struct game_strips *strips = &game->strips[game->mode[0].strips];

	for (uint32_t r = 0; r < game->reels; r++)
		if (strips->reel[r].weight != strips->reel[r].length)
			return false;
	return game->expanding_reels == 0 && !game->unlock.offered &&
	       game->jackpot_symbols.symbol == GAME_NO_SYMBOL && game->scatter_symbols == 1 &&
	       game->rows == 3;
}

void add_plain(struct bench *bench, const struct game *game)
{
	struct plain *plain;
	uint8_t key[RNG_KEY_BYTES] = "the plain loop";

	if (!is_plain(game))
		return;
	plain = keep(sizeof(*plain));
	plain->game = game;
	plain->strips = &game->strips[game->mode[0].strips];
	rng_init(&plain->rng, key);
	check(plain);
	bench_add(bench, &(struct figure){ .what = "plain_spins",
				 .game = game->id,
				 .mode = game->mode[0].id,
				 .path = "",
				 .items = 1,
				 .work = spins,
				 .context = plain });
	plain = memcpy(keep(sizeof(*plain)), plain, sizeof(*plain));
	bench_add(bench, &(struct figure){ .what = "plain_scan",
				 .game = game->id,
				 .mode = game->mode[0].id,
				 .path = "",
				 .items = 1,
				 .work = scan,
				 .context = plain });
}

/* ---- the generator alone ---- */

struct generator {
	struct rng rng;
	struct word_stream stream;
	uint32_t word[WORDS];
	uint8_t key[RNG_KEY_BYTES];
	uint64_t sum;
};

static void fill(void *context, uint64_t units)
{
	struct generator *generator = context;

	for (uint64_t i = 0; i < units; i++) {
		stream_fill(&generator->stream, generator->word, WORDS);
		generator->sum += generator->word[i % WORDS];
	}
}

static void draw(void *context, uint64_t units)
{
	struct generator *generator = context;

	for (uint64_t i = 0; i < units; i++)
		generator->sum += rng_below(&generator->rng, 41);
}

/* A stream of its own from a key of 32 bytes, up to its first draw: what each round of the server
 * has beside round_play. */
static void begin(void *context, uint64_t units)
{
	struct generator *generator = context;

	for (uint64_t i = 0; i < units; i++) {
		generator->key[i % 8]++;
		rng_init(&generator->rng, generator->key);
		generator->sum += rng_below(&generator->rng, 41);
	}
}

void add_random(struct bench *bench)
{
	static const struct {
		const char *what, *path;
		double items;
		void (*work)(void *context, uint64_t units);
	} kinds[] = {
		{ "chacha20_words", "scalar", WORDS, fill }, /* libsodium's, which may use AVX2 */
		{ "chacha20_words", "avx512", WORDS, fill },
		{ "server_draws", "", 1, draw },
		{ "stream_begin", "", 1, begin },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct generator *generator = keep(sizeof(*generator));
		bool avx512 = strcmp(kinds[i].path, "avx512") == 0;

		if (avx512 && !fast_has_avx512())
			continue;
		stream_open(&generator->stream, 1, 1, 0, avx512);
		rng_init(&generator->rng, generator->key);
		bench_add(bench, &(struct figure){ .what = kinds[i].what,
					 .game = "",
					 .mode = "",
					 .path = kinds[i].path,
					 .items = kinds[i].items,
					 .work = kinds[i].work,
					 .context = generator });
	}
}
