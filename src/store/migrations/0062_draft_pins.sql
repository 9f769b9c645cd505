-- The results that runs from a draft use in place of its nodes: run by id of the node, as JSON.
alter table drafts add column pins text;
