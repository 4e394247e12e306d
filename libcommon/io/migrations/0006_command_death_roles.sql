-- Each service counts its own deaths; whoever archives releases commands.
alter table carillon.command_death enable row level security;
create policy command_death_seen on carillon.command_death for select using (true);
create policy command_death_own on carillon.command_death using (current_user = 'carillon_' || replace(service, '-', '_'));
create policy command_death_release on carillon.command_death for delete using (current_user = 'carillon_archiver');
