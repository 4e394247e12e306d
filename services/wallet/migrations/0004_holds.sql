-- What waits for its counter entry: withdrawals in flight and bonus funds given. Derived from the journal (kinds 23 and 28 to 31), but never late:
-- written in the transaction of the rows, so that a restart finds what is settled.
create table wallet.hold (
	id bytea primary key,
	shard integer not null,
	player bigint not null,
	kind integer not null check (kind in (23, 28)),
	currency integer not null,
	amount bigint not null check (amount > 0),
	settled bigint not null check (settled between 0 and amount),
	settled_kind integer not null,
	booked_seq bigint not null,
	settled_seq bigint,
	booked timestamptz not null,
	settled_at timestamptz,
	check ((settled_kind = 0) = (settled = 0) and (settled_kind = 0) = (settled_seq is null)),
	check (kind = 23 or settled in (0, amount))
) with (fillfactor = 80);
create index hold_open on wallet.hold (shard, booked_seq) where kind = 28 and settled_kind = 0;
create index hold_of_player on wallet.hold (player, booked_seq);
comment on table wallet.hold is 'Withdrawals in flight (kind 28), until they are captured or released, and grants of bonus funds (kind 23), of which what is unused may be taken back.';
comment on column wallet.hold.id is 'Of the row that booked it (wallet.journal.outside_id); rows that settle it name it as their request_id.';
comment on column wallet.hold.settled is 'Withdrawal: 0 or the whole amount. Grant: what was taken back.';
comment on column wallet.hold.settled_kind is '29: captured, paid out; 30: released, back in the balance; 31: taken back; 0: open.';
comment on column wallet.hold.settled_seq is 'The last journal row that settled it.';
comment on column wallet.journal.request_id is 'Of the player''s request, for moves; of rows that settle a hold or take back a grant (kinds 29 to 31), its id.';
comment on column wallet.journal.amount is 'Deposit, withdrawal, hold, release of a hold, correction, grant, grant taken back, award: signed effect on the balance. Capture: what was paid out of a hold, without effect on the balance. Block: 1 or 0. Void: what the balance did not hold of the clawback, owed by the player.';

-- Grants of before: none of them was taken back.
insert into wallet.hold (id, shard, player, kind, currency, amount, settled, settled_kind, booked_seq, booked)
select outside_id, shard, player, kind, currency, amount, 0, 0, seq, time from wallet.entry
where kind = 23 and refusal = 0 and outside_id is not null;

-- Players' limits (kind 32), as late as wallet.account and rolled forward with it.
create table wallet.player_limit (
	player bigint primary key,
	shard integer not null,
	state bigint[] not null check (cardinality(state) = 47)
) with (fillfactor = 70);
comment on table wallet.player_limit is 'Limits that a player has set and what is used of them, of those who have set any; counted from the row that set the first. True at the row wallet.account.last_seq of the player.';
comment on column wallet.player_limit.state is 'For each Limit of proto/wallet.proto, 1 to 11: value (-1: none), next value, the time in microseconds since 1970 from which that holds (0: none waits). Then for day, week and month of UTC: its number since 1970, loss, wager, deposit in minor units. Then the time of the first and the last bet without a rest between.';
comment on column wallet.journal.mode is 'Bet mode of the game, 0: base. Of a limit that is set (kind 32), the Limit of proto/wallet.proto; its value is the amount.';
comment on column wallet.journal.round is 'The move that opened the round. Of a limit that is set (kind 32), the time from which it holds, in microseconds since 1970.';

-- Rounds that an operator has voided, and by what they were made good (kind 7). Written in the transaction of the row: a round is void once.
create table wallet.void (
	player bigint not null,
	round bigint not null,
	shard integer not null,
	seq bigint not null,
	move bigint not null,
	game integer not null,
	currency integer not null,
	stake_returned bigint not null,
	win_taken bigint not null,
	receivable bigint not null,
	pending_taken bigint not null,
	time timestamptz not null,
	primary key (player, round)
);
create index void_time on wallet.void (time);
comment on table wallet.void is 'Rounds made good after a malfunction, by compensating entries; nothing of the round itself is changed, and what it fed pools stays with them.';
comment on column wallet.void.win_taken is 'Of what the round had won, what the balance held: it is never taken below 0.';
comment on column wallet.void.receivable is 'The rest: owed by the player.';
comment on column wallet.void.pending_taken is 'What was won and waited to be gambled or collected.';
insert into wallet.void (player, round, shard, seq, move, game, currency, stake_returned, win_taken, receivable, pending_taken, time)
select distinct on (player, round) player, round, shard, seq, move, game, currency, win_balance, stake, amount, forfeit, time
from wallet.entry where kind = 7 and refusal = 0 order by player, round, seq;

create view wallet.void_report as
select (time at time zone 'UTC')::date as day, (player >> 48)::integer as operator, game, currency,
	case when won = 0 then 'lost' when won < stake_returned then 'below the stake' when won < 10 * stake_returned then 'to 10 stakes' else 'above 10 stakes' end as win,
	count(*) as rounds, sum(stake_returned) as stakes_returned, sum(won) as won, sum(win_taken + pending_taken) as taken, sum(receivable) as receivable
from (select *, win_taken + receivable + pending_taken as won from wallet.void) v group by 1, 2, 3, 4, 5;
comment on view wallet.void_report is 'Voids by day of UTC and by what the round had won, in minor units: a house that voids what was won and not what was lost shows here.';
