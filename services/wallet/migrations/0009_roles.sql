-- What needs the owner of the tables is done by functions of the owner, each of which does one thing: the wallet makes and closes leaves, the archiver
-- drops them, readers read the leaves by name. No role of a service has a right to a leaf.
alter function wallet.leaves_make(integer, date, integer) security definer set search_path = pg_catalog, pg_temp;
alter function wallet.leaf_close(integer, date) security definer set search_path = pg_catalog, pg_temp;
alter function wallet.leaf_drop(integer, date) security definer set search_path = pg_catalog, pg_temp;
alter function wallet.rows_back(bigint, integer, bigint, bigint, bigint) security definer set search_path = pg_catalog, pg_temp;
alter function wallet.rows_between(integer, bigint, bigint, bigint) security definer set search_path = pg_catalog, pg_temp;
alter function wallet.newest_of(bigint, integer) security definer set search_path = pg_catalog, pg_temp;
alter function wallet.round_brought(bigint, integer, bigint, bigint, bigint, bigint) security definer set search_path = pg_catalog, pg_temp;

-- An archived leaf stays readable by the file that proved it: this sets where it is, once, and nothing else.
create function wallet.leaf_archived(of_shard integer, of_day date, path text, bytes bigint, digest bytea) returns void language sql security definer
set search_path = pg_catalog, pg_temp as $$
	update wallet.leaf set state = 'archived', archive = path, archive_bytes = bytes, archive_digest = digest, archived = now()
	where shard = of_shard and day = of_day and state = 'closed'
$$;
comment on function wallet.leaf_archived is 'Notes the proven copy of a closed leaf. For the archiver.';

create function wallet.leaf_remove(of_shard integer, of_day date) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	parent text := format('journal_%s', of_shard);
	leaf text := parent || to_char(of_day, '_YYYYMMDD');
begin
	if not exists (select from wallet.leaf l where l.shard = of_shard and l.day = of_day and l.state = 'dropped') then
		raise exception 'leaf of shard %, day %: found one that is not dropped, expected state dropped', of_shard, of_day;
	end if;
	-- The wallet writes other leaves of the shard: it waits behind us at most this long, and whoever asked comes again.
	set local lock_timeout = '50ms';
	if exists (select from pg_inherits where inhrelid = to_regclass('wallet.' || leaf) and inhdetachpending) then
		execute format('alter table wallet.%I detach partition wallet.%I finalize', parent, leaf);
	elsif exists (select from pg_inherits where inhrelid = to_regclass('wallet.' || leaf)) then
		execute format('alter table wallet.%I detach partition wallet.%I', parent, leaf);
	end if;
	execute format('drop table if exists wallet.%I', leaf);
end $$;
comment on function wallet.leaf_remove is 'Removes the table of a leaf that wallet.leaf_drop has dropped. Error 55P03 (lock_not_available): somebody reads it; ask again. For the archiver.';
