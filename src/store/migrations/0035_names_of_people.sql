-- What the OpenID provider calls a person. People with a password are called by their e-mail.
alter table users add column name text;
update users set name = substr(oidc_subject, 1, 100)
where email is null and former_email is null and oidc_subject is not null;
