-- One tree instead of two on SQLite: a step is only ever looked for by its key.
create table steps_by_key (
  run_id uuid not null,
  path text not null,
  kind text not null,
  status text not null,
  attempts integer not null,
  started_at bigint not null,
  ended_at bigint,
  task_id uuid,
  result text,
  error text,
  cost_micros bigint,
  primary key (run_id, path)
) without oids;
insert into steps_by_key select * from steps;
drop table steps;
alter table steps_by_key rename to steps;
