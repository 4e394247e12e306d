/* Reads dead.letters into gateway.dead_letter, and sends letters again that a user wants sent. */
#include "services/gateway/adapters/letters.h"

#include "services/gateway/adapters/letter.h"
#include "services/gateway/adapters/money.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <sodium.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTITION 0
#define REREAD 1000 /* letters read again at the start: known ones are recognised */
#define BATCH_MAX 16
#define TEXT_NUMBER 24
#define REASON_MAX_BYTES 400
#define NAME_MAX_BYTES 64
#define DIGEST_TEXT (2 * crypto_generichash_BYTES + 3)
#define WRITE_MS 4000
/* Nobody waits for a letter: the topic is read for a moment, then again a little later. */
#define READ_US (2 * SECOND_US)
#define LOOK_US (4 * SECOND_US)
#define AGAIN_US (5 * SECOND_US)
#define TAKE_US SECOND_US
#define COUNT_US (5 * SECOND_US)
#define TAKE_MOST "16"

/* The parameters of gateway.dead_note. */
struct note {
	char digest[DIGEST_TEXT];
	const char *service;
	char instance[NAME_MAX_BYTES], topic[NAME_MAX_BYTES], reason[REASON_MAX_BYTES];
	char partition[TEXT_NUMBER], position[TEXT_NUMBER], bytes[TEXT_NUMBER];
	char player[TEXT_NUMBER], pool[TEXT_NUMBER], amount[TEXT_NUMBER], currency[TEXT_NUMBER];
	char written[TEXT_NUMBER];
	struct letter_about about;
	char *payload; /* as text of type bytea; NULL: it is not kept */
};

static struct {
	struct gateway *gateway;
	struct kafka_consumer *consumer;
	bool reading, noting, taking, counting;
	int64_t next; /* offset; KAFKA_END: not known yet */
	struct note notes[BATCH_MAX];
	size_t notes_n, noted;
	uint64_t quiet_us, look_us, note_us, take_us, count_us; /* by the monotonic clock */
	struct {
		struct metric *waiting, *unsigned_, *full;
	} metric;
} letters;

static bool good(const PGresult *result, const char *error, const char *what)
{
	if (result != NULL && PQresultStatus(result) == PGRES_TUPLES_OK)
		return true;
	log_warn_as("gateway.letters.failed", "dead letters: %s: %s", what,
		error != NULL ? error : PQresultErrorMessage(result));
	return false;
}

/* ---- from the topic into the table ---- */

/* A service chooses these bytes: whatever is not plain text becomes a question mark. */
static void plain(const char *text, char *out, size_t room)
{
	size_t n = 0;

	for (; text[n] != '\0' && n + 1 < room; n++)
		out[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
	out[n] = '\0';
}

static void digest_of(const struct kafka_message *message, char out[DIGEST_TEXT])
{
	uint8_t digest[crypto_generichash_BYTES];

	(void)crypto_generichash(digest, sizeof(digest), message->bytes, message->length, NULL, 0);
	pg_bytea_text(digest, sizeof(digest), out);
}

static void about_fill(struct note *note, const Carillon__DeadLetter *letter)
{
	const struct letter held = { .service = note->service,
		.topic = note->topic,
		.bytes = letter->payload.data,
		.length = letter->payload.len };

	note->about = letter_read(&held);
	(void)snprintf(note->player, TEXT_NUMBER, "%" PRId64, note->about.player);
	(void)snprintf(note->pool, TEXT_NUMBER, "%" PRIu32, note->about.pool);
	(void)snprintf(note->amount, TEXT_NUMBER, "%" PRId64, note->about.amount_minor);
	(void)snprintf(note->currency, TEXT_NUMBER, "%" PRIu32, note->about.currency);
	if (note->about.why_not != NULL)
		return; /* its bytes may hold what a player has not seen yet */
	note->payload = malloc(2 * letter->payload.len + 3);
	if (note->payload == NULL)
		fatal("dead letters: out of memory");
	pg_bytea_text(letter->payload.data, letter->payload.len, note->payload);
}

static void note_fill(
	struct note *note, const struct kafka_message *message, const Carillon__DeadLetter *letter)
{
	uint64_t now_us = clock_wall_us(), time_us = letter->envelope->time_us;

	note->service = message->sender;
	digest_of(message, note->digest);
	plain(letter->envelope->source, note->instance, sizeof(note->instance));
	plain(letter->topic, note->topic, sizeof(note->topic));
	plain(letter->reason, note->reason, sizeof(note->reason));
	(void)snprintf(note->partition, TEXT_NUMBER, "%" PRIu32, letter->partition);
	(void)snprintf(note->position, TEXT_NUMBER, "%" PRId64, letter->offset);
	(void)snprintf(note->bytes, TEXT_NUMBER, "%zu", letter->payload.len);
	(void)snprintf(note->written, TEXT_NUMBER, "%" PRIu64,
		time_us == 0 || time_us > now_us ? now_us : time_us);
	about_fill(note, letter);
}

/* A letter counts as its writer's only by its MAC. */
static void take_in(const struct kafka_message *message)
{
	Carillon__DeadLetter *letter;

	letters.next = message->offset + 1;
	if (message->refused || message->sender == NULL) {
		metric_add(letters.metric.unsigned_, 1);
		return;
	}
	letter = carillon__dead_letter__unpack(NULL, message->length, message->bytes);
	if (letter == NULL || letter->envelope == NULL) {
		log_warn_as("gateway.letter.refused",
			"dead.letters, offset %" PRId64
			": found a letter of %s that cannot be read itself; skipped",
			message->offset, message->sender);
	} else {
		letters.notes[letters.notes_n] = (struct note){ 0 };
		note_fill(&letters.notes[letters.notes_n++], message, letter);
	}
	if (letter != NULL)
		carillon__dead_letter__free_unpacked(letter, NULL);
}

static void notes_free(void)
{
	for (size_t i = 0; i < letters.notes_n; i++)
		free(letters.notes[i].payload);
	letters.notes_n = letters.noted = 0;
}

/* Only a row that the database itself refuses is skipped: everything else may pass. */
static void on_noted(void *context, PGresult *result, const char *error)
{
	const char *became;

	(void)context;
	letters.noting = false;
	if (!good(result, error, "a letter could not be kept")) {
		letters.note_us = clock_mono_us() + AGAIN_US;
		return;
	}
	became = PQgetvalue(result, 0, 0);
	if (strcmp(became, "full") == 0)
		metric_add(letters.metric.full, 1);
	else if (strncmp(became, "refused: ", strlen("refused: ")) == 0)
		log_warn_as("gateway.letter.unkept",
			"dead letters: the database keeps none such of %s: %s; skipped",
			letters.notes[letters.noted].service, became + strlen("refused: "));
	if (++letters.noted == letters.notes_n)
		notes_free();
	letters.count_us = 0;
}

static void note_next(void)
{
	const struct note *note = &letters.notes[letters.noted];
	const char *parameters[] = { note->digest, note->service, note->instance, note->topic,
		note->partition, note->position, note->reason, note->payload, note->bytes,
		note->about.what, note->player, note->pool, note->about.money ? note->amount : NULL,
		note->about.money ? note->currency : NULL, note->about.why_not, note->written };

	letters.noting = true;
	pg_pool_query(letters.gateway->pg,
		"select gateway.dead_note($1::bytea, $2, $3, $4, $5::bigint, $6::bigint, $7, "
		"$8::bytea, $9::bigint, $10, $11::bigint, $12::bigint, $13::bigint, $14::bigint, $15, "
		"$16::bigint)",
		16, parameters, WRITE_MS, on_noted, NULL);
}

static void read_on(uint64_t now_us)
{
	struct kafka_batch batch;

	if (!letters.reading) {
		if (now_us < letters.look_us)
			return;
		letters.reading = true;
		letters.quiet_us = now_us + READ_US;
		if (letters.next == KAFKA_END)
			kafka_consume_last(letters.consumer, TOPIC_DEAD_LETTERS, PARTITION, REREAD);
		else
			kafka_consume_at(
				letters.consumer, TOPIC_DEAD_LETTERS, PARTITION, letters.next);
	}
	batch = kafka_poll(letters.consumer, BATCH_MAX);
	for (size_t i = 0; i < batch.n; i++)
		take_in(&batch.messages[i]);
	if (batch.n > 0)
		letters.quiet_us = now_us + READ_US;
	kafka_batch_free(&batch);
	if (now_us >= letters.quiet_us) {
		/* An empty topic is read from where it ends: it need not be a new one. */
		if (letters.next == KAFKA_END)
			letters.next =
				kafka_read_all(letters.consumer, TOPIC_DEAD_LETTERS, PARTITION);
		kafka_consume_stop(letters.consumer, TOPIC_DEAD_LETTERS, PARTITION);
		letters.reading = false;
		letters.look_us = now_us + LOOK_US;
	}
}

/* ---- sent again ---- */

static void on_outcome(void *context, PGresult *result, const char *error)
{
	(void)context;
	/* A letter whose outcome is not noted is sent again after a while: it takes effect once. */
	(void)good(result, error, "an outcome could not be noted");
	letters.count_us = 0;
}

static void outcome_note(int64_t id, bool answered, const char *outcome)
{
	char number[TEXT_NUMBER];
	const char *parameters[] = { number, answered ? "true" : "false", outcome };

	(void)snprintf(number, sizeof(number), "%" PRId64, id);
	pg_pool_query(letters.gateway->pg, "select gateway.dead_sent($1::bigint, $2::boolean, $3)",
		3, parameters, WRITE_MS, on_outcome, NULL);
}

/* A refusal is an answer, too: the service has read the message and decided. */
static void on_answer(struct gateway *gateway, struct edge_request *request,
	const struct service_request *sent, const Carillon__SpinReply *reply,
	const Carillon__WalletFact *fact)
{
	const char *code, *message;
	char outcome[128];

	(void)gateway;
	(void)request;
	(void)reply;
	if (fact != NULL && refusal_status(fact->refusal, &code, &message) != 200) {
		(void)snprintf(outcome, sizeof(outcome), "refused: %s", code);
		outcome_note(sent->number, true, outcome);
	} else if (sent->action != NULL && !sent->action->behind && sent->action->other_content) {
		outcome_note(sent->number, true, "refused: other_content");
	} else if (fact != NULL ||
		   (sent->action != NULL && !sent->action->behind && sent->action->fact->done)) {
		outcome_note(sent->number, true, "done");
	} else if (sent->action != NULL && !sent->action->behind) {
		plain(sent->action->fact->refusal, outcome + strlen("refused: "),
			sizeof(outcome) - strlen("refused: "));
		memcpy(outcome, "refused: ", strlen("refused: "));
		outcome_note(sent->number, true, outcome);
	} else {
		outcome_note(sent->number, false,
			sent->quarantined && sent->account ? "the account is quarantined"
			: sent->quarantined		   ? "the command is quarantined"
			: sent->handed			   ? "no answer"
							   : "no owner");
	}
}

/* What it is and whether it may be sent is read again from the bytes that are sent. */
static void send_again(const PGresult *rows, int i)
{
	size_t length = 0;
	uint8_t *bytes = pg_bytea(rows, i, 3, &length);
	const struct letter letter = { .service = PQgetvalue(rows, i, 1),
		.topic = PQgetvalue(rows, i, 2),
		.bytes = bytes,
		.length = length };
	struct letter_about about = letter_read(&letter);
	struct service_request sent = { .done = on_answer,
		.number = pg_number(rows, i, 0),
		.player = about.player,
		.pool = about.pool,
		.topic = about.kind,
		.only = letter_writer(letter.service) };

	if (about.why_not != NULL || sent.only == NULL)
		outcome_note(sent.number, false, "it may not be sent again");
	else if (!request_again(letters.gateway, sent, bytes, length))
		outcome_note(sent.number, false, "too many requests are open");
	PQfreemem(bytes);
}

static void on_taken(void *context, PGresult *result, const char *error)
{
	(void)context;
	letters.taking = false;
	letters.take_us = clock_mono_us() + TAKE_US;
	if (!good(result, error, "letters could not be taken")) {
		letters.take_us += AGAIN_US;
		return;
	}
	for (int i = 0; i < PQntuples(result); i++)
		send_again(result, i);
}

/* One that another gateway has taken, and has not answered for long after its time, is taken again.
 */
static void take(void)
{
	char age[TEXT_NUMBER];
	const char *parameters[] = { age, TAKE_MOST };

	(void)snprintf(age, sizeof(age), "%" PRId64, letters.gateway->settings.wait_ms / 1000 + 10);
	letters.taking = true;
	pg_pool_query(letters.gateway->pg,
		"select id, service, topic, payload from gateway.dead_take($1::bigint, $2::bigint)",
		2, parameters, WRITE_MS, on_taken, NULL);
}

void letters_soon(void)
{
	letters.take_us = 0;
	letters.count_us = 0;
}

/* ---- how many ---- */

static void on_counted(void *context, PGresult *result, const char *error)
{
	(void)context;
	letters.counting = false;
	letters.count_us = clock_mono_us() + COUNT_US;
	if (good(result, error, "waiting letters could not be counted"))
		metric_set(letters.metric.waiting, pg_number(result, 0, 0));
}

static void count(void)
{
	letters.counting = true;
	pg_pool_query(letters.gateway->pg,
		"select count(*) from gateway.dead_letter where status in ('waiting', 'sending')",
		0, NULL, WRITE_MS, on_counted, NULL);
}

/* ---- begin and end ---- */

void letters_tick(void)
{
	uint64_t now_us = clock_mono_us();

	if (letters.notes_n == 0)
		read_on(now_us);
	if (letters.notes_n > 0 && !letters.noting && now_us >= letters.note_us)
		note_next();
	if (!letters.taking && now_us >= letters.take_us)
		take();
	if (!letters.counting && now_us >= letters.count_us)
		count();
}

void letters_begin(struct gateway *gateway)
{
	letters.gateway = gateway;
	letters.next = KAFKA_END;
	letters.metric.waiting = metric_gauge("carillon_dead_letters_waiting", NULL,
		"Dead letters that nobody has sent again or settled");
	letters.metric.unsigned_ = metric_counter("carillon_dead_letters_unsigned_total", NULL,
		"Dead letters without the MAC of a service: not kept");
	letters.metric.full = metric_counter("carillon_dead_letters_full_total", NULL,
		"Dead letters not kept, because too many of their service wait already");
	letters.consumer = kafka_consumer_new(common.kafka, KAFKA_FAST);
	kafka_reread(letters.consumer, REREAD);
}

void letters_end(void)
{
	notes_free();
	kafka_consumer_free(&letters.consumer);
}
