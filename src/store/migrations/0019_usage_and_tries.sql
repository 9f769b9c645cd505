-- What the ledger adds up to, by quarter of an hour: the clocks of every time zone differ from UTC
-- by whole quarters, so that days of any zone are sums of these. Kept with the ledger in the same
-- transaction; every settled attempt is in here once. key_id '' is none, and so is workflow_id 0.
create table usage_quarters (
  account_id uuid not null,
  at bigint not null,
  model text not null,
  key_id text not null,
  workflow_id bigint not null,
  calls bigint not null,
  failed bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  images bigint not null,
  video_ms bigint not null,
  cost_micros bigint not null,
  primary key (account_id, at, model, key_id, workflow_id)
) without oids;

insert into usage_quarters
select account_id, at, model, key_id, workflow_id, count(*), sum(failed),
  sum(cast(round(case when input_tokens > 1e12 then 1e12 else input_tokens end) as bigint)),
  sum(cast(round(case when output_tokens > 1e12 then 1e12 else output_tokens end) as bigint)),
  sum(cast(round(case when images > 1e12 then 1e12 else images end) as bigint)),
  sum(cast(round(case when video_ms > 1e12 then 1e12 else video_ms end) as bigint)),
  sum(cost_micros)
from (
  select account_id, settled_at - settled_at % 900000 as at, model,
    coalesce(cast(key_id as text), '') as key_id, coalesce(workflow_id, 0) as workflow_id,
    case when outcome = 'SUCCEEDED' then 0 else 1 end as failed,
    coalesce(cast(units::json ->> 'inputTokens' as double precision), 0) as input_tokens,
    coalesce(cast(units::json ->> 'outputTokens' as double precision), 0) as output_tokens,
    coalesce(cast(units::json ->> 'images' as double precision), 0) as images,
    coalesce(cast(units::json ->> 'videoSeconds' as double precision), 0) * 1000 as video_ms,
    coalesce(cost_micros, 0) as cost_micros
  from ledger where settled_at is not null
) as settled
group by account_id, at, model, key_id, workflow_id;

-- Every attempt at a delivery, with the beginning of what was answered.
create table delivery_tries (
  delivery_id uuid not null,
  number integer not null,
  at bigint not null,
  duration_ms bigint not null,
  status_code integer,
  error text,
  body text,
  primary key (delivery_id, number)
) without oids;
