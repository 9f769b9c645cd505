-- Failed tries to sign in as a person since they last signed in, and where the last one came from.
alter table users add column failed_sign_ins integer not null default 0;
alter table users add column failed_sign_in_at bigint;
alter table users add column failed_sign_in_from text;

-- The same, as it was when the session began: what the person is told in it.
alter table sessions add column failed_before integer not null default 0;
alter table sessions add column failed_before_at bigint;
alter table sessions add column failed_before_from text;
