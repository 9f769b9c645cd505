-- Why a task that nobody works on was put off, as JSON (core/delayed-call.ts).
alter table tasks add column delayed text;
