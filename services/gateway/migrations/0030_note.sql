-- What an operator's people write about a player. Only added to.
create table gateway.note (
	id bigint generated always as identity primary key,
	operator integer not null,
	player bigint not null,
	key bytea not null check (length(key) = 16),
	content bytea not null check (length(content) = 16),
	time timestamptz not null default now(),
	author text not null,
	note text not null check (octet_length(note) between 1 and 2000),
	unique (operator, key)
);
create index note_of_player on gateway.note (player, id);
comment on table gateway.note is 'Notes about players, plain text: added in one transaction with a line of gateway.audit, which does not have the text; never changed.';
comment on column gateway.note.key is 'Of the caller''s Idempotency-Key; content is the hash of player and text, so that the same key with other content is refused.';
comment on column gateway.note.author is 'The user or the key, as in the audit log.';
