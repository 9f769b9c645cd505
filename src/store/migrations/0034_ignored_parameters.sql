-- The names of parameters that the caller gave and no model got, as a JSON array.
alter table tasks add column ignored text;
