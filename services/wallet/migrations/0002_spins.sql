-- Bonus spins that operators have given. Derived from the journal (kinds 26 and 27, and the bets that name them), but never late: written in the
-- transaction of the rows, so that a restart finds the count of what is used.
create table wallet.spin_grant (
	id bytea primary key,
	shard integer not null,
	player bigint not null,
	game integer not null,
	currency integer not null,
	coin_minor bigint not null check (coin_minor > 0),
	lines integer not null check (lines > 0),
	coins integer not null check (coins > 0),
	spins integer not null check (spins > 0),
	used integer not null check (used between 0 and spins),
	expires timestamptz not null,
	given_seq bigint not null,
	ended_seq bigint
) with (fillfactor = 70);
create index spin_grant_live on wallet.spin_grant (player) where used < spins and ended_seq is null;
create index spin_grant_given on wallet.spin_grant (player, given_seq);
comment on table wallet.spin_grant is 'An operator''s bonus spins for a player: so many spins of a game''s base mode at this bet, paid by the house.';
comment on column wallet.spin_grant.id is 'Of the row that gave them (wallet.journal.outside_id); accepted bets that name it are its used spins.';
comment on column wallet.spin_grant.given_seq is 'The journal row of kind 26.';
comment on column wallet.spin_grant.ended_seq is 'The journal row of kind 27 that took back what was left; null: none did.';
comment on column wallet.journal.outside_id is 'The caller''s id, for money from or to outside, blocks and bonus spins; of a bet, the id of the bonus spins that it is one of (null: it was paid for).';
