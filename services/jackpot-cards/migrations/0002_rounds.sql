-- Rounds of Jackpot Cards and the levels they won. Amounts as in 0001: *_e18 in 10^-18 EUR, *_e27 in 10^-27 EUR, *_nano in 10^-9; *_minor in minor
-- units of the row's own currency.
create table cards.round (
	pool integer not null references cards.card_set,
	number bigint not null,
	player bigint not null,
	move bigint not null,
	index integer not null,
	currency integer not null,
	stake_minor bigint not null,
	wallet_shard integer not null,
	wallet_seq bigint not null,
	claimed timestamptz not null,
	opened timestamptz not null,
	expires timestamptz not null,
	key integer not null,
	salt bytea not null,
	secret_hash bytea not null,
	weights integer[] not null,
	positions integer[] not null default '{}',
	suits integer[] not null default '{}',
	won boolean not null default false,
	level integer,
	hit bigint,
	paid_minor bigint,
	secret bytea,
	by_house boolean not null default false,
	ended timestamptz,
	primary key (player, move, index),
	unique (pool, number),
	check (cardinality(positions) = cardinality(suits) and cardinality(positions) <= 9),
	check (won = (level is not null and hit is not null and paid_minor is not null and secret is not null and ended is not null))
);
create index round_open on cards.round (pool, expires) where not won;
comment on table cards.round is 'One row a trigger, for ever: opened in the commit that heard of its claim first, a claim that comes again finds it. Each pick is a commit before its card is shown.';
comment on column cards.round.number is '1, 2, .. in the order in which the set opened them.';
comment on column cards.round.currency is 'The player''s, ISO 4217: paid_minor and stake_minor are in it.';
comment on column cards.round.wallet_seq is 'Of the feed''s message that brought the claim first (wallet_shard, wallet_seq).';
comment on column cards.round.claimed is 'When the wallet booked the move that began it; opened: when it was heard of; expires: when the service plays it by itself.';
comment on column cards.round.salt is '16 bytes of the system: the secret is HMAC-SHA-256(service key number `key`, player, move, index, salt), and draws level and deal. Nothing of the cards that are face down is stored.';
comment on column cards.round.weights is 'Of the levels when it was opened: what its level was drawn by.';
comment on column cards.round.positions is 'Touched by the first pick, the second, ..: 0 to 11; suits: what lay there, 1 clubs to 4 spades.';
comment on column cards.round.secret is 'Shown once the round is won: SHA-256 of it is secret_hash.';
comment on column cards.round.by_house is 'Abandoned: the service made the last picks.';

create table cards.hit (
	pool integer not null,
	hit bigint not null,
	level integer not null,
	level_hit bigint not null,
	player bigint not null,
	move bigint not null,
	index integer not null,
	currency integer not null,
	exponent integer not null,
	rate_nano bigint not null,
	paid_minor bigint not null,
	value_e27 numeric(39,0) not null,
	cost_e27 numeric(39,0) not null,
	carry_e27 numeric(39,0) not null,
	seed_e27 numeric(39,0) not null,
	next_seed_e27 numeric(39,0) not null,
	from_reserve_e27 numeric(39,0) not null,
	from_house_e27 numeric(39,0) not null,
	t_e18 numeric(39,0) not null,
	w_before_e18 numeric(39,0) not null,
	fact_seq bigint not null,
	version bigint not null,
	next_value_minor bigint not null,
	next_seed_minor bigint not null,
	time timestamptz not null default now(),
	primary key (pool, hit),
	unique (pool, level, level_hit),
	unique (player, move, index),
	foreign key (player, move, index) references cards.round
);
comment on table cards.hit is 'One row a level won, in the commit of the pick that turned up its third card. Matches wallet.claim (player, move, index; paid_minor; hit) and the award''s journal row one to one. Never updated.';
comment on column cards.hit.hit is '1, 2, .. in the order of the set; level_hit: of the level.';
comment on column cards.hit.paid_minor is 'floor(value in euros / rate) to the minor unit of the currency; value_e27 = cost_e27 + carry_e27.';
comment on column cards.hit.rate_nano is 'EUR for one unit of the currency, x 10^9: that of the tally its stakes feed; exponent: decimals of its minor unit.';
comment on column cards.hit.seed_e27 is 'The part of the cost that was the level''s seed (Dr JP_SEED); the rest was accrued (Dr JP_POOL).';
comment on column cards.hit.next_seed_e27 is 'The new seed = from_reserve_e27 + from_house_e27.';
comment on column cards.hit.t_e18 is 'T when it was priced: the level''s new W.';
comment on column cards.hit.fact_seq is 'Of its message on jackpot.facts; version, next_value_minor (EUR cents) and next_seed_minor (EUR cents) are what that message shows of the level after the hit.';

comment on table cards.waiting_claim is 'Triggers of a build that dealt no cards. The wallet repeats their claims, which opens their rounds; nothing is written here any more.';
