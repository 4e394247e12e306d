/* Finds one whole number of the definition: by bisection, as the return rises or falls with it, and
 * then by trying the numbers around the place where the return crosses the target. */
#include "libcommon/game/definition_load.h"
#include "tools/slotmath/progress.h"
#include "tools/slotmath/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AROUND 8 /* neighbours of the crossing to try */

/* Finds the member that a JSON pointer names, as (container, key). */
static bool put_number(json_t *root, const char *pointer, int64_t value)
{
	char path[SEARCH_POINTER_MAX], *token, *next;
	json_t *at = root;

	snprintf(path, sizeof(path), "%s", pointer[0] == '/' ? pointer + 1 : pointer);
	for (token = path; at; token = next) {
		json_t *child;

		next = strchr(token, '/');
		if (next)
			*next++ = 0;
		child = json_is_array(at) ? json_array_get(at, (size_t)strtoul(token, NULL, 10))
					  : json_object_get(at, token);
		if (next) {
			at = child;
			continue;
		}
		return json_is_integer(child) && json_integer_set(child, value) == 0;
	}
	return false;
}

struct number_work {
	struct draft *draft;
	const struct search_stage *stage;
	const char **why;
	mpq_t best_distance;
	int64_t best;
	bool found;
};

/* The sign of return minus target at this value; 0 counts as above. Keeps the nearest value. False
 * if the value does not give a valid game. */
static bool try_value(struct number_work *work, int64_t value, int *sign_r)
{
	static char error[DEFINITION_ERROR_MAX];
	mpq_t rtp;

	if (!put_number(work->draft->json, work->stage->pointer, value))
		refuse("search: /stages/%zu/pointer: found '%s', expected a JSON pointer to a "
		       "whole number in the definition",
			work->stage->index, work->stage->pointer);
	for (uint32_t i = 0; i < work->stage->also_count; i++)
		if (!put_number(work->draft->json, work->stage->also[i], value))
			refuse("search: /stages/%zu/also/%u: found '%s', expected a JSON pointer "
			       "to a whole number in the definition",
				work->stage->index, i, work->stage->also[i]);
	if (!draft_renew(work->draft, error)) {
		*work->why = error;
		return false;
	}
	mpq_init(rtp);
	if (work->stage->state[0])
		draft_state_return(work->draft, work->stage, rtp);
	else
		draft_return(work->draft, work->stage->mode, EXACT_RETURN, rtp, NULL);
	mpq_sub(rtp, rtp, work->stage->target);
	*sign_r = mpq_sgn(rtp) < 0 ? -1 : 1;
	mpq_abs(rtp, rtp);
	if (!work->found || mpq_cmp(rtp, work->best_distance) < 0) {
		mpq_set(work->best_distance, rtp);
		work->best = value;
		work->found = true;
	}
	mpq_clear(rtp);
	return true;
}

/* Bisects between two values on either side of the target. */
static void bisect(struct number_work *work, int64_t low, int64_t high, int low_sign)
{
	int sign;

	while (high - low > 1 && !interrupted()) {
		int64_t middle = low + (high - low) / 2;

		if (!try_value(work, middle, &sign))
			return;
		if (sign == low_sign)
			low = middle;
		else
			high = middle;
	}
	for (int64_t v = low - AROUND; v <= high + AROUND && !interrupted(); v++)
		if (v >= work->stage->from && v <= work->stage->to)
			try_value(work, v, &sign);
}

bool number_search(struct draft *draft, const struct search_stage *stage, struct progress *progress,
	const char **why)
{
	struct number_work work = { .draft = draft, .stage = stage, .why = why };
	int low_sign = 0, high_sign = 0, sign;
	bool good;

	(void)progress;
	mpq_init(work.best_distance);
	if (try_value(&work, stage->from, &low_sign) && try_value(&work, stage->to, &high_sign) &&
		low_sign != high_sign)
		bisect(&work, stage->from, stage->to, low_sign);
	else if (low_sign == high_sign && work.found)
		*why = "the return does not cross the target between \"from\" and \"to\": took "
		       "the nearer end";
	good = work.found && try_value(&work, work.best, &sign);
	mpq_clear(work.best_distance);
	return good;
}
