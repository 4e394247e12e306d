#include "services/gateway/adapters/row_json.h"

#include "libcommon/base/currency.h"

#include <string.h>

/* Of pg_type, whose header is the server's. */
enum type { BOOLEAN = 16, INT8 = 20, INT2 = 21, INT4 = 23, JSON = 114, JSONB = 3802 };

static void player_write(struct json_out *out, player_id player)
{
	char text[PLAYER_TEXT_MAX];

	player_id_format(player, text);
	out_string(out, "player", text);
}

static void currency_write(struct json_out *out, uint32_t number)
{
	const struct currency *currency = currency_by_number(number);

	out_string(out, "currency", currency == NULL ? "" : currency->code);
}

static void number_write(struct json_out *out, const char *name, int64_t number)
{
	if (strcmp(name, "player") == 0)
		player_write(out, number);
	else if (strcmp(name, "currency") == 0)
		currency_write(out, (uint32_t)number);
	else
		out_int(out, name, number);
}

static void member_write(struct json_out *out, const PGresult *result, int row, int column)
{
	const char *name = PQfname(result, column), *value = PQgetvalue(result, row, column);

	if (PQgetisnull(result, row, column)) {
		out_null(out, name);
		return;
	}
	switch (PQftype(result, column)) {
	case BOOLEAN:
		out_bool(out, name, value[0] == 't');
		break;
	case INT2:
	case INT4:
	case INT8:
		number_write(out, name, pg_number(result, row, column));
		break;
	case JSON:
	case JSONB:
		out_raw(out, name, value);
		break;
	default:
		out_string(out, name, value);
	}
}

void row_json(struct json_out *out, const PGresult *result, int row)
{
	out_open(out, NULL, '{');
	for (int column = 0; column < PQnfields(result); column++)
		if (PQfname(result, column)[0] != '_')
			member_write(out, result, row, column);
	out_close(out, '}');
}
