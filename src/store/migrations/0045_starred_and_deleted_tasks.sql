-- A deleted task stays as a row, because lists are numbered without gaps and its cost was paid; its
-- prompt and media are gone.
alter table tasks add column starred_at bigint;
alter table tasks add column deleted_at bigint;
create index tasks_starred on tasks (account_id, seq) where starred_at is not null;
create index tasks_deleted on tasks (account_id, seq) where deleted_at is not null;
