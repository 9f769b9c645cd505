-- When the row was written, by the database's clock: created_at is by the clock of the process that
-- made the attempt, and another process must not take a live chat for a dead one because of it.
alter table ledger add column stored_at bigint;
