grant usage on schema payments, wallet, gateway to carillon_payments;
grant insert, update on carillon.shard to carillon_payments;
grant select, insert, update (state, outcome, settled, asks, asked, reference, updated) on payments.payout to carillon_payments;
grant select, insert on payments.alarm to carillon_payments;
grant select on wallet.hold, gateway.decision to carillon_payments;
grant select, insert on payments.review to carillon_payments;
grant execute on function payments.may_ask, payments.may_review to carillon_payments;
