-- Pools that are out of work, because something stored about them cannot be read. All others go on.
create table pool.quarantine (
	pool integer primary key,
	shard integer not null,
	found text not null,
	since timestamptz not null default now(),
	released timestamptz
);
comment on table pool.quarantine is 'One row a pool that is out of work. Nothing is lost: the wallet keeps the totals of stakes and repeats claims until they are paid, other pools repeat their transfers.';
comment on column pool.quarantine.found is 'What is wrong.';
comment on column pool.quarantine.released is 'An operator has asked the service to load the pool again (jackpotctl quarantine release). The service deletes the row when all can be read.';
