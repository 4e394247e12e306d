-- A text that begins with a line feed may show a formula in its second line, so it is guarded as one that begins with a carriage return.

create or replace function gateway.csv(list json) returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
	with cells as (
		select r.n as row, c.n as place, c.key, c.value #>> '{}' as text, json_typeof(c.value) = 'string' as is_text
		from json_array_elements(list) with ordinality r (object, n), json_each(r.object) with ordinality c (key, value, n))
	select coalesce((select string_agg(key, ',' order by place) || E'\r\n' from cells where row = 1), '') || coalesce(string_agg(line, '' order by row), '') from (
		select row, string_agg(case when text is null then '' when is_text then '"' || replace(case when text ~ '^[=+@\t\r\n]|^-(?![0-9]+(\.[0-9]+)?$)' then '''' || text else text end,
			'"', '""') || '"'
			else text end, ',' order by place) || E'\r\n' as line from cells group by row) l
$$;
comment on function gateway.csv is 'A list of objects as CSV (RFC 4180) with a head. A text that begins like a formula gets an apostrophe before it, because a spreadsheet would calculate it; a negative number is none.';
