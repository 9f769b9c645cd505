-- Chats that may be under way, those of one moment in one row: a row for each would cost more
-- than the call. Whatever is still here long after it began died with its process.
create table chat_intents (
  batch uuid primary key,
  attempts text not null,
  created_at bigint not null
) without oids;
