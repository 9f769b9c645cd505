import type { Db } from './db.ts'

/** SQL for the database's own time: processes may disagree on theirs, and share this one. */
export const dbNowMs = (kind: Db['kind']): string =>
  kind === 'postgres'
    ? `(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : `cast(unixepoch('subsec') * 1000 as integer)`
