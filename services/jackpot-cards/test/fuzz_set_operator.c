/* Operators' actions on a set of Jackpot Cards, one a line: a letter for the action, one for the
 * events before it and the approver, then any parameters. Each action is done or refused with a
 * reason that can be stored. A refused action changes nothing; after a done action the books
 * balance and the levels rise, and moved money had a second approver. A line that starts with P is
 * a pick of a card round. */
#include "libcommon/base/utf8.h"
#include "services/jackpot-cards/adapters/set_request.h"
#include "services/jackpot-cards/adapters/set_operator.h"
#include "services/jackpot-cards/core/card_round.h"

#include <jansson.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACTIONS 12
#define LINES_MAX 32
#define E18 ((int128)INT64_C(1000000000000000000))
#define SET 2

enum happens { SECOND = 1, ACTOR_AGAIN = 2, STAKED = 4, WON = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned int seed);

/* Well-formed inputs, with which the fuzzer starts. A: PAUSE, B: RESUME, D: ADJUST, E: PARAMETERS,
 * G: TAKE_PART, H: ODDS, I: WEIGHTS; then A and the bits of enum happens. */
static const char *const LINES[] = {
	"DB{\"level\":\"clubs\",\"delta_minor\":500}\n",
	"DF{\"level\":\"spades\",\"delta_minor\":-1}\n",
	"EA{\"level\":\"hearts\",\"seed_minor\":90000}\n",
	"EI{\"level\":\"diamonds\",\"wager_ppm\":100,\"seed_minor\":30000}\n",
	"IA{\"weights\":[900,90,9,1]}\n",
	"IA{\"weights\":[0,0,9,1],\"game\":\"gem\",\"operator\":3}\n",
	"HA{\"currency\":\"EUR\",\"in\":1,\"of\":1000000}\n",
	"HA{\"currency\":\"JPY\",\"in\":7,\"of\":10,\"game\":\"gem\",\"operator\":2}\n",
	"GA{\"takes_part\":false,\"operator\":2,\"game\":\"gem\"}\n",
	"AA{}\nBA\n",
	"P\x01\x05\nP\x02\x06\nP\x03\x07\n",
};

static struct game_links links = { .count = 2 };

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

static void begin(struct set_instance *instance)
{
	static const struct card_terms TERMS = { { 2000, 10000, 100000, 1000000 },
		{ 2500, 1500, 700, 300 } };
	memset(instance, 0, sizeof(*instance));
	enum card_set_status status = card_set_launch(&instance->set, SET, &TERMS);
	assert(status == CARD_SET_OK);
	instance->weight[0] = 7;
	links.link[0] = (struct game_link){ .game = 1, .id = "gem", .cards = { .pool = SET } };
	links.link[1] = (struct game_link){ .game = 3, .id = "elves", .cards = { .pool = 9 } };
}

static void happen(struct card_set *set, unsigned int what)
{
	const struct card_payout payout = { CARD_SET_CURRENCY, CARD_SET_EXPONENT, POOL_NANO };
	struct card_hit hit;
	if ((what & STAKED) != 0) {
		enum card_set_status status = card_set_accrue_to(set, set->t_e18 + 12345 * E18 + 7);
		assert(status == CARD_SET_OK);
	}
	if ((what & WON) != 0) {
		enum card_set_status status = card_set_hit(set,
			(enum card_level)(CARD_CLUBS + what / 16 % CARD_LEVELS), &payout, &hit);
		assert(status == CARD_SET_OK || status == CARD_SET_OVERFLOW);
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
	for (int i = CARD_SET_OK + 1; i <= (int)CARD_SET_OVERFLOW; i++)
		if (strcmp(refusal, card_set_status_text((enum card_set_status)i)) == 0)
			return true;
	return strstr(refusal, "expected") != NULL || strncmp(refusal, "action ", 7) == 0 ||
	       strncmp(refusal, "too many actions", 16) == 0;
}

static void refused(const char *refusal)
{
	assert(strnlen(refusal, ACTION_TEXT_MAX) < ACTION_TEXT_MAX);
	assert(utf8_valid(refusal) && says_why(refusal));
}

static bool needs_database(uint32_t action)
{
	return action == CARILLON__OPERATOR_ACTION__ACTION_ODDS ||
	       action == CARILLON__OPERATOR_ACTION__ACTION_TAKE_PART;
}

/* The writes of those actions. */
static void read_only(struct action_record *record)
{
	struct set_request asked;
	int64_t sum = 0;
	if (!set_request_read(record->parameters, &links, SET, &asked, record->refusal) ||
		(record->action == CARILLON__OPERATOR_ACTION__ACTION_ODDS &&
			!set_request_odds(&asked, record->refusal))) {
		refused(record->refusal);
		return;
	}
	assert(record->refusal[0] == '\0');
	assert(asked.operator_id >= 0 && asked.operator_id <= (int64_t)OPERATOR_MAX);
	assert(asked.game == 0 || asked.game == 1);
	for (int i = 0; i < CARD_LEVELS; i++)
		sum += asked.weight[i];
	assert(!asked.has_weights || (sum >= 1 && sum <= (int64_t)CARD_WEIGHT_MAX));
	if (record->action == CARILLON__OPERATOR_ACTION__ACTION_ODDS)
		assert(asked.odds_in >= 1 && asked.odds_in <= asked.odds_of &&
			asked.odds_of <= CARD_SETS_OF_MAX && asked.currency != 0);
}

/* The state before an action. */
struct state_before {
	struct card_set set;
	bool paused;
	uint32_t weights_n, change_n;
	struct set_weights weights[SET_WEIGHTS_MAX];
};

static void remember(const struct set_instance *instance, struct state_before *was_r)
{
	memcpy(&was_r->set, &instance->set, sizeof(was_r->set));
	memcpy(was_r->weights, instance->weights, sizeof(was_r->weights));
	was_r->paused = instance->paused;
	was_r->weights_n = instance->weights_n;
	was_r->change_n = instance->change_n;
}

static void unchanged(const struct set_instance *instance, const struct state_before *was)
{
	assert(memcmp(&was->set, &instance->set, sizeof(was->set)) == 0);
	assert(memcmp(was->weights, instance->weights, sizeof(was->weights)) == 0);
	assert(was->paused == instance->paused && was->weights_n == instance->weights_n);
	assert(was->change_n == instance->change_n);
}

static void sound(const struct set_instance *instance)
{
	const char *broken;
	struct card_terms terms;
	assert(card_set_identities_hold(&instance->set, &broken));
	card_set_terms(&instance->set, &terms);
	for (int i = 1; i < CARD_LEVELS; i++)
		assert(terms.seed_minor[i] > terms.seed_minor[i - 1]);
	for (uint32_t game = 0; game < 4; game++) {
		const uint32_t *weight = set_operator_weights(instance, game, game);
		assert(weight[0] <= CARD_WEIGHT_MAX);
		assert((uint64_t)weight[0] + weight[1] + weight[2] + weight[3] > 0);
	}
}

static void act(struct set_instance *instance, struct action_record *record)
{
	static struct state_before was;
	remember(instance, &was);
	set_operator_apply(instance, &links, record, NULL);
	if (record->before[0] != '\0')
		is_json(record->before);
	if (record->after[0] != '\0')
		is_json(record->after);
	if (!record->done) {
		refused(record->refusal);
		unchanged(instance, &was);
		return;
	}
	assert(record->refusal[0] == '\0');
	assert(record->before[0] != '\0' && record->after[0] != '\0');
	assert(was.set.t_e18 == instance->set.t_e18);
	if (memcmp(&was.set.books, &instance->set.books, sizeof(was.set.books)) != 0)
		assert(strcmp(record->second, "bob") == 0);
	sound(instance);
	if (instance->change_n == SET_CHANGES_MAX)
		instance->change_n = 0; /* as a commit does; sometimes there are too many actions */
}

/* A pick turns up one face-down card or changes nothing. */
static void pick(struct card_round *round, const uint8_t *at, size_t n)
{
	static struct card_round before;
	uint32_t number = n > 0 ? at[0] : 0, position = n > 1 ? at[1] : 0;
	memcpy(&before, round, sizeof(before));
	for (size_t i = 2; i < n && i < 5; i++)
		number = number << 8 | at[i];
	enum card_pick_status status = card_round_pick(round, number, position);
	assert(card_pick_status_text(status) != NULL);
	if (status != CARD_PICK_OK) {
		assert(memcmp(&before, round, sizeof(before)) == 0);
		return;
	}
	assert(!card_round_won(&before) && round->picked == before.picked + 1);
	assert(number == round->picked && position < DEAL_CARDS);
	for (int i = 0; i < before.picked; i++)
		assert(round->position[i] != position && round->position[i] == before.position[i]);
	assert(card_round_pick(round, number, position) == CARD_PICK_REPEATED);
	assert(card_round_won(round) || card_round_next_position(round) < DEAL_CARDS);
}

static void line(
	struct set_instance *instance, struct card_round *round, const uint8_t *bytes, size_t n)
{
	static struct action_record record;
	unsigned int what = (unsigned int)(bytes[1] - 'A');
	if (bytes[0] == 'P') {
		pick(round, bytes + 1, n - 1);
		return;
	}
	memset(&record, 0, sizeof(record));
	record.action = (uint32_t)(bytes[0] - 'A' + 1) % ACTIONS;
	memcpy(record.parameters, bytes + 2, n - 2);
	(void)snprintf(record.actor, ACTION_TEXT_MAX, "alice");
	if ((what & (SECOND | ACTOR_AGAIN)) != 0)
		(void)snprintf(record.second, ACTION_TEXT_MAX, "%s",
			(what & SECOND) != 0 ? "bob" : "alice");
	happen(&instance->set, what);
	if (needs_database(record.action))
		read_only(&record);
	else
		act(instance, &record);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static struct set_instance instance;
	struct card_deal deal;
	struct card_round round;
	begin(&instance);
	card_deal_of(CARD_HEARTS, (uint32_t)length % DEAL_ARRANGEMENTS, &deal);
	card_round_begin(&round, &deal);
	for (int i = 0; i < LINES_MAX && length > 2; i++) {
		const uint8_t *end = memchr(bytes, '\n', length);
		size_t n = end != NULL ? (size_t)(end - bytes) : length;
		if (n >= 2 && n - 2 < ACTION_PARAMETERS_MAX)
			line(&instance, &round, bytes, n);
		n += end != NULL;
		bytes += n;
		length -= n;
	}
	return 0;
}
