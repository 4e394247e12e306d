-- When a player last played is found without a look at all quarters of an hour.
create index rollup_player_played on gateway.rollup_player (player, time);
