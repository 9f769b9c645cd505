-- A run that only waits is released and sleeps until `wake_at`. Whatever wakes it raises `wakes`, so
-- that a worker that is just letting go of it notices. `slept_at` and `slept_epoch` say when, and
-- under which claim, it last fell asleep; `kept` holds values that it computed before.
alter table runs add column wake_at bigint;
alter table runs add column wakes bigint not null default 0;
alter table runs add column slept_at bigint;
alter table runs add column slept_epoch bigint not null default 0;
alter table runs add column kept text;

-- Sleepers are not claimable. `started_at` is there so that counting unbegun runs reads no rows.
drop index runs_claimable;
create index runs_claimable on runs (account_id, run_at, started_at)
  where owner is null and completed_at is null and wake_at is null;
create index runs_asleep on runs (wake_at) where wake_at is not null;
create index runs_asleep_by_account on runs (account_id) where wake_at is not null;

-- What runs wait for: a time, a person or a message. `value` and `answer` may be references to
-- payloads.
create table waits (
  id uuid primary key,
  account_id uuid not null,
  run_id uuid not null,
  path text not null,
  node_id text not null,
  kind text not null,
  title text not null,
  status text not null,
  created_at bigint not null,
  expires_at bigint not null,
  value text not null,
  value_digest text not null,
  details text not null,
  answer text,
  answered_by text,
  answered_at bigint,
  answered_from text,
  unique (run_id, path)
);
-- What somebody may answer; a delay ends by itself.
create index waits_open on waits (account_id, id) where status = 'OPEN' and kind <> 'DELAY';
