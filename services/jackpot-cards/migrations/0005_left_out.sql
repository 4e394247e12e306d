-- A level is priced with the totals of every wallet shard, asked for before. A shard that neither answered nor could be read is named.
alter table cards.hit add column left_out integer[];
comment on column cards.hit.left_out is 'Shards of the wallet that neither answered nor could be read before the level was priced; their newest stakes may be missing from T. Null: none.';
