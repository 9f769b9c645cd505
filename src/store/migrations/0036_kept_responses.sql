-- Answers of the Responses API with what was asked, sealed (secret-box.ts), until they expire. Each
-- names the one that it continues.
create table kept_responses (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  previous_id uuid,
  content bytea not null,
  size_bytes bigint not null,
  created_at bigint not null,
  expires_at bigint not null
);
create index kept_responses_by_account on kept_responses (account_id, created_at, size_bytes);
create index kept_responses_by_expiry on kept_responses (expires_at);
