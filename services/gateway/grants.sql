-- The audit log is only added to; rates and decisions are set by functions that compare and audit. Salts of card rounds and records of moves are not read.
grant usage on schema gateway, wallet, pool, cards, payments, engine to carillon_gateway;
grant select, insert on gateway.audit to carillon_gateway;
grant select, insert on gateway.game_start, gateway.note to carillon_gateway;
grant select, insert, update (status, approved_key, approved_by, approved, told) on gateway.pool_request to carillon_gateway;
grant select, insert, update (status, approved_key, approved_by, approved, told, outcome) on gateway.void_request to carillon_gateway;
grant select, insert, update (pause, pause_s, pause_until, reality_check_s) on gateway.player to carillon_gateway;
grant select, insert, delete on gateway.revoked to carillon_gateway;
grant select, update (used) on gateway.operator_key to carillon_gateway;
grant execute on function gateway.key_new, gateway.key_rotate, gateway.key_end, gateway.key_was to carillon_gateway;
grant select on gateway.fx_request, gateway.amount_request to carillon_gateway;
grant execute on function gateway.amount_ask, gateway.amount_decide, gateway.decision_ask, gateway.amount_take, gateway.amount_booked, gateway.amount_alone_takes, gateway.game_stop, gateway.game_resume to carillon_gateway;
grant select on gateway.offer to carillon_gateway;
grant execute on function gateway.postings_of_player, gateway.postings_of_all, gateway.posting_round, gateway.posting_kind to carillon_gateway, carillon_ro;
grant execute on function gateway.offer_set, gateway.amount_ask_offered, gateway.amount_decide_offered to carillon_gateway;
grant select on payments.review to carillon_gateway;
grant execute on function gateway.review_approve to carillon_gateway;
grant execute on function gateway.fx_ask, gateway.fx_approve, gateway.fx_refuse, gateway.decide, gateway.played_since, gateway.void_row, gateway.claims_open, gateway.void_take, gateway.void_noted, wallet.round_awards, wallet.newest_of, wallet.history_rows, wallet.history_start to carillon_gateway;
grant select on gateway.dead_letter, gateway.pseudonym to carillon_gateway;
grant execute on function gateway.pseudonym_ask, gateway.pseudonym_decide to carillon_gateway;
grant execute on function gateway.dead_note, gateway.dead_act, gateway.dead_take, gateway.dead_sent to carillon_gateway;
grant select, insert, update on gateway.staff to carillon_gateway;
grant select, insert, update, delete on gateway.staff_session to carillon_gateway;
grant execute on function gateway.staff_enter, gateway.staff_begin, gateway.staff_failed, wallet.day_of to carillon_gateway;
grant select (shard, seq, day, time) on wallet.journal to carillon_gateway;
grant select on carillon.fx_rate, carillon.game, engine.stopped_game, payments.payout, payments.alarm to carillon_gateway;
grant select on wallet.account, wallet.batch, wallet.claim, wallet.hold, wallet.house_leg, wallet.leaf, wallet.player_limit, wallet.spin_grant, wallet.switch, wallet.void, wallet.void_report
	to carillon_gateway;
grant select on pool.pool, pool.row, pool.hit, pool.tally, pool.link, pool.participation, pool.made, pool.operator_action, pool.transfer_out, pool.transfer_in to carillon_gateway;
grant select on cards.card_set, cards.level, cards.hit, cards.odds, cards.weights, cards.participation, cards.operator_action to carillon_gateway;
grant select (pool, number, player, move, index, currency, stake_minor, wallet_shard, wallet_seq, claimed, opened, expires, key, secret_hash, weights, positions, suits, won,
	level, hit, paid_minor, secret, by_house, ended) on cards.round to carillon_gateway;
grant execute on function gateway.rollup_steps, gateway.report_seal, gateway.report_sign, gateway.report_make, gateway.series, gateway.csv, gateway.gaming_day_set, gateway.gaming_day_change,
	gateway.gaming_day_at, gateway.day_begins, gateway.period_days to carillon_gateway;
grant select on gateway.report, gateway.gaming_day to carillon_gateway;
grant execute on function gateway.jackpot_step, gateway.jackpot_history, gateway.par_claim, gateway.par_keep, gateway.game_view,
	gateway.bets_note, gateway.forecast, gateway.rounds_find, gateway.rounds_of_player, gateway.round_by_row, gateway.jackpots_find,
	gateway.rounds_open to carillon_gateway;
grant execute on function gateway.webhook_step, gateway.webhook_take, gateway.webhook_mark, gateway.webhook_state, gateway.webhook_new, gateway.webhook_change,
	gateway.webhook_rotate, gateway.webhook_end, gateway.webhook_was, gateway.webhook_test, gateway.webhook_resend, gateway.webhook_list, gateway.webhook_dead, gateway.player_part to carillon_gateway;
grant select on gateway.report, gateway.gaming_day, gateway.rollup_minute, gateway.rollup_quarter, gateway.rollup_tally, gateway.rollup_player, gateway.rollup_notable,
	gateway.rollup_at, gateway.rollup_floor, gateway.rollup_missing to carillon_reports;
grant execute on function gateway.report_make, gateway.series, gateway.csv, gateway.gaming_day_at, gateway.day_begins, gateway.period_days to carillon_reports, carillon_ro;
-- carillon-watch compares what games return with what they publish.
grant execute on function gateway.theory_of, gateway.rtp_json to carillon_ro;
-- jackpotctl tells the console what a proof has found; the signature says that it was jackpotctl.
grant execute on function gateway.proof_note to carillon_ro;
grant select on gateway.proof to carillon_gateway;
grant select (shard, seq, operator, time, player, kind, round, currency, amount, note) on gateway.rollup_notable to carillon_gateway;
-- When a player last played.
grant select (player, time) on gateway.rollup_player to carillon_gateway;
grant execute on function gateway.webhook_ask to carillon_gateway;
grant execute on function gateway.session_note, gateway.session_idle, gateway.player_sessions to carillon_gateway;
grant execute on function gateway.report_page, gateway.report_most to carillon_gateway, carillon_reports, carillon_ro;
grant execute on function gateway.webhook_outcome, gateway.webhook_skip, gateway.webhook_known, gateway.webhook_given_up, gateway.webhook_waiting, gateway.webhook_accepted to carillon_gateway;
grant execute on function gateway.webhook_url_shown, gateway.webhook_audit_shown to carillon_gateway;
