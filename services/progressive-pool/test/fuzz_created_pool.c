/* Any parameters of CREATE and TAKE_PART: either refused with a reason that can be stored, or a
 * pool that launches and balances, whose stored text parses to the same pool. */
#include "libcommon/base/utf8.h"
#include "services/progressive-pool/adapters/created_pool_read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER 9

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned int seed);

/* Valid inputs with which the fuzzer begins. */
static const char *const TEXTS[] = {
	"{\"pool\":\"winter\",\"contribution_ppm\":1000,\"base_coin_eur_minor\":1000,\"rows\":{\"EUR\":"
	"{\"row_rate_nano\":1000000000,\"seeds\":[{\"coin\":10,\"seed\":5000}]}},\"games\":[\"gem\"]}",
	"{\"pool\":\"summer\",\"contribution_ppm\":5000,\"base_coin_eur_minor\":2000,\"rows\":{\"EUR\":"
	"{\"row_rate_nano\":1000000000,\"seeds\":[{\"coin\":10,\"seed\":5000},{\"coin\":20,\"seed\":"
	"9000}]}},\"games\":[\"gem\",\"elves\"]}",
	"{\"operator\":2,\"takes_part\":false}",
};

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned int seed)
{
	const char *text = TEXTS[seed / 8 % (sizeof(TEXTS) / sizeof(TEXTS[0]))];
	if ((length == 0 || seed % 8 == 0) && strlen(text) <= room) {
		length = strlen(text);
		memcpy(bytes, text, length);
	}
	return seed % 16 == 0 ? length : LLVMFuzzerMutate(bytes, length, room);
}

static void refused(const char *refusal)
{
	assert(refusal[0] != '\0' && strnlen(refusal, ACTION_TEXT_MAX) < ACTION_TEXT_MAX);
	assert(utf8_valid(refusal));
}

static void launch(const struct created_pool_request *asked)
{
	static struct pool pool;
	const char *broken;
	pool_begin(&pool, NUMBER);
	for (uint32_t i = 0; i < asked->link.jackpot.row_count; i++) {
		const struct game_link_row *row = &asked->link.jackpot.row[i];
		struct pool_terms terms = { row->seed_minor, row->row_rate_nano, row->share_nano };
		enum pool_status status =
			pool_launch(&pool, row->currency, row->exponent, row->coin_minor, &terms);
		assert(status == POOL_OK || status == POOL_INSOLVENT || status == POOL_TERMS ||
			status == POOL_FULL || status == POOL_OVERFLOW);
	}
	assert(pool_identities_hold(&pool, &broken));
}

static void make(const char *parameters, const struct game_links *links)
{
	static struct created_pool_request asked;
	static struct game_link again;
	char refusal[ACTION_TEXT_MAX] = "", error[GAME_LINKS_ERROR_MAX];
	if (!created_pool_read(parameters, NUMBER, links, &asked, refusal)) {
		assert(asked.text == NULL);
		refused(refusal);
		return;
	}
	assert(asked.games_n >= 1 && asked.games_n <= 2);
	assert(asked.games_n == 1 || asked.games[0] != asked.games[1]);
	assert(asked.link.jackpot.pool == NUMBER && utf8_valid(asked.text));
	bool read = game_links_parse_pool("kept", asked.text, strlen(asked.text), &again, error);
	assert(read && again.jackpot.row_count == asked.link.jackpot.row_count);
	assert(again.jackpot.ppm == asked.link.jackpot.ppm);
	launch(&asked);
	free(asked.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static struct game_links links = { .count = 2 };
	static char parameters[ACTION_PARAMETERS_MAX];
	char refusal[ACTION_TEXT_MAX] = "";
	uint32_t operator_id;
	bool part;
	if (length >= sizeof(parameters))
		return 0;
	memcpy(parameters, bytes, length);
	parameters[length] = '\0';
	links.link[0] = (struct game_link){ .game = 1, .id = "gem" };
	links.link[1] = (struct game_link){ .game = 3, .id = "elves" };
	make(parameters, &links);
	if (take_part_read(parameters, &operator_id, &part, refusal))
		assert(operator_id >= 1 && operator_id <= OPERATOR_MAX);
	else
		refused(refusal);
	return 0;
}
