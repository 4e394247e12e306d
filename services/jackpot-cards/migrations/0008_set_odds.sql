-- From when which odds of the sets' files have been in force: a draw is proven by the odds of its time, and a card round names the version that began it.
create table cards.set_odds (
	pool integer not null,
	currency integer not null,
	number bigint not null,
	odds_in bigint not null,
	odds_of bigint not null check (odds_of >= 1 and odds_in between 0 and odds_of),
	digest bytea not null,
	since timestamptz not null default now(),
	primary key (pool, currency, number),
	foreign key (pool, digest) references cards.terms
);
comment on table cards.set_odds is 'One row a change, added when jackpot-cards starts with other terms than the newest row''s. The newest of a currency is in force, also in the engine, unless an operator has set odds (cards.odds). The first row is where this history begins.';
comment on column cards.set_odds.digest is 'Of the version of the set''s file, in cards.terms.';
alter table cards.round add column odds bytea;
comment on column cards.round.odds is 'The version of the odds in force when its claim was booked: digest of cards.set_odds, or action of cards.odds. Null: opened before there was such a history.';
