/* Takes the wallet's holds to the payment provider and the outcomes back to the wallet. Postgres is
 * the truth on both sides. New and settled holds are read from wallet.hold, so no message can be
 * lost. An outcome is committed before the wallet is told; the id of that command follows from the
 * hold's id, so it can be repeated. */
#include "services/payments/adapters/payments_service.h"

#include "bus.pb-c.h"
#include "libcommon/base/alone.h"
#include "libcommon/base/sha256.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "services/payments/adapters/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_US 150000 /* at wallet.hold */
#define COMMAND_MAX (STORE_COMMAND_MAX + 256)
#define KEY_MAX 128
#define WRITES_AT_ONCE 1000 /* of a shard in one transaction: the lease must be renewed */

static struct {
	char url[SETTING_TEXT_MAX], review_above[SETTING_TEXT_MAX];
	struct alone review;
	int64_t timeout_ms, again_ms, again_max_ms, pending_ms, confirm_ms, parallel;
	struct payout_times times;
	struct provider *provider; /* NULL: no provider */
	struct payments_alarm *alarms;
	size_t alarms_n, alarms_room;
	uint64_t looked_us;
	struct metric *asks, *silent, *paid, *refused, *contradicted, *by_hand, *other, *unreadable,
		*open, *unknown;
} self;

const struct setting payments_settings[] = {
	{ "PAYMENTS_URL", SETTING_TEXT, "", 0, 0, self.url,
		"URL of the payment provider, http://host:port or https://...; empty: no provider, "
		"operators decide withdrawals by hand" },
	{ "PAYMENTS_TIMEOUT_MS", SETTING_INT, "5000", 100, 120000, &self.timeout_ms,
		"time after which a request to the provider counts as unanswered; its outcome "
		"is then unknown" },
	{ "PAYMENTS_AGAIN_MS", SETTING_INT, "500", 50, 60000, &self.again_ms,
		"pause after a request without an answer; doubles each time" },
	{ "PAYMENTS_AGAIN_MAX_MS", SETTING_INT, "60000", 100, 3600000, &self.again_max_ms,
		"longest pause after requests without an answer" },
	{ "PAYMENTS_PENDING_MS", SETTING_INT, "30000", 100, 86400000, &self.pending_ms,
		"pause after the answer \"pending\", unless the provider calls back earlier" },
	{ "PAYMENTS_CONFIRM_MS", SETTING_INT, "60000", 0, 86400000, &self.confirm_ms,
		"time after the settlement at which the provider is queried for the last time" },
	{ "PAYMENTS_PARALLEL", SETTING_INT, "16", 1, 256, &self.parallel,
		"largest number of open requests to the provider" },
	{ "PAYMENTS_REVIEW_ABOVE", SETTING_TEXT, "", 0, 0, self.review_above,
		"largest sum that a player withdraws within 24 hours without an operator's "
		"approval, as in GATEWAY_APPROVE_ABOVE; empty: nothing waits for one" },
	{ NULL, SETTING_INT, NULL, 0, 0, NULL, NULL },
};

/* ---- start and end ---- */

static void key_read(char key_r[KEY_MAX])
{
	char path[SETTING_TEXT_MAX + 32];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/payments/payment-provider.key", common.keys);
	file = fopen(path, "r");
	if (file == NULL || fgets(key_r, KEY_MAX, file) == NULL)
		fatal("%s: found no key, expected the provider's, because PAYMENTS_URL is set",
			path);
	(void)fclose(file);
	key_r[strcspn(key_r, "\r\n")] = '\0';
}

static void metrics_make(void)
{
	static const char alarms[] = "carillon_payments_alarms_total";
	static const char alarms_help[] = "Contradictions that a person must resolve";

	self.asks =
		metric_counter("carillon_payments_asks_total", NULL, "Requests to the provider");
	self.silent = metric_counter("carillon_payments_no_answer_total", NULL,
		"Requests to the provider without an outcome");
	self.paid = metric_counter("carillon_payments_outcomes_total", "outcome=\"paid\"",
		"Withdrawals by the first outcome that the provider reported");
	self.refused = metric_counter("carillon_payments_outcomes_total", "outcome=\"refused\"",
		"Withdrawals by the first outcome that the provider reported");
	self.contradicted = metric_counter(alarms, "alarm=\"contradicted\"", alarms_help);
	self.unreadable = metric_counter(alarms, "alarm=\"unreadable\"", alarms_help);
	self.by_hand = metric_counter(alarms, "alarm=\"by_hand\"", alarms_help);
	self.other = metric_counter(alarms, "alarm=\"other_content\"", alarms_help);
	self.open = metric_gauge("carillon_payments_open", NULL, "Unsettled withdrawals");
	self.unknown = metric_gauge("carillon_payments_unknown", NULL,
		"Withdrawals sent to the provider without an outcome yet");
}

void payments_start(struct service *service)
{
	char key[KEY_MAX] = "", error[ALONE_ERROR_MAX];

	(void)service;
	metrics_make();
	if (!alone_read(self.review_above, &self.review, error))
		fatal("PAYMENTS_REVIEW_ABOVE: %s", error);
	self.times = (struct payout_times){ .first_us = (uint64_t)self.again_ms * 1000,
		.most_us = (uint64_t)self.again_max_ms * 1000,
		.pending_us = (uint64_t)self.pending_ms * 1000,
		.confirm_us = (uint64_t)self.confirm_ms * 1000,
		.settle_us = 1000000 };
	if (self.url[0] == '\0') {
		log_warn_as("payments.provider.none",
			"PAYMENTS_URL is empty: withdrawals wait for decisions by hand");
		return;
	}
	key_read(key);
	self.provider = provider_new(self.url, key, self.timeout_ms, self.parallel);
}

void payments_open(struct service *service, struct service_shard *held)
{
	struct payments_shard *shard = calloc(1, sizeof(*shard));

	if (shard == NULL)
		fatal("out of memory: shard %u", held->shard);
	shard->shard = held->shard;
	store_load(service_pg(service), shard);
	held->state = shard;
	if (shard->n > 0)
		log_info("shard %u: %zu payments continue", shard->shard, shard->n);
}

void payments_close(struct service *service, struct service_shard *held)
{
	struct payments_shard *shard = held->state;

	(void)service;
	if (shard == NULL)
		return;
	payments_free(shard);
	held->state = NULL;
}

bool payments_drained(struct service *service)
{
	(void)service;
	return self.provider == NULL || provider_idle(self.provider);
}

/* ---- entries ---- */

static void each_shard(struct service *service,
	void (*function)(struct service *service, struct payments_shard *shard))
{
	for (size_t i = 0; i < SHARDS_MAX; i++) {
		struct service_shard *held = service_shard_at(service, i);
		if (held == NULL)
			return;
		if (held->state != NULL)
			function(service, held->state);
	}
}

static void id_text(const uint8_t *id, char text_r[2 * PAYOUT_ID_BYTES + 1])
{
	for (size_t i = 0; i < PAYOUT_ID_BYTES; i++)
		(void)snprintf(text_r + 2 * i, 3, "%02x", id[i]);
}

/* ---- alarms ---- */

static void alarm_raise(uint32_t shard, const struct payout *payout, enum payout_alarm what,
	const char *found, const char *expected)
{
	static const char *const kinds[] = { "", "contradicted", "by_hand", "other_content",
		"unreadable" };
	struct metric *const counted[] = { NULL, self.contradicted, self.by_hand, self.other,
		self.unreadable };
	char id[2 * PAYOUT_ID_BYTES + 1];

	if (what == PAYOUT_FINE)
		return;
	if (self.alarms_n == self.alarms_room) {
		self.alarms_room = self.alarms_room == 0 ? 16 : self.alarms_room * 2;
		self.alarms = realloc(self.alarms, self.alarms_room * sizeof(*self.alarms));
		if (self.alarms == NULL)
			fatal("out of memory: %zu alarms", self.alarms_room);
	}
	struct payments_alarm *alarm = &self.alarms[self.alarms_n++];
	*alarm = (struct payments_alarm){
		.payout = *payout, .shard = shard, .kind = kinds[what], .expected = expected
	};
	(void)snprintf(alarm->found, sizeof(alarm->found), "%s", found);
	metric_add(counted[what], 1);
	id_text(payout->id, id);
	log_error_as("payments.payment.contradiction",
		"ALARM payment %s of player %" PRId64
		": %s: found %s, expected %s; the service does nothing about it",
		id, payout->player, alarm->kind, found, alarm->expected);
}

/* One payment is out of work; all others go on. An outcome that cannot be stored is told here. */
static void entry_out(
	uint32_t shard, struct payments_entry *entry, const char *found, const char *expected)
{
	char text[PROVIDER_FOUND_MAX];

	entry->out = true;
	if (entry->told)
		return;
	entry->told = true;
	payments_out_text(entry, found, text);
	alarm_raise(shard, &entry->payout, PAYOUT_UNREADABLE, text, expected);
}

/* ---- outcomes ---- */

static void word_take(
	struct service *service, struct payments_shard *shard, const struct provider_word *word)
{
	struct payments_entry *entry = payments_find(shard, word->id);
	enum payout_outcome before;
	enum payout_alarm alarm;

	if (entry == NULL)
		return;
	entry->asked = false;
	before = entry->payout.outcome;
	alarm = payout_answered(&entry->payout, word->answer, &self.times, clock_mono_us());
	alarm_raise(shard->shard, &entry->payout, alarm, word->found,
		payout_expected(&entry->payout, alarm));
	if (word->reference[0] != '\0')
		memcpy(entry->reference, word->reference, sizeof(entry->reference));
	if (word->answer == PAYOUT_NO_ANSWER)
		metric_add(self.silent, 1);
	if (before == PAYOUT_NONE && entry->payout.outcome != PAYOUT_NONE) {
		metric_add(entry->payout.outcome == PAYOUT_PAID ? self.paid : self.refused, 1);
		entry->heard = true;
		entry->told = false;
	}
	entry->dirty = true;
	service_commit_soon(service);
}

static void words_take(struct service *service)
{
	struct provider_word word;

	while (self.provider != NULL && provider_poll(self.provider, &word)) {
		for (size_t i = 0; i < SHARDS_MAX; i++) {
			struct service_shard *held = service_shard_at(service, i);
			if (held == NULL)
				break;
			if (held->state != NULL)
				word_take(service, held->state, &word);
		}
	}
}

/* ---- commands to the wallet ---- */

/* Capture and release have the same id: the wallet books only the first of them. */
static void settle_ids(
	const struct payout *payout, uint8_t id_r[SHA256_BYTES], uint8_t hash_r[SHA256_BYTES])
{
	char content[96];
	struct sha256 sha;

	sha256_begin(&sha);
	sha256_add(&sha, "settle", 7);
	sha256_add(&sha, payout->id, PAYOUT_ID_BYTES);
	sha256_end(&sha, id_r);
	int length = snprintf(content, sizeof(content), "%d %" PRId64 " %" PRId64 " %u",
		(int)payout_settle_kind(payout), payout->player, payout->amount, payout->currency);
	sha256_begin(&sha);
	sha256_add(&sha, content, (size_t)length);
	sha256_end(&sha, hash_r);
}

static void command_send(struct service *service, const struct payments_shard *shard,
	const struct payout *payout, Carillon__Outside *outside)
{
	Carillon__WalletCommand command;
	Carillon__Envelope envelope;
	uint8_t key[8], bytes[COMMAND_MAX];

	carillon__wallet_command__init(&command);
	carillon__envelope__init(&envelope);
	service_envelope(service, &envelope, 0, 0);
	command.envelope = &envelope;
	command.player = payout->player;
	command.body_case = CARILLON__WALLET_COMMAND__BODY_OUTSIDE;
	command.outside = outside;
	if (carillon__wallet_command__get_packed_size(&command) > sizeof(bytes))
		fatal("a command that settles a withdrawal does not fit into %zu bytes",
			sizeof(bytes));
	size_t length = carillon__wallet_command__pack(&command, bytes);
	for (int i = 0; i < 8; i++)
		key[i] = (uint8_t)((uint64_t)payout->player >> (56 - 8 * i));
	service_send_now(
		service, TOPIC_WALLET_COMMANDS, shard->shard, key, sizeof(key), bytes, length);
}

static void wallet_tell(
	struct service *service, struct payments_shard *shard, struct payments_entry *entry)
{
	Carillon__Outside outside;
	uint8_t id[SHA256_BYTES], hash[SHA256_BYTES];
	char actor[] = "payments";
	struct payout *payout = &entry->payout;

	carillon__outside__init(&outside);
	settle_ids(payout, id, hash);
	outside.kind = (Carillon__MoveKind)payout_settle_kind(payout);
	outside.id = (ProtobufCBinaryData){ PAYOUT_ID_BYTES, id };
	outside.content_hash = (ProtobufCBinaryData){ PAYOUT_ID_BYTES, hash };
	outside.of = (ProtobufCBinaryData){ PAYOUT_ID_BYTES, payout->id };
	outside.amount_minor = payout->amount;
	outside.currency = payout->currency;
	outside.actor = actor;
	outside.reason = entry->reference;
	command_send(service, shard, payout, &outside);
	payout_told(payout, &self.times, clock_mono_us());
}

/* An operator has decided. The gateway tells the wallet but may have died before that, so this
 * service tells the wallet until the hold is settled, with or without a provider. If the provider's
 * outcome is known, the wallet gets that instead: a forced decision came too late. */
static void on_decided(struct service *service, struct payments_shard *shard,
	struct payments_entry *entry, const uint8_t *command, size_t command_n)
{
	uint64_t now_us = clock_mono_us();
	Carillon__Outside *outside;

	if (entry->dirty || entry->out || entry->payout.state != PAYOUT_REQUESTING ||
		(entry->decided_us != 0 && now_us < entry->decided_us + self.times.settle_us))
		return;
	outside = command_n <= STORE_COMMAND_MAX
			  ? carillon__outside__unpack(NULL, command_n, command)
			  : NULL;
	if (outside == NULL) {
		entry_out(shard->shard, entry, "a decision that cannot be read",
			"an operator's decision in gateway.decision");
		return;
	}
	command_send(service, shard, &entry->payout, outside);
	carillon__outside__free_unpacked(outside, NULL);
	entry->decided_us = now_us;
}

/* ---- turns ---- */

static void on_settled(
	struct payments_shard *shard, struct payments_entry *entry, enum payout_settled settled)
{
	alarm_raise(shard->shard, &entry->payout,
		payout_settled_by(&entry->payout, settled, &self.times, clock_mono_us()),
		settled == PAYOUT_CAPTURED ? "captured by hand" : "released by hand",
		entry->payout.outcome == PAYOUT_PAID
			? "captured, because the provider has paid"
			: "released, because the provider has refused");
	entry->dirty = true;
}

/* A withdrawal that waits for an operator is checked again every settle_us. */
static bool reviewed(struct service *service, struct payments_entry *entry)
{
	int64_t most = alone_most(&self.review, currency_by_number(entry->payout.currency));

	if (entry->payout.asked || most == ALONE_ANY ||
		store_reviewed(service_pg(service), entry->payout.id, most))
		return true;
	payout_told(&entry->payout, &self.times, clock_mono_us());
	return false;
}

/* The hold read a moment ago is not enough to pay: it may have been released since. */
static bool may_request_payment(
	struct service *service, struct payments_shard *shard, struct payments_entry *entry)
{
	enum payout_settled settled = PAYOUT_OPEN;

	if (!reviewed(service, entry))
		return false;
	switch (store_may_request(service_pg(service), entry->payout.id, &settled)) {
	case STORE_REQUEST:
		payout_noted(&entry->payout);
		return true;
	case STORE_SETTLED:
		on_settled(shard, entry, settled);
		service_commit_soon(service);
		break;
	case STORE_DECIDED:
		payout_told(&entry->payout, &self.times,
			clock_mono_us()); /* on_decided handles it, now or soon */
		break;
	case STORE_BUSY: /* the next turn tries again */
		break;
	}
	return false;
}

static void entry_act(
	struct service *service, struct payments_shard *shard, struct payments_entry *entry)
{
	enum payout_act act;

	if (entry->dirty || entry->asked || entry->out)
		return;
	act = payout_due(&entry->payout, clock_mono_us());
	if (act == PAYOUT_SETTLE) {
		wallet_tell(service, shard, entry);
	} else if (act != PAYOUT_NOTHING && self.provider != NULL &&
		   !provider_full(self.provider) &&
		   (act == PAYOUT_LOOK || may_request_payment(service, shard, entry)) &&
		   provider_request(self.provider, &entry->payout, act)) {
		entry->asked = true;
		metric_add(self.asks, 1);
	}
}

static void shard_act(struct service *service, struct payments_shard *shard)
{
	for (size_t i = 0; i < shard->n; i++)
		entry_act(service, shard, &shard->entries[i]);
}

static void holds_look(struct service *service)
{
	struct payments_shard *shards[SHARDS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < SHARDS_MAX; i++) {
		struct service_shard *held = service_shard_at(service, i);
		if (held == NULL)
			break;
		if (held->state != NULL)
			shards[n++] = held->state;
	}
	while (n > 0 && store_new_holds(service_pg(service), shards, n))
		;
}

static void shard_look(struct service *service, struct payments_shard *shard)
{
	store_settlements(service, shard, on_settled, on_decided);
	for (size_t i = 0; i < shard->n; i++) {
		if (shard->entries[i].out)
			entry_out(shard->shard, &shard->entries[i],
				"another amount, player or currency in payments.payout",
				"those of wallet.hold");
		if (shard->entries[i].dirty)
			service_commit_soon(service);
	}
}

static void gauges_set(struct service *service)
{
	int64_t open = 0, unknown = 0;

	for (size_t i = 0; i < SHARDS_MAX; i++) {
		const struct service_shard *held = service_shard_at(service, i);
		if (held == NULL)
			break;
		const struct payments_shard *shard = held->state;
		for (size_t j = 0; shard != NULL && j < shard->n; j++) {
			open += shard->entries[j].payout.settled == PAYOUT_OPEN;
			unknown += shard->entries[j].payout.state == PAYOUT_REQUESTING;
		}
	}
	metric_set(self.open, open);
	metric_set(self.unknown, unknown);
}

void payments_tick(struct service *service, uint64_t mono_us)
{
	words_take(service);
	if (mono_us >= self.looked_us + LOOK_US) {
		self.looked_us = mono_us;
		holds_look(service);
		each_shard(service, shard_look);
		gauges_set(service);
	}
	each_shard(service, shard_act);
}

static void shard_write(struct service *service, struct payments_shard *shard)
{
	size_t written = 0;

	for (size_t i = 0; i < shard->n;) {
		struct payments_entry *entry = &shard->entries[i];
		if (entry->dirty && written == WRITES_AT_ONCE) {
			i++; /* with the next transaction, which shard_look asks for */
			continue;
		}
		if (entry->dirty) {
			if (!store_write(service_pg(service), shard->shard, entry))
				entry_out(shard->shard, entry,
					"another amount or outcome in payments.payout",
					"those of this service");
			written++;
		}
		entry->dirty = false;
		if (entry->payout.state == PAYOUT_DONE && !entry->asked)
			payments_remove(shard, entry);
		else
			i++;
	}
}

void payments_write(struct service *service)
{
	each_shard(service, shard_write);
	for (size_t i = 0; i < self.alarms_n; i++)
		store_alarm(service_pg(service), &self.alarms[i]);
	self.alarms_n = 0;
}

/* ---- hints ---- */

static void hint_take(struct service *service, const Carillon__PaymentHint *hint)
{
	struct service_shard *held;
	struct payments_entry *entry;

	if (!player_id_valid(hint->player) || hint->id.len != PAYOUT_ID_BYTES)
		return;
	held = service_shard(service, shard_of_player(hint->player, service_shards(service)));
	if (held == NULL || held->state == NULL)
		return; /* another instance owns the shard now and will query in time */
	entry = payments_find(held->state, hint->id.data);
	if (entry == NULL)
		entry = store_load_missing(service_pg(service), held->state, hint->id.data);
	if (entry != NULL)
		payout_hint(&entry->payout, &self.times, clock_mono_us());
}

void payments_bus(struct service *service, const uint8_t *bytes, size_t length)
{
	Carillon__Bus *bus = carillon__bus__unpack(NULL, length, bytes);

	if (bus == NULL) {
		log_warn_as("bus.message.unreadable",
			"nanomsg: found %zu bytes, expected a Bus message; ignored", length);
		return;
	}
	if (bus->body_case == CARILLON__BUS__BODY_HINT)
		hint_take(service, bus->hint);
	carillon__bus__free_unpacked(bus, NULL);
}
