-- The journal as double entry. A row keeps what it did to its account in columns; here each is expanded to its legs, credit > 0, from the row itself.
create index claim_closed on wallet.claim (shard, closed_seq) where closed_seq is not null;

create view wallet.posting as
select j.shard, j.seq, null::bigint as close, j.time, j.player, j.kind, j.currency, l.account, l.amount
from wallet.journal j, lateral (values
	('PLAYER', case when j.kind between 2 and 7 then j.release - j.stake + j.win_balance when j.kind between 20 and 24 or j.kind in (28, 30, 31) then j.amount end),
	('PENDING', case when j.kind between 2 and 7 then j.win_pending - j.release - j.forfeit end),
	('HOUSE', case when j.kind between 2 and 6 then j.stake - j.win_balance - j.win_pending + j.forfeit
		when j.kind = 7 then j.stake - j.win_balance - j.win_pending + j.forfeit + j.amount when j.kind = 22 then -j.amount end),
	('CASH', case when j.kind in (20, 21) then -j.amount when j.kind = 29 then j.amount end),
	('WITHDRAWAL', case when j.kind between 28 and 30 then -j.amount end),
	('PROMO', case when j.kind in (23, 31) then -j.amount end),
	('VOID_RECEIVABLE', case when j.kind = 7 then -j.amount end),
	(case when j.kind = 24 then (select format('JACKPOT:%s', c.pool) from wallet.claim c where c.shard = j.shard and c.closed_seq = j.seq) end,
		case when j.kind = 24 then -j.amount end)) l(account, amount)
where j.refusal = 0 and l.amount <> 0
union all
select c.shard, r.seq, c.number, r.time, null, null, c.currency, l.account, l.amount
from wallet.close c join wallet.close_run r using (shard, number), lateral (values
	('HOUSE', -c.moved_minor), (format('JACKPOT:%s', c.pool), c.moved_minor)) l(account, amount)
where l.amount <> 0;
comment on view wallet.posting is 'One line a leg of an accepted row or of a close, credit > 0; the legs of each (shard, seq), and of each (shard, close), sum to zero. For a player, a shard or some rows: over all of the journal, wallet.total is quicker.';
comment on column wallet.posting.seq is 'The journal row; of a close, the last one that it closes.';
comment on column wallet.posting.close is 'Number of the close; null: a row''s.';
comment on column wallet.posting.account is 'PLAYER, PENDING: what the player may bet or withdraw, and what he may not yet. HOUSE: stakes less wins. CASH: the outside world. WITHDRAWAL: on its way there. PROMO: bonus funds. VOID_RECEIVABLE: owed by players. JACKPOT:<pool>.';

create view wallet.total as
select shard, currency, account, sum(amount) as amount, count(*) as legs from wallet.house_leg group by shard, currency, account;
comment on view wallet.total is 'What each account has come to, by shard and currency, from the legs of the batches. Each shard and currency sums to zero; JACKPOT:<pool> has a meaning over all shards only.';
