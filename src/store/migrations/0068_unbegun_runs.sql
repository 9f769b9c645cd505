-- Runs that have not begun are counted at each submission, however many that have begun wait for a
-- worker again beside them.
drop index runs_claimable;
create index runs_claimable on runs (account_id, run_at)
  where owner is null and completed_at is null and wake_at is null;
create index runs_unbegun on runs (account_id)
  where owner is null and completed_at is null and wake_at is null and started_at is null;
