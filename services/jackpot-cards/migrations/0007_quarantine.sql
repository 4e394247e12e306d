-- Sets that are out of work, because something stored about them cannot be read. All others go on.
create table cards.quarantine (
	pool integer primary key,
	shard integer not null,
	found text not null,
	since timestamptz not null default now(),
	released timestamptz
);
comment on table cards.quarantine is 'One row a set that is out of work. Nothing is lost: the wallet keeps the totals of stakes and repeats claims until they are paid.';
comment on column cards.quarantine.found is 'What is wrong.';
comment on column cards.quarantine.released is 'An operator has asked the service to load the set again (jackpotctl quarantine release). The service deletes the row when all can be read.';
