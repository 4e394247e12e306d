-- What players have chosen beside their limits, which the wallet keeps.
create table gateway.player (
	player bigint primary key,
	pause text check (pause in ('break', 'time_out', 'exclusion')),
	pause_s bigint,
	pause_until bigint
);
comment on table gateway.player is 'Choices of players. A player without a row has chosen nothing.';
comment on column gateway.player.pause is 'What the player called the pause that they took last; pause_s: its length in seconds. The wallet alone decides how long play is refused.';
comment on column gateway.player.pause_until is 'Seconds since 1970: the same value as that of the wallet''s limit 11 where it is this pause.';
