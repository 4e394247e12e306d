/* Operators' decisions on pools, read with the tallies: linked pools with the games that feed them,
 * and operators who opted out. Nothing feeds a pool that is not live. */
#include "services/wallet/adapters/app.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"

/* The last of too many settings are left out, with an alarm whenever their number changes. */
static int at_most(int n, int max, int *found, const char *what)
{
	if (n > max && n != *found)
		log_error_as("wallet.rules.too_many",
			"ALARM %s: found %d, expected at most %d: the last ones are not applied",
			what, n, max);
	*found = n;
	return n < max ? n : max;
}

static void poll_linked_pools(struct wallet_rules *rules, PGconn *conn)
{
	PGresult *result = pg_again(conn,
		"select l.pool, l.game from pool.link l join pool.pool p using (pool) where "
		"p.state = 'live' order by l.pool, l.game",
		0, NULL);
	int n = PQntuples(result);
	n = at_most(n, WALLET_LINKED_POOLS_MAX, &rules->linked_pools_found, "links of pool.link");
	for (int i = 0; i < n; i++)
		rules->linked_pools[i] =
			(struct wallet_linked_pool){ (uint32_t)pg_number(result, i, 0),
				(uint32_t)pg_number(result, i, 1) };
	if (rules->linked_pools_n != (size_t)n)
		log_info("linked pools: %d links, %zu before", n, rules->linked_pools_n);
	rules->linked_pools_n = (size_t)n;
	PQclear(result);
}

/* A game may be played without its Jackpot Cards or a linked pool. Without its own jackpot it would
 * be a different game, and not a published one. */
static void poll_opted_out(struct wallet_rules *rules, PGconn *conn)
{
	PGresult *result = pg_again(conn,
		"select p.operator, p.pool, 0, (not exists (select from pool.link l where l.pool = "
		"p.pool))::integer from pool.participation p where not p.takes_part union "
		"all select operator, pool, game, 0 from cards.participation where not takes_part "
		"union all select 0, pool, 0, 0 from cards.card_set where state <> 'live' order by "
		"1, 2, 3",
		0, NULL);
	int n = PQntuples(result);
	n = at_most(n, WALLET_OPTED_OUT_MAX, &rules->opted_out_found,
		"operators who opted out in pool.participation, cards.participation");
	for (int i = 0; i < n; i++)
		rules->opted_out[i] = (struct wallet_opted_out){ (uint32_t)pg_number(result, i, 0),
			(uint32_t)pg_number(result, i, 1), (uint32_t)pg_number(result, i, 2),
			pg_number(result, i, 3) != 0 };
	if (rules->opted_out_n != (size_t)n)
		log_info(
			"operators who opted out of a pool: %d, %zu before", n, rules->opted_out_n);
	rules->opted_out_n = (size_t)n;
	PQclear(result);
}

void wallet_poll_pools(struct wallet *wallet, PGconn *conn)
{
	poll_linked_pools(&wallet->rules, conn);
	poll_opted_out(&wallet->rules, conn);
}
