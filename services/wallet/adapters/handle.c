/* From a command to a row: loads the account, calls the core, and queues the row for the next
 * commit. Before that commit it sends only replies from rows that are already committed. */
#include "services/wallet/adapters/prefetched.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "services/wallet/adapters/fact.h"
#include "services/wallet/adapters/quarantine.h"
#include "services/wallet/adapters/rows.h"
#include "services/wallet/adapters/traced.h"

#include "bus.pb-c.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHY_MAX 256

/* ---- booking ---- */

static struct booked *booked_add(struct wallet_shard *shard, const struct wallet_row *row)
{
	struct booked *booked;

	if (shard->rows_n == shard->rows_room) {
		shard->rows_room = shard->rows_room == 0 ? 1024 : shard->rows_room * 2;
		shard->rows = realloc(shard->rows, shard->rows_room * sizeof(*shard->rows));
		if (shard->rows == NULL)
			fatal("out of memory: a batch of %zu rows", shard->rows_room);
	}
	booked = &shard->rows[shard->rows_n++];
	*booked = (struct booked){ .row = *row };
	booked->row.record = arena_copy(&shard->arena, row->record, row->record_length);
	booked->row.claims =
		arena_copy(&shard->arena, row->claims, row->claims_n * sizeof(*row->claims));
	return booked;
}

static void ring_put(struct wallet_shard *shard, const struct wallet_row *row, const uint8_t *bytes,
	size_t length)
{
	struct ring_fact *fact = &shard->ring[row->seq % RING_N];

	if (fact->room < length) {
		free(fact->bytes);
		fact->room = length < 512 ? 512 : length * 2;
		fact->bytes = malloc(fact->room);
		if (fact->bytes == NULL)
			fatal("out of memory: a fact of %zu bytes", length);
	}
	memcpy(fact->bytes, bytes, length);
	fact->length = length;
	fact->seq = row->seq;
	fact->prev_seq = row->prev_seq;
	fact->move = row->move;
	fact->kind = row->kind;
}

/* After the commit the row goes straight to whoever asked for it. A row that is not a move also
 * goes to the player's engine, which then need not wait for Kafka to know the balance. */
static void tell(struct service *service, const struct service_shard *held,
	const struct command *command, const uint8_t *fact, size_t fact_length)
{
	size_t length;
	const char *engine = service_owner_url(service, "spin-engine", held->shard);
	bool to_engine = command->kind != COMMAND_PROPOSAL && engine[0] != '\0';

	if (command->reply_to[0] == '\0' && !to_engine)
		return;
	const uint8_t *verdict =
		fact_verdict(service, held, fact, fact_length, command->correlation, &length);
	service_bus_send(service, command->reply_to, verdict, length);
	if (to_engine)
		service_bus_send(service, engine, verdict, length);
}

static struct booked *book(struct service *service, struct service_shard *held,
	struct account_entry *entry, const struct wallet_row *row, const struct command *command)
{
	struct wallet *wallet = wallet_app();
	struct wallet_shard *shard = wallet_shard_of(held);
	struct booked *booked = booked_add(shard, row);
	uint8_t key[PLAYER_KEY_BYTES];
	size_t length;

	shard->last_seq = row->seq;
	wallet_totals_add(wallet, shard, row);
	wallet_claims_open(shard, &booked->row, clock_mono_us());
	if (entry->account.exists)
		dirty_mark(&shard->dirty, entry, row->seq, clock_mono_us());
	const uint8_t *bytes = fact_pack(service, held, row, command->envelope, &length);
	ring_put(shard, row, bytes, length);
	fact_player_key(row->player, key);
	tell(service, held, command, bytes, length);
	if (!shard->outflow.behind)
		service_send(
			service, TOPIC_WALLET_FACTS, held->shard, key, sizeof(key), bytes, length);
	wallet_feed_claims(wallet, service, held, row, command->envelope);
	if (traced(command->envelope))
		traced_booked(shard, row, command->envelope);
	wallet_metrics_row(&wallet->metrics, row);
	service_commit_soon(service);
	return booked;
}

/* ---- replies from earlier rows ---- */

static void answer(struct service *service, struct service_shard *held, const uint8_t *fact,
	size_t fact_length, const struct command *command)
{
	size_t length;
	const uint8_t *verdict =
		fact_verdict(service, held, fact, fact_length, command->correlation, &length);

	/* The row may be of this batch: then the reply must wait for the commit. */
	if (wallet_shard_settled(wallet_shard_of(held))) {
		service_bus_send_now(service, command->reply_to, verdict, length);
	} else {
		service_bus_send(service, command->reply_to, verdict, length);
		service_commit_soon(service);
	}
}

static bool answer_from_ring(struct service *service, struct service_shard *held, uint64_t seq,
	const struct command *command)
{
	const struct ring_fact *fact = &wallet_shard_of(held)->ring[seq % RING_N];

	if (seq == 0 || fact->seq != seq)
		return false;
	answer(service, held, fact->bytes, fact->length, command);
	return true;
}

static void answer_row(struct service *service, struct service_shard *held,
	const struct wallet_row *row, const struct command *command)
{
	size_t length;
	const uint8_t *fact = fact_pack(service, held, row, NULL, &length);

	answer(service, held, fact, length, command);
}

/* Finds the row that spent a move: walks back from the account's last row; the newest rows are in
 * memory, older ones in the journal. Returns its seq, or 0. With `asked`, replies with the row. */
static uint64_t spent_row(struct service *service, struct service_shard *held,
	const struct wallet_account *account, const struct command *command)
{
	struct wallet *wallet = wallet_app();
	struct wallet_shard *shard = wallet_shard_of(held);
	bool asked = command->reply_to[0] != '\0';
	uint64_t move = command->proposal.move;
	uint64_t from = account->last_seq;
	struct wallet_row row;

	for (;;) {
		const struct ring_fact *fact = &shard->ring[from % RING_N];
		if (from == 0 || fact->seq != from)
			break;
		/* Skip rows that are not moves: a deposit, an award. */
		if (fact->move == move && (move > 0 || fact->kind == WALLET_KIND_OPEN)) {
			if (asked)
				(void)answer_from_ring(service, held, from, command);
			return from;
		}
		from = fact->prev_seq;
	}
	if (rows_read_move(service_pg(service), held->shard, from, move, &wallet->scratch, &row)) {
		if (asked)
			answer_row(service, held, &row, command);
		return row.seq;
	}
	log_warn_as("wallet.row.not_found",
		"player %" PRId64 ": the row of move %" PRIu64 " is not among the player's "
		"last %d rows",
		account->player, move, ROWS_WALK_MAX);
	return 0;
}

/* The reply to a spent move goes by nanomsg, which may be down, and the row's fact may be lost. On
 * an idle shard no later fact would show the gap. So the wallet also publishes the fact again. */
static void answer_spent(struct service *service, struct service_shard *held,
	const struct wallet_account *account, const struct command *command)
{
	uint64_t seq = spent_row(service, held, account, command);

	metric_add(wallet_app()->metrics.spent, 1);
	if (seq > 0)
		wallet_republish_spent(&wallet_shard_of(held)->republish, seq);
}

/* ---- the kinds of commands ---- */

/* The stake names a pool whose tally may have been opened a moment ago. */
static void tallies_refresh(struct wallet *wallet, struct service *service,
	const struct wallet_account *account, const struct wallet_proposal *proposal)
{
	uint64_t now_us = clock_mono_us();

	for (uint32_t i = 0; i < proposal->pools_n; i++) {
		if (wallet_tally_find(&wallet->rules, proposal->pools[i], proposal->game,
			    account->currency) >= 0)
			continue;
		if (now_us >= wallet->polled_us + WALLET_POLL_SOON_US)
			wallet_poll_rules(wallet, service, now_us);
		return;
	}
}

/* True if a row of Postgres or of this batch has voided the round. */
static bool round_is_void(
	struct service *service, const struct wallet_shard *shard, player_id player, uint64_t round)
{
	char numbers[2][24];
	const char *parameters[] = { numbers[0], numbers[1] };

	for (size_t i = 0; i < shard->rows_n; i++) {
		const struct wallet_row *row = &shard->rows[i].row;
		if (row->kind == WALLET_KIND_VOID && row->refusal == WALLET_REFUSAL_NONE &&
			row->player == player && row->round == round)
			return true;
	}
	(void)snprintf(numbers[0], sizeof(numbers[0]), "%" PRId64, player);
	(void)snprintf(numbers[1], sizeof(numbers[1]), "%" PRIu64, round);
	PGresult *result = pg_query(service_pg(service),
		"select 1 from wallet.void where player = $1 and round = $2", 2, parameters);
	bool found = PQntuples(result) > 0;
	PQclear(result);
	return found;
}

/* What the pools have paid to the round, as far as it is committed. */
static int64_t awards_of_round(struct service *service, player_id player, uint64_t round)
{
	char numbers[2][24];
	const char *parameters[] = { numbers[0], numbers[1] };

	(void)snprintf(numbers[0], sizeof(numbers[0]), "%" PRId64, player);
	(void)snprintf(numbers[1], sizeof(numbers[1]), "%" PRIu64, round);
	PGresult *result = pg_query(service_pg(service),
		"select paid from wallet.round_awards($1, $2, 0, 0)", 2, parameters);
	int64_t paid = pg_number(result, 0, 0);
	PQclear(result);
	return paid;
}

static void handle_proposal(struct service *service, struct service_shard *held,
	struct account_entry *entry, const struct command *command,
	const struct wallet_moment *moment)
{
	struct wallet *wallet = wallet_app();
	struct wallet_moment now = *moment;
	struct bonus_spins_entry *spins = prefetched_bonus_spins(wallet, service, command, &now);
	struct wallet_row row;

	if (command->proposal.kind == WALLET_KIND_VOID) {
		now.voided = round_is_void(
			service, wallet_shard_of(held), command->player, command->proposal.round);
		now.claim_open = wallet_claims_of_round(
			wallet_shard_of(held), command->player, command->proposal.round);
		if (command->proposal.awards != 0)
			now.awards =
				awards_of_round(service, command->player, command->proposal.round);
	}
	if (entry->account.exists && command->proposal.kind == WALLET_KIND_BET)
		tallies_refresh(wallet, service, &entry->account, &command->proposal);
	switch (wallet_apply_proposal(&entry->account, &command->proposal, &now, &row)) {
	case WALLET_BOOKED:
		if (spins != NULL && row.refusal == WALLET_REFUSAL_NONE) {
			spins->spins.used++; /* in the same transaction as the row */
			spins->head.dirty = true;
		}
		(void)book(service, held, entry, &row, command);
		break;
	case WALLET_SPENT:
		answer_spent(service, held, &entry->account, command);
		break;
	case WALLET_AHEAD:
		metric_add(wallet->metrics.ahead, 1);
		log_error_as("wallet.proposal.ahead",
			"player %" PRId64 ": found a proposal for move %" PRIu64
			", expected at most %" PRIu64 "; not booked",
			command->player, command->proposal.move,
			entry->account.exists ? entry->account.last_move + 1 : 0);
		break;
	case WALLET_CLOSED:
		break;
	}
}

static void answer_id(
	struct service *service, const struct id_entry *known, const struct command *command)
{
	struct wallet *wallet = wallet_app();
	struct service_shard *held = service_shard(service, known->head.shard);
	struct wallet_row *rows;

	metric_add(wallet->metrics.spent, 1);
	if (held == NULL || command->reply_to[0] == '\0' ||
		answer_from_ring(service, held, known->seq, command))
		return;
	if (rows_read(service_pg(service), held->shard, known->seq, known->seq, 1, &wallet->scratch,
		    &rows) == 1 ||
		rows_read_carried(
			service_pg(service), held->shard, known->seq, &wallet->scratch, &rows))
		answer_row(service, held, &rows[0], command);
}

/* Applies bonus spins that were just granted or ended. */
static void bonus_spins_take(struct wallet *wallet, const struct service_shard *held,
	const struct wallet_outside *outside, const struct wallet_row *row,
	struct bonus_spins_entry *ended)
{
	struct wallet_bonus_spins spins = outside->spins;

	if (row->refusal != WALLET_REFUSAL_NONE)
		return;
	if (row->kind == WALLET_KIND_BONUS_SPINS) {
		memcpy(spins.id, outside->id, WALLET_ID_BYTES);
		spins.player = row->player;
		bonus_spins_add(&wallet->spins, &spins, held->shard, row->seq);
	} else if (row->kind == WALLET_KIND_BONUS_SPINS_END) {
		ended->spins.ended = ended->head.dirty = true;
		ended->ended_seq = row->seq;
	}
}

static void handle_outside(struct service *service, struct service_shard *held,
	struct account_entry *entry, const struct command *command,
	const struct wallet_moment *moment)
{
	struct wallet *wallet = wallet_app();
	struct wallet_known_id first = { .player = command->player };
	struct wallet_moment now = *moment;
	struct bonus_spins_entry *spins = prefetched_bonus_spins(wallet, service, command, &now);
	struct holds_entry *hold = prefetched_hold(wallet, service, &command->outside, &now);
	const struct id_entry *known = prefetched_id(wallet, service, held, command->outside.id);
	struct booked *booked;
	struct wallet_row row;

	bool first_limit = command->outside.kind == WALLET_KIND_LIMIT && entry->account.exists &&
			   entry->account.limits == NULL;
	if (first_limit)
		account_limits_make(entry);
	enum wallet_status status = wallet_apply_outside(&entry->account, &command->outside,
		known != NULL ? &known->first : NULL, &now, &row);
	/* Use counts from the row that set the first limit, not from a refused row. */
	if (first_limit && (status != WALLET_BOOKED || row.refusal != WALLET_REFUSAL_NONE))
		account_limits_drop(entry);
	if (status != WALLET_BOOKED) {
		assert(known != NULL); /* only a known id is spent */
		answer_id(service, known, command);
		return;
	}
	booked = book(service, held, entry, &row, command);
	bonus_spins_take(wallet, held, &command->outside, &row, spins);
	if (row.refusal == WALLET_REFUSAL_NONE &&
		(wallet_hold_begins(row.kind) || wallet_hold_settles(row.kind)))
		holds_take(&wallet->holds, hold, held->shard, &row);
	booked->keeps_id = wallet_outside_keeps_id(&row);
	memcpy(booked->content_hash, command->outside.content_hash, WALLET_ID_BYTES);
	if (row.refusal == WALLET_REFUSAL_CONTENT)
		log_error_as("wallet.outside.other_content",
			"player %" PRId64
			": the id of an earlier deposit, withdrawal or other outside booking "
			"was used again for a different request; refused (journal seq %" PRIu64 ")",
			row.player, row.seq);
	if (!booked->keeps_id)
		return;
	memcpy(first.content_hash, command->outside.content_hash, WALLET_ID_BYTES);
	ids_add(&wallet->ids, command->outside.id, &first, held->shard, row.seq);
}

/* An award that could not close its claim would end the transaction of everybody. */
static bool claim_gone(
	struct service *service, struct account_entry *entry, const struct open_claim *open)
{
	char found[STORED_TEXT_MAX];

	if (open == NULL || open->closed_seq != 0 ||
		wallet_claims_stored(service_pg(service), open))
		return false;
	(void)snprintf(found, sizeof(found),
		"wallet.claim: player %" PRId64 ", move %" PRIu64
		", index %u: found no open claim, expected the one that row %" PRIu64
		" of the journal has opened",
		open->player, open->move, open->claim.index, open->opened_seq);
	quarantine_put(wallet_app(), entry, entry->account.last_seq, found);
	return true;
}

static struct wallet_claim_view claim_view(
	struct service *service, const struct open_claim *open, const struct command *command)
{
	struct wallet_claim_view view = { WALLET_CLAIM_UNKNOWN, 0, 0 };
	const struct wallet_award *award = &command->award;

	if (open != NULL) {
		view.state = open->closed_seq == 0 ? WALLET_CLAIM_OPEN : WALLET_CLAIM_PAID;
		view.pool = open->claim.pool;
		view.currency = open->currency;
	} else if (wallet_claims_was_paid(
			   service_pg(service), command->player, award->move, award->index)) {
		view.state = WALLET_CLAIM_PAID;
	}
	return view;
}

static void handle_award(struct service *service, struct service_shard *held,
	struct account_entry *entry, const struct command *command,
	const struct wallet_moment *moment)
{
	struct wallet_shard *shard = wallet_shard_of(held);
	struct open_claim *open = wallet_claims_find(
		shard, command->player, command->award.move, command->award.index);
	uint8_t packed[FACT_AWARD_MAX];
	struct wallet_row row;

	if (claim_gone(service, entry, open))
		return;
	struct wallet_claim_view view = claim_view(service, open, command);
	if (wallet_apply_award(&entry->account, &command->award, &view, moment, &row) !=
		WALLET_BOOKED) {
		metric_add(wallet_app()->metrics.awards_again, 1);
		return;
	}
	row.record = packed;
	row.record_length = (uint32_t)fact_award_pack(&row.award, packed, sizeof(packed));
	(void)book(service, held, entry, &row, command);
	if (row.refusal != WALLET_REFUSAL_NONE) {
		log_error_as("wallet.award.refused",
			"player %" PRId64 ": award of pool %u for move %" PRIu64
			", claim %u was refused (refusal %u), seq %" PRIu64,
			row.player, row.award.pool, row.award.move, row.award.index, row.refusal,
			row.seq);
		return;
	}
	open->closed_seq = row.seq;
	open->paid = row.award.paid;
	open->hit = row.award.hit;
	shard->claims_closing++;
}

static void handle_unknown(struct service *service, struct service_shard *held,
	struct account_entry *entry, const struct command *command,
	const struct wallet_moment *moment)
{
	struct wallet_row row;

	wallet_apply_unknown(&entry->account, moment, &row);
	(void)book(service, held, entry, &row, command);
}

/* If the id of a booking cannot be read, nothing tells whether the command is that booking again.
 */
static void id_check(struct service *service, const struct service_shard *held,
	struct account_entry *entry, const struct command *command)
{
	char found[STORED_TEXT_MAX];

	if (command->kind != COMMAND_OUTSIDE || account_aside(entry) || !entry->account.exists)
		return;
	const struct id_entry *known =
		prefetched_id(wallet_app(), service, held, command->outside.id);
	if (known == NULL || known->hash_bytes == WALLET_ID_BYTES ||
		known->first.player != command->player)
		return;
	(void)snprintf(found, sizeof(found),
		"wallet.outside: player %" PRId64 ", row %" PRIu64
		" of the journal: found a content_hash of %zu bytes, expected %d",
		command->player, known->seq, known->hash_bytes, WALLET_ID_BYTES);
	quarantine_put(wallet_app(), entry, entry->account.last_seq, found);
}

/* A command for a quarantined player changes nothing. Of an id that was booked before, the row
 * still says what became of it. */
static void answer_aside(struct service *service, const struct service_shard *held,
	const struct kafka_message *message, const struct command *command)
{
	const struct id_entry *known =
		command->kind == COMMAND_OUTSIDE
			? prefetched_id(wallet_app(), service, held, command->outside.id)
			: NULL;

	if (known != NULL &&
		wallet_outside_repeats(&known->first, command->player, &command->outside))
		answer_id(service, known, command);
	else
		service_refuse_account(service, message);
}

static struct account_entry *entry_load(struct service *service, player_id player, uint32_t shard)
{
	struct wallet *wallet = wallet_app();
	struct account_entry *entry = accounts_find(&wallet->accounts, player);

	if (entry == NULL) {
		wallet_load_players(wallet, service_pg(service), &player, &shard, 1);
		entry = accounts_find(&wallet->accounts, player);
	}
	return entry;
}

/* The command, prefetched or decoded now; NULL: malformed, and the reason is set. */
static const struct command *command_of(
	struct wallet *wallet, struct service *service, const struct kafka_message *message)
{
	const struct command *ahead = prefetched_command(wallet, message);
	struct command *command;
	char why[WHY_MAX];

	if (ahead != NULL)
		return ahead;
	command = arena_alloc(&wallet->scratch, sizeof(*command));
	if (command_read(message->bytes, message->length, &wallet->scratch, command, why,
		    sizeof(why)) == COMMAND_OK)
		return command;
	service_reason(service, "%s", why);
	return NULL;
}

enum service_message_status wallet_handle_message(struct service *service,
	struct service_shard *shard, const struct kafka_message *message, uint64_t *seq_r)
{
	static void (*const handlers[])(struct service *, struct service_shard *,
		struct account_entry *, const struct command *, const struct wallet_moment *) = {
		[COMMAND_PROPOSAL] = handle_proposal,
		[COMMAND_OUTSIDE] = handle_outside,
		[COMMAND_AWARD] = handle_award,
		[COMMAND_UNKNOWN] = handle_unknown,
	};
	struct wallet *wallet = wallet_app();
	uint64_t now_us = clock_wall_us();
	struct wallet_moment moment = { .now_us = now_us,
		.day = wallet_days_now(wallet, service, wallet_shard_of(shard), now_us),
		.seq = wallet_shard_of(shard)->last_seq + 1,
		.rules = &wallet->rules };
	const struct command *command;

	*seq_r = 0; /* commands have no seq */
	arena_reset(&wallet->scratch);
	command = command_of(wallet, service, message);
	if (command == NULL || !service_envelope_check(service, command->envelope))
		return SERVICE_UNREADABLE;
	uint32_t expected = shard_of_player(command->player, service_shards(service));
	if (expected != shard->shard) {
		service_reason(service, "partition: found %u, expected %u for player %" PRId64,
			shard->shard, expected, command->player);
		return SERVICE_UNREADABLE;
	}
	if (command->kind == COMMAND_OUTSIDE &&
		prefetched_id_taken(wallet, service, shard, command->outside.id))
		return SERVICE_WAIT;
	struct account_entry *entry = entry_load(service, command->player, shard->shard);
	quarantine_ahead(wallet, entry, wallet_shard_of(shard)->last_seq);
	id_check(service, shard, entry, command);
	if (account_aside(entry))
		answer_aside(service, shard, message, command);
	else
		handlers[command->kind](service, shard, entry, command, &moment);
	return SERVICE_TAKEN;
}

void wallet_handle_bus(struct service *service, const uint8_t *bytes, size_t length)
{
	Carillon__Bus *bus = carillon__bus__unpack(NULL, length, bytes);

	if (bus == NULL) {
		log_warn_as("bus.message.unreadable",
			"nanomsg: found %zu bytes, expected a Bus message; ignored", length);
		return;
	}
	if (bus->body_case == CARILLON__BUS__BODY_REPUBLISH) {
		struct service_shard *shard = service_shard(service, bus->republish->shard);
		if (shard != NULL && shard->state != NULL)
			wallet_republish_request(&wallet_shard_of(shard)->republish,
				bus->republish->from_seq, wallet_shard_of(shard)->committed_seq);
	}
	if (bus->body_case == CARILLON__BUS__BODY_TOTALS_QUESTION) {
		struct service_shard *shard = service_shard(service, bus->totals_question->shard);
		if (shard != NULL && shard->state != NULL)
			wallet_feed_answer(wallet_app(), service, shard, bus->totals_question);
	}
	carillon__bus__free_unpacked(bus, NULL);
}
