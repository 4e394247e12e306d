-- What jackpotctl ledger verify found, for the console. The truth about a proof is its signature: whoever may read all tables may add a row, so the gateway
-- shows a row without a good one as such.
create table gateway.proof (
	id bigint generated always as identity primary key,
	time timestamptz not null default now(),
	content text not null check (length(content) <= 1000000),
	signature bytea check (length(signature) = 64),
	signer bytea check (length(signer) = 32),
	check ((signature is null) = (signer is null))
);
comment on table gateway.proof is 'The results of the last 500 proofs of the ledger. Only added to, by gateway.proof_note.';
comment on column gateway.proof.content is 'JSON, to the byte (docs/ledger.md): what was proven, what held, and what is carried on from the proof before.';
comment on column gateway.proof.signature is 'Ed25519 of "carillon proof 1 " and the SHA-256 of content in hex, by ledger-verify.key; null: there was no such key.';

create function gateway.proof_note(of_content text, of_signature bytea, of_signer bytea) returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
	number bigint;
begin
	perform of_content::jsonb; -- what is not JSON is refused
	insert into gateway.proof (content, signature, signer) values (of_content, of_signature, of_signer) returning id into number;
	delete from gateway.proof where id <= number - 500;
	return number;
end $$;
comment on function gateway.proof_note is 'Adds the result of a proof, and drops what is older than the last 500.';
