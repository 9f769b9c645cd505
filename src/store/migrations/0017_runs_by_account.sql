-- All runs of an account, newest first: the identifier of a run leads with the time it was
-- accepted, so its order is theirs.
create index runs_by_account on runs (account_id, id);

-- What a run was expected to cost, kept when somebody first looks at it. Gone with the run.
create table run_estimates (
  run_id uuid primary key,
  estimated_micros bigint not null,
  estimate text not null
);
