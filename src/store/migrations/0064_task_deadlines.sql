-- The deadline of the run that ordered a task, in place of the task's own time limits.
alter table tasks add column must_end_by bigint;
