-- An operator lets the payment provider pay a withdrawal that waits for it (payments.review).
create function gateway.review_approve(p_operator integer, p_player bigint, p_hold bytea, p_actor text, p_by text, p_request text, p_reason text, out http integer, out code text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
	waits record;
	hold record;
begin
	-- The lock of decisions by hand: what is given back is not approved.
	perform pg_advisory_xact_lock(hashtextextended('withdrawal ' || encode(p_hold, 'hex'), 0));
	select h.amount, h.currency, h.settled_kind into hold from wallet.hold h where h.id = p_hold and h.player = p_player and h.kind = 28;
	if not found then
		http := 404;
		code := 'withdrawal_unknown';
		return;
	end if;
	select r.approved into waits from payments.review r where r.hold = p_hold;
	if found and waits.approved is not null then
		http := 200;
		return;
	elsif not found or hold.settled_kind <> 0 or exists (select from gateway.decision d where d.hold = p_hold) then
		http := 409;
		code := 'review_not_waiting';
	else
		http := 200;
		update payments.review r set approved = now(), approved_by = p_by where r.hold = p_hold;
	end if;
	insert into gateway.audit (operator, actor, action, subject, request_id, content, status)
	values (p_operator, p_actor, 'withdrawal approval', (p_player >> 48) || '-' || (p_player & 281474976710655), p_request,
		jsonb_build_object('withdrawal', encode(p_hold, 'hex'), 'amount_minor', hold.amount, 'currency', hold.currency, 'reason', p_reason), http);
end
$$;
comment on function gateway.review_approve is 'Lets the provider pay, with its line of the audit log. http: 200 (also if it was approved before); 404 withdrawal_unknown; 409 review_not_waiting: it does not wait, or was settled or decided by hand.';
