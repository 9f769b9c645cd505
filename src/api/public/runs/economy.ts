// Runs that let vendors answer later for less: what a request says of it, and what the run shows.
import { toRfc3339 } from '#core/clock.ts'
import { normalReasons } from '#core/economy.ts'
import { invalid } from '#core/errors.ts'
import type { RunOptions } from '#core/run-facts.ts'
import { Type } from '#core/schema.ts'
import { callsOfRun } from '#store/tables/economy-calls.ts'
import type { RunRow } from '#store/tables/runs.ts'
import { NamedRecord, OneOf, Timestamp } from '../../schemas.ts'
import type { Context } from '../context.ts'
import { shownPath } from '../waits/wait-record.ts'

const longestMs = 30 * 86_400_000

/** What a run may be asked. */
export const economyInput = {
  lane: Type.Optional(
    OneOf(
      ['economy'],
      'economy: text calls wait for batches of their vendors, which cost about half, as far as these end before deadlineAt, or are made in the flex tier of their vendor. Everything else is done at once.',
    ),
  ),
  deadlineAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'With lane economy: when the run must have ended, in place of all time limits. At most 30 days away.',
    }),
  ),
}

type Asked = { lane?: 'economy'; deadlineAt?: string }

/** The options with what the request says of a deadline. Throws INPUT_INVALID. */
export function withDeadline(
  options: RunOptions | null,
  { lane, deadlineAt }: Asked,
  nowMs: number,
): RunOptions | null {
  if (lane === undefined && deadlineAt === undefined) return options
  const deadlineMs = deadlineAt === undefined ? Number.NaN : Date.parse(deadlineAt)
  if (lane === undefined) throw refused('lane', 'is needed with deadlineAt: economy')
  if (Number.isNaN(deadlineMs)) throw refused('deadlineAt', 'is needed with lane economy')
  if (deadlineMs <= nowMs) throw refused('deadlineAt', 'must be in the future')
  if (deadlineMs > nowMs + longestMs) throw refused('deadlineAt', 'must be within 30 days')
  return { ...options, lane, deadlineMs }
}

function refused(name: string, why: string) {
  const message = `${name} ${why}`
  return invalid('INPUT_INVALID', [{ path: `/${name}`, rule: 'deadline', message }], `${message}.`)
}

/** A retry keeps a deadline that has not passed; afterwards it is made at the normal price. */
export function keptOptions(options: RunOptions | null, nowMs: number): RunOptions | null {
  if (options?.deadlineMs === undefined || options.deadlineMs > nowMs) return options
  const { lane: _, deadlineMs: __, ...rest } = options
  return Object.keys(rest).length > 0 ? rest : null
}

export const laneOf = ({ options }: Pick<RunRow, 'options'>) =>
  options?.deadlineMs === undefined
    ? {}
    : { lane: 'economy' as const, deadlineAt: toRfc3339(options.deadlineMs) }

export const shownLane = {
  lane: Type.Optional(OneOf(['economy'], 'Text calls may wait for batches of their vendors.')),
  deadlineAt: Type.Optional(Timestamp),
}

const Count = Type.Integer({ minimum: 0 })

export const RunEconomy = NamedRecord('RunEconomy', {
  queued: Type.Integer({ minimum: 0, description: 'Calls that are gathered for a batch.' }),
  submitted: Type.Integer({ minimum: 0, description: 'Calls in a batch at their vendor.' }),
  batched: Type.Integer({ minimum: 0, description: 'Calls that were answered in a batch.' }),
  flex: Type.Integer({
    minimum: 0,
    description: 'Calls that were answered in the flex tier of their vendor.',
  }),
  normal: Type.Array(
    NamedRecord('NormalPriceCalls', {
      nodeId: Type.String(),
      model: Type.String(),
      reason: OneOf(
        normalReasons,
        'NO_BATCH: the model is not known to take batches. TOO_LATE: a batch could end after the deadline. REFUSED: the vendor did not take the batch. UNPROCESSED: the vendor returned the call without an answer. NO_FLEX: the flex tier of the vendor did not take it.',
      ),
      calls: Count,
    }),
    { description: 'Calls that went, or go, at the normal price, and why.' },
  ),
})

/** What became of the text calls of a run with a deadline; nothing for any other run. */
export async function economyOf({ services: { db } }: Context, row: RunRow) {
  if (row.options?.deadlineMs === undefined) return {}
  const calls = await callsOfRun(db, row.account_id, row.id)
  const count = (status: string) => calls.filter((call) => call.status === status).length
  const normal = new Map<string, { nodeId: string; model: string; reason: string; calls: number }>()
  for (const { path, model, reason } of calls) {
    if (reason === null) continue
    const nodeId = shownPath(path).replace(/[[/].*$/, '')
    const key = `${nodeId} ${model} ${reason}`
    const known = normal.get(key) ?? { nodeId, model, reason, calls: 0 }
    normal.set(key, { ...known, calls: known.calls + 1 })
  }
  return {
    economy: {
      ...{ queued: count('QUEUED'), submitted: count('SENT') },
      ...{ batched: count('BATCHED'), flex: count('FLEX') },
      normal: [...normal.values()],
    },
  }
}
