-- Graphs being worked on: any JSON object, also one that could not be saved as a workflow. The
-- identifier is chosen by whoever edits, so it is unique within the account only.
create table drafts (
  account_id uuid not null,
  id uuid not null,
  -- The workflow it is a change of and the version it began with; a number, as either may be gone.
  workflow_id bigint,
  base_version integer,
  name text not null,
  canvas_scale double precision,
  data text not null,
  revision bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id)
);

-- Who saved a version, through which key, and what they say of it. Versions saved before this
-- have no author, and their counts are read from the graph.
alter table workflow_versions add column author_user uuid;
alter table workflow_versions add column author_key uuid;
alter table workflow_versions add column node_count integer;
alter table workflow_versions add column connection_count integer;
alter table workflow_versions add column note text;

-- The newest 50 versions of a workflow stay whatever their age: from now on superseded_at is set
-- when a version falls out of them, or with the end of its workflow.
update workflow_versions set superseded_at = null
where superseded_at is not null
  and workflow_id in (select id from workflows)
  and (select count(*) from workflow_versions n
    where n.workflow_id = workflow_versions.workflow_id and n.version > workflow_versions.version) < 50;
