-- Decisions about withdrawals by hand, each kept before the wallet is told, so that the payment provider is asked nothing more.
create table gateway.decision (
	hold bytea primary key check (length(hold) = 16),
	id bytea not null check (length(id) = 16),
	kind integer not null check (kind in (29, 30)),
	forced boolean not null,
	command bytea not null,
	actor text not null,
	request_id text not null,
	time timestamptz not null default now()
);
comment on table gateway.decision is 'Withdrawals that an operator has decided by hand; the first decision stands. The gateway tells the wallet at once, carillon-payments again until the hold is settled.';
comment on column gateway.decision.id is 'Of the caller''s Idempotency-Key: the booking''s id at the wallet.';
comment on column gateway.decision.kind is 'MoveKind of wallet.proto: 29 captured, 30 released.';
comment on column gateway.decision.forced is 'Taken although the provider had been asked and had not answered.';
comment on column gateway.decision.command is 'The Outside of wallet.proto, as the wallet is told.';

-- What may be done: 'tell' the wallet; or a refusal: 'asked', 'answered', 'decided', 'other_content'. The same decision by another key is told, too: whoever
-- lost the first answer is not stuck, and the wallet settles once.
create function gateway.decide(p_hold bytea, p_id bytea, p_kind integer, p_forced boolean, p_command bytea, p_actor text, p_request text)
returns text language plpgsql as $$
declare
	known gateway.decision;
	outcome_known integer;
	was_asked boolean;
begin
	perform pg_advisory_xact_lock(hashtextextended('withdrawal ' || encode(p_hold, 'hex'), 0));
	if exists (select from wallet.hold h where h.id = p_hold and h.settled_kind <> 0) then
		return 'tell'; -- the wallet says how it was settled, or what it has answered before
	end if;
	select * into known from gateway.decision d where d.hold = p_hold;
	if found then
		return case when known.kind <> p_kind then 'decided' when known.id = p_id and known.command <> p_command then 'other_content' else 'tell' end;
	end if;
	select p.outcome, p.asked into outcome_known, was_asked from payments.payout p where p.id = p_hold;
	if outcome_known <> 0 and outcome_known <> p_kind - 28 then
		return 'answered';
	end if;
	if outcome_known = 0 and was_asked and not p_forced then
		return 'asked';
	end if;
	insert into gateway.decision (hold, id, kind, forced, command, actor, request_id)
	values (p_hold, p_id, p_kind, p_forced, p_command, p_actor, p_request);
	return 'tell';
end
$$;
comment on function gateway.decide is 'Keeps a decision by hand if it may be taken; see payments.may_ask.';
