-- On SQLite, calls of runs as they were recorded, those of one moment in a row; a moment later
-- they are in `steps`.
create table step_log (
  id integer primary key,
  entries text not null
);
