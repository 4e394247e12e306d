#include "tools/jackpotctl/reconcile.h"

#include "libcommon/base/currency.h"
#include "libcommon/base/ids.h"
#include "tools/jackpotctl/rows_print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define LINE_ROOM 256
#define ID_DIGITS 32
#define PARTS 4

/* The columns of the list as arrays of Postgres. */
enum { IDS, PLAYERS, CURRENCIES, AMOUNTS, ARRAYS };

struct list {
	char *array[ARRAYS];
	size_t length[ARRAYS], room[ARRAYS];
	uint32_t operator_id;
	uint64_t count;
};

static _Noreturn void wrong(const char *path, uint64_t line, const char *found)
{
	fprintf(stderr,
		"jackpotctl: %s, line %" PRIu64
		": found '%s', expected id,player,currency,amount_minor of one operator, such as "
		"5f0c1e7a93b24d68a0c5f2e19b7d4836,1-17,EUR,5000\n",
		path, line, found);
	exit(EXIT_USAGE);
}

static void add(struct list *list, int array, const char *value)
{
	size_t more = strlen(value) + 2;

	if (list->room[array] - list->length[array] < more + 1) {
		list->room[array] = 2 * (list->length[array] + more) + LINE_ROOM;
		list->array[array] = realloc(list->array[array], list->room[array]);
		if (list->array[array] == NULL) {
			fprintf(stderr, "jackpotctl: out of memory\n");
			exit(EXIT_USAGE);
		}
	}
	list->length[array] += (size_t)snprintf(list->array[array] + list->length[array], more + 1,
		"%s%s", list->length[array] == 0 ? "{" : ",", value);
}

static bool line_take(struct list *list, char *line)
{
	char *parts[PARTS] = { line }, number[24];
	player_id player;
	const struct currency *currency;
	size_t n = 1;
	char *end;

	for (char *at = strchr(line, ','); at != NULL && n < PARTS; at = strchr(at, ',')) {
		*at++ = '\0';
		parts[n++] = at;
	}
	if (n < PARTS || strlen(parts[0]) != ID_DIGITS ||
		strspn(parts[0], "0123456789abcdef") != ID_DIGITS ||
		!player_id_parse(parts[1], &player))
		return false;
	currency = currency_by_code(parts[2]);
	if (list->count == 0)
		list->operator_id = player_operator(player);
	if (currency == NULL || player_operator(player) != list->operator_id || parts[3][0] < '0' ||
		parts[3][0] > '9' || strlen(parts[3]) > 18 ||
		(strtoll(parts[3], &end, 10), *end != '\0'))
		return false;
	list->count++;
	add(list, IDS, parts[0]);
	add(list, AMOUNTS, parts[3]);
	(void)snprintf(number, sizeof(number), "%" PRId64, player);
	add(list, PLAYERS, number);
	(void)snprintf(number, sizeof(number), "%" PRIu32, currency->number);
	add(list, CURRENCIES, number);
	return true;
}

static void list_read(const char *path, struct list *list)
{
	FILE *file = fopen(path, "re");
	char line[LINE_ROOM], kept[LINE_ROOM];
	uint64_t at = 0;

	if (file == NULL) {
		fprintf(stderr, "jackpotctl: %s: %s\n", path, strerror(errno));
		exit(EXIT_USAGE);
	}
	while (fgets(line, sizeof(line), file) != NULL) {
		line[strcspn(line, "\r\n")] = '\0';
		memcpy(kept, line, sizeof(kept));
		at++;
		if (line[0] != '\0' && !line_take(list, line))
			wrong(path, at, kept);
	}
	(void)fclose(file);
	if (list->count == 0) {
		fprintf(stderr,
			"jackpotctl: %s: found no deposit, expected id,player,currency,amount_minor "
			"in at least one line\n",
			path);
		exit(EXIT_USAGE);
	}
	for (int i = 0; i < ARRAYS; i++)
		add(list, i, "}");
	for (int i = 0; i < ARRAYS; i++) /* "..,}" */
		memcpy(list->array[i] + list->length[i] - 2, "}", 2);
}

/* Where, found, expected: of what is listed, and of what is booked. An id that is listed twice is a
 * difference, since it is booked once. */
static const char differences_sql[] =
	"with listed as (select id, min(player) as player, min(currency) as currency, min(amount) as "
	"amount, count(*) as n from unnest($1::text[], $2::bigint[], $3::integer[], $4::bigint[]) "
	"l(id, player, currency, amount) group by id), "
	"booked as (select encode(outside_id, 'hex') as id, player, currency, amount, shard, seq, day "
	"from wallet.entry where kind = 20 and refusal = 0 and outside_id is not null and player >> "
	"48 = $5::bigint) "
	"select format('deposit %s', id) as \"where\", case when l.id is null then 'nothing in the list' else "
	"format('player %s-%s, currency %s, amount %s, times listed: %s', l.player >> 48, l.player "
	"& 281474976710655, l.currency, l.amount, l.n) end as found, case when b.id is null then "
	"'nothing, because it is not booked' else format('player %s-%s, currency %s, amount %s, "
	"once, as booked at shard %s, seq %s', b.player >> 48, b.player & 281474976710655, "
	"b.currency, b.amount, "
	"b.shard, b.seq) end as expected from listed l full join booked b using (id) where (l.id is null and "
	"($6::text is null or to_char(b.day, 'YYYY-MM-DD') = $6)) or (l.id is not null and (b.id is "
	"null or l.n > 1 or (l.player, l.currency, l.amount) <> (b.player, b.currency, b.amount))) "
	"order by 1";

static void differences_print(const PGresult *result, const struct list *list, bool json)
{
	int n = PQntuples(result);

	if (json) {
		json_print(json_pack("{s:b,s:I,s:I,s:o}", "agrees", n == 0, "operator",
			(json_int_t)list->operator_id, "listed", (json_int_t)list->count,
			"differences", rows_json(result)));
		return;
	}
	for (int i = 0; i < n; i++)
		printf("%s: found %s, expected %s\n", PQgetvalue(result, i, 0),
			PQgetvalue(result, i, 1), PQgetvalue(result, i, 2));
	printf("%s: %" PRIu64 " deposits of operator %" PRIu32 " listed, %d differences\n",
		n == 0 ? "the list agrees with the ledger"
		       : "THE LIST DOES NOT AGREE WITH THE LEDGER",
		list->count, list->operator_id, n);
}

bool reconcile_run(PGconn *conn, const char *path, const char *day, bool json)
{
	struct list list = { .count = 0 };
	char operator_text[16];
	PGresult *result;
	int differences;

	list_read(path, &list);
	(void)snprintf(operator_text, sizeof(operator_text), "%" PRIu32, list.operator_id);
	const char *parameters[] = { list.array[IDS], list.array[PLAYERS], list.array[CURRENCIES],
		list.array[AMOUNTS], operator_text, day };
	result = PQexecParams(conn, differences_sql, 6, NULL, parameters, NULL, NULL, 0);
	if (PQresultStatus(result) != PGRES_TUPLES_OK) {
		fprintf(stderr, "jackpotctl: the database could not be read: %s",
			PQerrorMessage(conn));
		exit(EXIT_USAGE);
	}
	differences = PQntuples(result);
	differences_print(result, &list, json);
	PQclear(result);
	for (int i = 0; i < ARRAYS; i++)
		free(list.array[i]);
	return differences == 0;
}
