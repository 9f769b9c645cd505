-- Of the cost: what was billed to provider keys of the account, and not to those of the server.
alter table usage_quarters add column own_keys_micros bigint not null default 0;
