-- Which further events its webhook gets besides the end: a list, or null for none.
alter table runs add column callback_events text;
