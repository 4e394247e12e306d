/* Ids that this process is deciding about. Only the process that has reserved an id books it, so no
 * transaction fails at the row of another instance.
 *
 * A reservation names a shard and its epoch. While the epoch is the shard's, its owner may still
 * commit. Once it is over, the owner's fence fails, and anybody takes the reservation over. So one
 * that a crash has left holds nobody up, nor does one of a process that sleeps. */
#include "libcommon/service/loop.h"

#include "libcommon/base/hex.h"
#include "libcommon/io/log.h"
#include "libcommon/io/pg_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNRESERVE "unreserve"
#define NUMBER_TEXT 22
#define ID_TEXT (2 * SERVICE_ID_BYTES + 8)

/* What another owner holds is left out, so that no lock of its transaction is waited for. A row
 * that comes after that look is met by `on conflict`, where the snapshot may be older than the row:
 * epochs only grow, so one that is over in the snapshot is over. In order, so that two instances
 * that take the same ids never wait for each other in a circle. */
static const char RESERVE_SQL[] =
	"insert into carillon.reserved_id as r (service, id, shard, epoch) "
	"select $1, v.id, v.shard, v.epoch from unnest($2::bytea[], $3::int[], $4::bigint[]) "
	"as v(id, shard, epoch) where not exists (select from carillon.reserved_id h "
	"where h.service = $1 and h.id = v.id and not exists (select from carillon.shard s "
	"where s.service = $1 and s.shard = h.shard and s.epoch > h.epoch)) order by v.id "
	"on conflict (service, id) do update set shard = excluded.shard, epoch = excluded.epoch "
	"where exists (select from carillon.shard s where s.service = r.service and s.shard = "
	"r.shard and s.epoch > r.epoch) returning id";

static const char UNRESERVE_SQL[] =
	"delete from carillon.reserved_id where service = $1 and id = any($2::bytea[])";

static void list_room(struct outbox *list, size_t more)
{
	if (list->room - list->length > more)
		return;
	list->room = 2 * (list->length + more) + 256;
	list->bytes = realloc(list->bytes, list->room);
	if (list->bytes == NULL)
		fatal("out of memory: %zu bytes of ids", list->room);
}

/* As the text of an array, without its end. */
static void list_id(struct outbox *list, const uint8_t id[SERVICE_ID_BYTES])
{
	char digits[2 * SERVICE_ID_BYTES + 1];
	hex_format(id, SERVICE_ID_BYTES, digits);
	list_room(list, ID_TEXT);
	list->length += (size_t)snprintf((char *)list->bytes + list->length, ID_TEXT,
		"%s\"\\\\x%s\"", list->length == 0 ? "{" : ",", digits);
}

static void list_number(struct outbox *list, uint64_t number)
{
	list_room(list, NUMBER_TEXT);
	list->length += (size_t)snprintf((char *)list->bytes + list->length, NUMBER_TEXT, "%c%llu",
		list->length == 0 ? '{' : ',', (unsigned long long)number);
}

static const char *list_end(struct outbox *list)
{
	list_room(list, 2);
	memcpy(list->bytes + list->length, "}", 2);
	return (const char *)list->bytes;
}

static int id_compare(const void *a, const void *b)
{
	return memcmp(((const struct service_id *)a)->bytes, ((const struct service_id *)b)->bytes,
		SERVICE_ID_BYTES);
}

static void reserved_note(
	struct service *service, struct service_id *ids, size_t n, const PGresult *rows)
{
	for (int i = 0; i < PQntuples(rows); i++) {
		struct service_id key = { .reserved = false };
		size_t length;
		uint8_t *id = pg_bytea(rows, i, 0, &length);
		memcpy(key.bytes, id, length < SERVICE_ID_BYTES ? length : SERVICE_ID_BYTES);
		PQfreemem(id);
		struct service_id *found = bsearch(&key, ids, n, sizeof(*ids), id_compare);
		if (found != NULL)
			found->reserved = true;
		list_id(&service->reserved, key.bytes);
	}
}

void service_reserve(struct service *service, struct service_id *ids, size_t n)
{
	static struct outbox lists[3];
	if (n == 0)
		return;
	qsort(ids, n, sizeof(*ids), id_compare);
	for (int i = 0; i < 3; i++)
		lists[i].length = 0;
	for (size_t i = 0; i < n; i++) {
		ids[i].reserved = false;
		list_id(&lists[0], ids[i].bytes);
		list_number(&lists[1], ids[i].shard->shard);
		list_number(&lists[2], ids[i].shard->epoch);
	}
	const char *parameters[] = { service->ops->name, list_end(&lists[0]), list_end(&lists[1]),
		list_end(&lists[2]) };
	PGresult *rows = pg_try(service->pg, RESERVE_SQL, 4, parameters);
	if (PQresultStatus(rows) == PGRES_TUPLES_OK)
		reserved_note(service, ids, n, rows);
	else if (!pg_is_in_the_way(rows)) /* else they are tried again */
		pg_fatal(service->pg, rows, RESERVE_SQL);
	PQclear(rows);
	if (service->reserved.length > 0)
		service_commit_soon(service);
}

void service_reserved_prepare(struct service *service)
{
	pg_line_prepare(service->pg, UNRESERVE, UNRESERVE_SQL, 0, NULL);
}

void service_reserved_send(struct service *service, struct pg_line *line)
{
	if (service->reserved.length == 0)
		return;
	const char *parameters[] = { service->ops->name, list_end(&service->reserved) };
	pg_line_send(line, "reserved ids", PG_LINE_ANY, UNRESERVE, 2, parameters, NULL, NULL);
}

void service_reserved_sweep(struct service *service, const struct service_shard *shard)
{
	static const char sql[] = "delete from carillon.reserved_id where service = $1 and shard = "
				  "$2 and epoch < $3";
	char numbers[2][NUMBER_TEXT];
	const char *parameters[] = { service->ops->name, numbers[0], numbers[1] };
	(void)snprintf(numbers[0], NUMBER_TEXT, "%u", shard->shard);
	(void)snprintf(numbers[1], NUMBER_TEXT, "%llu", (unsigned long long)shard->epoch);
	PGresult *result = pg_try(service->pg, sql, 3, parameters);
	if (PQresultStatus(result) != PGRES_COMMAND_OK && !pg_is_in_the_way(result))
		pg_fatal(service->pg, result, sql);
	PQclear(result);
}
