-- Parts of the tokens that are billed at their own rates. Each call has all of its parts in the
-- units of its ledger row; calls made before this migration counted none of them.
alter table usage_quarters add column cached_input_tokens bigint not null default 0;
alter table usage_quarters add column cache_write_tokens bigint not null default 0;
alter table usage_quarters add column reasoning_tokens bigint not null default 0;
