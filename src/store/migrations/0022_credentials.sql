-- Secrets that workflows refer to by name, encrypted (secret-box.ts). What is readable here is what
-- may be shown: how the secret is sent, where it may be sent, and its last characters.
create table credentials (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  name text not null,
  kind text not null,
  hosts text not null,
  last_chars text,
  secret bytea not null,
  created_at bigint not null,
  updated_at bigint not null,
  last_used_at bigint,
  unique (account_id, name)
);
