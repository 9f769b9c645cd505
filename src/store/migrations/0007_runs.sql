-- One row per run of a workflow; it is its own queue entry. The graph is pinned by workflow_id
-- and data_version, the workflows it calls by `called`.
create table runs (
  id uuid primary key,
  account_id uuid not null,
  workflow_id bigint not null,
  seq bigint not null,
  -- Whose limits its calls count against.
  spender text not null,
  workflow_name text not null,
  workflow_version integer not null,
  data_version integer not null,
  called text,
  node_count integer not null,
  status text not null,
  inputs text not null,
  metadata text not null,
  callback_url text,
  max_cost_micros bigint,
  idempotency_key text not null,
  fingerprint text not null,
  retry_of uuid,
  created_at bigint not null,
  started_at bigint,
  completed_at bigint,
  outputs text,
  node_errors text,
  -- States of the nodes, in the order of the graph.
  nodes text,
  completed_nodes integer not null,
  skipped_nodes integer not null,
  failed_nodes integer not null,
  cost_micros bigint not null,
  cancel_requested_at bigint,
  cancel_reason text,
  -- 1 while a call submitted before the end may still finish and be billed.
  in_flight integer not null,
  owner text,
  epoch bigint not null,
  run_at bigint not null,
  deadline_at bigint not null
);
create unique index runs_by_key on runs (account_id, workflow_id, idempotency_key);
create unique index runs_by_workflow on runs (account_id, workflow_id, seq);
create index runs_claimable on runs (account_id, run_at) where owner is null and completed_at is null;
create index runs_owned on runs (owner, account_id) where owner is not null;
create index runs_to_cancel on runs (owner) where status = 'CANCEL_REQUESTED';
create index runs_in_flight on runs (completed_at) where in_flight = 1;

-- Calls a run made outside: written before the call (STARTED) and after it.
create table steps (
  run_id uuid not null,
  path text not null,
  kind text not null,
  status text not null,
  attempts integer not null,
  started_at bigint not null,
  ended_at bigint,
  task_id uuid,
  result text,
  error text,
  cost_micros bigint,
  primary key (run_id, path)
);

create index tasks_by_run on tasks (run_id) where run_id is not null;
create index ledger_by_run on ledger (run_id) where run_id is not null;
