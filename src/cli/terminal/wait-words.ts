import type { RunNode } from '#client/run-records.ts'
import { showTime } from './show.ts'

/** Why a node or task is not at work, in one line. */
export function waitWords({ kind, model, position, until }: NonNullable<RunNode['waitReason']>) {
  const provider = model ?? 'the provider'
  const why = {
    LANE: `waits for its turn at ${provider}${position === undefined ? '' : `, place ${position}`}`,
    RATE_LIMIT: `waits because ${provider} is busy`,
    BUDGET: 'waits for room under the spend limit',
    RETRY: 'is tried again',
  }[kind]
  return until === undefined ? why : `${why}, until ${showTime(until)}`
}
