-- The key under which the answer may be reused, of tasks that runs order: whoever wants the same
-- picture while it is being made, or before its own run knows that it was, does not order another.
alter table tasks add column reuse_key text;
create index tasks_with_key on tasks (account_id, reuse_key) where reuse_key is not null;
