-- Which payments the provider may have been asked for, and the one place where a question and a decision by hand meet: under a lock of the
-- withdrawal either the decision is there first, and the provider is not asked, or the question is, and the decision must be forced.
alter table payments.payout add column asked boolean not null default true;
alter table payments.payout alter column asked set default false;
comment on column payments.payout.asked is 'Durable before the first question to pay. False: the provider has never heard of it. Never goes back to false.';

create function payments.may_ask(p_hold bytea, out verdict text, out settled integer, out command bytea)
language plpgsql as $$
begin
	perform pg_advisory_xact_lock(hashtextextended('withdrawal ' || encode(p_hold, 'hex'), 0));
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
comment on function payments.may_ask is 'Before each question to pay. ask: it is noted that it may have been asked; settled: the hold is, as settled says (wallet.hold.settled_kind); decided: an operator has decided, and command (an Outside of wallet.proto) is what the wallet is to be told.';
