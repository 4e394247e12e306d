/* Operators' actions on a pool. */
#include "services/progressive-pool/adapters/operator.h"

#include "libcommon/base/currency.h"

#include <jansson.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EUR 978

/* What ADJUST and PARAMETERS name. */
struct row_action {
	uint32_t currency;
	int64_t coin_minor;
	bool has_delta, has_seed, has_rate, remove;
	int64_t delta_minor, seed_minor, row_rate_nano;
};

static bool whole(json_t *json, const char *name, int64_t *value_r, char *refusal)
{
	if (!json_is_integer(json))
		return action_refuse(refusal, "parameters /%s: expected a whole number", name);
	*value_r = json_integer_value(json);
	return true;
}

static bool read_member(
	const char *name, json_t *json, struct row_action *row_action, char *refusal)
{
	if (strcmp(name, "currency") == 0) {
		const struct currency *currency =
			json_is_string(json) ? currency_by_code(json_string_value(json)) : NULL;
		if (currency == NULL)
			return action_refuse(
				refusal, "parameters /currency: expected a code, such as \"EUR\"");
		row_action->currency = currency->number;
		return true;
	}
	if (strcmp(name, "coin_minor") == 0)
		return whole(json, name, &row_action->coin_minor, refusal);
	if (strcmp(name, "delta_minor") == 0)
		return row_action->has_delta = true,
		       whole(json, name, &row_action->delta_minor, refusal);
	if (strcmp(name, "seed_minor") == 0)
		return row_action->has_seed = true,
		       whole(json, name, &row_action->seed_minor, refusal);
	if (strcmp(name, "row_rate_nano") == 0)
		return row_action->has_rate = true,
		       whole(json, name, &row_action->row_rate_nano, refusal);
	if (strcmp(name, "remove") == 0 && json_is_true(json))
		return row_action->remove = true;
	return action_refuse(
		refusal, "parameters /%.64s: this member or its value is not expected", name);
}

static bool read_parameters(const char *text, struct row_action *row_action, char *refusal)
{
	json_error_t fault;
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &fault);
	const char *name;
	json_t *value;
	bool good = json_is_object(json);
	memset(row_action, 0, sizeof(*row_action));
	if (!good)
		(void)action_refuse(refusal, "parameters: found %.80s, expected a JSON object",
			json == NULL ? fault.text : "other JSON");
	else
		json_object_foreach(json, name, value)
		{
			good = good && read_member(name, value, row_action, refusal);
		}
	json_decref(json);
	if (good && (row_action->currency == 0 || row_action->coin_minor == 0))
		return action_refuse(refusal, "parameters: expected /currency and /coin_minor");
	return good;
}

static void describe(struct pool_instance *instance, const struct row_action *row_action, char *out)
{
	char r[AMOUNT_TEXT_MAX];
	const struct pool_row *row = row_action == NULL
					     ? NULL
					     : pool_row_find(&instance->pool, row_action->currency,
						       row_action->coin_minor);
	if (row == NULL) {
		(void)snprintf(out, ACTION_FIGURES_MAX, "{\"status\":\"%s\"}",
			pool_state_text(instance->pool.state));
		return;
	}
	(void)int128_format(row->r.e27, r);
	const struct pool_terms *next = row->next_waits ? &row->next : &row->terms;
	(void)snprintf(out, ACTION_FIGURES_MAX,
		"{\"r_e27\":\"%s\",\"seed_minor\":%" PRId64 ",\"row_rate_nano\":%" PRId64
		",\"next_seed_minor\":%" PRId64 ",\"next_row_rate_nano\":%" PRId64 "}",
		r, row->terms.seed_minor, row->terms.row_rate_nano, next->seed_minor,
		next->row_rate_nano);
}

static bool done(enum pool_status status, char *refusal)
{
	return status == POOL_OK || action_refuse(refusal, "%s", pool_status_text(status));
}

static bool adjust(struct pool_instance *instance, const struct action_record *record,
	const struct row_action *row_action, char *refusal)
{
	struct amount delta;
	if (!row_action->has_delta || row_action->delta_minor == 0 || row_action->has_seed ||
		row_action->has_rate || row_action->remove)
		return action_refuse(refusal,
			"parameters: expected a /delta_minor other than 0, and nothing else about the row");
	if (!action_second_given(record, refusal))
		return false;
	const struct pool_row *row =
		pool_row_find(&instance->pool, row_action->currency, row_action->coin_minor);
	if (row == NULL)
		return done(POOL_NO_ROW, refusal);
	if (!pool_unit(row->terms.row_rate_nano, row->exponent, &delta) ||
		!amount_mul(delta, row_action->delta_minor, &delta))
		return done(POOL_OVERFLOW, refusal);
	return done(
		pool_adjust(&instance->pool, row_action->currency, row_action->coin_minor, delta),
		refusal);
}

static bool remove_row(struct pool_instance *instance, const struct action_record *record,
	const struct row_action *row_action, char *refusal,
	bool (*in_definition)(const struct pool_instance *, uint32_t, int64_t))
{
	if (row_action->has_delta || row_action->has_seed || row_action->has_rate)
		return action_refuse(refusal, "parameters: expected only /remove");
	if (!action_second_given(record, refusal))
		return false;
	if (in_definition(instance, row_action->currency, row_action->coin_minor))
		return action_refuse(
			refusal, "the definition still has this row: remove it there first");
	if (!done(pool_row_remove(&instance->pool, row_action->currency, row_action->coin_minor),
		    refusal))
		return false;
	instance->removed[instance->removed_count].currency = row_action->currency;
	instance->removed[instance->removed_count++].coin_minor = row_action->coin_minor;
	return true;
}

static bool change(
	struct pool_instance *instance, const struct row_action *row_action, char *refusal)
{
	if (row_action->has_delta || (!row_action->has_seed && !row_action->has_rate))
		return action_refuse(
			refusal, "parameters: expected /seed_minor, /row_rate_nano or both");
	const struct pool_row *row =
		pool_row_find(&instance->pool, row_action->currency, row_action->coin_minor);
	if (row == NULL)
		return done(POOL_NO_ROW, refusal);
	struct pool_terms terms = row->next_waits ? row->next : row->terms;
	if (row_action->has_seed)
		terms.seed_minor = row_action->seed_minor;
	/* The rule of definitions: a EUR row at another rate would leave an FX leg in EUR. */
	if (row_action->has_rate && row_action->currency == EUR &&
		row_action->row_rate_nano != POOL_NANO)
		return action_refuse(refusal,
			"parameters /row_rate_nano: found %" PRId64
			", expected 1000000000: pools are kept in EUR",
			row_action->row_rate_nano);
	if (row_action->has_rate) {
		terms.row_rate_nano = row_action->row_rate_nano;
		if (terms.row_rate_nano > POOL_RATE_NANO_MAX ||
			!pool_row_share(row->coin_minor, row->exponent, terms.row_rate_nano,
				instance->base_coin_minor, &terms.share_nano))
			return done(POOL_TERMS, refusal);
	}
	return done(pool_terms_change(
			    &instance->pool, row_action->currency, row_action->coin_minor, &terms),
		refusal);
}

void operator_apply(struct pool_instance *instance, struct action_record *record,
	bool (*in_definition)(const struct pool_instance *, uint32_t currency, int64_t coin_minor))
{
	struct row_action row_action = { 0 };
	char *refusal = record->refusal;
	bool row = record->action == CARILLON__OPERATOR_ACTION__ACTION_ADJUST ||
		   record->action == CARILLON__OPERATOR_ACTION__ACTION_PARAMETERS;
	if (row && !read_parameters(record->parameters, &row_action, refusal))
		return;
	describe(instance, row ? &row_action : NULL, record->before);
	switch (record->action) {
	case CARILLON__OPERATOR_ACTION__ACTION_PAUSE:
		record->done = done(pool_pause(&instance->pool), refusal);
		break;
	case CARILLON__OPERATOR_ACTION__ACTION_RESUME:
		record->done = done(pool_resume(&instance->pool), refusal);
		break;
	case CARILLON__OPERATOR_ACTION__ACTION_ADJUST:
		record->done = adjust(instance, record, &row_action, refusal);
		break;
	case CARILLON__OPERATOR_ACTION__ACTION_PARAMETERS:
		record->done = row_action.remove ? remove_row(instance, record, &row_action,
							   refusal, in_definition)
						 : change(instance, &row_action, refusal);
		break;
	default:
		(void)action_refuse(
			refusal, "action %u: not supported by this build", record->action);
		break;
	}
	describe(instance, row ? &row_action : NULL, record->after);
}
