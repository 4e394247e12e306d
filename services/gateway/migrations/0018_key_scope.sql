-- Keys of back ends with a name, an end and limits. A key that is already there has neither end nor limit.
alter table gateway.operator_key
	add column expires timestamptz,
	add column read_only boolean not null default false,
	add column amounts text check (amounts ~ '^[A-Z]{3,7}:[0-9]{1,16}(,[A-Z]{3,7}:[0-9]{1,16})*$'),
	add column pools text check (pools ~ '^[0-9]{1,5}(,[0-9]{1,5})*$'),
	add column created_by text not null default '';
comment on column gateway.operator_key.note is 'The key''s name, for people.';
comment on column gateway.operator_key.expires is 'From then on the key is refused; null: it has no end.';
comment on column gateway.operator_key.read_only is 'The key may only read.';
comment on column gateway.operator_key.amounts is 'The largest amount of a request in minor units by currency, EUR:50000,SEK:600000; a currency that is not named: nothing. Null: any amount.';
comment on column gateway.operator_key.pools is 'The pools and sets that the key may read in detail and act on, 1,4. Null: all.';
comment on column gateway.operator_key.created_by is 'Who made the key; empty: nobody knows.';
