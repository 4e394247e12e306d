/* What the contribution to the progressive returns, beside the return at the seed. */
#include "libcommon/game/exact/yield.h"

void exact_contribution(const struct game *game, struct exact_contribution *contribution_r)
{
	const struct jackpot_link *link = &game->jackpot;
	mpq_t share;

	*contribution_r = (struct exact_contribution){ .currency_count = game->currency_count };
	mpq_inits(contribution_r->counted_whole, contribution_r->live_rows, share, NULL);
	for (uint32_t c = 0; c < game->currency_count; c++) {
		contribution_r->currency[c] = game->currency[c].number;
		mpq_init(contribution_r->by_currency[c]);
	}
	if (link->pool != 0)
		mpq_set_u64(contribution_r->counted_whole, link->contribution_ppm, 1000000);
	for (uint32_t i = 0; link->pool != 0 && i < link->row_count; i++) {
		mpq_set_u64(share, (uint64_t)link->row[i].share_nano, 1000000000);
		mpq_mul(share, share, contribution_r->counted_whole);
		mpq_add(contribution_r->live_rows, contribution_r->live_rows, share);
		for (uint32_t c = 0; c < game->currency_count; c++)
			if (contribution_r->currency[c] == link->row[i].currency)
				mpq_add(contribution_r->by_currency[c],
					contribution_r->by_currency[c], share);
	}
	mpq_clear(share);
}

void exact_contribution_free(struct exact_contribution *contribution)
{
	mpq_clears(contribution->counted_whole, contribution->live_rows, NULL);
	for (uint32_t c = 0; c < contribution->currency_count; c++)
		mpq_clear(contribution->by_currency[c]);
}
