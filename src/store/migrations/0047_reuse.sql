-- Of a finished call: the key under which its answer may be reused, or, as JSON, the call of another
-- run whose answer it is.
alter table steps add column reuse text;

-- The keys of finished calls, for accounts that reuse answers. Filled from `steps` when somebody
-- looks for a key: an index on the steps themselves would cost every run of everybody.
create table reusable_calls (
  account_id uuid not null,
  key text not null,
  started_at bigint not null,
  run_id uuid not null,
  path text not null,
  primary key (account_id, key, started_at, run_id, path)
) without oids;

-- How far that has come: all runs up to this one, except those that were unfinished.
create table reuse_marks (
  account_id uuid primary key,
  upto uuid not null,
  unfinished text not null
);

-- What the calls that a run reused had cost.
alter table runs add column saved_micros bigint;
create index runs_with_savings on runs (account_id, completed_at) where saved_micros > 0;
