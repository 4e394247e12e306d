-- An approved action on a pool is carried out whichever gateway dies: one that is alive sends it again until the service has recorded it.
alter table gateway.pool_request add column told timestamptz;
create index pool_request_approved on gateway.pool_request (approved) where status = 'approved';
comment on table gateway.pool_request is 'Adjustments, retirements and removals of rows. waiting, refused: nothing has been done; approved: sent to the service until it has recorded it in its operator_action, for at most a day; the service does it once by its id.';
comment on column gateway.pool_request.told is 'When a gateway sent it again last. Null: at its approval alone.';
