-- An Idempotency-Key is one request for the whole operator, and two instances may get it at the same moment, each for a player or pool of its own. The instance
-- that reserves the id decides; the other waits for the decision. So no transaction meets another's row of an id, which would end its process.
--
-- Unlogged: a reservation says nothing once its process has lost the connection, which a crash of Postgres cuts.
create unlogged table carillon.reserved_id (
	service text not null,
	id bytea not null,
	shard integer not null,
	epoch bigint not null,
	primary key (service, id)
);
comment on table carillon.reserved_id is 'Ids of requests that an instance is deciding: written before it looks for the id, deleted in the transaction of what it decided. Nobody else of the service decides about the id while the owner of the shard has this epoch. A row with an earlier epoch says nothing.';
alter table carillon.reserved_id enable row level security;
create policy reserved_id_seen on carillon.reserved_id for select using (true);
create policy reserved_id_own on carillon.reserved_id using (current_user = 'carillon_' || replace(service, '-', '_'));
