-- The journal and what is derived from it. The journal is the truth; accounts and tally totals are written behind it and rolled forward from it
-- after a restart. Money is whole minor units of the row's currency.
create schema if not exists wallet;

create table wallet.journal (
	shard integer not null,
	seq bigint not null,
	player bigint not null,
	kind integer not null,
	move bigint not null,
	round bigint not null,
	game integer not null,
	mode integer not null,
	refusal integer not null,
	currency integer not null,
	release bigint not null,
	stake bigint not null,
	win_balance bigint not null,
	win_pending bigint not null,
	forfeit bigint not null,
	amount bigint not null,
	balance_after bigint not null,
	pending_after bigint not null,
	prev_seq bigint not null,
	claims integer not null,
	tallies integer[] not null,
	request_id bytea,
	outside_id bytea,
	record bytea,
	last_move bigint,
	time timestamptz not null,
	primary key (shard, seq)
) partition by list (shard);
comment on table wallet.journal is 'One immutable row a move or other booking, accepted or refused. A leaf a shard, wallet.journal_<shard>, made by the wallet when it first takes the shard. No further index on purpose: history walks back by prev_seq.';
comment on column wallet.journal.seq is 'Within the shard 1, 2, 3, .. without a gap.';
comment on column wallet.journal.kind is 'MoveKind of proto/wallet.proto; an unknown kind keeps its number and is refused.';
comment on column wallet.journal.move is 'The player''s move number; 0 for the opening and for rows that are no moves.';
comment on column wallet.journal.round is 'The move that opened the round.';
comment on column wallet.journal.game is 'Number of the game; 0: none.';
comment on column wallet.journal.mode is 'Bet mode of the game, 0: base.';
comment on column wallet.journal.refusal is 'Refusal of proto/wallet.proto; 0: accepted. A refused row keeps the amounts that were asked for, and moves nothing.';
comment on column wallet.journal.release is 'From pending to the balance.';
comment on column wallet.journal.forfeit is 'From pending back to the house: a lost gamble.';
comment on column wallet.journal.amount is 'Deposit, withdrawal, correction, grant, award: signed effect on the balance. Block: 1 or 0. Void: what the balance did not hold of the clawback, owed by the player.';
comment on column wallet.journal.pending_after is 'Of (player, game) after the row.';
comment on column wallet.journal.prev_seq is 'The row before of the same account; 0: none.';
comment on column wallet.journal.claims is 'How many claims the row opened (wallet.claim.opened_seq).';
comment on column wallet.journal.tallies is 'The tallies that the stake was counted into.';
comment on column wallet.journal.request_id is 'Of the player''s request, for moves.';
comment on column wallet.journal.outside_id is 'The caller''s id, for money from or to outside and blocks.';
comment on column wallet.journal.last_move is 'Of the account after the row, for rows that are no moves of it; null for moves, where it is the move.';
comment on column wallet.journal.record is 'Moves: the engine''s record, opaque here. Awards: a serialised Award of proto/wallet.proto. Corrections and their like: JSON with actor and reason.';

create table wallet.account (
	player bigint primary key,
	shard integer not null,
	currency integer not null,
	balance bigint not null check (balance >= 0),
	last_move bigint not null,
	last_seq bigint not null,
	blocked boolean not null,
	pendings bigint[] not null,
	opened timestamptz not null default now()
) with (fillfactor = 70);
comment on table wallet.account is 'At most a second late: the journal row named by last_seq, or a later one, is the truth.';
comment on column wallet.account.pendings is 'Triples (game, round, amount) of pending money.';

create table wallet.claim (
	player bigint not null,
	move bigint not null,
	index integer not null,
	shard integer not null,
	pool integer not null,
	kind integer not null,
	currency integer not null,
	coin_minor bigint not null,
	stake_minor bigint not null,
	opened_seq bigint not null,
	opened timestamptz not null,
	closed_seq bigint,
	paid_minor bigint,
	hit bigint,
	primary key (player, move, index)
);
create index claim_open on wallet.claim (shard) where closed_seq is null;
create index claim_opened on wallet.claim (shard, opened_seq);
comment on table wallet.claim is 'A prize a move has drawn and a pool owes. Written in the transaction of the row that opens it and of the award that closes it.';
comment on column wallet.claim.kind is '1: progressive hit, 2: Jackpot Cards.';
comment on column wallet.claim.hit is 'The pool''s number of the hit that paid it.';

create table wallet.outside (
	id bytea not null,
	content_hash bytea not null,
	shard integer not null,
	seq bigint not null,
	player bigint not null,
	primary key (id)
) partition by hash (id);
do $$
begin
	for i in 0..7 loop
		execute format('create table wallet.outside_%s partition of wallet.outside for values with (modulus 8, remainder %s)', i, i);
	end loop;
end $$;
comment on table wallet.outside is 'Ids of money from and to outside, kept for ever: the same id is answered with the same row.';
comment on column wallet.outside.content_hash is 'The same id with another hash is refused.';

create table wallet.batch (
	shard integer not null,
	batch bigint not null,
	first_seq bigint not null,
	last_seq bigint not null,
	checkpoint bigint not null,
	epoch bigint not null,
	digest bytea not null,
	sums jsonb not null,
	time timestamptz not null,
	primary key (shard, batch)
);
create index batch_last on wallet.batch (shard, last_seq);
comment on table wallet.batch is 'One row a transaction and shard; the last one says where the shard stands.';
comment on column wallet.batch.checkpoint is 'Rows up to this seq are in wallet.account and wallet.tally_total; later ones are rolled forward after a restart.';
comment on column wallet.batch.digest is 'SHA-256 over the digest of the batch before and the rows of this one, field by field; tools/jackpotctl/verify_ledger.c has the same in SQL.';
comment on column wallet.batch.sums is 'Arrays [game, mode, currency, kind, rows, refused, release, stake, win_balance, win_pending, forfeit, amount]; amounts of accepted rows only.';

create table wallet.house_leg (
	shard integer not null,
	batch bigint not null,
	currency integer not null,
	account text not null,
	amount bigint not null
);
create index house_leg_batch on wallet.house_leg (shard, batch);
comment on table wallet.house_leg is 'Double entry of a batch, credit > 0; each (shard, batch, currency) sums to zero. Accounts: PLAYER, PENDING, HOUSE, CASH, PROMO, VOID_RECEIVABLE, JACKPOT:<pool>.';

create table wallet.tally_total (
	shard integer not null,
	tally integer not null,
	total bigint not null check (total >= 0),
	seq bigint not null,
	primary key (shard, tally)
);
comment on table wallet.tally_total is 'Stakes counted into a tally by the rows 1..seq of the shard. Late by at most a second.';

create table wallet.switch (
	game integer primary key,
	reason text not null,
	actor text not null default current_user,
	since timestamptz not null default now()
);
comment on table wallet.switch is 'Kill switches: a row stops bets of its game, game 0 those of all games. Read every second.';
