-- What lies in the blob store. ARRIVING: about to be written. LIVE: whole, and `refs` rows of
-- media show it. LEAVING: no row shows it, and none ever will again. A name is never used twice,
-- so whatever is LEAVING may be deleted by anyone, at any time, more than once.
create table media_blobs (
  name text primary key,
  hash text not null,
  state text not null,
  refs bigint not null,
  created_at bigint not null,
  mime_type text not null,
  size_bytes bigint not null,
  width bigint,
  height bigint,
  duration_seconds double precision,
  has_audio smallint
);
create unique index media_blobs_live on media_blobs (hash) where state = 'LIVE';
create index media_blobs_unsettled on media_blobs (state, created_at) where state <> 'LIVE';

create table media (
  id uuid primary key,
  account_id uuid not null,
  blob text not null references media_blobs (name),
  created_at bigint not null
);
create index media_by_age on media (created_at);
create index media_by_blob on media (blob);
