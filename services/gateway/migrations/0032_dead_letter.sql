-- Dead letters: messages that a service could not read, from the topic dead.letters, for people. The gateway reads the topic, and sends a command again if a user
-- wants that; all changes are made by functions that audit in the same transaction.
create table gateway.dead_letter (
	id bigint generated always as identity primary key,
	digest bytea not null unique check (length(digest) = 32),
	service text not null,
	instance text not null,
	topic text not null,
	partition bigint not null,
	position bigint not null,
	reason text not null,
	payload bytea,
	bytes bigint not null,
	what text not null,
	player bigint not null,
	pool bigint not null,
	amount_minor bigint,
	currency bigint,
	why_not text,
	written timestamptz not null,
	noted timestamptz not null default now(),
	status text not null default 'waiting' check (status in ('waiting', 'sending', 'sent', 'settled')),
	act text,
	act_key bytea,
	act_by text,
	act_reason text,
	acted timestamptz,
	told timestamptz,
	outcome text,
	check ((payload is null) = (why_not is not null))
);
create index dead_letter_open on gateway.dead_letter (id) where status in ('waiting', 'sending');
create index dead_letter_done on gateway.dead_letter (acted) where status in ('sent', 'settled');
create unique index dead_letter_key on gateway.dead_letter (act_key);
comment on table gateway.dead_letter is 'waiting: nobody has done anything; sending: a gateway sends it again until its service answers, or for GATEWAY_WAIT_MS; sent: the service has answered; settled: a user has said why nothing is to be done. Those that are done are kept for 90 days.';
comment on column gateway.dead_letter.digest is 'Of the letter: the topic is read again at each start of a gateway, and by every gateway.';
comment on column gateway.dead_letter.service is 'Who wrote the letter, by its MAC; instance is what the letter itself says.';
comment on column gateway.dead_letter.topic is 'Of the message that could not be read, or the kind of command; partition, position: where it was, of a command the shard and -1.';
comment on column gateway.dead_letter.payload is 'The message, of `bytes` bytes; null if it is not sent again.';
comment on column gateway.dead_letter.what is 'What the message is, as far as its first fields tell; player and pool: 0 where it names none.';
comment on column gateway.dead_letter.why_not is 'A word that says why it is not sent again; null: it may be. done: it was sent and answered, or settled.';
comment on column gateway.dead_letter.act_key is 'Of the Idempotency-Key of the last act: the same request again has no second effect.';
comment on column gateway.dead_letter.outcome is 'What became of it when it was sent the last time.';

create function gateway.dead_note(p_digest bytea, p_service text, p_instance text, p_topic text, p_partition bigint, p_position bigint, p_reason text, p_payload bytea,
	p_bytes bigint, p_what text, p_player bigint, p_pool bigint, p_amount bigint, p_currency bigint, p_why_not text, p_written_us bigint) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	delete from gateway.dead_letter d where d.status in ('sent', 'settled') and d.acted < now() - interval '90 days';
	if exists (select from gateway.dead_letter d where d.digest = p_digest) then
		return 'known';
	elsif (select count(*) from gateway.dead_letter d where d.status in ('waiting', 'sending') and d.service = p_service) >= 1000 then
		return 'full';
	end if;
	insert into gateway.dead_letter (digest, service, instance, topic, partition, position, reason, payload, bytes, what, player, pool, amount_minor, currency, why_not, written)
	values (p_digest, p_service, p_instance, p_topic, p_partition, p_position, p_reason, p_payload, p_bytes, p_what, p_player, p_pool, p_amount, p_currency, p_why_not,
		timestamptz 'epoch' + p_written_us * interval '1 microsecond') on conflict do nothing;
	return case when found then 'noted' else 'known' end;
exception when data_exception or integrity_constraint_violation then
	return 'refused: ' || sqlerrm;
end
$$;
comment on function gateway.dead_note is 'Keeps a letter, once: noted, known, or full: 1000 of this service wait already, so that a service that was taken over fills no disk. "refused: " and why: the row itself is refused (SQLSTATE class 22 or 23), so it is not tried again.';

create function gateway.dead_act(p_id bigint, p_act text, p_operator integer, p_by text, p_from text, p_request text, p_reason text, p_key bytea,
	p_money boolean default false, out http integer, out code text, out result gateway.dead_letter)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	select * into result from gateway.dead_letter d where d.id = p_id for update;
	if not found then
		http := 404;
		code := 'letter_unknown';
		return;
	elsif result.act_key = p_key then
		-- The same request again.
		http := case when result.act = p_act and result.act_reason = p_reason then 200 else 422 end;
		code := case when http = 422 then 'other_content' end;
		return;
	elsif exists (select from gateway.dead_letter d where d.act_key = p_key) then
		http := 422;
		code := 'other_content';
	elsif result.status = 'settled' or result.status = 'sent' and p_act = 'send' then
		http := 409;
		code := 'letter_done';
	elsif p_act = 'send' and result.why_not is not null then
		http := 409;
		code := 'letter_not_sent';
	elsif p_act = 'send' and result.topic = 'wallet.commands' and p_money is not true then
		http := 403;
		code := 'not_permitted';
	elsif result.status = 'sending' then
		http := 409;
		code := 'letter_sending';
	elsif p_act = 'send' and result.written < now() - interval '7 days' then
		http := 409;
		code := 'letter_not_sent';
		result.why_not := 'old';
	else
		http := 200;
		update gateway.dead_letter d set status = case p_act when 'send' then 'sending' else 'settled' end, act = p_act, act_key = p_key, act_by = p_by,
			act_reason = p_reason, acted = now(), told = null, payload = case p_act when 'send' then d.payload end,
			why_not = case p_act when 'send' then d.why_not else coalesce(d.why_not, 'done') end where d.id = p_id returning * into result;
	end if;
	insert into gateway.audit (operator, actor, action, subject, request_id, content, status)
	select o.operator, p_from, 'dead letter: ' || p_act, 'dead letter ' || p_id, p_request, jsonb_strip_nulls(jsonb_build_object('service', result.service,
		'topic', result.topic, 'what', result.what, 'player', nullif(result.player, 0), 'pool', nullif(result.pool, 0), 'amount_minor', result.amount_minor,
		'currency', result.currency, 'reason', p_reason)), http
	from (select p_operator as operator union select (result.player >> 48)::integer where result.player <> 0) o;
end
$$;
comment on function gateway.dead_act is 'Lets a letter be sent again (send) or settles it (settle), with a line in the audit log of the operator and of the player''s. p_money: who asks may move money. http: 200; 403 not_permitted; 404 letter_unknown; 409 letter_not_sent, letter_done or letter_sending; 422 other_content.';

create function gateway.dead_take(p_age_s bigint, p_most bigint) returns setof gateway.dead_letter
language sql security definer set search_path = pg_catalog, pg_temp as $$
	update gateway.dead_letter d set told = now() from (select t.id from gateway.dead_letter t where t.status = 'sending'
		and (t.told is null or t.told <= now() - p_age_s * interval '1 second') order by t.id limit p_most for update skip locked) n
	where d.id = n.id returning d.*
$$;
comment on function gateway.dead_take is 'Letters to be sent again, each to one gateway; one whose outcome is not noted after p_age_s is taken again.';

create function gateway.dead_sent(p_id bigint, p_answered boolean, p_outcome text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	update gateway.dead_letter d set status = case when p_answered then 'sent' else 'waiting' end, outcome = p_outcome,
		payload = case when not p_answered then d.payload end, why_not = case when p_answered then 'done' end where d.id = p_id and d.status = 'sending';
	return found;
end
$$;
comment on function gateway.dead_sent is 'Notes what became of a letter that was sent: without an answer of its service it waits again.';
