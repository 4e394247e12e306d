/* Brings stored pools in line with the definitions. */
#include "services/progressive-pool/adapters/reconcile.h"

#include "libcommon/io/log.h"

#include <inttypes.h>
#include <stdio.h>
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

static bool agree(const struct game_link *a, const struct game_link *b, char *wrong_r)
{
	if (a->jackpot.pool == 0)
		return true;
	if (a->jackpot.pool == b->jackpot.pool && !same_rows(a, b))
		(void)snprintf(wrong_r, RECONCILE_TEXT_MAX,
			"%s: /jackpot: found rows of pool %u that differ from those in %s, "
			"expected the same",
			a->id, a->jackpot.pool, b->id);
	else if (a->jackpot.pool == b->cards.pool)
		(void)snprintf(wrong_r, RECONCILE_TEXT_MAX,
			"%s: /jackpot/pool_number: found %u, the number of the set of Jackpot "
			"Cards of %s, expected another",
			a->id, a->jackpot.pool, b->id);
	else
		return true;
	return false;
}

bool reconcile_check(const struct game_links *links, char wrong_r[RECONCILE_TEXT_MAX])
{
	for (size_t i = 0; i < links->count; i++)
		for (size_t j = 0; j < links->count; j++)
			if (!agree(&links->link[i], &links->link[j], wrong_r))
				return false;
	return true;
}

static struct pool_terms terms_of(const struct game_link_row *row)
{
	return (struct pool_terms){ row->seed_minor, row->row_rate_nano, row->share_nano };
}

/* False: the definition is refused, and refused_r (RECONCILE_TEXT_MAX bytes) says why. */
static bool accepted(const struct pool_instance *instance, const struct game_link_row *row,
	enum pool_status status, char *refused_r)
{
	if (status == POOL_OK)
		return true;
	(void)snprintf(refused_r, RECONCILE_TEXT_MAX,
		"pool %u, row of currency %u, coin %" PRId64 ": %s", instance->pool.number,
		row->currency, row->coin_minor, pool_status_text(status));
	return false;
}

static bool launch(struct pool_instance *instance, const struct game_link_row *row, char *refused_r)
{
	struct pool_terms terms = terms_of(row);
	if (instance->defined_count == POOL_ROWS_MAX)
		return accepted(instance, row, POOL_FULL, refused_r);
	if (!accepted(instance, row,
		    pool_launch(
			    &instance->pool, row->currency, row->exponent, row->coin_minor, &terms),
		    refused_r))
		return false;
	instance->defined[instance->defined_count++] =
		(struct defined_terms){ row->currency, row->coin_minor, terms };
	instance->rows_dirty = true;
	if (!instance->refused) /* else it has been said at the first attempt */
		log_info("pool %u: row of currency %u, coin %" PRId64 " launched, seed %" PRId64,
			instance->pool.number, row->currency, row->coin_minor, row->seed_minor);
	return true;
}

static bool compare(struct pool_instance *instance, const struct game_link_row *row,
	struct defined_terms *defined, char *refused_r)
{
	struct pool_terms terms = terms_of(row);
	if (memcmp(&terms, &defined->terms, sizeof(terms)) == 0)
		return true;
	if (!accepted(instance, row,
		    pool_terms_change(&instance->pool, row->currency, row->coin_minor, &terms),
		    refused_r))
		return false;
	defined->terms = terms;
	instance->rows_dirty = true;
	if (!instance->refused)
		log_info("pool %u: row of currency %u, coin %" PRId64
			 ": new terms take effect after its next hit",
			instance->pool.number, row->currency, row->coin_minor);
	return true;
}

static bool apply_rows(
	struct pool_instance *instance, const struct game_link *link, char *refused_r)
{
	bool good = true;
	for (uint32_t i = 0; good && i < link->jackpot.row_count; i++) {
		const struct game_link_row *row = &link->jackpot.row[i];
		struct defined_terms *defined =
			pool_defined(instance, row->currency, row->coin_minor);
		if (pool_row_find(&instance->pool, row->currency, row->coin_minor) == NULL)
			good = launch(instance, row, refused_r);
		else if (defined != NULL)
			good = compare(instance, row, defined, refused_r);
	}
	return good;
}

/* A definition is taken whole or not at all: terms that wait count too, so one that each row would
 * allow may be refused by their sum. The pool then goes on with the rows that it has. */
static bool take_definition(
	struct pool_instance *instance, const struct game_link *link, char *refused_r)
{
	static struct pool pool;
	static struct defined_terms defined[POOL_ROWS_MAX];
	uint32_t count = instance->defined_count;
	bool dirty = instance->rows_dirty;
	pool = instance->pool;
	memcpy(defined, instance->defined, sizeof(defined));
	if (apply_rows(instance, link, refused_r))
		return true;
	instance->pool = pool;
	memcpy(instance->defined, defined, sizeof(defined));
	instance->defined_count = count;
	instance->rows_dirty = dirty;
	return false;
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
			log_warn_as("pool.row.orphaned",
				"pool %u: the definition no longer has the row of currency %u, "
				"coin %" PRId64 "; it stays live until an operator removes it",
				instance->pool.number, row->currency, row->coin_minor);
	}
}

void reconcile_rows(struct pool_instance *instance, const struct game_links *links)
{
	const struct game_link *link = NULL;
	char refused[RECONCILE_TEXT_MAX];
	for (size_t i = 0; i < links->count && link == NULL; i++)
		if (links->link[i].jackpot.pool == instance->pool.number)
			link = &links->link[i];
	if (link == NULL || instance->pool.state == POOL_RETIRED)
		return;
	memcpy(instance->id, link->jackpot.id, sizeof(instance->id));
	instance->base_coin_minor = link->jackpot.base_coin_minor;
	if (!take_definition(instance, link, refused)) {
		if (!instance->refused)
			log_error_as("pool.terms.refused",
				"ALARM %s: /jackpot/rows: refused: %s. The pool keeps the "
				"rows that it has; hits at rows that it lacks are not paid",
				link->id, refused);
		instance->refused = true;
		return;
	}
	if (instance->refused)
		log_info("%s: /jackpot/rows: accepted now", link->id);
	instance->refused = false;
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
