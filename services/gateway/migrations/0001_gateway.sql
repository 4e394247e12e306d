-- What the gateway keeps: the audit log. History, winners and the operators' state are read from the other services' tables by the read-only role.
create schema if not exists gateway;

create table gateway.audit (
	id bigint generated always as identity primary key,
	time timestamptz not null default now(),
	operator integer not null,
	actor text not null,
	action text not null,
	subject text not null,
	request_id text not null,
	content jsonb not null,
	status integer not null
);
comment on table gateway.audit is 'Every action of an operator, done or refused, with what was asked and how it was answered.';
