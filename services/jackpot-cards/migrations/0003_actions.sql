-- What operators ask of sets of Jackpot Cards, and what they have set: pauses, versions of weights and odds, who takes part.
create table cards.operator_action (
	id bytea primary key,
	pool integer not null,
	action integer not null,
	actor text not null,
	second text not null,
	reason text not null,
	parameters text not null,
	done boolean not null,
	refusal text not null,
	before text not null,
	after text not null,
	fact_seq bigint not null,
	time timestamptz not null default now()
);
create index operator_action_pool on cards.operator_action (pool, fact_seq);
comment on table cards.operator_action is 'Everything an operator asked of a set, done or refused, by the id of the request: the same id again is answered with the same row and does nothing. As pool.operator_action.';

alter table cards.card_set add column state text not null default 'live' check (state in ('live', 'paused'));
comment on column cards.card_set.state is 'paused: no card round begins, stakes do not feed the set; rounds that are open are played and paid.';

alter table cards.level add column defined_seed_minor bigint;
alter table cards.level add column defined_share_nano bigint;
comment on column cards.level.defined_seed_minor is 'Terms of the configuration when they were last looked at (with defined_share_nano; null: not yet): only a configuration that has changed since changes a level, so that an operator''s parameters outlive a restart.';

create table cards.weights (
	pool integer not null references cards.card_set,
	operator integer not null check (operator between 0 and 32767),
	game integer not null,
	version integer not null,
	weights integer[] not null check (cardinality(weights) = 4),
	action bytea not null,
	time timestamptz not null default now(),
	primary key (pool, operator, game, version)
);
comment on table cards.weights is 'Weights of the levels that an operator has set, for the players of an operator (0: of all) in a game (0: in all); the newest version holds for rounds that are opened from then on, instead of the configuration''s. A round keeps those it was opened with (cards.round.weights).';

create table cards.odds (
	pool integer not null references cards.card_set,
	operator integer not null check (operator between 0 and 32767),
	game integer not null,
	currency integer not null,
	version integer not null,
	odds_in bigint not null,
	odds_of bigint not null check (odds_of >= 1 and odds_in between 1 and odds_of),
	action bytea not null,
	time timestamptz not null default now(),
	primary key (pool, operator, game, currency, version)
);
comment on table cards.odds is 'Odds of a trigger for one minor unit of a stake that an operator has set instead of the configuration''s: of a game (0: of all), for the players of an operator (0: of all). The newest version holds; operator before game before all. Read by the engine every second; each round records what it was drawn by.';

create table cards.participation (
	operator integer not null check (operator between 0 and 32767),
	pool integer not null,
	game integer not null,
	takes_part boolean not null,
	action bytea not null,
	time timestamptz not null default now(),
	primary key (operator, pool, game)
);
comment on table cards.participation is 'Operators (0: all) who have switched a set on or off, for a game (0: for all). Off: no card round begins and stakes of those players do not feed the set. A trigger that a player was told of is honoured all the same.';
