-- What starts runs by itself. `next_at` is the first occurrence that nobody has decided about, and
-- `due_at` when it fires; both are null if the trigger has none, and `due_at` also while it is off.
-- A deleted trigger stays for a while, so that its address can say that it is gone.
create table triggers (
  id uuid primary key,
  account_id uuid not null,
  workflow_id bigint not null,
  name text not null,
  kind text not null,
  enabled integer not null,
  version text not null,
  settings text not null,
  token_hash text,
  next_at bigint,
  due_at bigint,
  failures integer not null default 0,
  paused_at bigint,
  paused_reason text,
  maker_user uuid,
  maker_key uuid,
  revision bigint not null default 1,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint
);
create index triggers_by_workflow on triggers (account_id, workflow_id, id) where deleted_at is null;
create index triggers_due on triggers (due_at) where due_at is not null;
create unique index triggers_by_token on triggers (token_hash) where token_hash is not null;
create index triggers_deleted on triggers (deleted_at) where deleted_at is not null;

-- One row per occurrence of a trigger, whether or not it became a run. `run_key` is the
-- Idempotency-Key of that run, which nobody else knows.
create table firings (
  id uuid primary key,
  account_id uuid not null,
  trigger_id uuid not null,
  workflow_id bigint not null,
  occurrence text not null,
  scheduled_at bigint not null,
  created_at bigint not null,
  status text not null,
  reason text,
  message text,
  missed bigint not null default 1,
  run_key text not null,
  run_id uuid,
  inputs text,
  tries integer not null default 0,
  try_at bigint,
  unique (trigger_id, occurrence)
);
create index firings_by_trigger on firings (account_id, trigger_id, id);
create index firings_to_start on firings (try_at) where status = 'PENDING';
create index firings_queued on firings (trigger_id, id) where status = 'QUEUED';
create index firings_open on firings (trigger_id, id) where status in ('PENDING', 'STARTED');
create index firings_by_age on firings (created_at);
