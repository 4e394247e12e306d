-- Which start of an instance its row tells of.
alter table carillon.instance add column boot bigint not null default 0;
comment on column carillon.instance.boot is 'Rises with each start of the instance. What goes over nanomsg is sealed for one boot by another: a parcel of a boot that is not listed is refused. 0: an instance of an older build, which seals nothing.';
