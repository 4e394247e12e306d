-- Hits, odds and operators' actions are only added; a round gets its picks and its end.
grant usage on schema cards, pool, wallet to carillon_jackpot_cards;
grant insert, update on carillon.shard to carillon_jackpot_cards;
grant select on carillon.game, carillon.fx_rate, wallet.claim, wallet.batch, wallet.tally_total to carillon_jackpot_cards;
grant select, insert on cards.hit, cards.odds, cards.weights, cards.terms, cards.set_odds, cards.operator_action to carillon_jackpot_cards;
grant select, insert, update (positions, suits, by_house, won, level, hit, paid_minor, secret, ended) on cards.round to carillon_jackpot_cards;
grant select, insert, update on cards.card_set, cards.level to carillon_jackpot_cards;
grant select, insert, update (takes_part, action, time) on cards.participation to carillon_jackpot_cards;
grant select, insert, update (total, seq, incarnation) on cards.vector to carillon_jackpot_cards;
grant select, insert, update (closed) on pool.tally to carillon_jackpot_cards;
grant usage on sequence pool.tally_id to carillon_jackpot_cards;
grant execute on function wallet.rows_between to carillon_jackpot_cards;
grant select, insert, delete, update (found, released) on cards.quarantine to carillon_jackpot_cards;
