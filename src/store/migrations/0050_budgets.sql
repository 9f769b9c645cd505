-- What an account has decided about spending: its budgets, raises and default tags. JSON, or null.
alter table accounts add column spending text;
-- Where events go that belong to no run of one caller.
alter table accounts add column webhook_url text;

-- What a call is counted under besides account, key and workflow.
alter table tasks add column tag text;
alter table ledger add column tag text;
-- The process that made the attempt. Its lease is also the lease of the reservation.
alter table ledger add column holder text;
-- `serve`: a process that makes calls but claims no work.
alter table workers add column role text not null default 'work';

-- What was spent on a tag or a workflow, by day since 1970 (UTC): budgets are checked against it.
-- Kept with the ledger in the same transaction.
create table scope_days (
  account_id uuid not null,
  scope text not null,
  target text not null,
  day bigint not null,
  cost_micros bigint not null,
  primary key (account_id, scope, target, day)
) without oids;

insert into scope_days
select account_id, 'workflow', cast(workflow_id as text), at / 86400000, sum(cost_micros)
from usage_quarters where workflow_id <> 0
group by account_id, workflow_id, at / 86400000;

-- As usage_quarters, for calls with a tag.
create table tagged_quarters (
  account_id uuid not null,
  at bigint not null,
  tag text not null,
  model text not null,
  key_id text not null,
  workflow_id bigint not null,
  calls bigint not null,
  failed bigint not null,
  input_tokens bigint not null,
  cached_input_tokens bigint not null,
  cache_write_tokens bigint not null,
  output_tokens bigint not null,
  reasoning_tokens bigint not null,
  images bigint not null,
  video_ms bigint not null,
  cost_micros bigint not null,
  own_keys_micros bigint not null,
  primary key (account_id, at, tag, model, key_id, workflow_id)
) without oids;

-- Thresholds that were passed, each once per period. `period_start` is its first day.
create table budget_alerts (
  account_id uuid not null,
  budget text not null,
  period_start text not null,
  percent integer not null,
  limit_micros bigint not null,
  spent_micros bigint not null,
  at bigint not null,
  primary key (account_id, budget, period_start, percent)
) without oids;
