-- What a call in a batch costs if nobody knows what became of it, and if its vendor reports no usage:
-- under a limit the most, otherwise nobody knows.
alter table economy_calls add column needed_micros bigint;
alter table economy_calls add column uncounted_micros bigint;
