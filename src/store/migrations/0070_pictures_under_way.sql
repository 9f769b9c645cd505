-- The key under which the answer may be reused, of tasks that runs order: whoever wants the same
-- picture while it is being made waits for it instead of ordering another.
alter table tasks add column reuse_key text;
create index tasks_under_way on tasks (account_id, reuse_key)
  where reuse_key is not null and completed_at is null;
