-- So that the sleepers of one account that are due are found at once, however many others are.
drop index runs_asleep_by_account;
create index runs_asleep_by_account on runs (account_id, wake_at) where wake_at is not null;
