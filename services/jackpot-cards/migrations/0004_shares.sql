-- The history of the levels' shares: what each level had from its launch and from each of its wins. With it what a set has contributed follows from T
-- alone, whatever its operators changed. Sets whose shares were changed before begin their history here.
alter table cards.hit add column next_share_nano bigint check (next_share_nano between 0 and 1000000000);
comment on column cards.hit.next_share_nano is 'The level''s part of every wager from this hit on; null: a hit of before the history of its set.';
alter table cards.level add column launch_share_nano bigint check (launch_share_nano between 0 and 1000000000);
comment on column cards.level.launch_share_nano is 'The level''s part of every wager where the history of its set begins; later ones: cards.hit.next_share_nano.';
alter table cards.card_set add column shares_t_e18 numeric(39,0) not null default 0;
alter table cards.card_set add column shares_e27 numeric(39,0) not null default 0;
alter table cards.card_set add column shares_since timestamptz;
comment on column cards.card_set.shares_t_e18 is 'T where the history of the levels'' shares begins; shares_e27: contributions up to there; shares_since: when that was. 0, 0, null: it is whole. contributions = shares_e27 + sum over the levels'' shares of what T grew by while each held.';

-- A minute from now, for a proof lets clocks differ by so much: no close of before is held against this history.
update cards.card_set s set shares_t_e18 = t_e18, shares_e27 = contributions_e27, shares_since = now() + interval '1 minute'
	where contributions_e27 <> t_e18 * (select sum(l.share_nano) from cards.level l where l.pool = s.pool);
update cards.level set launch_share_nano = share_nano;
update cards.hit h set next_share_nano = l.share_nano from cards.level l, cards.card_set s
	where l.pool = h.pool and l.level = h.level and s.pool = h.pool and s.shares_since is null;
