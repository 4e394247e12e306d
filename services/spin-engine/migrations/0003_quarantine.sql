-- Players whom the engine has set aside, because a row or a state of theirs cannot be read. Everybody else plays on.
create table engine.quarantine (
	player bigint primary key,
	shard integer not null,
	seq bigint not null,
	waits boolean not null,
	found text not null,
	since timestamptz not null default now(),
	released timestamptz
);
comment on table engine.quarantine is 'One row a player who is set aside. The engine takes no command of theirs and no row of the journal; at the release it reads the rows that it has missed.';
comment on column engine.quarantine.seq is 'The row of the journal that cannot be read; 0: the stored state of the player or of one of their games.';
comment on column engine.quarantine.waits is 'True: the row is of a kind that this build does not know. The next build that opens the shard tries it by itself.';
comment on column engine.quarantine.found is 'What is wrong.';
comment on column engine.quarantine.released is 'An operator, or another build, has asked the engine to try again (jackpotctl quarantine release). The engine deletes the row when all can be read.';
