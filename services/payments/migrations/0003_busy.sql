-- A process of before 0002 that still runs, or is started again, asks without the mark: its rows come with it. Ours are inserted without it.
alter table payments.payout alter column asked set default true;
update payments.payout set asked = true where not asked and (asks > 0 or outcome <> 0);

-- The lock is held by a decision until its commit is durable, which may take longer than a service may wait: who finds it taken asks again later.
create or replace function payments.may_ask(p_hold bytea, out verdict text, out settled integer, out command bytea)
language plpgsql as $$
begin
	if not pg_try_advisory_xact_lock(hashtextextended('withdrawal ' || encode(p_hold, 'hex'), 0)) then
		verdict := 'busy';
		return;
	end if;
	select h.settled_kind into settled from wallet.hold h where h.id = p_hold;
	if settled is distinct from 0 then
		verdict := 'settled';
		return;
	end if;
	select d.command into command from gateway.decision d where d.hold = p_hold;
	if found then
		verdict := 'decided';
		return;
	end if;
	update payments.payout p set asked = true where p.id = p_hold and not p.asked;
	verdict := 'ask';
end
$$;
comment on function payments.may_ask is 'Before each question to pay. ask: it is noted that it may have been asked; settled: the hold is, as settled says (wallet.hold.settled_kind); decided: an operator has decided, and command (an Outside of wallet.proto) is what the wallet is to be told; busy: somebody is about to decide, ask again.';
