-- What the network holds about a player beside account and history, in parts that are read page by page: for the export of a player's data.
create function gateway.record_reason(record bytea) returns text language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
	return coalesce(convert_from(record, 'UTF8')::json->>'reason', '');
exception when others then
	return ''; -- the record of another kind of row
end $$;
comment on function gateway.record_reason is 'Why somebody booked what the row of the journal has, by its record; empty: nobody said.';

create function gateway.player_part(part text, of_player bigint, after text, seen_before bigint) returns table (item text, next text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
	page constant integer := 200;
	at_number bigint := case when after ~ '^[0-9]+$' then after::bigint else 0 end;
	at_second text := split_part(after, '-', 2); -- of a place such as "17-1"
	at_first bigint := coalesce(nullif(split_part(after, '-', 1), ''), '0')::bigint;
	at_shard integer := (select a.shard from wallet.account a where a.player = of_player);
begin
	case part
	when 'settings' then
		return query select json_build_object('pause', p.pause, 'pause_s', p.pause_s, 'pause_until_s', p.pause_until, 'reality_check_s', p.reality_check_s)::text, '1'
			from gateway.player p where p.player = of_player and after = '';
	when 'limits' then
		return query with l as (select c, s.state[3 * c - 2] as value, s.state[3 * c - 1] as later, s.state[3 * c] as from_us,
				(extract(epoch from now()) * 1000000)::bigint as us, case when c <= 9 then 'amount_minor' when c = 10 then 'seconds' else 'until_s' end as unit
				from wallet.player_limit s, generate_series(1, 11) c where s.player = of_player)
			select json_build_object('limit', (array['loss', 'loss', 'loss', 'wager', 'wager', 'wager', 'deposit', 'deposit', 'deposit', 'time', 'exclusion'])[c],
				'period', case when c <= 9 then (array['day', 'week', 'month'])[(c - 1) % 3 + 1] end, unit, case when from_us <> 0 and from_us <= us then later else value end,
				'next_' || unit, case when from_us > us then later end, 'next_from_us', case when from_us > us then from_us end)::text, c::text
			from l where c > at_number and (value <> -1 or from_us > us or (from_us <> 0 and later <> -1)) order by c;
	when 'limit_history' then
		return query with w as materialized (select h.* from wallet.rows_back(of_player, at_shard, case when after = '' then wallet.newest_of(of_player, at_shard)
				else at_number end, 500, 0) h)
			select x.item, x.next from (select w.seq as place, case when w.kind = 25 then json_build_object('seq', w.seq, 'time_us', (extract(epoch from w."time") * 1000000)::bigint,
					'limit', 'block', 'blocked', w.amount <> 0, 'refused', w.refusal <> 0, 'reason', gateway.record_reason(w.record))
				else json_build_object('seq', w.seq, 'time_us', (extract(epoch from w."time") * 1000000)::bigint,
					'limit', (array['loss', 'loss', 'loss', 'wager', 'wager', 'wager', 'deposit', 'deposit', 'deposit', 'time', 'exclusion'])[w.mode],
					'period', case when w.mode <= 9 then (array['day', 'week', 'month'])[(w.mode - 1) % 3 + 1] end,
					case when w.mode <= 9 then 'amount_minor' when w.mode = 10 then 'seconds' else 'until_s' end, w.amount, 'from_us', w.round, 'refused', w.refusal <> 0,
					'reason', gateway.record_reason(w.record)) end::text as item,
				w.prev_seq::text as next from w where w.kind in (25, 32)
			union all select 0, null, (select l.prev_seq::text from w l order by l.seq limit 1) where exists (select from w)) x order by x.place desc;
	when 'rows' then
		return query select json_build_object('seq', h.seq, 'time_us', (extract(epoch from h."time") * 1000000)::bigint, 'kind', coalesce((array['open', 'bet', 'release', 'gamble', 'halve',
				'collect', 'void', 'setting', null, null, null, null, null, null, null, null, null, null, null, 'deposit', 'withdrawal', 'correction', 'grant', 'award', 'block', 'spins',
				'spins_end', 'hold', 'capture', 'hold_release', 'grant_back', 'limit'])[h.kind], h.kind::text), 'refusal', h.refusal, 'move', h.move, 'round', h.round,
				'game', coalesce((select g.id from carillon.game g where g.number = h.game limit 1), ''), 'mode', h.mode, 'release_minor', h.release, 'stake_minor', h.stake,
				'win_balance_minor', h.win_balance, 'win_pending_minor', h.win_pending, 'forfeit_minor', h.forfeit, 'amount', h.amount, 'balance_after_minor', h.balance_after,
				'pending_after_minor', h.pending_after, 'bonus_spin', h.bonus_spin, 'award_of_move', h.award_move, 'award_pool', h.award_pool, 'older_archived', h.archived)::text,
				h.prev_seq::text
			from wallet.history_rows(of_player, at_shard, case when after = '' then wallet.newest_of(of_player, at_shard) else at_number end, page, 0) h order by h.seq desc;
	when 'bookings' then
		return query with w as materialized (select h.* from wallet.rows_back(of_player, at_shard, case when after = '' then wallet.newest_of(of_player, at_shard)
				else at_number end, 500, 0) h)
			select x.item, x.next from (select w.seq as place, json_build_object('seq', w.seq, 'time_us', (extract(epoch from w."time") * 1000000)::bigint,
				'kind', (array['deposit', 'withdrawal', 'correction', 'grant', null, null, null, null, 'hold', 'capture', 'hold_release', 'grant_back'])[w.kind - 19],
				'amount_minor', w.amount, 'refused', w.refusal <> 0, 'reason', gateway.record_reason(w.record))::text as item, w.prev_seq::text as next
				from w where w.kind in (20, 21, 22, 23, 28, 29, 30, 31)
			union all select 0, null, (select l.prev_seq::text from w l order by l.seq limit 1) where exists (select from w)) x order by x.place desc;
	when 'withdrawals' then
		return query select json_build_object('id', encode(h.id, 'hex'), 'state', case h.settled_kind when 29 then 'paid' when 30 then 'released' else 'held' end, 'amount_minor', h.amount,
				'booked_us', (extract(epoch from h.booked) * 1000000)::bigint, 'settled_us', (extract(epoch from h.settled_at) * 1000000)::bigint,
				'outcome', case p.outcome when 1 then 'paid' when 2 then 'refused' else 'unknown' end, 'reference', coalesce(p.reference, ''),
				'alarms', (select coalesce(json_agg(json_build_object('kind', a.kind, 'found', a.found, 'expected', a.expected,
					'time_us', (extract(epoch from a.time) * 1000000)::bigint) order by a.id), '[]') from payments.alarm a where a.payout = h.id))::text, h.booked_seq::text
			from wallet.hold h left join payments.payout p on p.id = h.id where h.player = of_player and h.kind = 28 and h.booked_seq > at_number order by h.booked_seq limit page;
	when 'bonus_funds' then
		return query select json_build_object('id', encode(h.id, 'hex'), 'amount_minor', h.amount, 'taken_back_minor', h.settled,
				'booked_us', (extract(epoch from h.booked) * 1000000)::bigint)::text, h.booked_seq::text
			from wallet.hold h where h.player = of_player and h.kind = 23 and h.booked_seq > at_number order by h.booked_seq limit page;
	when 'bonus_spins' then
		return query select json_build_object('id', encode(s.id, 'hex'), 'game', coalesce((select g.id from carillon.game g where g.number = s.game limit 1), ''),
				'coin_minor', s.coin_minor, 'lines', s.lines, 'coins', s.coins, 'spins', s.spins, 'used', s.used, 'ended', s.ended_seq is not null,
				'expires_us', (extract(epoch from s.expires) * 1000000)::bigint)::text, s.given_seq::text
			from wallet.spin_grant s where s.player = of_player and s.given_seq > at_number order by s.given_seq limit page;
	when 'jackpots' then
		return query select json_build_object('pool', j.pool, 'hit', j.hit, 'move', j.move, 'coin_minor', j.coin, 'level', j.level, 'paid_minor', j.paid,
				'time_us', (extract(epoch from j.at) * 1000000)::bigint)::text, j.move || '-' || j.index
			from (select h.pool, h.hit, h.move, h.index, h.coin_minor as coin, null::integer as level, h.paid_minor as paid, h.time as at from pool.hit h where h.player = of_player
				union all select h.pool, h.hit, h.move, h.index, null, h.level, h.paid_minor, h.time from cards.hit h where h.player = of_player) j
			where (j.move, j.index) > (at_first, coalesce(nullif(at_second, ''), '0')::integer) and j.move < seen_before order by j.move, j.index limit page;
	when 'card_rounds' then
		return query select json_build_object('pool', c.pool, 'number', c.number, 'move', c.move, 'index', c.index, 'opened_us', (extract(epoch from c.opened) * 1000000)::bigint,
				'ended_us', (extract(epoch from c.ended) * 1000000)::bigint, 'positions', to_json(c.positions), 'suits', to_json(c.suits), 'won', c.won, 'level', c.level,
				'paid_minor', c.paid_minor, 'by_house', c.by_house)::text, c.move || '-' || c.index
			from cards.round c where c.player = of_player and (c.move, c.index) > (at_first, coalesce(nullif(at_second, ''), '0')::integer) and c.move < seen_before
			order by c.move, c.index limit page;
	when 'voids' then
		return query select json_build_object('round', v.round, 'seq', v.seq, 'game', coalesce((select g.id from carillon.game g where g.number = v.game limit 1), ''),
				'stake_returned_minor', v.stake_returned, 'win_taken_minor', v.win_taken, 'receivable_minor', v.receivable, 'pending_taken_minor', v.pending_taken,
				'awards_minor', v.awards, 'time_us', (extract(epoch from v.time) * 1000000)::bigint)::text, v.round::text
			from wallet.void v where v.player = of_player and v.round > at_number order by v.round limit page;
	when 'sessions' then
		return query select json_build_object('ended_us', (extract(epoch from r.time) * 1000000)::bigint, 'expires_us', (extract(epoch from r.expires) * 1000000)::bigint,
				'all_before_us', (extract(epoch from r.before) * 1000000)::bigint)::text, r.number::text
			from gateway.revoked r where r.player = of_player and r.number > at_number order by r.number limit page;
	when 'notes' then
		return query select json_build_object('id', n.id, 'time_us', (extract(epoch from n.time) * 1000000)::bigint, 'author', n.author, 'text', n.note)::text, n.id::text
			from gateway.note n where n.player = of_player and n.id > at_number order by n.id limit page;
	when 'requests' then
		return query select x.item, x.place || '-' || x.id from (select json_build_object('action', r.action, 'amount_minor', r.amount_minor, 'reason', r.reason, 'status', r.status,
					'asked_us', (extract(epoch from r.asked) * 1000000)::bigint, 'decided_us', (extract(epoch from r.decided) * 1000000)::bigint, 'decided_reason', r.decided_reason)::text
					as item, (extract(epoch from r.asked) * 1000000)::bigint as place, encode(r.id, 'hex') as id
				from gateway.amount_request r where r.operator = of_player >> 48 and r.player = of_player
			union all select json_build_object('action', 'void', 'game', v.game, 'round', v.round, 'awards_minor', v.awards, 'reason', v.reason, 'status', v.status,
					'asked_us', (extract(epoch from v.asked) * 1000000)::bigint, 'decided_us', (extract(epoch from v.approved) * 1000000)::bigint)::text,
					(extract(epoch from v.asked) * 1000000)::bigint, encode(v.id, 'hex')
				from gateway.void_request v where v.operator = of_player >> 48 and v.player = of_player) x
			where (x.place, x.id) > (at_first, at_second) order by x.place, x.id limit page;
	when 'actions' then
		return query select json_build_object('id', a.id, 'time_us', (extract(epoch from a.time) * 1000000)::bigint, 'action', a.action, 'content', a.content, 'status', a.status)::text, a.id::text
			from gateway.audit a where a.subject = gateway.player_name(of_player) and a.operator = of_player >> 48 and a.id > at_number order by a.id limit page;
	end case;
end $$;
comment on function gateway.player_part is 'A page of a part of what is held about a player, as JSON. next: `after` of the following page, of the last row; a row may have no item; a page without rows is the end. seen_before: the first move that the player may not have seen to its end.';
