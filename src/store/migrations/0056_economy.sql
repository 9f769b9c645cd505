-- A run that lets vendors answer later for less must have ended by then, whatever the time limits.
alter table runs add column must_end_by bigint;

-- Text calls of such runs: those that wait for a vendor's batch or are in one, and why the others
-- went at the normal price. `id` is the attempt in the ledger of those that were queued. The request
-- is the value of the wait.
create table economy_calls (
  id text primary key,
  account_id uuid not null,
  run_id uuid not null,
  path text not null,
  wait_id uuid,
  provider text not null,
  credential_id uuid,
  pool text not null,
  model text not null,
  price text,
  most text,
  bytes bigint not null,
  status text not null,
  reason text,
  batch_id uuid,
  created_at bigint not null,
  ready_at bigint not null,
  send_by bigint not null
);
create index economy_calls_queued on economy_calls (account_id, pool, created_at)
  where status = 'QUEUED';
create index economy_calls_ready on economy_calls (ready_at) where status = 'QUEUED';
create index economy_calls_dropped on economy_calls (id) where status = 'DROPPED';
create index economy_calls_by_run on economy_calls (run_id);
create index economy_calls_by_batch on economy_calls (batch_id) where batch_id is not null;

-- Batches at vendors. Stored before they are submitted: what becomes of one whose submission nobody
-- heard the answer to is looked up at the vendor. `owner`: the worker that is about to ask for it.
create table vendor_batches (
  id uuid primary key,
  account_id uuid not null,
  provider text not null,
  credential_id uuid,
  pool text not null,
  calls bigint not null,
  status text not null,
  ref text,
  owner text,
  next_at bigint not null,
  created_at bigint not null,
  late_at bigint not null,
  ended_at bigint
);
create index vendor_batches_due on vendor_batches (next_at) where ended_at is null;

-- A wait for a batch is answered by nobody.
drop index waits_open;
create index waits_open on waits (account_id, id)
  where status = 'OPEN' and kind <> 'DELAY' and kind <> 'BATCH';
