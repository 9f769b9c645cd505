-- Routes that an account defined: JSON by name, or null.
alter table accounts add column routes text;
