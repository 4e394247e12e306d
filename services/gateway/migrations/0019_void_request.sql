-- Voids that take back a round's jackpots too: kept here until another key or user of the operator approves them, then sent to the engine.
create table gateway.void_request (
	operator integer not null,
	id bytea not null check (length(id) = 16),
	content bytea not null,
	player bigint not null,
	game text not null,
	round bigint not null,
	reason text not null,
	awards bigint not null,
	status text not null check (status in ('waiting', 'approved')),
	asked_key bytea not null,
	asked_by text not null,
	asked timestamptz not null default now(),
	approved_key bytea,
	approved_by text,
	approved timestamptz,
	primary key (operator, id),
	check (status = 'waiting' or approved_key <> asked_key)
);
create index void_request_asked on gateway.void_request (operator, asked);
comment on table gateway.void_request is 'waiting: nothing has been done. approved: sent to the engine as often as anybody asks; the wallet books it once by its id, and wallet.void has what came of it.';
comment on column gateway.void_request.id is 'Of the caller''s Idempotency-Key, and the id of the void; content is the hash of what was asked, so that the same key with other content is refused.';
comment on column gateway.void_request.awards is 'What the round''s jackpots were when it was asked, in minor units: for whoever approves. If they come to another sum at the approval, nothing is taken back.';
comment on column gateway.void_request.asked_key is 'Digest of the operator''s key or of the user: who approves must have another one.';
