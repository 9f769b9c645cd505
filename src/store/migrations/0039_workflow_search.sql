-- The name as core/search-text.ts spells it, to sort by. `search_text` is everything a workflow is
-- found by; null until somebody searches after a save, so that a save does not pay for it.
alter table workflows add column sort_name text not null default '';
alter table workflows add column search_text text;
update workflows set sort_name = lower(name);

create index workflows_by_change on workflows (account_id, updated_at, id);
create index workflows_by_name on workflows (account_id, sort_name, id);
create index workflows_unread on workflows (account_id, id) where search_text is null;

create table workflow_tags (
  account_id uuid not null,
  tag text not null,
  workflow_id bigint not null,
  primary key (account_id, tag, workflow_id)
) without oids;
create index workflow_tags_by_workflow on workflow_tags (workflow_id);
