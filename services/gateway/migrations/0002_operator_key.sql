-- Further keys of operators, beside the files in CARILLON_KEYS.
create table gateway.operator_key (
	operator integer not null check (operator between 1 and 32767),
	digest bytea not null check (length(digest) = 32),
	note text not null default '',
	created timestamptz not null default now(),
	revoked timestamptz,
	primary key (operator, digest)
);
comment on table gateway.operator_key is 'Keys of operators by SHA-256 of their text; several may be valid at once, so that one can be replaced without a gap. Read every second: a revoked one is refused from then on.';
