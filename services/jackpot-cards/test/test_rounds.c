/* The keys are replaced while the service runs: new rounds use the newest that is due. The random
 * numbers fail while it runs: it raises one alarm, opens no more card rounds, and open rounds
 * continue. The tests fake the service loop, Postgres (without rounds) and the
 * system's random source. */
#include "services/jackpot-cards/adapters/rounds.h"

#include "libcommon/io/metrics.h"

#include <sodium.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define PLAYER INT64_C(0x0001000000000007)
#define SOUND_ROUNDS 3

static bool stuck;
static int unhealthy_n, facts_n, replies_n;
static char unhealthy_why[256];

/* ---- the system's source ---- */

void randombytes_buf(void *const out, const size_t length)
{
	if (stuck)
		memset(out, 0xa5, length);
	else if (getrandom(out, length, 0) != (ssize_t)length)
		fail_msg("the system gives no random bytes");
}

/* ---- Postgres ---- */

PGresult *PQexecParams(PGconn *conn, const char *sql, int n, const Oid *types,
	const char *const *values, const int *lengths, const int *formats, int format)
{
	(void)conn;
	(void)types;
	(void)values;
	(void)lengths;
	(void)formats;
	assert_int_equal(format, 0);
	assert_true(n > 0);
	assert_memory_equal(sql, "select ", 7);
	return PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
}

/* ---- the service loop ---- */

PGconn *service_pg(struct service *service)
{
	(void)service;
	return NULL;
}

uint32_t service_shards(const struct service *service)
{
	(void)service;
	return 4;
}

void service_commit_soon(struct service *service)
{
	(void)service;
}

void service_unhealthy(struct service *service, const char *why)
{
	(void)service;
	unhealthy_n++;
	(void)snprintf(unhealthy_why, sizeof(unhealthy_why), "%s", why);
}

void service_envelope(struct service *service, struct Carillon__Envelope *envelope,
	uint32_t incarnation, uint64_t seq)
{
	(void)service;
	(void)envelope;
	(void)incarnation;
	(void)seq;
}

const char *service_owner_url(struct service *service, const char *of_service, uint32_t shard)
{
	(void)service;
	(void)of_service;
	(void)shard;
	return "";
}

void service_send(struct service *service, enum topic topic, uint32_t partition, const void *key,
	size_t key_length, const void *bytes, size_t length)
{
	(void)service;
	(void)partition;
	(void)key;
	(void)key_length;
	(void)bytes;
	(void)length;
	facts_n += topic == TOPIC_JACKPOT_FACTS;
}

void service_send_now(struct service *service, enum topic topic, uint32_t partition,
	const void *key, size_t key_length, const void *bytes, size_t length)
{
	service_send(service, topic, partition, key, key_length, bytes, length);
}

void service_bus_send(struct service *service, const char *url, const void *bytes, size_t length)
{
	(void)service;
	(void)bytes;
	(void)length;
	replies_n += url[0] != '\0';
}

void service_bus_send_now(
	struct service *service, const char *url, const void *bytes, size_t length)
{
	service_bus_send(service, url, bytes, length);
}

void service_reason(struct service *service, const char *format, ...)
{
	(void)service;
	(void)format;
}

const char *service_nn_url(const struct service *service)
{
	(void)service;
	return "ipc://nn/jackpot-cards-1";
}

bool service_envelope_check(struct service *service, const struct Carillon__Envelope *envelope)
{
	(void)service;
	return envelope != NULL;
}

struct service_shard *service_shard(struct service *service, uint32_t shard)
{
	(void)service;
	(void)shard;
	return NULL;
}

struct service_shard *service_shard_at(struct service *service, size_t i)
{
	(void)service;
	(void)i;
	return NULL;
}

/* ---- the story ---- */

static void claim(struct set_instance *instance, uint64_t move)
{
	Carillon__JackpotFeed feed;
	Carillon__Envelope envelope;
	Carillon__Claim claimed;

	carillon__jackpot_feed__init(&feed);
	carillon__envelope__init(&envelope);
	carillon__claim__init(&claimed);
	claimed.player = PLAYER;
	claimed.move = move;
	claimed.index = 1;
	claimed.currency = 978;
	claimed.stake_minor = 100;
	feed.envelope = &envelope;
	feed.claim = &claimed;
	rounds_claim(NULL, instance, &feed);
}

static void pick(struct set_instance *instance, uint64_t move, uint32_t number, uint32_t position)
{
	Carillon__JackpotCommand command;
	Carillon__CardPick body;
	char reply_to[] = "ipc://nn/test";

	carillon__jackpot_command__init(&command);
	carillon__card_pick__init(&body);
	body.player = PLAYER;
	body.round = move;
	body.index = 1;
	body.pick = number;
	body.position = position;
	command.pick = &body;
	command.reply_to = reply_to;
	rounds_pick(NULL, instance, &command);
}

static bool fault_shown(void)
{
	size_t length;
	char *text = metrics_text(&length);
	bool shown = strstr(text, "carillon_cards_draw_fault 1\n") != NULL;

	assert_true(shown || strstr(text, "carillon_cards_draw_fault 0\n") != NULL);
	free(text);
	return shown;
}

static void play(struct set_instance *instance)
{
	uint64_t move = 1;

	for (; move <= SOUND_ROUNDS; move++)
		claim(instance, move);
	assert_int_equal(rounds_open(instance), SOUND_ROUNDS);
	assert_int_equal(unhealthy_n, 0);
	assert_false(fault_shown());
	stuck = true;
	for (; unhealthy_n == 0 && move < SOUND_ROUNDS + 10; move++)
		claim(instance, move);
	assert_int_equal(unhealthy_n, 1);
	assert_memory_equal(unhealthy_why, "random numbers: ", 16);
	assert_true(fault_shown());
	int64_t open = rounds_open(instance);
	uint64_t next = instance->next_number;
	assert_int_equal(open, move - 2); /* the last one was not opened */
	int facts = facts_n;
	stuck = false; /* a source that failed once is not trusted again */
	claim(instance, move - 1);
	claim(instance, move);
	assert_int_equal(rounds_open(instance), open);
	assert_int_equal(instance->next_number, next);
	assert_int_equal(facts_n, facts);
	assert_int_equal(unhealthy_n, 1);
	pick(instance, 1, 1, 4);
	assert_int_equal(facts_n, facts + 1);
	assert_int_equal(replies_n, 1);
	assert_int_equal(rounds_open(instance), open);
}

static struct numbered_keys keys;
static char folder[32], own_folder[48], path[80];

/* A service that has just started, with a set without rounds. */
static struct set_instance start(void)
{
	struct set_instance instance = { .next_number = 1, .expire_us = UINT64_C(1000000000) };

	(void)snprintf(folder, sizeof(folder), "/tmp/carillon-rounds-XXXXXX");
	assert_non_null(mkdtemp(folder));
	(void)snprintf(own_folder, sizeof(own_folder), "%s/jackpot-cards", folder);
	assert_int_equal(mkdir(own_folder, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/jackpot-cards.key", own_folder);
	(void)snprintf(common.keys, sizeof(common.keys), "%s", folder);
	rounds_start(&keys);
	instance.set.number = 2;
	for (int i = 0; i < CARD_LEVELS; i++)
		instance.weight[i] = 1;
	return instance;
}

static void end(struct set_instance *instance)
{
	rounds_free(instance);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(own_folder), 0);
	assert_int_equal(rmdir(folder), 0);
}

#define HEX_2 "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define HEX_3 "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

/* Replaces the file as the command does: another one is moved to its place. */
static void keys_replace(const char *first, const char *more)
{
	char other[sizeof(path) + 8];
	FILE *file;

	(void)snprintf(other, sizeof(other), "%s.new", path);
	file = fopen(other, "w");
	assert_non_null(file);
	assert_true(fprintf(file, "%s%s", first, more) > 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(other, 0600), 0);
	assert_int_equal(rename(other, path), 0);
	rounds_refresh_keys();
}

/* The key of the round that this claim opens. */
static uint32_t key_of(struct set_instance *instance, uint64_t move)
{
	claim(instance, move);
	assert_int_equal(instance->plays->id.move, move);
	return instance->plays->key;
}

static void test_rounds_take_new_keys(void **state)
{
	struct set_instance instance = start();
	char hex[2 * NUMBERED_KEY_BYTES + 1], first[sizeof(hex) + 8];

	(void)state;
	(void)sodium_bin2hex(hex, sizeof(hex), keys.key[0].bytes, NUMBERED_KEY_BYTES);
	(void)snprintf(first, sizeof(first), "1 %s\n", hex);
	assert_int_equal(key_of(&instance, 1), 1);
	keys_replace(first, "2 " HEX_2 " 99999999999\n"); /* not yet: the year is 5138 */
	assert_int_equal(keys.count, 2);
	assert_int_equal(key_of(&instance, 2), 1);
	keys_replace(first, "2 " HEX_2 " 1000\n");
	assert_int_equal(key_of(&instance, 3), 2);
	/* A key is missing, differs or cannot be read: the service keeps those that it has. */
	keys_replace("2 " HEX_2 " 1000\n", "3 " HEX_3 " 1000\n");
	assert_int_equal(key_of(&instance, 4), 2);
	keys_replace(first, "2 " HEX_3 " 1000\n3 " HEX_2 " 1000\n");
	assert_int_equal(key_of(&instance, 5), 2);
	keys_replace(first, "2 " HEX_2 " soon\n");
	assert_int_equal(key_of(&instance, 6), 2);
	assert_int_equal(keys.count, 2);
	keys_replace(first, "2 " HEX_2 " 1000\n3 " HEX_3 " 1000\n");
	assert_int_equal(key_of(&instance, 7), 3);
	assert_int_equal(rounds_open(&instance), 7);
	pick(&instance, 1, 1, 4); /* of the first key */
	assert_int_equal(replies_n, 1);
	end(&instance);
}

static void test_rounds_fault_stops_new_rounds(void **state)
{
	struct set_instance instance = start();

	(void)state;
	facts_n = replies_n = 0;
	play(&instance);
	end(&instance);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds_take_new_keys),
		cmocka_unit_test(test_rounds_fault_stops_new_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
