-- A workflow belongs to one account, so that its number alone leads to its runs: shorter entries,
-- and no two indexes that begin alike, between which a database without statistics may choose
-- the wrong one.
drop index runs_by_key;
drop index runs_by_workflow;
create unique index runs_by_key on runs (workflow_id, idempotency_key);
create unique index runs_by_workflow on runs (workflow_id, seq);

-- Inputs, outputs and results of calls that are too long for a row; their rows hold a reference.
create table payloads (
  id uuid primary key,
  account_id uuid not null,
  blob text not null references media_blobs (name),
  created_at bigint not null
);
create index payloads_by_age on payloads (created_at);
create index payloads_by_blob on payloads (blob);

-- Repeated runs may need a graph long after it was replaced.
create index runs_repeated on runs (workflow_id, data_version) where retry_of is not null;
