create table tasks (
  id uuid primary key,
  account_id uuid not null,
  seq bigint not null,
  key_id uuid,
  kind text not null,
  status text not null,
  model text not null,
  prompt_preview text not null,
  request text not null,
  source text not null,
  run_id uuid,
  node_id text,
  created_at bigint not null,
  started_at bigint,
  completed_at bigint,
  media text,
  error text,
  cost_micros bigint,
  reserved_micros bigint not null,
  -- Where the work stands: READY, SUBMITTING (the call may have left), SUBMITTED (job_ref known).
  stage text not null,
  served_by text,
  job_ref text,
  attempts integer not null,
  submitted_at bigint,
  owner text,
  epoch bigint not null,
  run_at bigint not null,
  deadline_at bigint not null
);
create unique index tasks_by_account on tasks (account_id, seq);
create index tasks_claimable on tasks (account_id, run_at) where owner is null and completed_at is null;
create index tasks_active on tasks (account_id) where owner is not null;
create index tasks_by_owner on tasks (owner) where owner is not null;
create index tasks_open_by_deadline on tasks (deadline_at) where completed_at is null;
create index tasks_by_age on tasks (created_at);
