-- Money that moves from a retired pool to others, pools that operators have made, which games feed them, and who takes part.
alter table pool.pool add column received_e27 numeric(39,0) not null default 0 check (received_e27 >= 0);
alter table pool.pool add column sent_e27 numeric(39,0) not null default 0 check (sent_e27 >= 0);
alter table pool.pool add column rest_pool integer;
alter table pool.pool add column rest_currency integer;
alter table pool.pool add column rest_coin_minor bigint;
comment on table pool.pool is 'One row a pool: T and the books, as of the vector beside it (written in the same transaction). Identities, exact: contributions = t_e18 x 10^9; jp_pool = sum over pool.row of (t_e18 - w_e18) x share_nano + r_e27; jp_seed = sum of seed_minor x unit_e27; contributions + house_seed + received = jp_pool + jp_reserve + jp_seed + paid + sent; received and sent are the sums of pool.transfer_in and pool.transfer_out.';
comment on column pool.pool.received_e27 is 'All that came from retired pools.';
comment on column pool.pool.sent_e27 is 'All that went to other pools.';
comment on column pool.pool.rest_pool is 'Of a retired pool: where contributions that were still on their way are sent after the rest; with rest_currency and rest_coin_minor onto that row, else into the reserve.';

create table pool.transfer_out (
	pool integer not null references pool.pool,
	number bigint not null,
	from_currency integer not null,
	from_coin_minor bigint not null,
	to_pool integer not null,
	to_currency integer not null,
	to_coin_minor bigint not null,
	amount_e27 numeric(39,0) not null check (amount_e27 > 0),
	action bytea not null,
	time timestamptz not null default now(),
	booked timestamptz,
	primary key (pool, number)
);
create index transfer_out_open on pool.transfer_out (pool) where booked is null;
comment on table pool.transfer_out is 'One row an amount that left a retired pool''s books, in the commit in which it left. It is told to the other pool until that has booked it (pool.transfer_in, by pool and number). Out and not in: in transit.';
comment on column pool.transfer_out.from_currency is 'Row it was taken from, with from_coin_minor; 0 and 0: the reserve. to_*: likewise where it goes.';
comment on column pool.transfer_out.action is 'The operator''s request (pool.operator_action.id).';
comment on column pool.transfer_out.booked is 'When the acknowledgement was heard; the only column that changes.';

create table pool.transfer_in (
	from_pool integer not null,
	number bigint not null,
	pool integer not null references pool.pool,
	currency integer not null,
	coin_minor bigint not null,
	amount_e27 numeric(39,0) not null check (amount_e27 > 0),
	time timestamptz not null default now(),
	primary key (from_pool, number)
);
create index transfer_in_pool on pool.transfer_in (pool);
comment on table pool.transfer_in is 'One row an amount that a pool has received, in the commit in which it entered the books, for ever: the same again is answered and changes nothing.';
comment on column pool.transfer_in.currency is 'The row that got it, with coin_minor; 0 and 0: the reserve, also where the row that was meant had been taken off meanwhile.';

create table pool.made (
	pool integer primary key references pool.pool,
	jackpot text not null,
	action bytea not null,
	time timestamptz not null default now()
);
comment on table pool.made is 'Pools that an operator made while the services ran, with what was asked: members as in /jackpot of a definition, and games. A definition that names such a pool later on has its way with the rows.';

create table pool.link (
	pool integer not null references pool.pool,
	game integer not null,
	ppm integer not null check (ppm between 1 and 1000000),
	primary key (pool, game)
);
comment on table pool.link is 'Games whose paid stakes feed a pool that their definition does not name: the wallet adds the pool''s open tally to each of them while the pool is live. Which pool a game''s jackpot claims is in its definition alone.';

create table pool.participation (
	operator integer not null check (operator between 1 and 32767),
	pool integer not null,
	takes_part boolean not null,
	action bytea not null,
	time timestamptz not null default now(),
	primary key (operator, pool)
);
comment on table pool.participation is 'Operators who have switched a pool; without a row an operator takes part. Stakes of the players of one who does not feed the pool no more; where it is the one that a game''s jackpot claims, they cannot bet in that game.';
