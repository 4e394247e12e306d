/* The journal's partitions by day: each row is in the partition that its seq belongs to, partitions
 * follow one another without a gap, and their digests are the chain's. Of dropped days only these
 * digests are left here; they prove the files of the archive. */
#include "tools/jackpotctl/verify.h"

static const char partitions_sql[] =
	"with l as (select l.*, lag(head) over w as head_before, lag(last_seq) over w as "
	"seq_before, lag(last_batch) over w as batch_before, lag(true) over w as later "
	"from wallet.leaf l window w as (partition by shard order by day)) "
	"select 10, format('partition of shard %s, day %s', l.shard, l.day), format('from seq %s, "
	"batch %s, digest before %s, head %s', l.first_seq, l.first_batch, encode(l.before, 'hex'), "
	"encode(l.head, 'hex')), format('from seq %s, batch %s, digest before %s, head %s', "
	"coalesce(l.seq_before + 1, l.first_seq), coalesce(l.batch_before + 1, l.first_batch), "
	"encode(coalesce(l.head_before, p.digest, decode(repeat('00', 32), 'hex')), 'hex'), "
	"encode(b.digest, 'hex')) from l left join wallet.batch b on b.shard = l.shard and b.batch "
	"= l.last_batch left join wallet.batch p on p.shard = l.shard and p.batch = l.first_batch - "
	"1 where l.before <> coalesce(l.head_before, p.digest, decode(repeat('00', 32), 'hex')) or "
	"(p.batch is not null and l.before <> p.digest) or l.first_seq <> coalesce(l.seq_before + "
	"1, case when l.later is null then 1 else l.first_seq end) or l.first_batch <> "
	"coalesce(l.batch_before + 1, l.first_batch) or (l.state <> 'open' and (b.digest is "
	"distinct from l.head or b.last_seq <> l.last_seq or b.day <> l.day)) limit 20";

/* A row outside its partition, or a day without a partition. */
static const char rows_sql[] =
	"with rows as (select shard, day, min(seq) as low, max(seq) as high from @journal@ j group "
	"by shard, day) select 10, format('shard %s, day %s', r.shard, r.day), format('rows %s to "
	"%s', r.low, r.high), case when l.day is null then 'a partition of this day' else "
	"format('rows of %s to %s', l.first_seq, coalesce(l.last_seq::text, 'now')) end from rows r left join "
	"wallet.leaf l using (shard, day) where l.day is null or r.low < l.first_seq or r.high > "
	"coalesce(l.last_seq, r.high) limit 20";

/* Days never fall, and are UTC's or, behind a clock that jumped, later ones. */
static const char days_sql[] =
	"with b as (select w.shard, w.batch, w.day, w.first_seq, lag(w.day) over (partition by "
	"w.shard order by w.batch) as before from @batch@ w) select 10, format('shard %s, batch %s', "
	"b.shard, b.batch), format('day %s', b.day), format('not before %s', greatest(b.before, "
	"(j.time at time zone 'UTC')::date)) from b left join wallet.journal j on j.shard = b.shard "
	"and j.seq = b.first_seq and j.day = b.day where b.day < b.before or (j.time at time zone "
	"'UTC')::date > b.day limit 20";

static const char joints_sql[] =
	"select 2, format('shard %s, seq %s, player %s', j.shard, j.seq, j.player), format('day %s "
	"of row %s before', j.prev_day, j.prev_seq), 'the day of that row' from @journal@ j left "
	"join wallet.leaf l on l.shard = j.shard and l.day = j.prev_day where (j.prev_seq = 0) <> "
	"(j.prev_day is null) or (j.prev_seq > 0 and (l.day is null or j.prev_seq < l.first_seq or "
	"j.prev_seq > coalesce(l.last_seq, j.prev_seq))) limit 20";

const struct verify_query verify_partitions_queries[] = {
	{ partitions_sql, VERIFY_RULE_NONE },
	{ rows_sql, VERIFY_RULE_DAYS },
	{ days_sql, VERIFY_RULE_NONE },
	{ joints_sql, VERIFY_RULE_DAYS_BEFORE },
	{ NULL, VERIFY_RULE_NONE },
};
