#include "tools/jackpotctl/status.h"

#include "tools/jackpotctl/rows_print.h"

#include <stdio.h>

bool status_run(PGconn *conn, bool json)
{
	PGresult *shards = rows_ask(conn,
		"select service, shard, coalesce(owner, '') as owner, epoch, incarnation, "
		"(lease_until > now())::text as alive, "
		"offset_1, seq_1, offset_2, seq_2 from carillon.shard order by service, shard");
	PGresult *journals = rows_ask(conn,
		"select b.shard, b.last_seq as journal, b.checkpoint, b.batch, "
		"to_char(now() - b.time, 'HH24:MI:SS') as last_row_ago, "
		"(select count(*) from wallet.claim c where c.shard = b.shard and "
		"c.closed_seq is null) as claims_open "
		"from (select distinct on (shard) * from wallet.batch order by shard, "
		"batch desc) b order by b.shard");
	bool alive = PQntuples(shards) > 0;

	for (int i = 0; i < PQntuples(shards); i++)
		alive = alive && PQgetvalue(shards, i, 5)[0] == 't';
	if (json) {
		json_print(json_pack("{s:b,s:o,s:o}", "alive", alive, "shards", rows_json(shards),
			"journals", rows_json(journals)));
	} else {
		rows_text(shards, "shards");
		rows_text(journals, "journals");
	}
	PQclear(shards);
	PQclear(journals);
	return alive;
}
