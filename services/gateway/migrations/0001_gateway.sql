-- What the gateway keeps (the audit log), and its reading views: history, winners and the operators' state, each as one JSON text, so that a page of
-- them is one statement by the read-only role. Nothing here writes what another service owns.
create schema if not exists gateway;

create table gateway.audit (
	id bigint generated always as identity primary key,
	time timestamptz not null default now(),
	operator integer not null,
	actor text not null,
	action text not null,
	subject text not null,
	request_id text not null,
	content jsonb not null,
	status integer not null
);
comment on table gateway.audit is 'Every action of an operator, done or refused, with what was asked and how it was answered.';

create table gateway.currency (
	number integer primary key,
	code text not null unique,
	exponent integer not null
);
comment on table gateway.currency is 'The table of libcommon/base/currency.c, for reading in SQL.';
insert into gateway.currency (number, code, exponent) values
	(36, 'AUD', 2),
	(48, 'BHD', 3),
	(124, 'CAD', 2),
	(152, 'CLP', 0),
	(203, 'CZK', 2),
	(208, 'DKK', 2),
	(348, 'HUF', 2),
	(352, 'ISK', 0),
	(392, 'JPY', 0),
	(410, 'KRW', 0),
	(414, 'KWD', 3),
	(484, 'MXN', 2),
	(554, 'NZD', 2),
	(578, 'NOK', 2),
	(604, 'PEN', 2),
	(643, 'RUB', 2),
	(702, 'SGD', 2),
	(710, 'ZAR', 2),
	(752, 'SEK', 2),
	(756, 'CHF', 2),
	(788, 'TND', 3),
	(826, 'GBP', 2),
	(840, 'USD', 2),
	(944, 'AZN', 2),
	(946, 'RON', 2),
	(949, 'TRY', 2),
	(975, 'BGN', 2),
	(978, 'EUR', 2),
	(980, 'UAH', 2),
	(981, 'GEL', 2),
	(985, 'PLN', 2),
	(986, 'BRL', 2),
	(1001, 'XBT', 8);

create function gateway.kind_name(kind integer) returns text language sql immutable as $$
	select case kind when 1 then 'open' when 2 then 'bet' when 3 then 'release' when 4 then 'gamble' when 5 then 'halve' when 6 then 'collect'
		when 7 then 'void' when 8 then 'setting' when 20 then 'deposit' when 21 then 'withdrawal' when 22 then 'correction' when 23 then 'grant'
		when 24 then 'award' when 25 then 'block' else 'kind ' || kind end
$$;
comment on function gateway.kind_name is 'MoveKind of proto/wallet.proto in lower case.';

create function gateway.refusal_name(refusal integer) returns text language sql immutable as $$
	select case refusal when 0 then 'none' when 1 then 'funds' when 2 then 'limit' when 3 then 'blocked' when 4 then 'late' when 5 then 'pending'
		when 6 then 'account' when 7 then 'content' when 8 then 'tally' when 9 then 'kind' when 10 then 'claim' when 11 then 'amount'
		else 'refusal ' || refusal end
$$;
comment on function gateway.refusal_name is 'Refusal of proto/wallet.proto in lower case.';

create function gateway.game_slug(game integer) returns text language sql stable as $$
	select coalesce((select id from carillon.game g where g.number = game order by first_seen desc limit 1), case game when 0 then '' else 'game ' || game end)
$$;

create function gateway.us(t timestamptz) returns bigint language sql immutable as $$ select (extract(epoch from t) * 1000000)::bigint $$;

create function gateway.newest_seq(of_shard integer, of_player bigint) returns bigint language sql stable as $$
	select greatest(a.last_seq, (select max(j.seq) from wallet.journal j where j.shard = of_shard and j.seq > a.last_seq and j.player = of_player))
	from wallet.account a where a.player = of_player
$$;
comment on function gateway.newest_seq is 'The player''s newest row: the checkpoint''s, or one booked since (at most a second''s rows are looked at).';

create function gateway.player_rows(of_shard integer, of_player bigint, before bigint, at_most integer) returns setof wallet.journal language sql stable as $$
	with recursive walk as (
		select j.*, 1 as step from wallet.journal j where j.shard = of_shard and j.player = of_player and j.seq = case when before = 0
			then gateway.newest_seq(of_shard, of_player)
			else (select b.prev_seq from wallet.journal b where b.shard = of_shard and b.seq = before and b.player = of_player) end
		union all
		select j.*, w.step + 1 from walk w join wallet.journal j on j.shard = of_shard and j.seq = w.prev_seq where w.prev_seq > 0 and w.step < at_most
	)
	select shard, seq, player, kind, move, round, game, mode, refusal, currency, release, stake, win_balance, win_pending, forfeit, amount, balance_after,
		pending_after, prev_seq, claims, tallies, request_id, outside_id, record, last_move, time from walk order by seq desc
$$;
comment on function gateway.player_rows is 'The player''s rows from newest to oldest, those older than the row `before` (0: from the newest), by the chain of prev_seq.';

create function gateway.row_json(j wallet.journal) returns json language sql stable as $$
	select json_build_object('seq', j.seq, 'time_us', gateway.us(j.time), 'kind', gateway.kind_name(j.kind), 'move', j.move, 'round', j.round,
		'game', gateway.game_slug(j.game), 'refusal', gateway.refusal_name(j.refusal), 'release_minor', j.release, 'stake_minor', j.stake,
		'win_balance_minor', j.win_balance, 'win_pending_minor', j.win_pending, 'forfeit_minor', j.forfeit, 'amount_minor', j.amount,
		'balance_after_minor', j.balance_after, 'pending_after_minor', j.pending_after,
		'award', (select json_build_object('round', c.move, 'index', c.index, 'pool', c.pool) from wallet.claim c
			where j.kind = 24 and c.player = j.player and c.shard = j.shard and c.closed_seq = j.seq))
$$;

create function gateway.journal_page(of_shard integer, of_player bigint, before bigint, at_most integer) returns text language sql stable as $$
	with page as materialized (select * from gateway.player_rows(of_shard, of_player, before, at_most))
	select json_build_object('rows', coalesce((select json_agg(gateway.row_json(p::wallet.journal) order by p.seq desc) from page p), '[]'::json),
		'next', (select case when count(*) = at_most and min(seq) > 0 and (array_agg(prev_seq order by seq))[1] > 0 then min(seq) end from page))::text
$$;
comment on function gateway.journal_page is 'GET /v1/journal.';

create function gateway.rounds_page(of_shard integer, of_player bigint, before bigint, at_most integer) returns text language sql stable as $$
	-- Rows of a round are near each other: a bet, then at most a few gambles, a collect; the walk is a little longer than the rounds asked for.
	with walk as materialized (select * from gateway.player_rows(of_shard, of_player, before, at_most * 4 + 40)),
	bets as (select * from walk where kind = 2 and refusal = 0 order by seq desc limit at_most),
	listed as (
		select b.*, (select sum(w.win_balance + w.win_pending - w.forfeit) from walk w where w.round = b.round and w.game = b.game and w.refusal = 0) as won,
			coalesce((select sum(c.paid_minor) from wallet.claim c where c.player = b.player and c.move = b.move and c.closed_seq is not null), 0) as jackpots,
			(select w.balance_after from walk w where w.round = b.round and w.game = b.game order by w.seq desc limit 1) as after,
			(select w.pending_after from walk w where w.round = b.round and w.game = b.game order by w.seq desc limit 1) as waiting,
			exists (select from walk w where w.game = b.game and w.kind = 2 and w.refusal = 0 and w.seq > b.seq) as left_behind
		from bets b)
	select json_build_object('rounds', coalesce((select json_agg(json_build_object('round', round, 'game', gateway.game_slug(game), 'time', to_json(time),
			'time_us', gateway.us(time), 'currency', (select code from gateway.currency c where c.number = currency), 'stake_minor', stake,
			'win_minor', won + jackpots, 'jackpot_minor', jackpots, 'balance_before_minor', balance_after + stake - release - win_balance,
			'balance_after_minor', after, 'closed', left_behind or waiting = 0) order by seq desc) from listed), '[]'::json),
		'next', (select case when count(*) = at_most then min(seq) end from bets))::text
$$;
comment on function gateway.rounds_page is 'GET /v1/rounds.';

create function gateway.round_rows(of_shard integer, of_player bigint, of_round bigint) returns text language sql stable as $$
	select coalesce(json_agg(gateway.row_json(w::wallet.journal) order by w.seq), '[]'::json)::text
	from gateway.player_rows(of_shard, of_player, 0, 100000) w
	where w.round = of_round or exists (select from wallet.claim c where w.kind = 24 and c.player = of_player and c.move = of_round and c.shard = w.shard and c.closed_seq = w.seq)
$$;
comment on function gateway.round_rows is 'The rows of one round, oldest first, with its awards.';

create function gateway.winners(at_most integer) returns text language sql stable as $$
	select json_build_object('winners', coalesce(json_agg(json_build_object('pool', h.pool, 'hit', h.hit, 'currency', (select code from gateway.currency c where c.number = h.currency),
		'coin_minor', h.coin_minor, 'paid_minor', h.paid_minor, 'player', 'player ***' || lpad(((h.player & 281474976710655) % 100)::text, 2, '0'), 'time_us', gateway.us(h.time)) order by h.time desc), '[]'::json))::text
	from (select * from pool.hit order by time desc limit at_most) h
$$;
comment on function gateway.winners is 'GET /v1/winners: the last hits, newest first, the player masked to his last two digits.';

create function gateway.jackpots() returns text language sql stable as $$
	select json_build_object('pools', coalesce(json_agg(p order by p.pool), '[]'::json))::text from (
		select p.pool, p.id, 'progressive' as kind, p.state as status, gateway.us(p.updated) as time_us,
			(select json_agg(json_build_object('currency', c.code, 'coin_minor', r.coin_minor,
				'value_minor', floor((r.seed_minor * r.unit_e27 + (p.t_e18 - r.w_e18) * r.share_nano + r.r_e27) / r.unit_e27),
				'seed_minor', r.seed_minor, 'version', p.version, 'hits', r.hits) order by c.code, r.coin_minor)
			 from pool.row r join gateway.currency c on c.number = r.currency where r.pool = p.pool) as rows
		from pool.pool p
		union all
		select s.pool, s.id, 'cards', 'live', gateway.us(s.updated),
			(select json_agg(json_build_object('currency', 'EUR', 'level', l.level,
				'value_minor', floor((l.seed_minor * l.unit_e27 + (s.t_e18 - l.w_e18) * l.share_nano + l.r_e27) / l.unit_e27),
				'seed_minor', l.seed_minor, 'version', s.version, 'hits', l.hits) order by l.level)
			 from cards.level l where l.pool = s.pool)
		from cards.card_set s) p
$$;
comment on function gateway.jackpots is 'GET /v1/jackpots from the pools'' own tables, at most a second late: for when Redis is empty or away.';

create function gateway.reconciliation() returns text language sql stable as $$
	select json_build_object(
		'sums_zero', (select count(*) = 0 from (select from wallet.house_leg where batch >= (select coalesce(max(batch), 0) - 1000 from wallet.batch) group by shard, batch, currency having sum(amount) <> 0) x),
		'identities', (select coalesce(bool_and(contributions_e27 = t_e18 * 1000000000 and contributions_e27 + house_seed_e27 = jp_pool_e27 + jp_reserve_e27 + jp_seed_e27 + paid_e27), true) from pool.pool)
			and (select coalesce(bool_and(contributions_e27 + house_seed_e27 = jp_pool_e27 + jp_reserve_e27 + jp_seed_e27 + paid_e27), true) from cards.card_set),
		'hits_paid', (select count(*) from wallet.claim where closed_seq is not null and kind = 1),
		'claims_open', (select count(*) from wallet.claim where closed_seq is null),
		'oldest_claim_s', (select coalesce(extract(epoch from now() - min(opened))::integer, 0) from wallet.claim where closed_seq is null and kind = 1),
		'claims_match', (select count(*) = 0 from wallet.claim c left join pool.hit h on h.player = c.player and h.move = c.move and h.index = c.index
			where c.kind = 1 and c.closed_seq is not null and h.paid_minor is distinct from c.paid_minor),
		'time_us', gateway.us(now()))::text
$$;
comment on function gateway.reconciliation is 'A quick check for the operators'' page: recent batches sum to zero, the pools'' identities hold, paid claims match their hits. The whole proof is jackpotctl ledger verify.';

create function gateway.operator_status() returns text language sql stable as $$
	select json_build_object('time_us', gateway.us(now()),
		'installation', (select json_build_object('kind', kind, 'shards', shards, 'created', created) from carillon.installation),
		'instances', (select coalesce(json_agg(json_build_object('name', name, 'service', service, 'health', health, 'pid', pid, 'started_us', gateway.us(started),
			'age_ms', (extract(epoch from now() - heartbeat) * 1000)::bigint, 'alive', heartbeat > now() - interval '2 s') order by name), '[]'::json)
			from carillon.instance where heartbeat > now() - interval '1 hour'),
		'shards', (select coalesce(json_agg(json_build_object('service', service, 'shard', shard, 'owner', owner, 'epoch', epoch, 'incarnation', incarnation,
			'lease_ms', (extract(epoch from lease_until - now()) * 1000)::bigint, 'held', lease_until > now(), 'offset_1', offset_1, 'seq_1', seq_1,
			'offset_2', offset_2, 'seq_2', seq_2, 'deaths', deaths) order by service, shard), '[]'::json) from carillon.shard),
		'journal', (select coalesce(json_agg(json_build_object('shard', b.shard, 'last_seq', b.last_seq, 'batch', b.batch, 'age_ms', (extract(epoch from now() - b.time) * 1000)::bigint) order by b.shard), '[]'::json)
			from (select distinct on (shard) * from wallet.batch order by shard, batch desc) b),
		'pools', (select coalesce(json_agg(x order by x.pool), '[]'::json) from (
			select pool, id, 'progressive' as kind, state as status, t_e18::text, contributions_e27::text, jp_pool_e27::text, jp_reserve_e27::text, jp_seed_e27::text,
				house_seed_e27::text, paid_e27::text, hits, gateway.us(updated) as updated_us from pool.pool
			union all
			select pool, id, 'cards', 'live', t_e18::text, contributions_e27::text, jp_pool_e27::text, jp_reserve_e27::text, jp_seed_e27::text,
				house_seed_e27::text, paid_e27::text, null, gateway.us(updated) from cards.card_set) x))::text
$$;
comment on function gateway.operator_status is 'GET /v1/operator/status, but for reconciliation, which the gateway repeats every few seconds.';
