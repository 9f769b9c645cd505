-- What waiting tasks hold of a spend limit is added up whenever a call asks for room under it.
create index tasks_ready_by_account on tasks (account_id)
  where stage = 'READY' and completed_at is null;
