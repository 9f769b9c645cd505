-- One row per living worker process: its lease covers everything it owns.
create table workers (
  id text primary key,
  lease_until bigint not null,
  started_at bigint not null
);

-- Numbers the rows of each list of an account without gaps, so that page n is a range of
-- numbers and the total is a subtraction. created_at never goes backwards along the numbers.
create table account_sequences (
  account_id uuid not null,
  list text not null,
  last_seq bigint not null,
  removed_seq bigint not null,
  last_created_at bigint not null,
  primary key (account_id, list)
);
