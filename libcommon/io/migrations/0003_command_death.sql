-- Commands that were in hand when their service died; after the third death over one of them it is set aside.
create table carillon.command_death (
	service text not null,
	id bytea not null,
	shard integer not null,
	deaths integer not null,
	last_death timestamptz not null default now(),
	quarantined timestamptz,
	command bytea,
	primary key (service, id)
);
comment on table carillon.command_death is 'Commands that were in hand when their service died. A row goes when its command has been decided, or with time; quarantined ones stay until jackpotctl releases them.';
comment on column carillon.command_death.id is 'What a command and its repeats have in common (libcommon/service/command_about.h).';
comment on column carillon.command_death.deaths is 'Of the series: a death ten minutes after the last one begins a new series.';
comment on column carillon.command_death.quarantined is 'Since then the command is refused without being offered to the service: it was alone in hand at the third death of a series.';
comment on column carillon.command_death.command is 'Its bytes, when it came after it was quarantined.';
