/* Commands that kill their service. A mapped file lists the commands in hand (in_hand.h). After a
 * death, the instance's next process counts the death in carillon.command_death, where every
 * instance finds it: for the command that was being decided, or if there was none, for each command
 * in hand, because any of them may have caused it. These commands are suspects, and are tried apart
 * from the others: with few other suspects after one death, alone after two. A suspect that was
 * alone at its third death is quarantined: every try of it is refused until an operator releases
 * it. */
#include "libcommon/service/loop.h"

#include "libcommon/base/hex.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg.h"
#include "libcommon/service/command_about.h"

#include "bus.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_TEXT 24
#define ID_TEXT (2 * COMMAND_ID_BYTES + 1)
#define ID_ITEM_TEXT (2 * COMMAND_ID_BYTES + 8) /* "\\x..", in an array */
#define GROUP_MAX 16u /* suspects with one death that are tried together */
#define READ_AGAIN_US 1000000u
#define LOOK_US 5000000u /* for releases, while a command is quarantined */
#define TRY_AGAIN_US 20000u
#define SERIES "interval '10 min'"

/* $4: was the command alone in hand? */
static const char COUNT_SQL[] =
	"insert into carillon.command_death as d (service, id, shard, deaths) "
	"select $1, v.id, v.shard, 1 from unnest($2::bytea[], $3::int[]) as v(id, shard) "
	"on conflict (service, id) do update set "
	"deaths = case when d.last_death < now() - " SERIES " then 1 else d.deaths + 1 end, "
	"quarantined = case when d.quarantined is not null then d.quarantined "
	"when $4::int = 1 and d.deaths + 1 >= $5::int and d.last_death >= now() - " SERIES
	" then now() end, "
	"last_death = now()";

static const char READ_SQL[] =
	"select encode(id, 'hex'), deaths, case when quarantined is null then 0 else 1 end from "
	"carillon.command_death where service = $1 and (quarantined is not null or "
	"last_death > now() - " SERIES ") order by id";

struct suspect {
	uint8_t id[COMMAND_ID_BYTES];
	int64_t deaths;
	bool quarantined;
	bool told; /* its bytes are in the table, and in dead.letters */
};

struct poison {
	struct in_hand *hand;
	struct suspect *suspects; /* by id */
	size_t n, quarantined_n;
	uint64_t read_us;
	struct kept waiting; /* suspects that came, tried after the others */
	uint64_t try_us;
	struct metric *quarantined, *refused;
};

static struct poison *poison_of(const struct service *service)
{
	return service->poison;
}

/* ---- after a death ---- */

void service_poison_clear(struct service *service)
{
	if (service->poison != NULL)
		in_hand_clear(service->poison->hand);
}

_Static_assert(IN_HAND_TOPICS >= SERVICE_TOPICS_MAX, "events in hand");

static struct service *dying;

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Whoever loses Postgres or a shard dies of that, and not of a command. A full disk leaves the
 * connection as it is. */
static void on_fatal(const char *message)
{
	if (PQstatus(dying->pg) != CONNECTION_OK || begins_with(message, PG_SERVER_FAILS) ||
		begins_with(message, SERVICE_FENCE_FAILS)) {
		service_poison_clear(dying);
		in_hand_tried(poison_of(dying)->hand);
	}
}

static int by_id(const void *a, const void *b)
{
	return memcmp(((const struct in_hand_command *)a)->id,
		((const struct in_hand_command *)b)->id, COMMAND_ID_BYTES);
}

/* The commands as two arrays of SQL, each once. Returns their number. */
static size_t arrays_write(
	struct in_hand_command *commands, size_t n, char *ids, char *shards, size_t room)
{
	size_t ids_n = (size_t)snprintf(ids, room, "{");
	size_t shards_n = (size_t)snprintf(shards, room, "{");
	size_t written = 0;
	qsort(commands, n, sizeof(*commands), by_id);
	for (size_t i = 0; i < n; i++) {
		char id[ID_TEXT];
		const char *comma = written == 0 ? "" : ",";
		if (i > 0 && by_id(&commands[i - 1], &commands[i]) == 0)
			continue;
		hex_format(commands[i].id, COMMAND_ID_BYTES, id);
		ids_n += (size_t)snprintf(ids + ids_n, room - ids_n, "%s\"\\\\x%s\"", comma, id);
		shards_n += (size_t)snprintf(
			shards + shards_n, room - shards_n, "%s%u", comma, commands[i].shard);
		written++;
	}
	(void)snprintf(ids + ids_n, room - ids_n, "}");
	(void)snprintf(shards + shards_n, room - shards_n, "}");
	return written;
}

static void deaths_count(struct service *service, const struct in_hand_command *commands, size_t n)
{
	size_t room = n * (ID_ITEM_TEXT + 4) + 16;
	struct in_hand_command *sorted = malloc(n * sizeof(*sorted));
	char *ids = malloc(room);
	char *shards = malloc(room);
	char limit[NUMBER_TEXT];
	if (sorted == NULL || ids == NULL || shards == NULL)
		fatal("commands in hand: out of memory");
	memcpy(sorted, commands, n * sizeof(*sorted));
	n = arrays_write(sorted, n, ids, shards, room);
	(void)snprintf(limit, sizeof(limit), "%d", DEATHS_MAX);
	const char *parameters[] = { service->ops->name, ids, shards, n == 1 ? "1" : "0", limit };
	PQclear(pg_query(service->pg, COUNT_SQL, 5, parameters));
	log_warn_as("service.command.suspect",
		"the previous process of this instance died with %zu commands in hand: they "
		"are now tried again, apart from other commands",
		n);
	free(sorted);
	free(ids);
	free(shards);
}

void service_poison_start(struct service *service)
{
	struct poison *poison = calloc(1, sizeof(*poison));
	if (poison == NULL)
		fatal("commands in hand: out of memory");
	service->poison = poison;
	poison->quarantined = metric_gauge("carillon_commands_quarantined", NULL,
		"Commands that are quarantined because they killed this service");
	poison->refused = metric_counter("carillon_commands_quarantine_refused_total", NULL,
		"Quarantined commands that came again and were refused");
	poison->hand = in_hand_open(common.hand, service->instance);
	const struct in_hand_command *left;
	const struct in_hand_command *deciding = in_hand_left_deciding(poison->hand);
	size_t n = in_hand_left(poison->hand, &left);
	if (deciding != NULL)
		deaths_count(service, deciding, 1);
	else if (n > 0)
		deaths_count(service, left, n);
	in_hand_clear(poison->hand);
	dying = service;
	log_on_fatal(on_fatal);
	const char *parameters[] = { service->ops->name };
	PQclear(pg_query(service->pg,
		"delete from carillon.command_death where service = $1 and quarantined is null "
		"and last_death < now() - interval '1 day'",
		1, parameters));
}

/* ---- events ---- */

unsigned service_poison_event(const struct service *service, const struct in_hand_event *event)
{
	return in_hand_try(poison_of(service)->hand, event);
}

void service_poison_event_end(const struct service *service)
{
	in_hand_tried(poison_of(service)->hand);
}

/* ---- suspects ---- */

static int suspect_compare(const void *id, const void *suspect)
{
	return memcmp(id, ((const struct suspect *)suspect)->id, COMMAND_ID_BYTES);
}

static struct suspect *suspect_of(const struct poison *poison, const uint8_t *id)
{
	if (poison->n == 0)
		return NULL;
	return bsearch(id, poison->suspects, poison->n, sizeof(*poison->suspects), suspect_compare);
}

static void readiness_note(struct service *service, size_t quarantined)
{
	char note[160] = "";
	if (quarantined > 0)
		(void)snprintf(note, sizeof(note),
			"%zu commands are quarantined because each killed the service three "
			"times; list them with: jackpotctl commands",
			quarantined);
	service_note_own(service, note);
	metric_set(poison_of(service)->quarantined, (int64_t)quarantined);
}

/* Rows are few: after a death, those that were in hand. */
void service_poison_read(struct service *service)
{
	struct poison *poison = poison_of(service);
	const char *parameters[] = { service->ops->name };
	PGresult *rows = pg_query(service->pg, READ_SQL, 1, parameters);
	size_t n = (size_t)PQntuples(rows);
	size_t quarantined = 0;
	struct suspect *suspects = calloc(n + 1, sizeof(*suspects));
	if (suspects == NULL)
		fatal("commands in hand: out of memory");
	size_t kept = 0;
	for (int i = 0; i < PQntuples(rows); i++) {
		struct suspect *suspect = &suspects[kept];
		/* No command has an id of another length. */
		if (!hex_parse(PQgetvalue(rows, i, 0), COMMAND_ID_BYTES, suspect->id))
			continue;
		suspect->deaths = pg_number(rows, i, 1);
		suspect->quarantined = pg_number(rows, i, 2) != 0;
		quarantined += suspect->quarantined;
		const struct suspect *before = suspect_of(poison, suspect->id);
		suspect->told = before != NULL && before->told;
		kept++;
	}
	PQclear(rows);
	free(poison->suspects);
	poison->suspects = suspects;
	poison->n = kept;
	poison->quarantined_n = quarantined;
	poison->read_us = clock_mono_us();
	readiness_note(service, quarantined);
}

/* A released command may never come again. Readiness and the alert must end nevertheless. */
void service_poison_look(struct service *service)
{
	const struct poison *poison = poison_of(service);
	if (poison->quarantined_n > 0 && clock_mono_us() >= poison->read_us + LOOK_US)
		service_poison_read(service);
}

/* An operator may have released one, or another instance may have died of one. */
static void read_again(struct service *service)
{
	if (clock_mono_us() >= poison_of(service)->read_us + READ_AGAIN_US)
		service_poison_read(service);
}

/* ---- refusals ---- */

/* Keeps the bytes of a quarantined command for people, once for each quarantine. */
static void keep(struct service *service, struct suspect *suspect,
	const struct kafka_message *message, const char *id)
{
	if (suspect->told)
		return;
	suspect->told = true;
	char *bytes = malloc(2 * message->length + 1);
	if (bytes == NULL)
		fatal("commands in hand: out of memory");
	hex_format(message->bytes, message->length, bytes);
	const char *parameters[] = { service->ops->name, id, bytes };
	PQclear(pg_query(service->pg,
		"update carillon.command_death set command = decode($3, 'hex') where service = $1 and id "
		"= "
		"decode($2, 'hex') and command is null",
		3, parameters));
	free(bytes);
	log_error_as("service.command.quarantined",
		"ALARM shard %u: command %s has killed the service three times: it is refused "
		"until an operator releases it (jackpotctl commands release)",
		message->partition, id);
	service_dead_letter(service, message, "killed the process three times");
}

static Carillon__CommandKind kind_of(enum topic kind)
{
	return kind == TOPIC_SPIN_COMMANDS     ? CARILLON__COMMAND_KIND__COMMAND_SPIN
	       : kind == TOPIC_WALLET_COMMANDS ? CARILLON__COMMAND_KIND__COMMAND_WALLET
					       : CARILLON__COMMAND_KIND__COMMAND_JACKPOT;
}

/* account: not the command is quarantined but its player's account. */
static void refusal_send(struct service *service, const struct kafka_message *message,
	uint8_t id[COMMAND_ID_BYTES], bool account)
{
	uint8_t bytes[512];
	struct command_asker asker;
	Carillon__Bus bus;
	Carillon__Envelope envelope;
	Carillon__Quarantined quarantined;
	command_asker(message->topic, message->bytes, message->length, &asker);
	carillon__bus__init(&bus);
	carillon__envelope__init(&envelope);
	carillon__quarantined__init(&quarantined);
	service_envelope(service, &envelope, 0, 0);
	quarantined.kind = kind_of(message->topic);
	quarantined.id = (ProtobufCBinaryData){ COMMAND_ID_BYTES, id };
	quarantined.account = account;
	quarantined.player = (int64_t)asker.player;
	quarantined.correlation = asker.correlation;
	bus.envelope = &envelope;
	bus.body_case = CARILLON__BUS__BODY_QUARANTINED;
	bus.quarantined = &quarantined;
	if (carillon__bus__get_packed_size(&bus) <= sizeof(bytes))
		service_bus_send_now(
			service, asker.reply_to, bytes, carillon__bus__pack(&bus, bytes));
}

static void refuse(
	struct service *service, struct suspect *suspect, const struct kafka_message *message)
{
	char id[ID_TEXT];
	hex_format(suspect->id, COMMAND_ID_BYTES, id);
	metric_add(poison_of(service)->refused, 1);
	keep(service, suspect, message, id);
	refusal_send(service, message, suspect->id, false);
}

void service_refuse_account(struct service *service, const struct kafka_message *message)
{
	uint8_t id[COMMAND_ID_BYTES];
	command_id(message->topic, message->bytes, message->length, id);
	refusal_send(service, message, id, true);
}

/* ---- commands in hand ---- */

static struct in_hand_command command_of(const struct kafka_message *message)
{
	struct in_hand_command command = { .shard = message->partition };
	command_id(message->topic, message->bytes, message->length, command.id);
	return command;
}

bool service_poison_apart(struct service *service, const struct kafka_message *message,
	struct in_hand_command *command_r)
{
	struct poison *poison = poison_of(service);
	*command_r = command_of(message);
	struct suspect *suspect = suspect_of(poison, command_r->id);
	if (suspect != NULL)
		read_again(service);
	suspect = suspect_of(poison, command_r->id);
	if (suspect == NULL) {
		in_hand_take(poison->hand, command_r);
		return false;
	}
	if (suspect->quarantined)
		refuse(service, suspect, message);
	else if (poison->waiting.n < WAITING_MAX && !service_kept_has(&poison->waiting, message))
		service_kept_push(&poison->waiting, message);
	return true;
}

bool service_poison_offer(struct service *service, struct holding *holding,
	const struct kafka_message *message, const struct in_hand_command *command)
{
	in_hand_decide(poison_of(service)->hand, command);
	bool taken = service_offer(service, holding, COMMANDS, message);
	in_hand_decide(poison_of(service)->hand, NULL);
	return taken;
}

/* ---- trying suspects ---- */

/* Decided, committed and answered without a death. */
static void acquit(struct service *service, const char *ids)
{
	const char *parameters[] = { service->ops->name, ids };
	PQclear(pg_query(service->pg,
		"delete from carillon.command_death where service = $1 and id = any($2::bytea[]) "
		"and "
		"quarantined is null",
		2, parameters));
	service_poison_read(service);
}

/* Takes the next group out of those that wait: one command, or several that have one death each.
 * Those whose shard was given up meanwhile are dropped: the service may load nothing of it, and
 * their askers send them to its new owner. */
static size_t group_take(
	const struct service *service, struct poison *poison, struct kafka_message *group)
{
	size_t n = 0;
	size_t left = 0;
	bool alone = false;
	for (size_t i = 0; i < poison->waiting.n; i++) {
		struct kafka_message *message = &poison->waiting.messages[i];
		struct in_hand_command command = command_of(message);
		const struct suspect *suspect = suspect_of(poison, command.id);
		bool dangerous = suspect != NULL && suspect->deaths > 1;
		if (service_direct_holding(service, message) == NULL) {
			free((void *)(uintptr_t)message->key);
			continue;
		}
		if (n < GROUP_MAX && !alone && (!dangerous || n == 0)) {
			group[n++] = *message;
			alone = dangerous;
		} else {
			poison->waiting.messages[left++] = *message;
		}
	}
	poison->waiting.n = left;
	return n;
}

static bool group_offer(struct service *service, const struct kafka_message *group,
	const struct in_hand_command *commands, size_t n)
{
	bool taken = true;
	for (size_t i = 0; i < n; i++)
		in_hand_take(poison_of(service)->hand, &commands[i]);
	if (service->ops->batch != NULL)
		service->ops->batch(service, group, n);
	for (size_t i = 0; i < n; i++) {
		struct holding *holding = service_direct_holding(service, &group[i]);
		taken = holding != NULL && service_direct_ready(service, holding) &&
			service_poison_offer(service, holding, &group[i], &commands[i]) && taken;
	}
	return taken;
}

void service_poison_try(struct service *service)
{
	struct poison *poison = poison_of(service);
	struct kafka_message group[GROUP_MAX];
	struct in_hand_command commands[GROUP_MAX];
	char ids[GROUP_MAX * (ID_ITEM_TEXT + 4) + 16];
	char shards[GROUP_MAX * NUMBER_TEXT + sizeof(ids)];
	if (poison->waiting.n == 0 || clock_mono_us() < poison->try_us)
		return;
	/* Nothing else is in hand. */
	service_commit(service);
	size_t n = group_take(service, poison, group);
	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		commands[i] = command_of(&group[i]);
	/* Those that must wait are lost here: their askers send them again. */
	bool taken = group_offer(service, group, commands, n);
	service_commit(service);
	if (taken) {
		(void)arrays_write(commands, n, ids, shards, sizeof(ids));
		acquit(service, ids);
	} else {
		poison->try_us = clock_mono_us() + TRY_AGAIN_US;
	}
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)group[i].key);
}

void service_poison_end(struct service *service)
{
	struct poison *poison = service->poison;
	if (poison == NULL)
		return;
	in_hand_clear(poison->hand);
	in_hand_close(&poison->hand);
	service_kept_free(&poison->waiting);
	free(poison->suspects);
	free(poison);
	service->poison = NULL;
}
