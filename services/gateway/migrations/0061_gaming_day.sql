-- A change of the gaming day that would leave the day before it without hours is told like the other refusals, and nothing is written.

create or replace function gateway.gaming_day_set(of_operator integer, of_zone text, hour integer, from_day date, of_actor text) returns text language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
	if not exists (select from pg_timezone_names z where z.name = of_zone) then
		return 'zone';
	end if;
	if from_day <= gateway.gaming_day_at(of_operator, now()) or exists (select from gateway.gaming_day d where d.operator = of_operator and d.valid_from > from_day) then
		return 'day';
	end if;
	if (from_day + make_interval(hours => hour)) at time zone of_zone < gateway.day_begins(of_operator, from_day - 1) + interval '1 hour' then
		return 'hours';
	end if;
	insert into gateway.gaming_day (operator, valid_from, zone, start_hour, actor) values (of_operator, from_day, of_zone, hour, of_actor)
	on conflict (operator, valid_from) do update set zone = excluded.zone, start_hour = excluded.start_hour, actor = excluded.actor, time = now();
	return 'set';
end $$;
comment on function gateway.gaming_day_set is 'Sets the gaming day from a day to come on. set; zone: unknown; day: it has begun, or a later change is set; hours: the day before would have no hour left.';
