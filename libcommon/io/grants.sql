-- What every service may do to the tables that all share. Rows of other services are read only (migrations/0005_roles.sql).
grant usage on schema carillon to :services;
grant select on carillon.installation, carillon.migration to :services;
grant select, insert, update, delete on carillon.instance to :services;
grant select on carillon.shard to :services;
grant select, insert, update, delete on carillon.command_death, carillon.reserved_id to :services;

-- carillon_ro proves and looks: it reads all. carillon_reports reads what reports are made of, without salts, secrets and records.
-- carillon_archiver archives and drops finished days, by functions that ask for the proof first; it reads all; rows that it changes are named below.
grant usage on schema carillon, wallet, pool, cards, payments, gateway to carillon_reports;
grant select on carillon.installation, carillon.shard, carillon.fx_rate, carillon.game to carillon_reports;
grant select on wallet.posting, wallet.total, wallet.void_report, wallet.void, wallet.account, wallet.claim, wallet.hold, wallet.batch, wallet.house_leg,
	wallet.close_run, wallet.close, wallet.close_tally, wallet.tally_total, wallet.leaf, wallet.player_limit, wallet.spin_grant to carillon_reports;
grant select on pool.pool, pool.row, pool.hit, pool.tally, pool.vector, pool.event, pool.event_fold, pool.operator_action, pool.transfer_out, pool.transfer_in,
	pool.made, pool.link, pool.participation to carillon_reports;
grant select on cards.card_set, cards.level, cards.hit, cards.vector, cards.operator_action, cards.participation to carillon_reports;
grant select on payments.payout, payments.alarm, gateway.audit to carillon_reports;

grant usage on schema carillon, wallet, pool, engine to carillon_archiver;
grant insert on wallet.close_request, pool.event_fold to carillon_archiver;
-- jackpotctl releases a quarantined command by removing its row, and asks a service to try a player or a pool again.
grant delete on pool.event, carillon.command_death to carillon_archiver;
grant update (released) on wallet.quarantine, engine.quarantine, pool.quarantine, cards.quarantine to carillon_archiver;
grant execute on function wallet.rows_back, wallet.rows_between, wallet.newest_of, wallet.round_brought, wallet.round_awards, wallet.day_of, wallet.leaf_name to carillon_ro, carillon_archiver;
grant execute on function wallet.leaf_archived, wallet.leaf_drop, wallet.leaf_remove to carillon_archiver;
