-- Workflows as their owners see them. `version` counts every save; `data_version` is the save
-- that brought the graph now in use, so that a change of name copies no graph.
create table workflows (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  name text not null,
  canvas_scale double precision,
  version integer not null,
  data_version integer not null,
  node_count integer not null,
  connection_count integer not null,
  data_chars integer not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index workflows_by_account on workflows (account_id, created_at, id);

-- Graphs as they were sent, never changed. One that is no longer in use, by a later graph or by
-- the end of its workflow, stays for the runs that pinned it.
create table workflow_versions (
  workflow_id bigint not null,
  version integer not null,
  data text not null,
  created_at bigint not null,
  superseded_at bigint,
  primary key (workflow_id, version)
);
create index workflow_versions_superseded on workflow_versions (superseded_at)
  where superseded_at is not null;
