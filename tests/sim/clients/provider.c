#include "tests/sim/clients/provider.h"

#include "tests/sim/clients/requests.h"
#include "tests/sim/clients/clients.h"
#include "tests/sim/judge/judge.h"
#include "tests/sim/judge/map.h"
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LATER_US UINT64_C(3000000)

enum provider_script {
	PAYS,
	REFUSES,
	SLOW,	   /* pays; the first two answers never come */
	BUSY,	   /* 503 twice, then pays */
	LATE,	   /* pending, pays later, and calls */
	LATE_NO,   /* pending, refuses later, and calls */
	LATE_MUTE, /* pending, pays later, and does not call */
	TWICE,	   /* pays, and calls as well */
	TURNS,	   /* pays, and says "refused" when it is looked at behind the settlement */
	TURNS_NO,  /* refuses, and says "paid" then */
	OTHER,	   /* pays, and speaks of another amount twice before it says so */
	GARBAGE,   /* pays, and says what is no JSON twice before it says so */
	PROVIDER_SCRIPTS
};

static struct map known;

/* ---- what it knows -------------------------------------------------------------------------- */

static void halves(const uint8_t id[16], uint64_t *a_r, uint64_t *b_r)
{
	memcpy(a_r, id, sizeof(*a_r));
	memcpy(b_r, id + sizeof(*a_r), sizeof(*b_r));
}

const struct paid *provider_paid(const uint8_t id[16])
{
	uint64_t a, b;

	halves(id, &a, &b);
	return map_get(&known, a, b);
}

const struct paid *provider_next(size_t *at)
{
	while (*at < known.room) {
		const struct paid *paid = known.entry[(*at)++].value;
		if (paid != NULL)
			return paid;
	}
	return NULL;
}

void provider_begin(void)
{
	map_clear(&known);
}

void provider_end(void)
{
	map_clear(&known);
}

/* ---- it decides ----------------------------------------------------------------------------- */

static bool pays(const struct paid *paid)
{
	return paid->provider_script != REFUSES && paid->provider_script != LATE_NO &&
	       paid->provider_script != TURNS_NO;
}

static void decide(struct paid *paid)
{
	if (paid->status == PAID_PENDING)
		paid->status = pays(paid) ? PAID_PAID : PAID_REFUSED;
}

static void call(void *context)
{
	struct paid *paid = context;

	decide(paid);
	if (paid->provider_script != LATE_MUTE)
		request_payments(judge_holder(paid->id), paid->id);
}

static void taken(struct paid *paid)
{
	bool later = paid->provider_script == LATE || paid->provider_script == LATE_NO ||
		     paid->provider_script == LATE_MUTE;

	if (!later)
		decide(paid);
	if (later || paid->provider_script == TWICE)
		crowd_at(1 + sim_random(LATER_US), call, paid);
}

/* ---- it answers ----------------------------------------------------------------------------- */

static bool hex_read(const char *text, uint8_t id_r[16])
{
	unsigned byte;

	for (size_t i = 0; i < 16; i++) {
		if (sscanf(text + 2 * i, "%2x", &byte) != 1)
			return false;
		id_r[i] = (uint8_t)byte;
	}
	return text[32] == '\0';
}

/* Truth, but from those that turn: behind the settlement, where nothing may come of it. A first
 * word is true: nobody could tell a lie from it. */
static enum paid_status told(struct paid *paid, bool look)
{
	bool turns = paid->provider_script == TURNS || paid->provider_script == TURNS_NO;

	if (!look || !turns || judge_hold_open(paid->id) || judge_payout_outcome(paid->id) == 0)
		return paid->status;
	paid->lied = true;
	return paid->status == PAID_PAID ? PAID_REFUSED : PAID_PAID;
}

static long answer(struct paid *paid, bool look, char text_r[PROVIDER_ANSWER_MAX])
{
	static const char *const NAMES[] = { "pending", "paid", "refused" };
	bool odd = paid->asked <= 2;
	bool other = odd && paid->provider_script == OTHER;
	enum paid_status status = told(paid, look);
	char id[33];

	if (odd && paid->provider_script == SLOW)
		return 0;
	if (odd && paid->provider_script == BUSY) {
		(void)snprintf(text_r, PROVIDER_ANSWER_MAX, "not now");
		return 503;
	}
	if (odd && paid->provider_script == GARBAGE) {
		(void)snprintf(text_r, PROVIDER_ANSWER_MAX, "{\"status\":\"paid\"");
		return 200;
	}
	for (size_t i = 0; i < 16; i++)
		(void)snprintf(id + 2 * i, 3, "%02x", paid->id[i]);
	paid->other |= other;
	paid->said_paid |= status == PAID_PAID && !other;
	paid->said_refused |= status == PAID_REFUSED && !other;
	(void)snprintf(text_r, PROVIDER_ANSWER_MAX,
		"{\"id\":\"%s\",\"amount_minor\":%" PRId64 ",\"currency\":\"%s\",\"status\":\"%s\","
		"\"reference\":\"sim-%.8s\"}",
		id, paid->amount + other, paid->currency, NAMES[status], id);
	return 200;
}

/* The same id asked for again is the same payment; with other content it is a mistake of whoever
 * asks. */
static struct paid *pay_request(const char *body)
{
	json_t *json = json_loads(body, JSON_REJECT_DUPLICATES, NULL);
	const char *text = json_string_value(json_object_get(json, "id"));
	const char *currency = json_string_value(json_object_get(json, "currency"));
	int64_t amount = json_integer_value(json_object_get(json, "amount_minor"));
	uint8_t id[16];
	uint64_t a, b;
	struct paid *paid;

	if (text == NULL || currency == NULL || amount <= 0 || !hex_read(text, id))
		sim_fail("the provider is asked for what is no payment: %s", body);
	halves(id, &a, &b);
	paid = map_get(&known, a, b);
	if (paid == NULL) {
		*map_at(&known, a, b) = paid = judge_alloc(sizeof(*paid));
		paid->amount = amount;
		paid->known_us = sim_now_us();
		memcpy(paid->id, id, sizeof(paid->id));
		(void)snprintf(paid->currency, sizeof(paid->currency), "%s", currency);
		paid->provider_script = (uint32_t)sim_random(3) == 0
						? (uint32_t)sim_random(2)
						: (uint32_t)sim_random(PROVIDER_SCRIPTS);
		judge_pay_request(id, amount, currency);
		taken(paid);
	}
	if (paid->amount != amount || strcmp(paid->currency, currency) != 0)
		sim_fail("the provider is asked to pay %" PRId64 " %s by the id of %" PRId64 " %s",
			amount, currency, paid->amount, paid->currency);
	json_decref(json);
	return paid;
}

long provider_asked(const char *path, const char *body, char answer_r[PROVIDER_ANSWER_MAX])
{
	static const char FOLDER[] = "/v1/payouts/";
	struct paid *paid;
	uint8_t id[16];
	uint64_t a, b;

	answer_r[0] = '\0';
	if (body != NULL) {
		paid = pay_request(body);
	} else {
		if (strncmp(path, FOLDER, strlen(FOLDER)) != 0 ||
			!hex_read(path + strlen(FOLDER), id))
			sim_fail("the provider is asked for %s", path);
		halves(id, &a, &b);
		paid = map_get(&known, a, b);
		if (paid == NULL)
			return 404;
	}
	paid->asked++;
	return answer(paid, body == NULL, answer_r);
}
