-- Progressive pools: parameters, rows, hits, books and what is known of the wallet's tallies. Amounts are exact whole numbers: *_e18 in 10^-18 EUR,
-- *_e27 in 10^-27 EUR, *_nano in 10^-9, *_minor in minor units of the currency beside them.
create schema if not exists pool;

create sequence pool.tally_id as integer;
comment on sequence pool.tally_id is 'Ids of tallies of progressive pools and of sets of Jackpot Cards.';

create table pool.tally (
	id integer primary key,
	pool integer not null,
	game integer not null,
	currency integer not null,
	rate_nano bigint not null check (rate_nano > 0),
	ppm integer not null check (ppm between 1 and 1000000),
	opened timestamptz not null default now(),
	closed timestamptz
);
create unique index tally_open on pool.tally (pool, game, currency) where closed is null;
comment on table pool.tally is 'Immutable but for closed. A stake in (game, currency) feeds the open tally of each pool of the game; a running total of minor units contributes floor(total x rate_nano x ppm x 10^(3 - decimals of the currency)) x 10^-18 EUR. A changed rate or ppm opens a new tally and closes the old one.';
comment on column pool.tally.pool is 'A progressive pool, or a set of Jackpot Cards (those have ppm 1,000,000: the whole stake, of which their levels take their shares).';
comment on column pool.tally.rate_nano is 'Euros for one unit of the currency, of carillon.fx_rate when the tally was opened.';
comment on column pool.tally.closed is 'Stakes booked by a wallet that had not yet seen this still count, for good.';

create table pool.pool (
	pool integer primary key,
	id text not null,
	shard integer not null,
	state text not null check (state in ('live', 'pausing', 'paused', 'retired')),
	t_e18 numeric(39,0) not null check (t_e18 >= 0),
	contributions_e27 numeric(39,0) not null,
	jp_pool_e27 numeric(39,0) not null,
	jp_reserve_e27 numeric(39,0) not null,
	jp_seed_e27 numeric(39,0) not null,
	house_seed_e27 numeric(39,0) not null,
	paid_e27 numeric(39,0) not null,
	hits bigint not null,
	version bigint not null,
	fact_seq bigint not null,
	updated timestamptz not null default now()
);
comment on table pool.pool is 'One row a pool: T and the books, as of the vector beside it (written in the same transaction). Identities, exact: contributions = t_e18 x 10^9; jp_pool = sum over pool.row of (t_e18 - w_e18) x share_nano + r_e27; jp_seed = sum of seed_minor x unit_e27; contributions + house_seed = jp_pool + jp_reserve + jp_seed + paid.';
comment on column pool.pool.shard is 'shard_of_pool: the shard of progressive-pool that writes it.';
comment on column pool.pool.t_e18 is 'All contributions ever: sum over pool.vector of what each total contributes (pool.tally). Never falls.';
comment on column pool.pool.jp_reserve_e27 is 'What the live rows did not get of the contributions; pays for reseeding before the house does.';
comment on column pool.pool.house_seed_e27 is 'What the house has put in: launches, reseeding beyond the reserve, adjustments.';
comment on column pool.pool.paid_e27 is 'Sum of cost_e27 over pool.hit.';
comment on column pool.pool.hits is 'Number of the last hit: hits are 1..hits without a gap.';
comment on column pool.pool.version is 'Of the state last shown; rises.';
comment on column pool.pool.fact_seq is 'Of the pool''s last message on jackpot.facts.';

create table pool.row (
	pool integer not null references pool.pool,
	currency integer not null,
	coin_minor bigint not null check (coin_minor > 0),
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
	defined_seed_minor bigint not null,
	defined_row_rate_nano bigint not null,
	defined_share_nano bigint not null,
	launched timestamptz not null default now(),
	primary key (pool, currency, coin_minor)
);
comment on table pool.row is 'One counter: value = seed_minor x unit_e27 + (T - w_e18) x share_nano + r_e27. Seed, row rate and share are those of the last reseed, not of the definition.';
comment on column pool.row.exponent is 'Decimals of the currency''s minor unit.';
comment on column pool.row.unit_e27 is 'Cost of one minor unit: row_rate_nano x 10^(18 - exponent).';
comment on column pool.row.w_e18 is 'T at the row''s last win, or when it was launched.';
comment on column pool.row.r_e27 is 'What flooring the last payout left over, and adjustments by operators.';
comment on column pool.row.defined_seed_minor is 'Terms of the definition when they were last looked at: only a definition that has changed since changes a row, so that an operator''s parameters outlive a restart.';
comment on column pool.row.next_seed_minor is 'Changed terms that wait for this row''s next win; null: none.';

create table pool.hit (
	pool integer not null,
	hit bigint not null,
	player bigint not null,
	move bigint not null,
	index integer not null,
	currency integer not null,
	coin_minor bigint not null,
	stake_minor bigint not null,
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
	wallet_shard integer not null,
	wallet_seq bigint not null,
	fact_seq bigint not null,
	version bigint not null,
	next_value_minor bigint not null,
	next_seed_minor bigint not null,
	row_hits bigint not null,
	claimed timestamptz not null,
	time timestamptz not null default now(),
	primary key (pool, hit),
	unique (player, move, index)
);
comment on table pool.hit is 'One row a priced claim, for ever: a claim that comes again finds it and the same award is sent again. Matches wallet.claim (player, move, index; paid_minor; hit) and the award''s journal row one to one. Never updated.';
comment on column pool.hit.hit is '1, 2, .. in the order in which the pool priced them.';
comment on column pool.hit.paid_minor is 'floor(value in euros / row rate) to the minor unit of the currency; value_e27 = cost_e27 + carry_e27.';
comment on column pool.hit.seed_e27 is 'The part of the cost that was the row''s seed (Dr JP_SEED); the rest was accrued (Dr JP_POOL).';
comment on column pool.hit.next_seed_e27 is 'The new seed = from_reserve_e27 + from_house_e27.';
comment on column pool.hit.t_e18 is 'T when it was priced: the row''s new W.';
comment on column pool.hit.wallet_seq is 'Of the feed''s message that brought the claim first (wallet_shard, wallet_seq).';
comment on column pool.hit.fact_seq is 'Of its message on jackpot.facts; version, next_value_minor, next_seed_minor and row_hits are what that message shows of the row after the hit.';
comment on column pool.hit.claimed is 'When the round was booked; time: when the hit was priced.';

create table pool.vector (
	pool integer not null,
	shard integer not null,
	tally integer not null references pool.tally,
	total bigint not null check (total >= 0),
	seq bigint not null,
	incarnation integer not null,
	primary key (pool, shard, tally)
);
comment on table pool.vector is 'The largest running total that each wallet shard has told of each tally. The wallet stops sending a closed tally when its total stands here.';
comment on column pool.vector.seq is 'Journal row of the wallet''s shard after which the total holds: the stakes counted into the tally by rows 1..seq sum to it.';
comment on column pool.vector.incarnation is 'Highest incarnation of the wallet''s shard that was heard of.';

create table pool.operator_action (
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
create index operator_action_pool on pool.operator_action (pool, fact_seq);
comment on table pool.operator_action is 'Everything an operator asked of a pool, done or refused, by the id of the request: the same id again is answered with the same row and does nothing.';
comment on column pool.operator_action.action is 'OperatorAction of proto/jackpot.proto.';
comment on column pool.operator_action.second is 'Second approver, where one is needed.';
comment on column pool.operator_action.before is 'JSON: the figures that the action changes, before and after it.';
