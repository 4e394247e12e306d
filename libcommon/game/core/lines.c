#include "libcommon/game/lines.h"

/* The pay of one candidate. RULE bewitched 2.4, 3.12: flat multipliers apply to all lines. RULE
 * bewitched 1.9; RULE mona-lisa 1.11, 3.11: only wilds multiply: in the combination, and only in
 * games with wild multipliers. */
static struct line_pay worth(const struct line_terms *terms, uint32_t pay, uint32_t symbol,
	uint32_t count, uint32_t wilds)
{
	uint32_t multiplier = terms->multiplier, last = terms->wild_multiplier_count;

	if (last > 0)
		multiplier *= terms->wild_multiplier[wilds < last ? wilds : last - 1];
	return (struct line_pay){ .coins = pay * multiplier,
		.multiplier = multiplier,
		.symbol = (uint8_t)symbol,
		.count = (uint8_t)count };
}

/* The pool pays the progressive's combination instead of the paytable; the paytable pays all other
 * combinations of its symbols. RULE mona-lisa 4.2, 4.3 */
static bool wins_progressive(
	const struct game *game, const struct line_terms *terms, uint8_t symbol, uint32_t count)
{
	return terms->progressive && symbol == game->jackpot_symbols.symbol &&
	       count >= game->jackpot_symbols.count;
}

/* Only two candidates can be best: the first symbol that is not a wild, with the wilds before and
 * within its run; and the leading wilds alone, as the symbol for which that many pay most
 * (wild_pay). RULE mystic-gem 2.2, 2.3, 2.12; RULE mystery-elves 2.1, 2.2, 2.7; RULE mona-lisa 2.1,
 * 2.2, 3.1; RULE witch-feature 2.1, 2.2, 2.4, 2.8, 2.9 */
struct line_pay line_best(const struct game *game, const uint8_t *window, uint32_t line,
	const struct line_terms *terms)
{
	const uint8_t *cell = game->line_cell[line];
	uint32_t leading = 0, count, wilds;
	struct line_pay best = { 0 }, other;
	enum symbol_kind kind;
	uint8_t symbol;

	while (leading < game->reels && window[cell[leading]] == game->wild)
		leading++;
	if (leading > 0 && game->wild_pay[leading] > 0)
		best = worth(
			terms, game->wild_pay[leading], game->wild_as[leading], leading, leading);
	if (leading == game->reels)
		return best;
	symbol = window[cell[leading]];
	kind = game->symbol[symbol].kind;
	if (kind != SYMBOL_LINE && (kind != SYMBOL_JACKPOT || leading > 0))
		return best;
	wilds = leading;
	for (count = leading + 1; count < game->reels; count++) {
		uint8_t next = window[cell[count]];

		if (next == symbol)
			continue;
		if (next != game->wild || kind != SYMBOL_LINE)
			break;
		wilds++;
	}
	if (wins_progressive(game, terms, symbol, count))
		return (struct line_pay){
			.symbol = symbol, .count = (uint8_t)count, .jackpot = true
		};
	if (game->symbol[symbol].pay[count] == 0)
		return best;
	other = worth(terms, game->symbol[symbol].pay[count], symbol, count, wilds);
	if (other.coins > best.coins || (other.coins == best.coins && symbol <= best.symbol))
		best = other;
	return best;
}
