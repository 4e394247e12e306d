/* Bodies of requests: JSON by jansson (exact 64-bit integers), checked against the tables of
 * core/requests.h. Strict: one object, at most PARSE_DEPTH_MAX deep, no repeated member, nothing
 * after it, no unknown field. */
#ifndef CARILLON_GATEWAY_ADAPTERS_PARSE_H
#define CARILLON_GATEWAY_ADAPTERS_PARSE_H

#include "services/gateway/core/fields.h"

#define PARSE_DEPTH_MAX 8

/* `target` is the zeroed struct of the table. */
bool parse_body(const char *text, size_t length, const struct field *fields, void *target,
	struct problem *problem_r);

#endif
