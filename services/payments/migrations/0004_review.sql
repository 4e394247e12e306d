-- Withdrawals that an operator looks at before the provider is asked to pay.
create table payments.review (
	hold bytea primary key check (length(hold) = 16),
	since timestamptz not null default now(),
	approved timestamptz,
	approved_by text,
	check ((approved is null) = (approved_by is null))
);
comment on table payments.review is 'Withdrawals above PAYMENTS_REVIEW_ABOVE: the provider is not asked before one is approved. One that is given back by hand is not approved any more.';
comment on column payments.review.approved is 'By the gateway (gateway.review_approve). Null: it waits.';

create function payments.may_review(p_hold bytea, p_most bigint) returns boolean
language sql stable as $$
	-- What the player has withdrawn within the 24 hours before counts with it, so that a large amount in parts waits too; what was approved or given back does not.
	select exists (select from payments.review r where r.hold = p_hold and r.approved is not null) or coalesce((select sum(o.amount) from wallet.hold h
		join wallet.hold o on o.player = h.player and o.booked_seq <= h.booked_seq and o.kind = 28 and o.settled_kind <> 30 and o.booked > h.booked - interval '24 hours'
		where h.id = p_hold and not exists (select from payments.review r where r.hold = o.id and r.approved is not null)), 0) <= p_most
$$;
comment on function payments.may_review is 'Whether the provider may be asked to pay a withdrawal: it was approved, or with the player''s others of 24 hours it is at most p_most.';
