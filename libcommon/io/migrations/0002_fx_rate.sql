-- Rates are set over the API now: where a rate came from, and the index by which services see what becomes valid next.
alter table carillon.fx_rate add column request bytea;
alter table carillon.fx_rate add column recorded timestamptz not null default now();
comment on column carillon.fx_rate.valid_from is 'The rate holds from then on, until a later one of its currency; it may lie ahead. Its age counts from here (CARILLON_FX_MAX_AGE_S).';
comment on column carillon.fx_rate.request is 'gateway.fx_request.id: who set it, and who approved it; null: laid by a migration or by hand.';
comment on column carillon.fx_rate.recorded is 'When it was written here.';
create index fx_rate_valid_from on carillon.fx_rate (valid_from);
