-- An approved void is carried out whichever gateway dies: one that is alive takes it up again until its outcome is noted here.
alter table gateway.void_request add column told timestamptz, add column outcome text;
create index void_request_approved on gateway.void_request (coalesce(told, approved)) where status = 'approved' and outcome is null;
comment on table gateway.void_request is 'waiting, refused: nothing has been done. approved: sent to the engine until the outcome is known; the wallet books it once by its id.';
comment on column gateway.void_request.told is 'When a gateway took it up last. Null: at its approval.';
comment on column gateway.void_request.outcome is 'Of an approved one. voided: the round is void; unknown: it was approved a day or more before outcomes were noted; otherwise the code of the error that refused it. Null: not known yet.';

-- What was approved long ago and left is not carried out of a sudden: money may have been put right in another way since.
update gateway.void_request r set outcome = case when exists (select from wallet.void v where v.player = r.player and v.round = r.round) then 'voided' else 'unknown' end
	where r.status = 'approved' and r.approved < now() - interval '1 day';

create function gateway.void_take(p_age_s bigint, p_most bigint) returns setof gateway.void_request
language sql security definer set search_path = pg_catalog, pg_temp as $$
	update gateway.void_request v set told = now() from (select t.operator, t.id from gateway.void_request t
		where t.status = 'approved' and t.outcome is null and coalesce(t.told, t.approved) <= now() - p_age_s * interval '1 second'
		order by coalesce(t.told, t.approved) limit p_most for update skip locked) d
	where v.operator = d.operator and v.id = d.id returning v.*
$$;
comment on function gateway.void_take is 'Approved voids whose outcome is not known yet, for a gateway that carries them out again.';

create function gateway.void_noted(p_operator integer, p_id bytea, p_outcome text, p_status integer, p_audit boolean)
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	result gateway.void_request;
	booked boolean;
begin
	select * into result from gateway.void_request v where v.operator = p_operator and v.id = p_id for update;
	if not found or result.status <> 'approved' or result.outcome in ('voided', p_outcome) then
		return;
	end if;
	-- Another gateway's attempt may have been booked since this one looked.
	booked := p_outcome = 'voided' or exists (select from wallet.void w cross join lateral gateway.void_row(w.shard, w.seq) e
		where w.player = result.player and w.round = result.round and e.request_id = p_id);
	update gateway.void_request v set outcome = case when booked then 'voided' else p_outcome end where v.operator = p_operator and v.id = p_id returning * into result;
	if p_audit then
		insert into gateway.audit (operator, actor, action, subject, request_id, content, status)
		values (p_operator, result.asked_by || ', approved by ' || result.approved_by, 'void', (result.player >> 48) || '-' || (result.player & 281474976710655), '',
			jsonb_build_object('id', encode(p_id, 'hex'), 'round', result.round, 'game', result.game, 'award', true, 'outcome', result.outcome),
			case when booked then 200 else p_status end);
	end if;
end
$$;
comment on function gateway.void_noted is 'Notes what has become of an approved void; with p_audit in the audit log too, because nobody waits for the answer. voided stays for ever; another outcome until the void is asked for or approved again.';
