-- The inputs of each pool, in order: who applies them again has its state at any point in time (jackpotctl pool replay). Pools that exist already begin
-- with their state of now.
create table pool.event (
	pool integer not null,
	event bigint not null,
	kind text not null check (kind in ('begin', 'snapshot', 'totals', 'launch', 'hit', 'terms', 'adjust', 'remove', 'send', 'send_reserve', 'receive', 'state')),
	time timestamptz not null default now(),
	t_e18 numeric(39,0) not null,
	state text not null,
	hits bigint not null,
	jp_pool_e27 numeric(39,0) not null,
	jp_reserve_e27 numeric(39,0) not null,
	jp_seed_e27 numeric(39,0) not null,
	house_seed_e27 numeric(39,0) not null,
	paid_e27 numeric(39,0) not null,
	received_e27 numeric(39,0) not null default 0,
	sent_e27 numeric(39,0) not null default 0,
	currency integer,
	coin_minor bigint,
	exponent integer,
	seed_minor bigint,
	row_rate_nano bigint,
	share_nano bigint,
	amount_e27 numeric(39,0),
	action bytea,
	rows jsonb,
	shards integer[],
	tallies integer[],
	totals bigint[],
	seqs bigint[],
	primary key (pool, event)
);
comment on table pool.event is 'Append-only: what happened to a pool, 1, 2, .. without a gap, written in the transaction that made it durable, with T and the books just after it. begin: from the state in rows, which is nothing for a new pool; snapshot: a state that no event explains, an alarm; totals: T grew; launch, terms: a row with terms, or terms that wait; hit: number hits of pool.hit; adjust: amount onto a row''s carry; remove, send: a row into the reserve, to another pool; send_reserve; receive: amount of another pool, into a row or (no currency) the reserve; state: the pool''s state.';
comment on column pool.event.t_e18 is 'T when it happened: contributions up to there come first. Each durable state has an event of its T.';
comment on column pool.event.action is 'The operator''s request (pool.operator_action.id) that was done just before; null where no operator asked.';
comment on column pool.event.rows is 'begin, snapshot: the pool''s rows, amounts as text.';
comment on column pool.event.shards is 'With tallies, totals and seqs, of one length: running totals that grew since the event before, as in pool.vector: total of tally, of the wallet''s shard, just after its journal row seq. T is what they contribute.';

create function pool.event_stays() returns trigger language plpgsql as $$
begin
	raise exception 'pool.event: found %, expected that rows are only added', lower(tg_op);
end
$$;
create trigger event_stays before update or delete or truncate on pool.event for each statement execute function pool.event_stays();

insert into pool.event (pool, event, kind, t_e18, state, hits, jp_pool_e27, jp_reserve_e27, jp_seed_e27, house_seed_e27, paid_e27, rows, shards, tallies, totals, seqs)
select p.pool, 1, 'begin', p.t_e18, p.state, p.hits, p.jp_pool_e27, p.jp_reserve_e27, p.jp_seed_e27, p.house_seed_e27, p.paid_e27,
	(select coalesce(jsonb_agg(jsonb_build_object('currency', r.currency, 'coin_minor', r.coin_minor, 'exponent', r.exponent, 'seed_minor', r.seed_minor,
		'row_rate_nano', r.row_rate_nano, 'share_nano', r.share_nano, 'w_e18', r.w_e18::text, 'r_e27', r.r_e27::text, 'hits', r.hits,
		'next', case when r.next_seed_minor is not null then jsonb_build_object('seed_minor', r.next_seed_minor, 'row_rate_nano', r.next_row_rate_nano,
			'share_nano', r.next_share_nano) end) order by r.currency, r.coin_minor), '[]') from pool.row r where r.pool = p.pool),
	v.shards, v.tallies, v.totals, v.seqs
from pool.pool p cross join lateral (select coalesce(array_agg(shard order by shard, tally), '{}') as shards, coalesce(array_agg(tally order by shard, tally), '{}') as tallies,
	coalesce(array_agg(total order by shard, tally), '{}') as totals, coalesce(array_agg(seq order by shard, tally), '{}') as seqs
	from pool.vector where pool = p.pool) v;
