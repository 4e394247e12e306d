-- A request for a webhook may have an Idempotency-Key: a repeat makes no second one, and gets the same answer.
alter table gateway.webhook add column request bytea check (length(request) = 16);
alter table gateway.webhook add column content bytea check (length(content) = 16);
create unique index webhook_request on gateway.webhook (operator, request) where request is not null;
comment on column gateway.webhook.request is 'Of the caller''s Idempotency-Key; null: there was none. content: of what was asked with it.';

-- Beside webhook_new, which gateways of the version before call.
create function gateway.webhook_ask(of_operator integer, of_url text, of_kinds text[], actor text, of_request bytea, of_content bytea,
	out id integer, out salt uuid, out version integer, out known boolean, out same boolean) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
	perform pg_advisory_xact_lock(7282, 0);
	select h.id, h.salt, 1, true, h.content = of_content into id, salt, version, known, same from gateway.webhook h where h.operator = of_operator and h.request = of_request;
	if found then
		return;
	end if;
	known := false;
	same := true;
	select n.id, n.salt, n.version into id, salt, version from gateway.webhook_new(of_operator, of_url, of_kinds, actor) n;
	update gateway.webhook h set request = of_request, content = of_content where h.id = webhook_ask.id and of_request is not null;
end $$;
comment on function gateway.webhook_ask is 'Makes a webhook, or finds the one that the same request has made: known. same: with the same content. id null: the operator has ten webhooks already.';
