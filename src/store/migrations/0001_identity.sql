-- Who may use the server: accounts, people, their sessions and credentials.
-- Tokens and keys are kept as hashes; what must be read back is encrypted (secret-box.ts).

-- Facts that hold for the whole installation and are decided once.
create table server_facts (
  name text primary key,
  value text not null
);

create table accounts (
  id uuid primary key,
  name text not null,
  created_at bigint not null,
  disabled_at bigint,
  spend_limit_micros bigint,
  limits text not null default '{}'
);

-- An e-mail is stored in lower case. A user without password and OIDC identity cannot sign in yet.
create table users (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  email text unique,
  password_hash text,
  oidc_issuer text,
  oidc_subject text,
  created_at bigint not null,
  unique (oidc_issuer, oidc_subject)
);
create index users_by_account on users (account_id);

create table sessions (
  token_hash text primary key,
  user_id uuid not null references users (id),
  created_at bigint not null,
  last_seen_at bigint not null
);
create index sessions_by_user on sessions (user_id);
create index sessions_by_last_seen on sessions (last_seen_at);

create table setup_links (
  token_hash text primary key,
  user_id uuid not null references users (id),
  expires_at bigint not null,
  used_at bigint
);

create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  user_id uuid references users (id),
  name text not null,
  key_hash text not null unique,
  display text not null,
  scopes text not null,
  limits text not null,
  created_at bigint not null,
  expires_at bigint,
  last_used_at bigint,
  revoked_at bigint
);
create index api_keys_by_account on api_keys (account_id, created_at, id);

-- `sequence` makes the next key a name that only one of several processes can take.
create table signing_keys (
  sequence integer primary key,
  kid text not null unique,
  public_jwk text not null,
  private_jwk bytea not null,
  created_at bigint not null,
  active_from bigint not null
);

create table webhook_secrets (
  account_id uuid primary key references accounts (id),
  secret bytea not null,
  previous_secret bytea,
  previous_until bigint,
  rotated_at bigint not null
);

-- Accounts made for an external issuer's tokens: `subject` is the value of its account claim.
create table external_identities (
  issuer text not null,
  subject text not null,
  account_id uuid not null references accounts (id),
  created_at bigint not null,
  primary key (issuer, subject)
);
