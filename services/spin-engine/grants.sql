-- The engine keeps its players' states; of money it reads what a round refers to.
grant usage on schema engine, wallet, pool, cards, gateway to carillon_spin_engine;
grant insert, update on carillon.shard to carillon_spin_engine;
grant select, insert on carillon.game, engine.key to carillon_spin_engine;
grant select, insert, update (last_move, state, written) on engine.player to carillon_spin_engine;
grant select, insert, update (move, version, round, open_since, state, written) on engine.game_state to carillon_spin_engine;
grant select, insert, delete, update (seq, waits, found, released) on engine.quarantine to carillon_spin_engine;
grant select, insert, delete on engine.stopped_game to carillon_spin_engine;
grant select, update (used) on engine.forced_draw to carillon_spin_engine;
grant select on wallet.claim, wallet.leaf, wallet.switch, gateway.game_start to carillon_spin_engine;
grant select on pool.pool, pool.tally, pool.link, cards.card_set, cards.odds, cards.set_odds, cards.participation to carillon_spin_engine;
grant execute on function wallet.rows_back, wallet.rows_between, wallet.round_brought, wallet.round_awards, wallet.newest_of, wallet.day_of, wallet.leaf_name to carillon_spin_engine;
