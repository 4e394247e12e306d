/* Rows whose members are the columns of a query, so that the query alone says what they are. */
#ifndef CARILLON_GATEWAY_ADAPTERS_ROW_JSON_H
#define CARILLON_GATEWAY_ADAPTERS_ROW_JSON_H

#include "services/gateway/adapters/gateway.h"

/* In a query: a time as microseconds since 1970; 0: none. */
#define US(column) "coalesce((extract(epoch from " column ") * 1000000)::bigint, 0)"

/* Writes the row as an object, each column under its name and by its type: integers as numbers,
 * booleans, JSON as it is, null, all else as text. Of an integer, `player` becomes a player's id
 * and `currency` its code, "" for none that is known. Columns whose names begin with "_" are left
 * out. */
result_json row_json;

#endif
