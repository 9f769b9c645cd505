-- How often in a row a worker died soon after it had taken this run over: after a few times the run
-- is ended, because it may be the cause.
alter table runs add column deaths integer not null default 0;
