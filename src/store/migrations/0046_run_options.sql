-- What a submission asked of the run besides its inputs: `{targets, reuse}`, or null for nothing.
alter table runs add column options text;
