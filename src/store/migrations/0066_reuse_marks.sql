-- How far copying keys of calls has come: every run up to `upto` had been looked at by `looked_at`,
-- and those in `awake` were being executed then. Accounts without a mark are copied as a whole.
drop table reuse_marks;
create table reuse_marks (
  account_id uuid primary key,
  upto uuid not null,
  awake text not null,
  looked_at bigint not null
);

-- When a run that slept, or had to wait for its beginning, last fell asleep or ended. It may have been
-- executed since the last look although it is older than that; most runs are in no such row.
create index runs_rested on runs (account_id, (coalesce(completed_at, slept_at)))
  where slept_at is not null or started_at - created_at > 30000;
