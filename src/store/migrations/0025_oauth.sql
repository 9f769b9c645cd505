-- Programs that people have connected to their account with OAuth. Codes and refresh tokens are
-- kept as hashes.

-- A program that registered itself. One whose client_id is a URL has no row: its description is
-- read from there. `connected_at` is null until a person has connected it for the first time.
create table oauth_clients (
  id text primary key,
  name text not null,
  redirect_uris text not null,
  created_at bigint not null,
  connected_at bigint
);
create index oauth_clients_by_use on oauth_clients (connected_at, created_at);

-- `grant_id` is set by the exchange: a second one ends that grant.
create table oauth_codes (
  code_hash text primary key,
  account_id uuid not null references accounts (id),
  user_id uuid not null references users (id) on delete cascade,
  client_id text not null,
  client_name text not null,
  redirect_uri text not null,
  scopes text not null,
  code_challenge text not null,
  expires_at bigint not null,
  grant_id uuid
);
create index oauth_codes_by_expiry on oauth_codes (expires_at);
create index oauth_codes_by_user on oauth_codes (user_id);

-- A refresh token has two halves. The first names the grant for as long as it lives, the second
-- changes with each use. A known first half with an old second half is a token used twice.
create table oauth_grants (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  user_id uuid not null references users (id) on delete cascade,
  client_id text not null,
  client_name text not null,
  redirect_uri text not null,
  scopes text not null,
  family_hash text not null unique,
  refresh_hash text not null,
  created_at bigint not null,
  last_used_at bigint not null,
  expires_at bigint not null
);
create index oauth_grants_by_user on oauth_grants (user_id, last_used_at);
create index oauth_grants_by_client on oauth_grants (client_id);
create index oauth_grants_by_expiry on oauth_grants (expires_at);
