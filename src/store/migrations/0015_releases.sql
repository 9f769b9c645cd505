-- How often a worker gave the work back because it could not go on with it: after a few times it
-- is ended instead of being tried for ever.
alter table runs add column releases integer not null default 0;
alter table tasks add column releases integer not null default 0;
