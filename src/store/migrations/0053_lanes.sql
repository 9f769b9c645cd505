-- The shared capacity of each provider key whose limits are set, as JSON (core/lane.ts).
create table lanes (
  key text primary key,
  state text not null,
  changed_at bigint not null
);
