// Answers that came when nobody executed their run any more: it had ended, or its worker had died.
// They were paid for, so later runs are to find them.
import { routePrefix } from '#core/route.ts'
import type { Reader } from '../db.ts'
import { bigint, integer, json, orNull, type Row, table, text, time, uuid } from '../table.ts'
import type { MediaRecord } from './media.ts'

/**
 * Steps `s` of these runs that have not ended, although their tasks `t` have. A fallback answers in place
 * of the model that was asked for, and others do not want that; a candidate of a route is that model.
 */
const lateOf = (runs: string) => `from steps s join tasks t on t.id = s.task_id
  where s.run_id ${runs} and s.status = 'STARTED' and s.kind = 'MEDIA' and s.reuse is not null
    and t.status = 'COMPLETED'
    and (t.served_by is null or t.served_by = t.model or t.model like '${routePrefix}%')`

/** A condition, for the run with this id. */
export const hasLateMedia = (runId: string): string => `exists (select 1 ${lateOf(`= ${runId}`)})`

const lateMedia = table({
  account_id: uuid,
  run_id: uuid,
  path: text(),
  attempts: integer,
  started_at: time,
  task_id: uuid,
  reuse: text(),
  media: json<readonly MediaRecord[]>(),
  cost_micros: orNull(bigint),
  ended_at: time,
})
export type LateMedia = Row<typeof lateMedia.all>

/** Of runs that have ended. Also one that goes on may have a late cost, and takes in its own. */
export const findLateMedia = (db: Reader, limit: number): Promise<LateMedia[]> =>
  lateMedia.all.query(
    db,
    `select t.account_id, s.run_id, s.path, s.attempts, s.started_at, s.task_id, s.reuse, t.media,
       t.cost_micros, t.completed_at as ended_at
     ${lateOf('in (select id from runs where in_flight = 1 and completed_at is not null)')} limit $1`,
    [limit],
  )
