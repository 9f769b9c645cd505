-- Where a person has signed in from. `is_first`: nothing was known before it, so that it is no news.
create table sign_in_places (
  user_id uuid not null,
  place text not null,
  is_first integer not null,
  first_at bigint not null,
  last_at bigint not null,
  ip_address text not null,
  user_agent text,
  primary key (user_id, place)
) without oids;

-- Which notices a person has read. The notices themselves follow from other tables.
create table notice_reads (
  user_id uuid not null,
  notice text not null,
  read_at bigint not null,
  primary key (user_id, notice)
) without oids;

create index triggers_paused on triggers (account_id, paused_at)
  where paused_at is not null and deleted_at is null;
create index deliveries_retrying on deliveries (account_id, retry_at) where retry_at is not null;
