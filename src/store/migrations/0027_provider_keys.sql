-- Keys of providers that an account stores as credentials. `provider` is whose key it is. A task
-- names the credential that its job was submitted with, because only that one can ask for the result.
-- The ledger has the credential's name, which stays readable after it is gone; null: the server's key.
alter table credentials add column provider text;
alter table tasks add column credential_id uuid;
alter table ledger add column credential text;
