-- One row per attempt at a provider, written before the call and settled after it.
create table ledger (
  attempt text primary key,
  account_id uuid not null,
  key_id uuid,
  task_id uuid,
  run_id uuid,
  node_id text,
  operation text not null,
  provider text not null,
  model text not null,
  units text,
  unit_price text,
  reserved_micros bigint not null,
  cost_micros bigint,
  outcome text not null,
  created_at bigint not null,
  settled_at bigint
);
create index ledger_pending on ledger (account_id) where outcome = 'PENDING';

-- What was spent, by day: kept with the ledger in the same transaction.
create table spend_days (
  account_id uuid not null,
  day text not null,
  model text not null,
  key_id text not null,
  calls bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  images bigint not null,
  video_seconds double precision not null,
  cost_micros bigint not null,
  primary key (account_id, day, model, key_id)
);
