/* Quarantines players, and releases them. */
#include "services/wallet/adapters/quarantine.h"

#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "libcommon/io/pg_args.h"

#include <inttypes.h>
#include <stdio.h>

#define TICK_US 1000000
#define NOTE_MAX 160

/* ---- quarantining ---- */

static void found_set(struct account_quarantine *quarantine, const char *found)
{
	(void)snprintf(quarantine->found, sizeof(quarantine->found), "%s", found);
}

void quarantine_put(
	struct wallet *wallet, struct account_entry *entry, uint64_t seq, const char *found)
{
	struct account_quarantine *quarantine = account_set_aside(&wallet->accounts, entry);

	if (seq > quarantine->seq)
		quarantine->seq = seq;
	found_set(quarantine, found);
	log_error_as("wallet.player.quarantined",
		"ALARM player %" PRId64 " is quarantined: %s; all others play on; see: jackpotctl "
		"quarantine show %" PRId64,
		entry->account.player, found, entry->account.player);
}

void quarantine_ahead(struct wallet *wallet, struct account_entry *entry, uint64_t shard_last_seq)
{
	char found[STORED_TEXT_MAX];

	if (entry->account.last_seq <= shard_last_seq || account_aside(entry))
		return;
	(void)snprintf(found, sizeof(found),
		"wallet.account: player %" PRId64 ": found last_seq %" PRIu64
		", expected at most %" PRIu64 ", the end of the journal",
		entry->account.player, entry->account.last_seq, shard_last_seq);
	quarantine_put(wallet, entry, 0, found);
}

void quarantine_missed(struct account_entry *entry, uint64_t seq)
{
	if (seq <= entry->quarantine->seq)
		return;
	entry->quarantine->seq = seq;
	entry->quarantine->stored = false;
}

void quarantine_open(struct wallet *wallet, PGconn *conn, uint32_t shard)
{
	struct pg_args args = { 0 };

	pg_args_int(&args, shard);
	PGresult *result = pg_args_query(
		&args, conn, "select player, seq, found from wallet.quarantine where shard = $1");
	for (int i = 0; i < PQntuples(result); i++) {
		struct account_entry *entry =
			accounts_add(&wallet->accounts, pg_number(result, i, 0), shard);
		struct account_quarantine *quarantine = account_set_aside(&wallet->accounts, entry);
		quarantine->seq = (uint64_t)pg_number(result, i, 1);
		quarantine->stored = true;
		found_set(quarantine, PQgetvalue(result, i, 2));
	}
	PQclear(result);
}

/* ---- in the transaction ---- */

bool quarantine_dirty(const struct wallet *wallet)
{
	for (size_t i = 0; i < wallet->accounts.aside_n; i++)
		if (!wallet->accounts.aside[i]->quarantine->stored)
			return true;
	return false;
}

static void save_one(PGconn *conn, const struct account_entry *entry)
{
	const struct account_quarantine *quarantine = entry->quarantine;
	struct pg_args args = { 0 };

	pg_args_int(&args, entry->account.player);
	if (quarantine->ended) {
		PQclear(pg_args_query(
			&args, conn, "delete from wallet.quarantine where player = $1"));
		return;
	}
	pg_args_int(&args, entry->shard);
	pg_args_int(&args, (int64_t)quarantine->seq);
	pg_args_text(&args, quarantine->found);
	PQclear(pg_args_query(&args, conn,
		"insert into wallet.quarantine (player, shard, seq, found) values ($1, $2, $3, $4) "
		"on conflict (player) do update set seq = excluded.seq, found = excluded.found"));
}

void quarantine_save(struct wallet *wallet, PGconn *conn)
{
	struct accounts *accounts = &wallet->accounts;

	for (size_t i = accounts->aside_n; i-- > 0;) {
		struct account_entry *entry = accounts->aside[i];
		if (entry->quarantine->stored)
			continue;
		save_one(conn, entry);
		entry->quarantine->stored = true;
		if (entry->quarantine->ended)
			account_take_back(accounts, entry);
	}
}

/* ---- releases ---- */

/* Before it is tried: an operator who puts more right meanwhile releases the player again. */
static void note_tried(PGconn *conn, player_id player)
{
	struct pg_args args = { 0 };

	pg_args_int(&args, player);
	PQclear(pg_args_query(
		&args, conn, "update wallet.quarantine set released = null where player = $1"));
}

/* Not before all that was booked for the player earlier is in Postgres. */
static void try_again(struct wallet *wallet, struct service *service, struct account_entry *entry)
{
	struct account_quarantine *quarantine = entry->quarantine;
	player_id player = entry->account.player;
	struct stored_fault fault;

	if (!account_aside(entry) || !quarantine->stored || entry->dirty_seq != 0)
		return; /* soon */
	note_tried(service_pg(service), player);
	stored_try(&fault);
	wallet_load_again(wallet, service_pg(service), entry);
	wallet_claims_load_again(
		service_pg(service), wallet_shard_of(service_shard(service, entry->shard)), player);
	quarantine->stored = quarantine->gathered = false;
	quarantine->ended = stored_tried(&fault);
	arena_reset(&wallet->scratch);
	if (quarantine->ended) {
		log_warn_as("wallet.player.released",
			"player %" PRId64 " plays again: all that is stored about them is read",
			player);
		return;
	}
	found_set(quarantine, fault.text);
	log_error_as("wallet.player.stays_quarantined",
		"player %" PRId64 " stays in quarantine: %s", player, fault.text);
}

static void tell(struct wallet *wallet, struct service *service)
{
	size_t n = wallet->accounts.aside_n;
	char note[NOTE_MAX] = "";

	metric_set(wallet->metrics.quarantined, (int64_t)n);
	if (n > 0)
		(void)snprintf(note, sizeof(note),
			"%zu players are quarantined, because what is stored about them cannot be "
			"read; list them with: jackpotctl quarantine list",
			n);
	service_note(service, note);
}

void quarantine_tick(struct wallet *wallet, struct service *service, uint64_t mono_us)
{
	if (mono_us < wallet->quarantine_us + TICK_US)
		return;
	wallet->quarantine_us = mono_us;
	tell(wallet, service);
	if (wallet->accounts.aside_n == 0)
		return;
	PGresult *result = pg_query(service_pg(service),
		"select player from wallet.quarantine where released is not null order by released",
		0, NULL);
	for (int i = 0; i < PQntuples(result); i++) {
		struct account_entry *entry =
			accounts_find(&wallet->accounts, pg_number(result, i, 0));
		if (entry != NULL) /* else another instance has the shard */
			try_again(wallet, service, entry);
	}
	PQclear(result);
}
