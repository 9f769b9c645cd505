-- What somebody who builds a mapping listens for: the next request until `listen_until` is kept as
-- JSON in `sample`, and forgotten some time after that.
alter table triggers add column listen_until bigint;
alter table triggers add column sample text;
create index triggers_with_samples on triggers (listen_until) where listen_until is not null;
