-- What is special about how an attempt was settled. LOST: by someone else, at what was held back,
-- because its own process seemed dead; that process may still put it right. CLAMPED: the provider
-- reported more than the call can have used.
alter table ledger add column remark text;
