-- One row per event to be delivered to a callback address; it is its own queue entry, like a task.
-- retry_at is set while a delivery waits; null: it may be claimed now (or has ended).
create table deliveries (
  id uuid primary key,
  account_id uuid not null,
  seq bigint not null,
  webhook_id text not null,
  run_id uuid not null,
  url text not null,
  -- Account and host: claims take turns between lanes, so that one receiver delays no other.
  lane text not null,
  type text not null,
  payload text not null,
  status text not null,
  attempts integer not null,
  last_status_code integer,
  last_error text,
  retry_at bigint,
  owner text,
  epoch bigint not null,
  created_at bigint not null,
  completed_at bigint
);
create unique index deliveries_by_account on deliveries (account_id, seq);
create index deliveries_by_run on deliveries (run_id, seq);
create index deliveries_claimable on deliveries (lane, seq)
  where owner is null and completed_at is null and retry_at is null;
create index deliveries_waiting on deliveries (retry_at) where retry_at is not null;
create index deliveries_by_owner on deliveries (owner) where owner is not null;
create index deliveries_by_age on deliveries (created_at);
