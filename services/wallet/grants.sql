-- The journal and all that proves it is only added to; leaves are made and closed by functions of the owner.
grant usage on schema wallet, pool, cards to carillon_wallet;
grant insert, update on carillon.shard to carillon_wallet;
grant select, insert on wallet.journal, wallet.outside, wallet.house_leg, wallet.close_run, wallet.close, wallet.close_tally, wallet.void, wallet.leaf to carillon_wallet;
grant select, insert, update (checkpoint) on wallet.batch to carillon_wallet;
grant select, insert, update (closed_seq, paid_minor, hit) on wallet.claim to carillon_wallet;
grant select, insert, update (settled, settled_kind, settled_seq, settled_at) on wallet.hold to carillon_wallet;
grant select, insert, update (used, ended_seq) on wallet.spin_grant to carillon_wallet;
grant select, insert, update (balance, last_move, last_seq, last_day, blocked, pendings) on wallet.account to carillon_wallet;
grant select, insert, update (state) on wallet.player_limit to carillon_wallet;
grant select, insert, update (total, seq) on wallet.tally_total to carillon_wallet;
grant select, insert, delete, update (seq, found, released) on wallet.quarantine to carillon_wallet;
grant select on wallet.carried, wallet.switch, wallet.close_request to carillon_wallet;
grant execute on function wallet.leaves_make, wallet.leaf_close, wallet.rows_back, wallet.rows_between, wallet.round_awards, wallet.newest_of, wallet.rows_proof, wallet.day_of, wallet.leaf_name to carillon_wallet;
grant select on carillon.fx_rate, pool.pool, pool.row, pool.tally, pool.vector, pool.link, pool.participation to carillon_wallet;
grant select on cards.card_set, cards.level, cards.vector, cards.participation to carillon_wallet;
