// Results of earlier runs that a run has at some of its nodes. They are copied into its inputs,
// because the other run may be deleted first.
import { type Issue, invalid } from '#core/errors.ts'
import type { RunOptions } from '#core/run-facts.ts'
import { findRun } from '#store/tables/runs.ts'
import type { Context } from '../context.ts'

type Pins = NonNullable<RunOptions['pins']>
type Values = Record<string, unknown>

/** By node: its outputs by port. Throws INPUT_INVALID if one of them is not kept any more. */
export async function pinnedResults(context: Context, pins: Pins | undefined): Promise<Values> {
  const { results, issues } = await findPinned(context, pins)
  if (issues.length > 0) throw refused(issues)
  return results
}

/** The results that are still kept, and which are not. */
export async function findPinned(context: Context, pins: Pins | undefined) {
  const results: Values = {}
  const byRun = Map.groupBy(Object.entries(pins ?? {}), ([, runId]) => runId)
  for (const [runId, entries] of byRun) {
    const ids = entries.map(([nodeId]) => nodeId)
    Object.assign(results, await resultsIn(context, runId, new Set(ids)))
  }
  const missing = Object.keys(pins ?? {}).filter((id) => !Object.hasOwn(results, id))
  return { results, issues: issuesOf(missing, 'has no result in that run any more') }
}

/** With media records of its own, which live as long as the run that starts now. */
export async function keptResults(context: Context, results: Values): Promise<Values> {
  const { principal, services } = context
  for (const [id, outputs] of Object.entries(results)) {
    const kept = await services.runs.keepMedia(principal.accountId, outputs)
    if (kept === undefined) throw refusedPins([id], 'has a result whose media has been deleted')
    results[id] = kept
  }
  return results
}

export const refusedPins = (ids: readonly string[], why: string) => refused(issuesOf(ids, why))

const refused = (issues: Issue[]) => invalid('INPUT_INVALID', issues, `${issues[0]?.message}.`)

const issuesOf = (ids: readonly string[], why: string): Issue[] =>
  ids.map((id) => ({ path: `/pins/${id}`, rule: 'pin', message: `node "${id}" ${why}` }))

/** The inputs of a run as they were given, without the results that were pinned. */
export const withoutPinned = (inputs: Values, pins: Pins | undefined): Values =>
  pins
    ? Object.fromEntries(Object.entries(inputs).filter(([id]) => !Object.hasOwn(pins, id)))
    : inputs

async function resultsIn({ services, principal }: Context, runId: string, ids: Set<string>) {
  const found: Values = {}
  // Identifiers are compared as text, and a client may write them in capitals.
  const row = await findRun(services.db, principal.accountId, runId.toLowerCase())
  if (!row || row.started_at === null) return found
  const steps = await services.runs.stepsOf(row.id)
  await services.runs.reconstruct(row, steps, '', (path, outputs) => {
    if (ids.has(path)) found[path] = { ...outputs }
  })
  return found
}
