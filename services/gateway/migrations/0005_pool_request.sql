-- Actions on pools and sets that need two: kept here until another key of the operator approves them, then sent to the service.
create table gateway.pool_request (
	operator integer not null,
	id bytea not null check (length(id) = 16),
	content bytea not null,
	pool integer not null,
	action integer not null,
	parameters text not null,
	reason text not null,
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
create index pool_request_waiting on gateway.pool_request (pool, asked) where status = 'waiting';
comment on table gateway.pool_request is 'Adjustments, retirements and removals of rows. waiting: nothing has been done; approved: sent to the service as often as anybody asks, which does it once by its id and keeps what came of it in its operator_action.';
comment on column gateway.pool_request.id is 'Of the caller''s Idempotency-Key, and the action''s id at the service; content is the hash of what was asked, so that the same key with other content is refused.';
comment on column gateway.pool_request.asked_key is 'SHA-256 of the operator''s key, as gateway.operator_key.digest: who approves must have another one.';
