-- Events, hits and operators' actions are only added.
grant usage on schema pool, wallet, cards to carillon_progressive_pool;
grant insert, update on carillon.shard to carillon_progressive_pool;
grant select on carillon.game, carillon.fx_rate, wallet.claim, wallet.batch, wallet.tally_total, cards.card_set to carillon_progressive_pool;
grant execute on function wallet.rows_between to carillon_progressive_pool;
grant select, insert on pool.event, pool.hit, pool.operator_action, pool.made, pool.transfer_in to carillon_progressive_pool;
grant select, insert, update on pool.pool to carillon_progressive_pool;
grant select, insert, update, delete on pool.row to carillon_progressive_pool;
grant select, insert, delete on pool.link to carillon_progressive_pool;
grant select, insert, update (takes_part, action, time) on pool.participation to carillon_progressive_pool;
grant select, insert, update (total, seq, incarnation) on pool.vector to carillon_progressive_pool;
grant select, insert, update (closed) on pool.tally to carillon_progressive_pool;
grant select, insert, update (booked) on pool.transfer_out to carillon_progressive_pool;
grant usage on sequence pool.tally_id to carillon_progressive_pool;
grant select on pool.event_fold to carillon_progressive_pool;
grant select, insert, delete, update (found, released) on pool.quarantine to carillon_progressive_pool;
