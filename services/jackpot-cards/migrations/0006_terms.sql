-- The odds and weights of the sets' files, each version once: the proof of the ledger needs those that were in force.
create table cards.terms (
	pool integer not null,
	digest bytea not null,
	terms jsonb not null,
	first_seen timestamptz not null default now(),
	primary key (pool, digest)
);
comment on table cards.terms is 'One row a version of a set''s file, added when jackpot-cards starts with it. The oldest first_seen of all is where the history begins: what was drawn before is not compared with it.';
comment on column cards.terms.digest is 'SHA-256 of the text of terms as the service wrote it.';
comment on column cards.terms.terms is '{"odds":{"978":[in, of], ..},"weights":[clubs, diamonds, hearts, spades]}: odds by the number of the currency.';
