-- What the spin engine keeps. Nothing here decides about money: states are checkpoints of what wallet.facts says, at most a second late, and are
-- rebuilt from the journal's records; only cursors, picks and witches are nowhere else.
create schema if not exists engine;

create table engine.key (
	number integer primary key,
	check_bytes bytea not null,
	first_seen timestamptz not null default now()
);
comment on table engine.key is 'Service keys ever used, by a fingerprint that tells nothing of the key: an engine whose key file lacks one, or holds another, refuses to start.';

create table engine.player (
	player bigint primary key,
	shard integer not null,
	last_move bigint not null,
	state bytea not null,
	written timestamptz not null default now()
) with (fillfactor = 70);
create index player_shard on engine.player (shard);
comment on table engine.player is 'One row an account: the number of its last move, and a PlayerState of proto/record.proto.';

create table engine.game_state (
	player bigint not null,
	game integer not null,
	shard integer not null,
	move bigint not null,
	version bigint not null,
	round bigint not null,
	open_since timestamptz,
	state bytea not null,
	written timestamptz not null default now(),
	primary key (player, game)
) with (fillfactor = 70);
create index game_state_open on engine.game_state (open_since) where open_since is not null;
comment on table engine.game_state is 'One player in one game: a PlayState of proto/record.proto. Replaced only by a higher move, or the same move with a newer version (cursor, picks, witch).';
comment on column engine.game_state.move is 'The last move that changed the state.';
comment on column engine.game_state.round is 'The round at hand; 0: none yet.';
comment on column engine.game_state.open_since is 'When the open round began; null: it is closed. The resolver looks here.';

create table engine.stopped_game (
	game integer primary key,
	reason text not null,
	since timestamptz not null default now()
);
comment on table engine.stopped_game is 'Games the engine itself has stopped because a round went past its proven bounds. Read every second; deleting the row starts the game again.';

create table engine.forced_draw (
	id bigint generated always as identity primary key,
	player bigint not null,
	script integer[] not null,
	used timestamptz
);
create index forced_draw_next on engine.forced_draw (player, id) where used is null;
comment on table engine.forced_draw is 'Test installations only: raw results for the game stream of the player''s next bet. Any other engine never reads it.';
