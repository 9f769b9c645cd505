-- What was changed in an account, by whom and from where. Entries are only ever added, in the
-- transaction of the change, and deleted by age. Actors are named by identifier: a person or a key
-- may have another name by the time somebody reads it.
create table audit_entries (
  account_id uuid not null references accounts (id),
  -- Version 7: sorts by time.
  id uuid not null,
  at bigint not null,
  actor_user uuid,
  actor_key uuid,
  action text not null,
  target text,
  ip_address text,
  primary key (account_id, id)
);
create index audit_entries_by_time on audit_entries (at);
