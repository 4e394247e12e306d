-- Games that operators have started again after the engine had stopped them (engine.stopped_game, which the engine alone changes: it reads this).
create table gateway.game_start (
	id bigint generated always as identity primary key,
	game integer not null,
	operator integer not null,
	actor text not null,
	reason text not null,
	time timestamptz not null default now()
);
create index game_start_game on gateway.game_start (game, time);
comment on table gateway.game_start is 'An operator''s order to take play of a game up again; 0: of all games. A stop that is older than the newest one of its game is taken back.';
