-- A player may end all their sessions at once: a row without a session stands for every token of the player that was issued up to a time.
alter table gateway.revoked alter column session drop not null;
alter table gateway.revoked add column before timestamptz;
alter table gateway.revoked add check ((session is null) = (before is not null));
comment on column gateway.revoked.session is 'The first 16 bytes of the SHA-256 of the token; null: all tokens of the player that were issued up to `before`.';
comment on column gateway.revoked.before is 'Whole seconds, as tokens have them; null: the row is about one session.';
comment on column gateway.revoked.expires is 'When the last token that the row refuses expires.';
