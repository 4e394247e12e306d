-- Passes on what it reads; writes nothing but that it runs.
grant usage on schema wallet, pool, cards, gateway to carillon_notifications;
grant select on wallet.account, wallet.batch, wallet.claim, pool.pool, pool.hit, cards.card_set, cards.hit, gateway.revoked to carillon_notifications;
