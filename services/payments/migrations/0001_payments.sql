-- Payments to the outside: what becomes of the withdrawals that the wallet holds (wallet.hold).
create schema if not exists payments;

create table payments.payout (
	id bytea primary key,
	shard integer not null,
	player bigint not null,
	currency integer not null,
	amount bigint not null check (amount > 0),
	state integer not null check (state between 0 and 4),
	outcome integer not null check (outcome between 0 and 2),
	settled integer not null check (settled in (0, 29, 30)),
	asks integer not null,
	reference text not null default '',
	created timestamptz not null default now(),
	updated timestamptz not null default now(),
	check (state <> 1 or outcome <> 0),
	check (state not in (2, 3) or settled <> 0)
) with (fillfactor = 70);
create index payout_open on payments.payout (shard) where state < 4;
comment on table payments.payout is 'One row a withdrawal: what the payment provider was asked and has said. Written before the wallet is told.';
comment on column payments.payout.id is 'Of the hold (wallet.hold.id); the provider knows the payment by it.';
comment on column payments.payout.state is '0: asked until the outcome is known; 1: known, the wallet is told; 2: settled by hand, the provider is looked at; 3: settled as it said, looked at once more; 4: done.';
comment on column payments.payout.outcome is 'The provider''s first word. 0: none yet; 1: paid; 2: refused. It never changes.';
comment on column payments.payout.settled is 'How the hold was settled: 29 captured, 30 released; 0: it is open.';
comment on column payments.payout.asks is 'Questions in the present state.';
comment on column payments.payout.reference is 'What the provider calls the payment.';

create table payments.alarm (
	id bigint generated always as identity primary key,
	payout bytea not null,
	shard integer not null,
	player bigint not null,
	kind text not null,
	found text not null,
	expected text not null,
	time timestamptz not null default now()
);
create index alarm_payout on payments.alarm (payout);
comment on table payments.alarm is 'What must not happen with a provider, and has; nothing was done about it but this row. kind: contradicted, by_hand, other_content.';
