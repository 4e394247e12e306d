/* Redis: strings and hashes of the few commands the services send; away, slow or suddenly empty.
 * What is queued is carried out at the flush. */
#include "tests/sim/world/kernel.h"
#include "tests/sim/fake.h"

#include "libcommon/io/redis_link.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FAKE(redis_link_new);
FAKE(redis_link_up);
FAKE(redis_link_command);
FAKE(redis_link_flush);
FAKE(redis_link_free);

#define WORDS_MAX 8
#define WORD_BYTES 300
#define KEYS_MAX 512
#define COMMANDS_MAX 4096

struct command {
	char words[WORDS_MAX][WORD_BYTES];
	int n;
};

struct redis_link {
	struct command *queued;
	size_t n, room;
	uint64_t pause_us, next_try_us;
	bool up;
};

/* One value: of a string, or of "key field". */
static struct entry {
	char key[WORD_BYTES], field[WORD_BYTES], value[WORD_BYTES];
} entries[KEYS_MAX];
static size_t entries_n;

static struct entry *entry_of(const char *key, const char *field)
{
	for (size_t i = 0; i < entries_n; i++)
		if (strcmp(entries[i].key, key) == 0 && strcmp(entries[i].field, field) == 0)
			return &entries[i];
	return NULL;
}

static void entry_set(const char *key, const char *field, const char *value)
{
	struct entry *entry = entry_of(key, field);
	if (entry == NULL) {
		if (entries_n == KEYS_MAX)
			sim_fail("redis: more than %d values", KEYS_MAX);
		entry = &entries[entries_n++];
		(void)snprintf(entry->key, WORD_BYTES, "%s", key);
		(void)snprintf(entry->field, WORD_BYTES, "%s", field);
	}
	(void)snprintf(entry->value, WORD_BYTES, "%s", value);
}

static void entries_delete(const char *key)
{
	size_t n = 0;
	for (size_t i = 0; i < entries_n; i++)
		if (strcmp(entries[i].key, key) != 0)
			entries[n++] = entries[i];
	entries_n = n;
}

static void carry_out(const struct command *command)
{
	const char(*w)[WORD_BYTES] = command->words;
	if (strcmp(w[0], "MULTI") == 0 || strcmp(w[0], "EXEC") == 0)
		return;
	if (strcmp(w[0], "DEL") == 0 && command->n == 2)
		entries_delete(w[1]);
	else if (strcmp(w[0], "HSET") == 0 && command->n == 4)
		entry_set(w[1], w[2], w[3]);
	else if (strcmp(w[0], "SET") == 0 && command->n >= 3)
		entry_set(w[1], "", w[2]);
	else
		sim_fail("redis: found a command the simulator does not know: %s with %d words",
			w[0], command->n);
}

struct redis_link *__wrap_redis_link_new(const char *address, int timeout_ms)
{
	(void)address;
	(void)timeout_ms;
	return sim_alloc(sizeof(struct redis_link));
}

static void drop_connection(struct redis_link *link)
{
	link->up = false;
	link->n = 0;
	link->pause_us = link->pause_us == 0 ? 100000 : link->pause_us * 2;
	if (link->pause_us > 2000000)
		link->pause_us = 2000000;
	link->next_try_us = sim_now_us() + link->pause_us;
}

bool __wrap_redis_link_up(struct redis_link *link)
{
	if (link->up)
		return true;
	if (sim_now_us() < link->next_try_us)
		return false;
	sim_wait_us(200);
	if (!sim_faults.redis_up) {
		drop_connection(link);
		return false;
	}
	link->up = true;
	return true;
}

/* Words are separated by blanks of the format; each holds text and at most one argument, as with
 * hiredis. */
__attribute__((format(printf, 2, 0))) static void words_read(
	struct command *command, const char *format, va_list arguments)
{
	char one[WORD_BYTES];
	(void)vsnprintf(one, sizeof(one), format, arguments);
	char *save;
	for (char *w = strtok_r(one, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
		if (command->n == WORDS_MAX)
			sim_fail("redis: more than %d words", WORDS_MAX);
		(void)snprintf(command->words[command->n++], WORD_BYTES, "%s", w);
	}
}

__attribute__((format(printf, 2, 3))) bool __wrap_redis_link_command(
	struct redis_link *link, const char *format, ...)
{
	va_list arguments;
	if (!redis_link_up(link))
		return false;
	if (strstr(format, "%b") != NULL)
		sim_fail("redis: binary words are not known to the simulator: %s", format);
	if (link->n == link->room) {
		size_t room = link->room == 0 ? 16 : 2 * link->room;
		struct command *larger = sim_alloc(room * sizeof(*larger));
		if (link->n > 0)
			memcpy(larger, link->queued, link->n * sizeof(*larger));
		sim_free(link->queued);
		link->queued = larger;
		link->room = room;
	}
	struct command *command = &link->queued[link->n++];
	command->n = 0;
	va_start(arguments, format);
	words_read(command, format, arguments);
	va_end(arguments);
	return true;
}

bool __wrap_redis_link_flush(struct redis_link *link, redis_reply *on_reply, void *context)
{
	(void)context;
	if (on_reply != NULL)
		sim_fail("redis: answers are not known to the simulator");
	sim_effect("redis: commands leave");
	if (!link->up)
		return false;
	if (!sim_faults.redis_up) {
		drop_connection(link);
		return false;
	}
	for (size_t i = 0; i < link->n; i++)
		carry_out(&link->queued[i]);
	if (link->n > 0)
		link->pause_us = 0;
	link->n = 0;
	sim_effect("redis: commands are carried out");
	return true;
}

void __wrap_redis_link_free(struct redis_link **link)
{
	if (*link != NULL)
		sim_free((*link)->queued);
	sim_free(*link);
	*link = NULL;
}

const char *sim_redis_get(const char *key)
{
	char name[2 * WORD_BYTES];
	for (size_t i = 0; i < entries_n; i++) {
		(void)snprintf(name, sizeof(name), "%s%s%s", entries[i].key,
			entries[i].field[0] == '\0' ? "" : " ", entries[i].field);
		if (strcmp(name, key) == 0)
			return entries[i].value;
	}
	return NULL;
}

void sim_redis_up(bool up)
{
	sim_trace("redis is %s", up ? "back" : "away");
	sim_faults.redis_up = up;
}

void sim_redis_empty(void)
{
	sim_trace("redis is emptied");
	entries_n = 0;
}

void redis_world_begin(void)
{
	entries_n = 0;
}

void redis_world_end(void)
{
	entries_n = 0;
}
