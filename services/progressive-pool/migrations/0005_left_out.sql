-- A hit is priced with the totals of every wallet shard, asked for before. A shard that neither answered nor could be read is named.
alter table pool.event add column left_out integer[];
comment on column pool.event.left_out is 'hit: shards of the wallet that neither answered nor could be read before it was priced; their newest stakes may be missing from T. Null: none.';
