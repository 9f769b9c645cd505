-- How a call came to its provider, as JSON: the server's key by name, the route, which attempt of
-- the call it is. One column, because most calls have none of it. A task names the key that its job
-- was submitted with, because only that one can ask for the result.
alter table ledger add column via text;
alter table tasks add column deployment text;
