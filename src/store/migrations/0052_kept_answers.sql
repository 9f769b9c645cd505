-- Answers to requests that named an Idempotency-Key, sealed (secret-box.ts), until they expire. A
-- row is inserted before the request is carried out; alive_until is null once that has ended.
create table kept_answers (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  key text not null,
  fingerprint text not null,
  alive_until bigint,
  content bytea,
  size_bytes bigint not null,
  expires_at bigint not null
);
create unique index kept_answers_by_key on kept_answers (account_id, key);
create index kept_answers_by_expiry on kept_answers (expires_at);
