-- Each service has a role of its own, carillon_<service>, which owns nothing; what it may do is in its grants.sql. Here: of the tables that all services
-- share, each writes its own rows. The owner of the tables is not bound by this, and no service is the owner.
alter table carillon.shard enable row level security;
create policy shard_seen on carillon.shard for select using (true);
create policy shard_own on carillon.shard using (current_user = 'carillon_' || replace(service, '-', '_'));
alter table carillon.instance enable row level security;
create policy instance_seen on carillon.instance for select using (true);
create policy instance_own on carillon.instance using (current_user = 'carillon_' || replace(service, '-', '_'));
