-- Daily leaves. The journal becomes a list by shard of ranges by day, so that a day can be closed, indexed by player, exported and dropped as a whole.
-- A row's day never falls within its shard, and all rows of a batch have one day: a leaf is the rows first_seq..last_seq, and ends with a whole batch.
alter table wallet.journal rename to journal_before;
alter table wallet.journal_before rename constraint journal_pkey to journal_before_pkey;
do $$
declare
	leaf record;
begin
	for leaf in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'wallet.journal_before'::regclass loop
		execute format('alter table wallet.%I rename to %I', leaf.relname, replace(leaf.relname, 'journal_', 'before_'));
	end loop;
end $$;

create table wallet.journal (
	like wallet.journal_before including comments,
	day date not null,
	prev_day date,
	primary key (shard, seq, day)
) partition by list (shard);
comment on table wallet.journal is 'One immutable row a move or other booking, accepted or refused. A leaf a shard and day, wallet.journal_<shard>_<YYYYMMDD>, made by the wallet seven days ahead. No further index on the leaf of today: history walks back by (prev_day, prev_seq); a closed leaf has one by player.';
comment on column wallet.journal.day is 'UTC day of the batch: of its first row''s time, but never before the day of the shard''s row before.';
comment on column wallet.journal.prev_day is 'Day of the row prev_seq; null where prev_seq is 0.';
comment on column wallet.journal.prev_seq is 'The row before of the same account; 0: none.';

create table wallet.leaf (
	shard integer not null,
	day date not null,
	state text not null default 'open' check (state in ('open', 'closed', 'archived', 'dropped')),
	first_seq bigint not null check (first_seq > 0),
	last_seq bigint check (last_seq >= first_seq),
	first_batch bigint not null,
	last_batch bigint,
	before bytea not null,
	head bytea,
	rows bigint,
	tallies jsonb,
	closed timestamptz,
	archive text,
	archive_bytes bigint,
	archive_digest bytea,
	archived timestamptz,
	dropped timestamptz,
	primary key (shard, day),
	check ((state = 'open') = (last_seq is null)),
	check (rows is null or rows = last_seq - first_seq + 1),
	check (state in ('open', 'closed') or archive is not null)
);
create unique index leaf_first on wallet.leaf (shard, first_seq);
create index leaf_open on wallet.leaf (shard) where state = 'open';
comment on table wallet.leaf is 'The days of a shard on which something was booked. Written with the first row of the day; the day is closed when it is over, its rows are checkpointed and all of them published.';
comment on column wallet.leaf.state is 'open; closed: indexed by player, nothing more is booked into it; archived: a proven copy is in `archive`; dropped: its rows are only there, but for those in wallet.carried.';
comment on column wallet.leaf.before is 'Head of the chain of batches before the first one of the leaf; head: after its last one. With the rows between they prove the leaf alone.';
comment on column wallet.leaf.tallies is 'Sum of the stakes that its rows counted, by tally.';
comment on column wallet.leaf.archive is 'File: COPY BINARY of all columns, ordered by seq, in gzip. archive_bytes and archive_digest (SHA-256) are of what gzip holds.';

create table wallet.carried (
	like wallet.journal including comments,
	primary key (shard, seq)
);
create index carried_player on wallet.carried (player);
comment on table wallet.carried is 'Rows of dropped leaves that something still refers to: the last one of each account and of each of its games, those that opened or closed a claim, money from and to outside, bonus spins.';

-- All rows that are still here.
create view wallet.entry as
	select j.*, false as carried from wallet.journal j
	where not exists (select from wallet.leaf l where l.shard = j.shard and l.day = j.day and l.state = 'dropped')
	union all select c.*, true from wallet.carried c;
comment on view wallet.entry is 'The journal with what was carried over from leaves that were dropped. `carried` rows have gaps between them.';

create function wallet.day_of(of_shard integer, of_seq bigint) returns date language sql stable as $$
	select day from wallet.leaf where shard = of_shard and first_seq <= of_seq order by first_seq desc limit 1
$$;
comment on function wallet.day_of is 'The leaf of a row: a look at few rows, so that a read of the journal meets one leaf.';

create function wallet.leaves_make(of_shard integer, first date, ahead integer) returns void language plpgsql as $$
declare
	parent text := format('journal_%s', of_shard);
	leaf text;
begin
	if to_regclass('wallet.' || parent) is null then
		execute format('create table wallet.%I partition of wallet.journal for values in (%s) partition by range (day)', parent, of_shard);
	end if;
	for i in 0..ahead loop
		leaf := parent || to_char(first + i, '_YYYYMMDD');
		continue when exists (select from pg_inherits where inhrelid = to_regclass('wallet.' || leaf));
		-- Attached, not created in place: that would lock the readers of all leaves out.
		execute format('create table if not exists wallet.%I (like wallet.journal including comments)', leaf);
		execute format('alter table wallet.%I attach partition wallet.%I for values from (%L) to (%L)', parent, leaf, first + i, first + i + 1);
	end loop;
end $$;
comment on function wallet.leaves_make is 'The leaves of a shard from a day on; those that are there stay.';

create function wallet.leaf_close(of_shard integer, of_day date) returns bigint language plpgsql as $$
declare
	leaf wallet.leaf;
	last wallet.batch;
	name text := format('journal_%s', of_shard) || to_char(of_day, '_YYYYMMDD');
	n bigint;
	sums jsonb;
begin
	select * into leaf from wallet.leaf where shard = of_shard and day = of_day for update;
	if leaf.state is distinct from 'open' then
		return leaf.rows;
	end if;
	select b.* into last from wallet.batch b where b.shard = of_shard and b.day = of_day order by b.batch desc limit 1;
	if not exists (select from wallet.batch b where b.shard = of_shard and b.batch >= last.batch and b.checkpoint >= last.last_seq) then
		raise exception 'leaf of shard %, day %: found rows behind the last checkpoint, expected none', of_shard, of_day;
	end if;
	execute format('select count(*) from wallet.%I', name) into n;
	if n <> last.last_seq - leaf.first_seq + 1 then
		raise exception 'leaf of shard %, day %: found % rows, expected % to %', of_shard, of_day, n, leaf.first_seq, last.last_seq;
	end if;
	execute format('select coalesce(jsonb_object_agg(tally, sum), ''{}'') from (select tally, sum(stake) from wallet.%I j, unnest(j.tallies) tally group by tally) s',
		name) into sums;
	execute format('create index if not exists %I on wallet.%I (player, seq)', name || '_player', name);
	execute format('analyze wallet.%I', name);
	update wallet.leaf set state = 'closed', last_seq = last.last_seq, last_batch = last.batch, head = last.digest, rows = n, tallies = sums, closed = now()
	where shard = of_shard and day = of_day;
	return n;
end $$;
comment on function wallet.leaf_close is 'Closes a leaf that nothing will be booked into any more, which only the wallet that holds the shard knows. Returns its rows.';

create function wallet.leaf_drop(of_shard integer, of_day date) returns bigint language plpgsql as $$
declare
	leaf wallet.leaf;
	name text := format('journal_%s', of_shard) || to_char(of_day, '_YYYYMMDD');
	behind record;
	n bigint;
begin
	select * into leaf from wallet.leaf where shard = of_shard and day = of_day for update;
	if leaf.state is distinct from 'archived' then
		raise exception 'leaf of shard %, day %: found state %, expected archived', of_shard, of_day, leaf.state;
	end if;
	if exists (select from wallet.leaf l where l.shard = of_shard and l.day < of_day and l.state <> 'dropped') then
		raise exception 'leaf of shard %, day %: found an older one that is not dropped, expected none', of_shard, of_day;
	end if;
	-- A pool that has not recorded all stakes of the day could not be proven any more.
	select v.pool, v.tally into behind from (select pool, shard, tally, total, seq from pool.vector union all
		select pool, shard, tally, total, seq from cards.vector) v
		where v.shard = of_shard and v.seq < leaf.last_seq and v.total < (select sum((l.tallies->>v.tally::text)::bigint)
			from wallet.leaf l where l.shard = of_shard and l.day <= of_day) limit 1;
	if found then
		raise exception 'leaf of shard %, day %: pool % has not recorded tally % that far', of_shard, of_day, behind.pool, behind.tally;
	end if;
	execute format($sql$
		insert into wallet.carried select j.* from wallet.%I j where kind not between 1 and 8 or claims > 0 or outside_id is not null
		union select * from (select distinct on (player) * from wallet.%I j order by player, seq desc) a
		union select * from (select distinct on (player, game) * from wallet.%I j where move > 0 order by player, game, seq desc) g
	$sql$, name, name, name);
	-- What an account's rows of this day have taken the place of.
	delete from wallet.carried c where c.shard = of_shard and c.seq < leaf.first_seq and c.kind between 1 and 8 and c.claims = 0 and c.outside_id is null
		and exists (select from wallet.carried n where n.player = c.player and n.seq >= leaf.first_seq)
		and (c.move = 0 or exists (select from wallet.carried n where n.player = c.player and n.game = c.game and n.move > 0 and n.seq >= leaf.first_seq));
	update wallet.leaf set state = 'dropped', dropped = now() where shard = of_shard and day = of_day;
	select count(*) into n from wallet.carried where shard = of_shard;
	return n;
end $$;
comment on function wallet.leaf_drop is 'Carries over what is referred to; from here on the rows of the leaf count as gone. Its table is detached and dropped by whoever asked. Returns the rows carried so far.';

alter table wallet.batch add column day date;
comment on column wallet.batch.day is 'Of its rows.';
alter table wallet.account add column last_day date;
comment on column wallet.account.last_day is 'Day of the journal row named by last_seq.';

set local enable_seqscan = off;
set local enable_hashjoin = off;
set local enable_mergejoin = off;
-- An existing journal: the day of a batch is that of its first row, or of the batch before.
update wallet.batch b set day = d.day from (
	select o.shard, o.batch, max((j.time at time zone 'UTC')::date) over (partition by o.shard order by o.batch) as day
	from wallet.batch o join wallet.journal_before j on j.shard = o.shard and j.seq = o.first_seq) d
where d.shard = b.shard and d.batch = b.batch;
alter table wallet.batch alter column day set not null;
insert into wallet.leaf (shard, day, first_seq, first_batch, before)
select distinct on (shard, day) shard, day, first_seq, batch,
	coalesce((select p.digest from wallet.batch p where p.shard = b.shard and p.batch = b.batch - 1), decode(repeat('00', 32), 'hex'))
from wallet.batch b order by shard, day, batch;
do $$
begin
	perform wallet.leaves_make(shard, day, 0) from wallet.leaf;
end $$;
-- Batch by batch along the key, whatever the statistics say.
insert into wallet.journal
select j.*, b.day, case when j.prev_seq > 0 then wallet.day_of(j.shard, j.prev_seq) end
from wallet.batch b, lateral (
	select * from wallet.journal_before o where o.shard = b.shard and o.seq between b.first_seq and b.last_seq order by o.seq offset 0) j
order by b.shard, b.batch;
update wallet.account a set last_day = wallet.day_of(a.shard, a.last_seq);
alter table wallet.account alter column last_day set not null;
do $$
begin
	if (select count(*) from wallet.journal) <> (select count(*) from wallet.journal_before) then
		raise exception 'wallet.journal: found % rows, expected %: the rows of no batch', (select count(*) from wallet.journal),
			(select count(*) from wallet.journal_before);
	end if;
end $$;
drop table wallet.journal_before;
