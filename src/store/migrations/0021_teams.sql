-- Teams: what each person of an account may do, how they come in, and how they prove who they are.

-- Everybody so far owns their account. The default is the least role, so that a person who is
-- stored without one cannot do more than they should.
alter table users add column role text not null default 'viewer';
update users set role = 'owner';
alter table users add column disabled_at bigint;
-- A removed person stays as a row, because versions and keys name them. Their e-mail moves, so
-- that it can be invited again.
alter table users add column removed_at bigint;
alter table users add column former_email text;
alter table users add column last_seen_at bigint;

alter table sessions add column ip_address text;
alter table sessions add column user_agent text;

-- Only open invitations: a used or withdrawn one is deleted.
create table invitations (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  email text not null,
  role text not null,
  token_hash text not null unique,
  invited_by uuid not null references users (id),
  created_at bigint not null,
  expires_at bigint not null,
  unique (account_id, email)
);

-- Only unused links to set a new password.
create table recovery_links (
  token_hash text primary key,
  user_id uuid not null references users (id),
  -- 1 if using the link also turns two-step sign-in off.
  resets_two_step integer not null,
  expires_at bigint not null
);
create index recovery_links_by_user on recovery_links (user_id);

-- Two-step sign-in is on once it is confirmed. `last_step` is the newest time step whose code was
-- accepted: that code and older ones are not accepted again.
create table second_factors (
  user_id uuid primary key references users (id),
  secret bytea not null,
  created_at bigint not null,
  confirmed_at bigint,
  last_step bigint not null
);

-- Only unused codes.
create table recovery_codes (
  user_id uuid not null references users (id),
  code_hash text not null,
  primary key (user_id, code_hash)
);
