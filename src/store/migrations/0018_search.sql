-- What is searched in: the beginning of the prompt, as core/search-text.ts spells it. Of tasks
-- stored before there was such a column, what their preview holds.
alter table tasks add column search_text text not null default '';
update tasks set search_text = lower(prompt_preview);

-- The workflow of the run that called, which outlives the run.
alter table ledger add column workflow_id bigint;
update ledger set workflow_id = (select r.workflow_id from runs r where r.id = ledger.run_id)
  where run_id is not null;

create index ledger_by_task on ledger (task_id) where task_id is not null;
create index ledger_by_account on ledger (account_id, settled_at, attempt)
  where settled_at is not null;
