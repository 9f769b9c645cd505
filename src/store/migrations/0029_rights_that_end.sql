-- Nothing that a person made outlives their right to make it.

-- The owner who made a recovery link; null if it was made on the server's machine. Links of which
-- that is not known live for an hour at most, so they end here.
alter table recovery_links add column made_by uuid;
delete from recovery_links where resets_two_step = 0;

delete from invitations where invited_by in (
  select id from users where role <> 'owner' or removed_at is not null or disabled_at is not null);

-- Access tokens that were made until then are refused: the password was changed, or the person was
-- disabled.
alter table users add column tokens_after bigint not null default 0;
