-- Who is asked to approve a void that names a jackpot may refuse it, too. What is refused is never carried out; approved_by names who refused it.
alter table gateway.void_request drop constraint void_request_status_check, add constraint void_request_status_check check (status in ('waiting', 'approved', 'refused'));
comment on column gateway.void_request.approved_by is 'Who decided: approved or refused it.';
