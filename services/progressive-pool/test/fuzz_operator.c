/* Operators' actions on a pool, one per line: a letter for the action, a letter for what happens
 * before it and who approves, then any parameters. Each is done, or refused with a reason that can
 * be stored. A refused action changes nothing of the pool. After a done action the books balance,
 * and a second operator has approved any move of money. */
#include "libcommon/base/utf8.h"
#include "services/progressive-pool/adapters/operator.h"

#include <jansson.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACTIONS 12
#define LINES_MAX 32
#define E18 ((int128)INT64_C(1000000000000000000))

enum happens { SECOND = 1, ACTOR_AGAIN = 2, CLOSED = 4, STAKED = 8, HIT = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned int seed);

/* Valid inputs with which the fuzzer begins. A: PAUSE, B: RESUME, D: ADJUST, E: PARAMETERS; then A
 * and the bits of enum happens. */
static const char *const LINES[] = {
	"DB{\"currency\":\"EUR\",\"coin_minor\":20,\"delta_minor\":500}\n",
	"DJ{\"currency\":\"EUR\",\"coin_minor\":20,\"delta_minor\":-500}\n",
	"DB{\"currency\":\"JPY\",\"coin_minor\":30,\"delta_minor\":1}\n",
	"EA{\"currency\":\"EUR\",\"coin_minor\":20,\"seed_minor\":50000}\n",
	"EA{\"currency\":\"JPY\",\"coin_minor\":30,\"row_rate_nano\":7000000}\n",
	"EA{\"currency\":\"EUR\",\"coin_minor\":50,\"seed_minor\":1,\"row_rate_nano\":2000000000}\n",
	"AA\nEF{\"currency\":\"EUR\",\"coin_minor\":50,\"remove\":true}\n",
	"AA\nEF{\"currency\":\"EUR\",\"coin_minor\":20,\"remove\":true}\n",
	"AA\nBE\n",
	"EQ{\"currency\":\"EUR\",\"coin_minor\":20,\"seed_minor\":90000}\nAQ\n",
	"DJ{\"currency\":\"EUR\",\"coin_minor\":9223372036854775807,\"delta_minor\":1}\n",
};

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned int seed)
{
	const char *line = LINES[seed / 8 % (sizeof(LINES) / sizeof(LINES[0]))];
	size_t more = strlen(line);
	if ((length == 0 || seed % 8 == 0) && length + more <= room) {
		memcpy(bytes + length, line, more);
		length += more;
	}
	return seed % 8 == 1 ? length : LLVMFuzzerMutate(bytes, length, room);
}

static bool in_definition(
	const struct pool_instance *instance, uint32_t currency, int64_t coin_minor)
{
	(void)instance;
	return currency == 978 && coin_minor == 20;
}

static void begin(struct pool_instance *instance)
{
	static const struct {
		uint32_t currency, exponent;
		int64_t coin_minor, rate_nano;
	} ROWS[] = {
		{ 978, 2, 20, POOL_NANO },
		{ 978, 2, 50, POOL_NANO },
		{ 392, 0, 30, 6000000 },
	};
	memset(instance, 0, sizeof(*instance));
	pool_begin(&instance->pool, 1);
	instance->base_coin_minor = 1000;
	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		struct pool_terms terms = { 40000, ROWS[i].rate_nano, 0 };
		bool share = pool_row_share(ROWS[i].coin_minor, ROWS[i].exponent, ROWS[i].rate_nano,
			1000, &terms.share_nano);
		assert(share);
		enum pool_status launched = pool_launch(&instance->pool, ROWS[i].currency,
			ROWS[i].exponent, ROWS[i].coin_minor, &terms);
		assert(launched == POOL_OK);
	}
}

static const struct pool_hit *find_none(void *context, const struct claim_id *id)
{
	(void)context;
	(void)id;
	return NULL;
}

static void happen(struct pool *pool, unsigned int what)
{
	static const struct pool_claim CLAIM = { { 1, 1, 1 }, 978, 20 };
	struct pool_hit hit;
	if ((what & CLOSED) != 0)
		(void)pool_claims_closed(pool);
	if ((what & STAKED) != 0) {
		enum pool_status status = pool_contribute_to(pool, pool->t_e18 + 123 * E18 + 7);
		assert(status == POOL_OK);
	}
	if ((what & HIT) != 0) {
		enum pool_status status = pool_hit(pool, &CLAIM, find_none, NULL, &hit);
		assert(status == POOL_OK || status == POOL_NO_ROW || status == POOL_OVERFLOW ||
			status == POOL_WRONG_STATE);
	}
}

static void is_json(const char *text)
{
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert(json_is_object(json));
	json_decref(json);
}

static bool says_why(const char *refusal)
{
	for (int i = POOL_OK + 1; i <= (int)POOL_OVERFLOW; i++)
		if (strcmp(refusal, pool_status_text((enum pool_status)i)) == 0)
			return true;
	return strstr(refusal, "expected ") != NULL || strstr(refusal, "not expected") != NULL ||
	       strncmp(refusal, "action ", 7) == 0 || strncmp(refusal, "the definition ", 15) == 0;
}

/* At least one account has changed. */
static bool books_moved(const struct pool_books *a, const struct pool_books *b)
{
	return a->jp_pool.e27 != b->jp_pool.e27 || a->jp_reserve.e27 != b->jp_reserve.e27 ||
	       a->jp_seed.e27 != b->jp_seed.e27 || a->house_seed.e27 != b->house_seed.e27 ||
	       a->paid.e27 != b->paid.e27;
}

static void act(struct pool_instance *instance, struct action_record *record)
{
	static struct pool before;
	const char *broken;
	uint32_t removed = instance->removed_count;
	memcpy(&before, &instance->pool, sizeof(before));
	operator_apply(instance, record, in_definition);
	assert(strnlen(record->refusal, ACTION_TEXT_MAX) < ACTION_TEXT_MAX);
	assert(utf8_valid(record->refusal));
	if (record->before[0] != '\0' || record->done) {
		is_json(record->before);
		is_json(record->after);
	}
	if (!record->done) {
		assert(says_why(record->refusal));
		assert(memcmp(&before, &instance->pool, sizeof(before)) == 0);
		assert(instance->removed_count == removed);
		assert(strcmp(record->before, record->after) == 0);
		return;
	}
	assert(record->refusal[0] == '\0');
	assert(instance->removed_count - removed == before.row_count - instance->pool.row_count);
	assert(before.t_e18 == instance->pool.t_e18 && before.hits == instance->pool.hits);
	if (books_moved(&before.books, &instance->pool.books))
		assert(record->second[0] != '\0' && strcmp(record->second, record->actor) != 0);
	assert(pool_identities_hold(&instance->pool, &broken));
	assert(pool_row_find(&instance->pool, 978, 20) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static struct pool_instance instance;
	static struct action_record record;
	begin(&instance);
	for (int i = 0; i < LINES_MAX && length > 2; i++) {
		const uint8_t *end = memchr(bytes, '\n', length);
		size_t n = end != NULL ? (size_t)(end - bytes) : length;
		if (n >= 2 && n - 2 < ACTION_PARAMETERS_MAX) {
			unsigned int what = (unsigned int)(bytes[1] - 'A');
			memset(&record, 0, sizeof(record));
			record.action = (uint32_t)(bytes[0] - 'A' + 1) % ACTIONS;
			memcpy(record.parameters, bytes + 2, n - 2);
			(void)snprintf(record.actor, ACTION_TEXT_MAX, "alice");
			if ((what & (SECOND | ACTOR_AGAIN)) != 0)
				(void)snprintf(record.second, ACTION_TEXT_MAX, "%s",
					(what & SECOND) != 0 ? "bob" : "alice");
			happen(&instance.pool, what);
			act(&instance, &record);
		}
		n += end != NULL;
		bytes += n;
		length -= n;
	}
	return 0;
}
