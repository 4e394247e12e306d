/* Applies events of a pool; derives events from two states. */
#include "services/progressive-pool/core/pool_event.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const KINDS[POOL_EVENT_KINDS] = {
	[POOL_EVENT_TOTALS] = "totals",
	[POOL_EVENT_LAUNCH] = "launch",
	[POOL_EVENT_HIT] = "hit",
	[POOL_EVENT_TERMS] = "terms",
	[POOL_EVENT_ADJUST] = "adjust",
	[POOL_EVENT_REMOVE] = "remove",
	[POOL_EVENT_SEND] = "send",
	[POOL_EVENT_SEND_RESERVE] = "send_reserve",
	[POOL_EVENT_RECEIVE] = "receive",
	[POOL_EVENT_STATE] = "state",
};

const char *pool_event_text(enum pool_event_kind kind)
{
	return KINDS[kind];
}

bool pool_event_parse(const char *text, enum pool_event_kind *kind_r)
{
	for (size_t i = 0; i < POOL_EVENT_KINDS; i++) {
		if (strcmp(KINDS[i], text) == 0) {
			*kind_r = (enum pool_event_kind)i;
			return true;
		}
	}
	return false;
}

/* ---- applying ---- */

static const struct pool_hit *find_none(void *context, const struct claim_id *id)
{
	(void)context;
	(void)id;
	return NULL;
}

static enum pool_status become(struct pool *pool, enum pool_state state)
{
	switch (state) {
	case POOL_LIVE:
		return pool_resume(pool);
	case POOL_PAUSING:
		return pool->state == POOL_LIVE ? pool_pause(pool) : POOL_TERMS;
	case POOL_PAUSED:
		/* Both steps may have happened since the last comparison. */
		if (pool->state == POOL_LIVE && pool_pause(pool) != POOL_OK)
			return POOL_TERMS;
		return pool_claims_closed(pool) ? POOL_OK : POOL_TERMS;
	case POOL_RETIRED:
		return pool_retire(pool);
	}
	return POOL_TERMS;
}

static enum pool_status receive(struct pool *pool, const struct pool_event *event)
{
	bool to_row;
	enum pool_status status =
		pool_receive(pool, event->currency, event->coin_minor, event->amount, &to_row);
	return status == POOL_OK && to_row != (event->currency != 0) ? POOL_NO_ROW : status;
}

enum pool_status pool_event_apply(
	struct pool *pool, const struct pool_event *event, struct pool_hit *hit_r)
{
	struct amount sent;
	enum pool_status status = pool_contribute_to(pool, event->t_e18);

	if (status != POOL_OK)
		return status;
	switch (event->kind) {
	case POOL_EVENT_TOTALS:
		return POOL_OK;
	case POOL_EVENT_LAUNCH:
		return pool_launch(
			pool, event->currency, event->exponent, event->coin_minor, &event->terms);
	case POOL_EVENT_HIT:
		return pool_hit(pool, &event->claim, find_none, NULL, hit_r);
	case POOL_EVENT_TERMS:
		return pool_terms_change(pool, event->currency, event->coin_minor, &event->terms);
	case POOL_EVENT_ADJUST:
		return pool_adjust(pool, event->currency, event->coin_minor, event->amount);
	case POOL_EVENT_REMOVE:
		return pool_row_remove(pool, event->currency, event->coin_minor);
	case POOL_EVENT_SEND:
		return pool_row_send(pool, event->currency, event->coin_minor, &sent);
	case POOL_EVENT_SEND_RESERVE:
		return pool_reserve_send(pool, &sent);
	case POOL_EVENT_RECEIVE:
		return receive(pool, event);
	case POOL_EVENT_STATE:
		return become(pool, event->state);
	case POOL_EVENT_KINDS:
		break;
	}
	return POOL_TERMS;
}

/* ---- deriving ---- */

static const struct pool_row *row_of(const struct pool *pool, const struct pool_row *like)
{
	for (uint32_t i = 0; i < pool->row_count; i++)
		if (pool->row[i].currency == like->currency &&
			pool->row[i].coin_minor == like->coin_minor)
			return &pool->row[i];
	return NULL;
}

static bool terms_same(const struct pool_terms *a, const struct pool_terms *b)
{
	return a->seed_minor == b->seed_minor && a->row_rate_nano == b->row_rate_nano &&
	       a->share_nano == b->share_nano;
}

static bool waits_same(const struct pool_row *a, const struct pool_row *b)
{
	return a->next_waits == b->next_waits && (!a->next_waits || terms_same(&a->next, &b->next));
}

struct list {
	const struct pool *before, *after;
	struct pool_event *events;
	size_t n;
};

static struct pool_event *add(
	struct list *list, enum pool_event_kind kind, const struct pool_row *row)
{
	struct pool_event *event = &list->events[list->n++];
	*event = (struct pool_event){ .kind = kind, .t_e18 = list->before->t_e18 };
	if (row != NULL) {
		event->currency = row->currency;
		event->exponent = row->exponent;
		event->coin_minor = row->coin_minor;
	}
	return event;
}

static int128 value_of(const struct pool *pool, const struct pool_row *row)
{
	struct amount accrued, seed;
	if (pool_row_accrued(row, pool->t_e18, &accrued) != POOL_ROW_OK ||
		!pool_seed(&row->terms, row->exponent, &seed))
		return 0;
	return accrued.e27 + seed.e27;
}

static void rows_gone(struct list *list)
{
	int128 sent = list->after->books.sent.e27 - list->before->books.sent.e27;
	bool sends = sent != 0;
	for (uint32_t i = 0; i < list->before->row_count; i++) {
		const struct pool_row *row = &list->before->row[i];
		if (row_of(list->after, row) != NULL)
			continue;
		(void)add(list, sends ? POOL_EVENT_SEND : POOL_EVENT_REMOVE, row);
		sent -= value_of(list->before, row);
	}
	/* Money that was sent besides the rows is the whole reserve of that time. */
	if (sends && sent != 0)
		(void)add(list, POOL_EVENT_SEND_RESERVE, NULL);
}

static void rows_changed(struct list *list)
{
	struct amount received = { list->after->books.received.e27 -
				   list->before->books.received.e27 };
	bool to_row = false;
	for (uint32_t i = 0; i < list->after->row_count; i++) {
		const struct pool_row *now = &list->after->row[i];
		const struct pool_row *was = row_of(list->before, now);
		if (was == NULL) {
			add(list, POOL_EVENT_LAUNCH, now)->terms = now->terms;
			continue;
		}
		if (!waits_same(was, now))
			add(list, POOL_EVENT_TERMS, now)->terms =
				now->next_waits ? now->next : now->terms;
		if (was->r.e27 == now->r.e27)
			continue;
		to_row = received.e27 != 0;
		add(list, to_row ? POOL_EVENT_RECEIVE : POOL_EVENT_ADJUST, now)->amount.e27 =
			now->r.e27 - was->r.e27;
	}
	if (received.e27 != 0 && !to_row)
		add(list, POOL_EVENT_RECEIVE, NULL)->amount = received;
}

size_t pool_event_between(
	const struct pool *before, const struct pool *after, struct pool_event *events_r)
{
	struct list list = { before, after, events_r, 0 };
	bool state = before->state != after->state;

	if (state && after->state != POOL_RETIRED)
		add(&list, POOL_EVENT_STATE, NULL)->state = after->state;
	rows_gone(&list);
	rows_changed(&list);
	if (state && after->state == POOL_RETIRED)
		add(&list, POOL_EVENT_STATE, NULL)->state = after->state;
	if (before->t_e18 != after->t_e18)
		add(&list, POOL_EVENT_TOTALS, NULL)->t_e18 = after->t_e18;
	return list.n;
}

/* ---- comparing ---- */

static const char *row_differs(const struct pool_row *a, const struct pool_row *b)
{
	if (b == NULL)
		return "is missing";
	if (!terms_same(&a->terms, &b->terms) || a->exponent != b->exponent)
		return "terms";
	if (!waits_same(a, b))
		return "pending terms";
	if (a->w_e18 != b->w_e18)
		return "W";
	if (a->r.e27 != b->r.e27)
		return "r";
	return a->hits != b->hits ? "hits" : NULL;
}

static const char *books_differ(const struct pool_books *a, const struct pool_books *b)
{
	const struct {
		const char *name;
		int128 a, b;
	} accounts[] = {
		{ "contributions", a->contributions.e27, b->contributions.e27 },
		{ "jp_pool", a->jp_pool.e27, b->jp_pool.e27 },
		{ "jp_reserve", a->jp_reserve.e27, b->jp_reserve.e27 },
		{ "jp_seed", a->jp_seed.e27, b->jp_seed.e27 },
		{ "house_seed", a->house_seed.e27, b->house_seed.e27 },
		{ "paid", a->paid.e27, b->paid.e27 },
		{ "received", a->received.e27, b->received.e27 },
		{ "sent", a->sent.e27, b->sent.e27 },
	};
	for (size_t i = 0; i < sizeof(accounts) / sizeof(accounts[0]); i++)
		if (accounts[i].a != accounts[i].b)
			return accounts[i].name;
	return NULL;
}

bool pool_same(const struct pool *a, const struct pool *b, char *where_r)
{
	const char *differs = books_differ(&a->books, &b->books);

	if (a->t_e18 != b->t_e18)
		differs = "t_e18";
	else if (differs == NULL && a->state != b->state)
		differs = "state";
	else if (differs == NULL && a->hits != b->hits)
		differs = "hits";
	else if (differs == NULL && a->row_count != b->row_count)
		differs = "rows";
	(void)snprintf(where_r, POOL_WHERE_MAX, "%s", differs != NULL ? differs : "");
	for (uint32_t i = 0; i < a->row_count && differs == NULL; i++) {
		differs = row_differs(&a->row[i], row_of(b, &a->row[i]));
		if (differs != NULL)
			(void)snprintf(where_r, POOL_WHERE_MAX, "row %" PRIu32 ":%" PRId64 " %s",
				a->row[i].currency, a->row[i].coin_minor, differs);
	}
	return differs == NULL;
}
