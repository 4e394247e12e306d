/* Brings stored pools in line with the definitions. */
#include "services/progressive-pool/adapters/reconcile.h"

#include "libcommon/io/log.h"

#include <inttypes.h>
#include <string.h>

static bool same_rows(const struct game_link *a, const struct game_link *b)
{
	if (strcmp(a->jackpot.id, b->jackpot.id) != 0 ||
		a->jackpot.base_coin_minor != b->jackpot.base_coin_minor ||
		a->jackpot.row_count != b->jackpot.row_count)
		return false;
	for (uint32_t i = 0; i < a->jackpot.row_count; i++) {
		const struct game_link_row *x = &a->jackpot.row[i];
		const struct game_link_row *y = &b->jackpot.row[i];
		if (x->currency != y->currency || x->coin_minor != y->coin_minor ||
			x->seed_minor != y->seed_minor || x->row_rate_nano != y->row_rate_nano)
			return false;
	}
	return true;
}

void reconcile_check(const struct game_links *links)
{
	for (size_t i = 0; i < links->count; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct game_link *a = &links->link[j];
			const struct game_link *b = &links->link[i];
			if (b->jackpot.pool != 0 && a->jackpot.pool == b->jackpot.pool &&
				!same_rows(a, b))
				fatal("%s: /jackpot: found rows of pool %u that differ from those "
				      "in %s, expected the same",
					b->id, b->jackpot.pool, a->id);
			if (b->jackpot.pool != 0 && a->cards.pool == b->jackpot.pool)
				fatal("%s: /jackpot/pool_number: found %u, the number of a set "
				      "of Jackpot Cards (%s), expected another",
					b->id, b->jackpot.pool, a->id);
		}
	}
}

static struct pool_terms terms_of(const struct game_link_row *row)
{
	return (struct pool_terms){ row->seed_minor, row->row_rate_nano, row->share_nano };
}

static void launch(struct pool_instance *instance, const struct game_link_row *row)
{
	struct pool_terms terms = terms_of(row);
	enum pool_status status =
		pool_launch(&instance->pool, row->currency, row->exponent, row->coin_minor, &terms);
	if (status != POOL_OK)
		fatal("pool %u, currency %u, coin %" PRId64 ": %s", instance->pool.number,
			row->currency, row->coin_minor, pool_status_text(status));
	instance->defined[instance->defined_count++] =
		(struct defined_terms){ row->currency, row->coin_minor, terms };
	instance->rows_dirty = true;
	log_info("pool %u: row of currency %u, coin %" PRId64 " launched, seed %" PRId64,
		instance->pool.number, row->currency, row->coin_minor, row->seed_minor);
}

static void compare(struct pool_instance *instance, const struct game_link_row *row,
	struct defined_terms *defined)
{
	struct pool_terms terms = terms_of(row);
	if (memcmp(&terms, &defined->terms, sizeof(terms)) == 0)
		return;
	enum pool_status status =
		pool_terms_change(&instance->pool, row->currency, row->coin_minor, &terms);
	if (status != POOL_OK)
		fatal("pool %u, currency %u, coin %" PRId64 ": %s", instance->pool.number,
			row->currency, row->coin_minor, pool_status_text(status));
	defined->terms = terms;
	instance->rows_dirty = true;
	log_info("pool %u: row of currency %u, coin %" PRId64
		 ": new terms take effect after its next hit",
		instance->pool.number, row->currency, row->coin_minor);
}

static void warn_of_rows_left(struct pool_instance *instance, const struct game_link *link)
{
	for (uint32_t i = 0; i < instance->pool.row_count; i++) {
		const struct pool_row *row = &instance->pool.row[i];
		bool there = false;
		for (uint32_t j = 0; j < link->jackpot.row_count; j++)
			there = there ||
				(link->jackpot.row[j].currency == row->currency &&
					link->jackpot.row[j].coin_minor == row->coin_minor);
		if (!there)
			log_warn("pool %u: the definition no longer has the row of currency %u, "
				 "coin %" PRId64 "; it stays live until an operator removes it",
				instance->pool.number, row->currency, row->coin_minor);
	}
}

void reconcile_rows(struct pool_instance *instance, const struct game_links *links)
{
	const struct game_link *link = NULL;
	for (size_t i = 0; i < links->count && link == NULL; i++)
		if (links->link[i].jackpot.pool == instance->pool.number)
			link = &links->link[i];
	if (link == NULL || instance->pool.state == POOL_RETIRED)
		return;
	memcpy(instance->id, link->jackpot.id, sizeof(instance->id));
	instance->base_coin_minor = link->jackpot.base_coin_minor;
	for (uint32_t i = 0; i < link->jackpot.row_count; i++) {
		const struct game_link_row *row = &link->jackpot.row[i];
		struct defined_terms *defined =
			pool_defined(instance, row->currency, row->coin_minor);
		if (pool_row_find(&instance->pool, row->currency, row->coin_minor) == NULL)
			launch(instance, row);
		else if (defined != NULL)
			compare(instance, row, defined);
	}
	warn_of_rows_left(instance, link);
	instance->dirty = instance->dirty || instance->rows_dirty;
}

void reconcile_tallies(struct pool_instance *instance, const struct game_links *links, PGconn *conn)
{
	for (size_t i = 0; i < links->count && instance->pool.state != POOL_RETIRED; i++) {
		const struct game_link *link = &links->link[i];
		if (link->jackpot.pool != instance->pool.number)
			continue;
		for (uint32_t c = 0; c < link->currency_count; c++)
			(void)pool_source_open(&instance->source, conn, link->game,
				link->currency[c], link->jackpot.ppm);
	}
}
