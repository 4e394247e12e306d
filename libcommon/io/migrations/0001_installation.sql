-- What the services share: the installation, its instances, the leases of shards with their positions, games and currencies.
create schema if not exists carillon;

create table carillon.installation (
	one boolean primary key default true check (one),
	kind text not null check (kind in ('live', 'demo', 'test')),
	shards integer not null check (shards between 1 and 256),
	created timestamptz not null default now()
);
comment on table carillon.installation is 'Written at the first start, never changed: the number of shards decides where accounts live.';
comment on column carillon.installation.kind is 'live, demo (demo definitions allowed) or test (forced draws allowed).';

create table carillon.instance (
	name text primary key,
	service text not null,
	nn_url text not null,
	health text not null default '',
	pid integer not null,
	started timestamptz not null default now(),
	heartbeat timestamptz not null default now()
);
comment on table carillon.instance is 'Running instances; alive while the heartbeat is younger than 2 s. nn_url is where others reach it on nanomsg.';

create table carillon.shard (
	service text not null,
	shard integer not null,
	epoch bigint not null default 0,
	incarnation integer not null default 1,
	owner text,
	backend_pid integer,
	lease_until timestamptz not null default 'epoch',
	offset_1 bigint not null default 0,
	seq_1 bigint not null default 0,
	offset_2 bigint not null default 0,
	seq_2 bigint not null default 0,
	deaths integer not null default 0,
	trying_topic integer,
	trying_offset bigint,
	trying_deaths integer not null default 0,
	primary key (service, shard)
) with (fillfactor = 10);
comment on table carillon.shard is 'Who owns a shard of a service, until when, and how far its topics are consumed. The first statement of every transaction of an owner renews and fences here.';
comment on column carillon.shard.epoch is 'Raised at every taking; an owner with an older one finds no row to update and exits.';
comment on column carillon.shard.offset_1 is 'Next offset of the service''s first topic; seq_1 is the seq of the message before it (0: none).';
comment on column carillon.shard.deaths is 'Takings in a row at an unchanged position: from 3 on, messages are tried one by one and the one that kills goes to dead.letters.';
comment on column carillon.shard.trying_offset is 'The message being tried one by one after repeated deaths; trying_topic is 1 or 2, as in offset_1 and offset_2.';
comment on column carillon.shard.trying_deaths is 'How often the owner died over that message; at 3 it goes to dead.letters.';

create table carillon.game (
	number integer not null,
	id text not null,
	math_version bytea not null,
	demo boolean not null,
	definition text not null,
	first_seen timestamptz not null default now(),
	primary key (number, math_version)
);
comment on table carillon.game is 'Every definition ever served, canonical, by SHA-256: a round is replayed with the one it began with.';

create table carillon.fx_rate (
	currency integer not null,
	rate_nano bigint not null check (rate_nano > 0),
	valid_from timestamptz not null default now(),
	primary key (currency, valid_from)
);
comment on table carillon.fx_rate is 'Euros for one unit of the currency, in 10^-9, set by the operator.';
insert into carillon.fx_rate (currency, rate_nano) values (978, 1000000000), (752, 87500000);
