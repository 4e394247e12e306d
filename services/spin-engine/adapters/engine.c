/* What the service loop calls: start and end, messages in, the checkpoint. */
#include "services/spin-engine/adapters/engine.h"
#include "services/spin-engine/adapters/quarantine.h"

#include "libcommon/base/wire.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "services/spin-engine/adapters/cards.h"
#include "services/spin-engine/adapters/codec.h"
#include "services/spin-engine/adapters/journal.h"

#include "bus.pb-c.h"

#include <assert.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOPIC_FACTS 0
#define FACT_PLAYER_FIELD 3
#define COMMAND_PLAYER_FIELD 2
#define TICK_US UINT64_C(50000)
#define BATCH_PLAYERS 4096
#define KEYS_PATH_MAX (SETTING_TEXT_MAX + 32)

/* One engine per process, global because the loop's hooks carry no context. */
static struct engine engine;

/* ---- start ---- */

static void make_metrics(struct engine_metrics *m)
{
	m->rounds = metric_counter("carillon_engine_rounds_total", NULL, "Bets booked");
	m->hits =
		metric_counter("carillon_engine_hits_total", NULL, "Jackpot claims of booked bets");
	m->cards = metric_counter(
		"carillon_engine_cards_total", NULL, "Rounds that ended with Jackpot Cards");
	m->verdict_us = metric_histogram_us("carillon_engine_verdict_us", NULL,
		"Time from a command's arrival to the wallet's verdict");
	m->in_flight =
		metric_gauge("carillon_engine_in_flight", NULL, "Proposals without a verdict");
	m->waiting = metric_gauge("carillon_engine_waiting", NULL,
		"Players whose commands wait until facts are read");
	m->repeats = metric_counter("carillon_engine_repeats_total", NULL, "Proposals sent again");
	m->gap_alarm = metric_gauge("carillon_engine_gap_alarm", NULL,
		"Shards whose facts have had a gap for more than 5 s");
	m->asked_twice = metric_counter("carillon_engine_asked_twice_total", NULL,
		"Commands that were repeated while they were being decided, or after they were "
		"refused");
	m->refused = metric_counter(
		"carillon_engine_refused_total", NULL, "Moves that the wallet refused");
	m->declined = metric_counter("carillon_engine_declined_total", NULL,
		"Commands answered with an error before a proposal");
	m->busy = metric_counter("carillon_engine_busy_total", NULL,
		"Commands refused because the queue of the player was full");
	m->seats = metric_gauge("carillon_engine_players", NULL, "Players in memory");
	m->lost_pending = metric_counter("carillon_engine_pending_alarm_total", NULL,
		"Moves refused because the wallet's pending amount differs from the engine's");
	m->skipped = metric_counter("carillon_engine_skipped_moves_total", NULL,
		"Moves adopted while the previous move is missing");
	m->quarantined = metric_gauge("carillon_engine_quarantined", NULL,
		"Players in quarantine, because something stored about them cannot be read");
	m->resolved = metric_counter(
		"carillon_engine_resolve_total", NULL, "Abandoned rounds sent to be resolved");
	m->stopped = metric_counter("carillon_engine_stopped_total", NULL,
		"Games stopped because a round exceeded its proven bounds");
	m->draw_fault = metric_gauge("carillon_engine_draw_fault", NULL,
		"1: the random numbers failed a health test, so nothing is drawn");
	m->replays = metric_counter(
		"carillon_engine_replays_total", NULL, "Requests to replay a past round");
	m->replay_differs = metric_counter("carillon_engine_replay_alarm_total", NULL,
		"Past rounds whose replay differs from the recorded result");
	m->forced = metric_counter("carillon_engine_forced_total", NULL,
		"Rounds with scripted draws, test installations only");
}

static void keys_path(char path_r[KEYS_PATH_MAX])
{
	snprintf(path_r, KEYS_PATH_MAX, "%s/spin-engine/spin-engine.key", common.keys);
}

static void load_keys(struct engine *e, PGconn *conn)
{
	char path[KEYS_PATH_MAX], error[KEYS_ERROR_MAX];
	enum numbered_keys_status status;

	keys_path(path);
	(void)numbered_keys_changed(path, &e->keys_file);
	status = keys_load(path, &e->keys, error);
	if (status == NUMBERED_KEYS_MISSING) {
		/* never create a key silently if players were promised moves under an old one */
		if (store_has_keys(conn))
			fatal("%s, but earlier moves of this installation used a service key "
			      "from it: restore the file",
				error);
		if (!numbered_keys_create(path, error))
			fatal("%s", error);
		log_warn_as("engine.key.created",
			"%s did not exist: created it with a new service key; keep a copy", path);
		status = keys_load(path, &e->keys, error);
	}
	if (status != NUMBERED_KEYS_OK || !store_check_keys(conn, e->keys, error))
		fatal("%s", error);
}

/* `jackpotctl keys rotate draw` replaces the file in one step, some seconds before its new key is
 * used: until then every engine has read it. A bad file is an alarm, and the engine keeps its keys.
 */
static void refresh_keys(struct engine *e, PGconn *conn)
{
	char path[KEYS_PATH_MAX], error[KEYS_ERROR_MAX];
	struct keys *fresh = NULL;

	keys_path(path);
	if (!numbered_keys_changed(path, &e->keys_file))
		return;
	if (keys_load(path, &fresh, error) != NUMBERED_KEYS_OK ||
		!keys_follow(path, fresh, e->keys, error) ||
		!store_check_keys(conn, fresh, error)) {
		log_error_as("engine.keys.unreadable", "ALARM CARILLON_KEYS: %s", error);
		keys_free(&fresh);
		return;
	}
	if (keys_count(fresh) > keys_count(e->keys))
		log_info("the file of keys has a new key: %" PRIu32,
			keys_number(fresh, keys_count(fresh) - 1));
	keys_take(e->keys, &fresh);
}

/* Scripts work only if both the process and the database are set up for tests. */
static void check_forced(const struct engine *e, PGconn *conn)
{
	PGresult *result;
	bool test;

	if (!e->settings->forced_draws)
		return;
	result = pg_query(conn, "select kind = 'test' from carillon.installation", 0, NULL);
	test = PQntuples(result) == 1 && PQgetvalue(result, 0, 0)[0] == 't';
	PQclear(result);
	if (strcmp(common.kind, "test") != 0 || !test)
		fatal("SPIN_ENGINE_FORCED_DRAWS: found 1 on a \"%s\" installation, expected 0: "
		      "only test installations allow forced draws",
			common.kind);
	log_warn_as("engine.draws.forced", "forced draws are on: this is a test installation");
}

/* The engine does not start with a generator that fails its known answers, or with a source that
 * fails at once. */
static void check_draws(struct draw_health *health)
{
	uint8_t sample[DRAW_HEALTH_SAMPLE];
	char text[DRAW_HEALTH_TEXT_MAX];

	if (draw_health_init(health) != RNG_SOUND)
		fatal("random numbers: found %s, expected the known answers of ChaCha20 (RFC 8439) "
		      "and of the numbers derived from it",
			draw_health_text(health, text));
	randombytes_buf(sample, sizeof(sample));
	if (draw_health_sample(health, sample) != RNG_SOUND)
		fatal("random numbers: found %s in the first %d bytes of the system's source, "
		      "expected bytes that pass the health tests",
			draw_health_text(health, text), DRAW_HEALTH_SAMPLE);
}

static void start(struct service *service)
{
	PGconn *conn = service_pg(service);

	if (sodium_init() < 0)
		fatal("cannot initialise libsodium");
	if (record_bytes_worst() > RECORD_BYTES_MAX)
		fatal("a record may need %zu bytes, expected at most %d", record_bytes_worst(),
			RECORD_BYTES_MAX);
	check_draws(&engine.health);
	engine.service = service;
	seats_init(&engine.seats);
	make_metrics(&engine.metrics);
	check_forced(&engine, conn);
	load_keys(&engine, conn);
	engine.games = games_load(common.games, strcmp(common.kind, "live") != 0,
		strcmp(common.kind, "live") != 0 || engine.settings->simulated_returns);
	cards_load(engine.settings->card_sets, engine.games, &engine.card_sets);
	games_register(engine.games, conn);
	engine.sources = (struct view_sources){ &engine.arena, engine.keys, engine.games, conn };
	engine.stopped_count = store_stopped(conn, engine.stopped);
	cards_rules_read(conn, &engine.cards_rules);
}

static void open_shard(struct service *service, struct service_shard *shard)
{
	struct engine_shard *state = calloc(1, sizeof(*state));

	if (!state)
		fatal("no memory for a shard");
	seats_drop_shard(&engine.seats, shard->shard); /* another owner has changed them since */
	state->gate.incarnation = store_wallet_incarnation(service_pg(service), shard->shard);
	state->gate.last = shard->position[TOPIC_FACTS].seq;
	shard->state = state;
	quarantine_open(&engine, shard->shard);
}

static void close_shard(struct service *service, struct service_shard *shard)
{
	(void)service;
	answer_held(&engine, 0, true);
	seats_drop_shard(&engine.seats,
		shard->shard); /* the requests in the list are freed with their seats */
	free(shard->state);
	shard->state = NULL;
}

/* ---- messages ---- */

/* 0: it names none. Stops there, as this runs for each message. */
static player_id player_of(const struct kafka_message *message)
{
	struct wire_bytes left = { message->bytes, message->length };
	struct wire_field field;
	uint32_t number =
		message->topic == TOPIC_WALLET_FACTS ? FACT_PLAYER_FIELD : COMMAND_PLAYER_FIELD;

	while (wire_next(&left, &field))
		if (field.number == number && field.type == WIRE_VARINT)
			return (player_id)field.value;
	return 0;
}

/* One query for all players of a batch that are not in memory. */
static void batch(struct service *service, const struct kafka_message *messages, size_t n)
{
	static player_id players[BATCH_PLAYERS];
	size_t count = 0;

	for (size_t i = 0; i < n && count < BATCH_PLAYERS; i++) {
		player_id player = player_of(&messages[i]);

		if (player_id_valid(player) && !seats_find(&engine.seats, player))
			players[count++] = player;
	}
	if (count > 0)
		store_load(service_pg(service), &engine.seats, service_shards(service), players,
			count);
}

static bool right_shard(
	struct service *service, const struct service_shard *shard, player_id player)
{
	if (!player_id_valid(player)) {
		service_reason(
			service, "player: found %" PRId64 ", expected a player's id", player);
		return false;
	}
	if (shard_of_player(player, service_shards(service)) == shard->shard)
		return true;
	service_reason(service,
		"partition: found %" PRIu32 ", expected %" PRIu32 " for player %" PRId64,
		shard->shard, shard_of_player(player, service_shards(service)), player);
	return false;
}

static enum service_message_status take_fact(struct service *service, struct service_shard *shard,
	const Carillon__WalletFact *fact, uint64_t *seq_r)
{
	struct engine_shard *state = shard->state;

	switch (seq_gate_offer(
		&state->gate, fact->envelope->incarnation, fact->envelope->seq, clock_mono_us())) {
	case SEQ_GATE_TAKE:
		break;
	case SEQ_GATE_SEEN:
		*seq_r = state->gate.last;
		return SERVICE_TAKEN;
	case SEQ_GATE_GAP:
		return SERVICE_GAP;
	case SEQ_GATE_INCARNATION:
		fatal("wallet.facts shard %" PRIu32 ": incarnation %" PRIu32 " after %" PRIu32
		      ": the shard was restored; restarting to reload it",
			shard->shard, fact->envelope->incarnation, state->gate.incarnation);
	}
	*seq_r = fact->envelope->seq;
	if (!right_shard(service, shard, fact->player))
		return SERVICE_UNREADABLE;
	adopt_fact(&engine, fact);
	return SERVICE_TAKEN;
}

/* One query for all players of these rows who are not in memory. */
static void load_players(struct service *service, const struct journal_fact *facts, size_t n)
{
	static player_id players[BATCH_PLAYERS];
	size_t count = 0;

	for (size_t i = 0; i < n && count < BATCH_PLAYERS; i++)
		if (player_id_valid(facts[i].fact.player) &&
			!seats_find(&engine.seats, facts[i].fact.player))
			players[count++] = facts[i].fact.player;
	if (count > 0)
		store_load(service_pg(service), &engine.seats, service_shards(service), players,
			count);
}

/* The rows of the journal that Kafka has not brought. Nothing is taken across a gap: the shard
 * takes no command until a restored journal closes it. */
static size_t facts_from_rows(
	struct service *service, struct service_shard *shard, size_t most, uint64_t *seq_r)
{
	struct engine_shard *state = shard->state;
	struct journal_fact *facts;
	size_t n = journal_read(
		service_pg(service), shard->shard, state->gate.last, most, &engine.rows, &facts);
	uint64_t seq = 0;
	bool gap = false;

	load_players(service, facts, n);
	for (size_t i = 0; i < n && !gap; i++) {
		enum service_message_status status =
			take_fact(service, shard, &facts[i].fact, &seq);
		gap = status == SERVICE_GAP;
		if (gap)
			log_error_as("engine.journal.gap",
				"shard %" PRIu32 ": journal: found row %" PRIu64
				", expected row %" PRIu64,
				shard->shard, facts[i].envelope.seq, state->gate.last + 1);
		else if (status != SERVICE_TAKEN)
			log_error_as("engine.journal.wrong_shard",
				"shard %" PRIu32 ": journal: row %" PRIu64
				" is of a player of another shard",
				shard->shard, facts[i].envelope.seq);
	}
	*seq_r = state->gate.last;
	arena_reset(&engine.rows);
	return gap ? most : n;
}

static enum service_message_status take_command(struct service *service,
	const struct service_shard *shard, const Carillon__SpinCommand *unpacked)
{
	struct spin_command command;
	struct fault fault;
	char reason[160];

	switch (command_read(unpacked, &command, &fault, reason)) {
	case COMMAND_OK:
		break;
	case COMMAND_UNREADABLE:
		service_reason(service, "%s", reason);
		return SERVICE_UNREADABLE;
	case COMMAND_BAD:
		metric_add(engine.metrics.declined, 1);
		answer_bad(&engine, &command, &fault);
		return SERVICE_TAKEN;
	}
	if (!right_shard(service, shard, command.player))
		return SERVICE_UNREADABLE;
	play_command(&engine, &command);
	return SERVICE_TAKEN;
}

static enum service_message_status message(struct service *service, struct service_shard *shard,
	const struct kafka_message *message, uint64_t *seq_r)
{
	enum service_message_status status = SERVICE_UNREADABLE;
	ProtobufCAllocator allocator = arena_allocator(&engine.inbox);

	if (message->topic == TOPIC_WALLET_FACTS) {
		Carillon__WalletFact *fact =
			carillon__wallet_fact__unpack(&allocator, message->length, message->bytes);

		if (!fact)
			service_reason(
				service, "found %zu bytes, expected a WalletFact", message->length);
		else if (service_envelope_check(service, fact->envelope))
			status = take_fact(service, shard, fact, seq_r);
	} else {
		Carillon__SpinCommand *command =
			carillon__spin_command__unpack(&allocator, message->length, message->bytes);

		if (!command)
			service_reason(service, "found %zu bytes, expected a SpinCommand",
				message->length);
		else if (service_envelope_check(service, command->envelope))
			status = take_command(service, shard, command);
	}
	arena_reset(&engine.inbox);
	return status;
}

static void bus(struct service *service, const uint8_t *bytes, size_t length)
{
	ProtobufCAllocator allocator = arena_allocator(&engine.inbox);
	Carillon__Bus *unpacked = carillon__bus__unpack(&allocator, length, bytes);

	(void)service;
	if (unpacked && unpacked->body_case == CARILLON__BUS__BODY_VERDICT &&
		unpacked->verdict->envelope) {
		adopt_verdict(&engine, unpacked->verdict);
		log_trace(NULL, 0);
	} else if (unpacked && unpacked->body_case == CARILLON__BUS__BODY_QUARANTINED)
		adopt_quarantined(&engine, unpacked->quarantined);
	arena_reset(&engine.inbox);
}

/* ---- time ---- */

/* A gap closes from the journal (facts_from_rows) within a moment; one that stays is a fault. */
static void look_for_gaps(struct service *service, uint64_t mono_us)
{
	int64_t alarms = 0;
	struct service_shard *shard;

	for (size_t i = 0; (shard = service_shard_at(service, i)) != NULL; i++) {
		const struct engine_shard *state = shard->state;
		const struct seq_gate *gate = &state->gate;

		if (gate->gap_since_us == 0)
			continue;
		service_facts_soon(service, shard);
		if (mono_us > gate->gap_since_us + ENGINE_ALARM_US)
			alarms++;
	}
	metric_set(engine.metrics.gap_alarm, alarms);
}

/* The id of a resolution is derived from (player, round, action), so two requests make one move. */
static void resolve_id(player_id player, uint64_t round, uint8_t id[PLAYER_ID_BYTES])
{
	char text[96];
	uint8_t digest[crypto_hash_sha256_BYTES];
	int length = snprintf(text, sizeof(text), "resolve %" PRId64 " %" PRIu64, player, round);

	crypto_hash_sha256(digest, (const unsigned char *)text, (unsigned long long)length);
	memcpy(id, digest, PLAYER_ID_BYTES);
}

static void send_resolve(struct service *service, uint32_t shard, const struct game *game,
	const struct store_due *due)
{
	Carillon__SpinCommand command;
	Carillon__Envelope envelope;
	uint8_t id[PLAYER_ID_BYTES], bytes[512];

	carillon__spin_command__init(&command);
	carillon__envelope__init(&envelope);
	service_envelope(service, &envelope, 0, 0);
	resolve_id(due->player, due->round, id);
	command.envelope = &envelope;
	command.player = due->player;
	command.kind = CARILLON__SPIN_KIND__SPIN_RESOLVE;
	command.request_id = (ProtobufCBinaryData){ sizeof(id), id };
	command.content_hash = command.request_id;
	command.game = (char *)(uintptr_t)game->id;
	command.round = due->round;
	assert(carillon__spin_command__get_packed_size(&command) <= sizeof(bytes));
	service_send_now(service, TOPIC_SPIN_COMMANDS, shard, NULL, 0, bytes,
		carillon__spin_command__pack(&command, bytes));
	metric_add(engine.metrics.resolved, 1);
}

/* Abandoned rounds: the house plays them to their end and pays their wins. */
static void resolve(struct service *service)
{
	struct store_due due[STORE_DUE_MAX];
	struct service_shard *shard;

	for (size_t i = 0; (shard = service_shard_at(service, i)) != NULL; i++) {
		for (size_t at = 0; at < games_count(engine.games); at++) {
			const struct game *game = games_at(engine.games, at);
			size_t count = store_due(service_pg(service), shard->shard, game->number,
				game->resolve_after_hours, due);

			for (size_t k = 0; k < count; k++)
				send_resolve(service, shard->shard, game, &due[k]);
		}
	}
}

/* Applies the stops that operators have ended. An engine that saw the random numbers fail restarts,
 * which repeats all health tests: it must not trust its memory. */
static void start_again(PGconn *conn)
{
	store_start(conn);
	if (engine.health.told && !store_all_stopped(conn))
		fatal("an operator started all games again: restarting to repeat the health tests "
		      "of the random numbers");
}

static void tick(struct service *service, uint64_t mono_us)
{
	if (mono_us - engine.tick_us < TICK_US)
		return;
	engine.tick_us = mono_us;
	play_tick(&engine, mono_us);
	answer_held(&engine, mono_us, false);
	look_for_gaps(service, mono_us);
	if (mono_us - engine.second_us >= UINT64_C(1000000)) {
		engine.second_us = mono_us;
		start_again(service_pg(service));
		quarantine_tick(&engine);
		refresh_keys(&engine, service_pg(service));
		engine.stopped_count = store_stopped(service_pg(service), engine.stopped);
		cards_rules_read(service_pg(service), &engine.cards_rules);
		metric_set(engine.metrics.seats, (int64_t)engine.seats.count);
	}
	if (mono_us - engine.resolve_us >= (uint64_t)engine.settings->resolve_every_s * 1000000u) {
		engine.resolve_us = mono_us;
		resolve(service);
	}
}

/* ---- the checkpoint ---- */

static void write_states(struct service *service)
{
	quarantine_save(service_pg(service), &engine.seats);
	store_save(service_pg(service), &engine.seats);
}

/* A state may be newer than the position: facts that it knows are ignored. */
static void write_part(struct service *service)
{
	quarantine_save(service_pg(service), &engine.seats);
	store_save_part(service_pg(service), &engine.seats);
}

static void mark(struct service *service)
{
	(void)service;
	seats_mark(&engine.seats, (size_t)engine.settings->part_players);
}

static size_t parts_left(struct service *service)
{
	(void)service;
	return seats_parts_left(&engine.seats);
}

static void committed(struct service *service)
{
	(void)service;
	if (engine.seats.count > (size_t)engine.settings->players_max)
		seats_trim(&engine.seats, (size_t)engine.settings->players_max * 3 / 4);
}

static bool drained(struct service *service)
{
	(void)service;
	return engine.seats.busy_count == 0 && engine.held == NULL;
}

struct service_ops engine_ops(const struct setting *table, const struct engine_settings *settings)
{
	engine.settings = settings;
	return (struct service_ops){ .name = "spin-engine",
		.prefix = "SPIN_ENGINE_",
		.settings = table,
		.topics = { { TOPIC_WALLET_FACTS, KAFKA_SLOW, true, true } },
		.topics_n = 1,
		.takes_commands = true,
		.command = TOPIC_SPIN_COMMANDS,
		.start = start,
		.open = open_shard,
		.close = close_shard,
		.batch = batch,
		.message = message,
		.facts = facts_from_rows,
		.bus = bus,
		.tick = tick,
		.write = write_states,
		.write_between = write_part,
		.mark = mark,
		.parts_left = parts_left,
		.committed = committed,
		.drained = drained,
		.schema_min = 3,
		.schema_max = 3 };
}
