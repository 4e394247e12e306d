-- The daily close: what stakes have accrued for pools and sets of Jackpot Cards moves from HOUSE to JACKPOT:<pool>, in whole minor units; the rest is
-- carried. A shard closes by itself, in a transaction of the wallet's, so that a close is whole or was not. docs/progressive.md, "The daily close".
create table wallet.close_run (
	shard integer not null,
	number bigint not null,
	day date not null,
	request bigint not null,
	batch bigint not null,
	seq bigint not null,
	time timestamptz not null,
	primary key (shard, number)
);
comment on table wallet.close_run is 'One row a close of a shard, also where nothing had accrued. Immutable.';
comment on column wallet.close_run.number is 'Within the shard 1, 2, 3, .. without a gap.';
comment on column wallet.close_run.day is 'The last UTC day that is closed whole; the days of a shard rise, but for closes that were asked for.';
comment on column wallet.close_run.request is 'The newest row of wallet.close_request that it answers; 0: none yet.';
comment on column wallet.close_run.batch is 'The batch behind which it was made: its legs in wallet.house_leg bear this number.';
comment on column wallet.close_run.seq is 'It closes the rows 1..seq of the shard.';

create table wallet.close (
	shard integer not null,
	number bigint not null,
	pool integer not null,
	currency integer not null,
	accrued_nano numeric(39,0) not null check (accrued_nano >= 0),
	carried_nano bigint not null check (carried_nano between 0 and 999999999),
	moved_minor bigint not null check (moved_minor >= 0),
	carry_nano bigint not null check (carry_nano between 0 and 999999999),
	primary key (shard, pool, currency, number),
	foreign key (shard, number) references wallet.close_run,
	check (carried_nano + accrued_nano = moved_minor::numeric * 1000000000 + carry_nano)
);
create index close_number on wallet.close (shard, number);
comment on table wallet.close is 'What a close moved from HOUSE to JACKPOT:<pool>; *_nano in 10^-9 minor units of the currency. Immutable.';
comment on column wallet.close.accrued_nano is 'Since the close before: sum over wallet.close_tally of (total - total_before) x share_nano.';
comment on column wallet.close.carried_nano is 'carry_nano of the close before of this pool and currency; 0: there is none.';
comment on column wallet.close.moved_minor is 'Whole minor units moved; what is left is carry_nano, for the next close.';

create table wallet.close_tally (
	shard integer not null,
	number bigint not null,
	tally integer not null,
	pool integer not null,
	currency integer not null,
	share_nano bigint not null check (share_nano between 0 and 1000000000),
	total_before bigint not null check (total_before >= 0),
	total bigint not null check (total > total_before),
	primary key (shard, tally, number),
	foreign key (shard, pool, currency, number) references wallet.close
);
comment on table wallet.close_tally is 'The tallies that a close counted: those whose total had grown. Immutable.';
comment on column wallet.close_tally.share_nano is 'Part of the stake that accrues, x 10^9: ppm of the tally, of a set of Jackpot Cards its levels'' shares at the close.';
comment on column wallet.close_tally.total_before is 'Stakes counted into the tally as of the close before that named it; total: as of this one.';

create table wallet.close_request (
	id bigint generated always as identity primary key,
	actor text not null default current_user,
	reason text not null,
	time timestamptz not null default now()
);
comment on table wallet.close_request is 'Asks every shard to close at once, beside the daily close. Read every second; nothing is lost or doubled by asking often.';

alter table wallet.house_leg add column close bigint;
create index house_leg_close on wallet.house_leg (shard, close) where close is not null;
comment on column wallet.house_leg.close is 'Number of the close that the leg belongs to; null: it belongs to the rows of the batch.';
comment on table wallet.house_leg is 'Double entry of a batch, and of the close made behind it, credit > 0; each (shard, batch, currency) sums to zero. Accounts: PLAYER, PENDING, HOUSE, CASH, PROMO, VOID_RECEIVABLE, JACKPOT:<pool>.';
