-- Sets of Jackpot Cards: their levels, books and what is known of the wallet's tallies (pool.tally has theirs too). Amounts are exact whole numbers:
-- *_e18 in 10^-18 EUR, *_e27 in 10^-27 EUR, *_nano in 10^-9, *_minor in euro cents.
create schema if not exists cards;

create table cards.card_set (
	pool integer primary key,
	id text not null,
	shard integer not null,
	t_e18 numeric(39,0) not null check (t_e18 >= 0),
	contributions_e27 numeric(39,0) not null,
	jp_pool_e27 numeric(39,0) not null,
	jp_reserve_e27 numeric(39,0) not null,
	jp_seed_e27 numeric(39,0) not null,
	house_seed_e27 numeric(39,0) not null,
	paid_e27 numeric(39,0) not null,
	version bigint not null,
	fact_seq bigint not null,
	updated timestamptz not null default now()
);
comment on table cards.card_set is 'One row a set. Identities, exact: jp_pool = sum over cards.level of (t_e18 - w_e18) x share_nano + r_e27; jp_seed = sum of seed_minor x unit_e27; contributions + house_seed = jp_pool + jp_reserve + jp_seed + paid. The house funds exactly what the levels get, so that the reserve stays 0.';
comment on column cards.card_set.t_e18 is 'All wagers of the games in the set, in 10^-18 EUR: sum over cards.vector of what each total contributes (pool.tally, ppm 1,000,000). Never falls.';
comment on column cards.card_set.version is 'Of the state last shown; rises. fact_seq: of the last message on jackpot.facts.';

create table cards.level (
	pool integer not null references cards.card_set,
	level integer not null check (level between 1 and 4),
	currency integer not null,
	exponent integer not null,
	seed_minor bigint not null check (seed_minor > 0),
	row_rate_nano bigint not null check (row_rate_nano > 0),
	share_nano bigint not null check (share_nano between 0 and 1000000000),
	unit_e27 numeric(39,0) not null,
	w_e18 numeric(39,0) not null,
	r_e27 numeric(39,0) not null,
	hits bigint not null,
	next_seed_minor bigint,
	next_row_rate_nano bigint,
	next_share_nano bigint,
	launched timestamptz not null default now(),
	primary key (pool, level)
);
comment on table cards.level is 'One level: 1 clubs, 2 diamonds, 3 hearts, 4 spades. value = seed_minor x unit_e27 + (T - w_e18) x share_nano + r_e27, floored to the cent.';
comment on column cards.level.share_nano is 'The level''s part of every wager.';
comment on column cards.level.w_e18 is 'T at the level''s last win, or when it was launched; r_e27: what flooring that payout left over.';
comment on column cards.level.next_seed_minor is 'Changed terms that wait for the level''s next win; null: none.';

create table cards.vector (
	pool integer not null,
	shard integer not null,
	tally integer not null references pool.tally,
	total bigint not null check (total >= 0),
	seq bigint not null,
	incarnation integer not null,
	primary key (pool, shard, tally)
);
comment on table cards.vector is 'The largest running total that each wallet shard has told of each tally of the set. The wallet stops sending a closed tally when its total stands here.';
comment on column cards.vector.seq is 'Journal row of the wallet''s shard after which the total holds.';
comment on column cards.vector.incarnation is 'Highest incarnation of the wallet''s shard that was heard of.';

create table cards.waiting_claim (
	player bigint not null,
	move bigint not null,
	index integer not null,
	pool integer not null,
	currency integer not null,
	stake_minor bigint not null,
	wallet_shard integer not null,
	wallet_seq bigint not null,
	claimed timestamptz not null,
	time timestamptz not null default now(),
	primary key (player, move, index)
);
comment on table cards.waiting_claim is 'Triggers that the wallet has told of and that no card round has answered: kept here and open in wallet.claim until they are played. A trigger the player was told of is always honoured.';
comment on column cards.waiting_claim.claimed is 'When the round was booked; time: when it was heard of first.';
