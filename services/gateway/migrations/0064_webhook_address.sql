-- Addresses of webhooks may hold secrets of their receivers: whoever may only read sees them without a user, a password and a query.

create function gateway.webhook_url_shown(url text) returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
	select regexp_replace(regexp_replace(url, '^([a-z]+://)[^/?#]*@', '\1..@'), '\?.*$', '?..')
$$;
comment on function gateway.webhook_url_shown is 'An address for those who may not change it: without a user, a password and a query. As webhook_url_shown of core/webhook.c.';

create function gateway.webhook_audit_shown(content jsonb) returns jsonb language sql immutable set search_path = pg_catalog, pg_temp as $$
	select content
		|| case when content ? 'url' then jsonb_build_object('url', gateway.webhook_url_shown(content ->> 'url')) else '{}' end
		|| case when content #> '{before,url}' is not null then jsonb_build_object('before', (content -> 'before') || jsonb_build_object('url', gateway.webhook_url_shown(content #>> '{before,url}'))) else '{}' end
		|| case when content #> '{after,url}' is not null then jsonb_build_object('after', (content -> 'after') || jsonb_build_object('url', gateway.webhook_url_shown(content #>> '{after,url}'))) else '{}' end
$$;
comment on function gateway.webhook_audit_shown is 'The content of an audit line about a webhook: lines of versions before have whole addresses.';
