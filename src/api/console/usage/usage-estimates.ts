// Compares the estimated cost of runs with their actual cost. An estimate is computed on first use
// and stored with its run. Each request computes only a few of them; to cover all runs of a span,
// a caller follows the cursor, and each run is estimated once.

import { money, toMicros } from '#core/money.ts'
import { nullIfGone } from '#core/payload-text.ts'
import { type Static, Type } from '#core/schema.ts'
import { type CostOfRun, costsOfRuns, estimatedMicros } from '#store/tables/run-estimates.ts'
import { findRun } from '#store/tables/runs.ts'
import { answer, type CallContext } from '../../operation.ts'
import type { Context } from '../../public/context.ts'
import { estimateOfRun } from '../../public/runs/run-estimate.ts'
import { asApiCaller, type ConsoleContext, defineConsole, requireCaller } from '../context.ts'
import { cursorsOf, listQuery } from '../cursor.ts'
import { readRange, UsageQuery } from './usage-range.ts'
import { EstimatesPage } from './usage-record.ts'

const runsPerPage = 200
/** An estimate counts tokens and may evaluate expressions, which takes some milliseconds each. */
const madePerPage = 20

type Span = { from: string; to: string; tz: string; fromMs: number; toMs: number }

export const getUsageEstimates = defineConsole({
  id: 'getUsageEstimates',
  route: 'GET /usage/estimates',
  summary: 'Compares the estimated cost of runs with their actual cost',
  description: `Each answer goes through at most ${runsPerPage} runs, newest first, and sums them by workflow; add the answers up for a whole span.`,
  access: 'viewer',
  takesKeys: true,
  query: Type.Object({
    from: UsageQuery.properties.from,
    to: UsageQuery.properties.to,
    tz: UsageQuery.properties.tz,
    cursor: listQuery.cursor,
  }),
  success: { 200: { description: 'Sums of some of the runs.', data: EstimatesPage } },
  async handle(context, { query: { cursor, ...asked } }) {
    requireCaller(context)
    const range = readRange({ ...asked, by: 'month' }, context.services.clock.nowMs())
    return answer(await estimatesOf(context, range, { cursor, maxMade: madePerPage }))
  },
})

export async function estimatesOf(
  developer: ConsoleContext & CallContext,
  { from, to, tz, fromMs, toMs }: Span,
  { cursor, maxMade }: { cursor?: string | undefined; maxMade: number },
): Promise<Static<typeof EstimatesPage>> {
  const { accountId } = requireCaller(developer)
  const { db, secretBox } = developer.services
  const cursors = cursorsOf<string>(secretBox, {
    list: 'estimates',
    accountId,
    filters: { from, to, tz },
  })
  const before = cursors.read(cursor)
  const runs = await costsOfRuns(db, accountId, { fromMs, toMs, before }, runsPerPage)
  const { compared, last } = await compare(asApiCaller(developer), runs, maxMade)
  const isAll = runs.length < runsPerPage && last === runs.at(-1)?.id
  return { items: sumsOf(compared), next: cursors.write(isAll ? null : (last ?? null)) }
}

type Compared = CostOfRun & { estimatedMicros: number }

/** Stops once `maxMade` estimates have been computed; `last` is the last run that was covered. */
async function compare(context: Context, runs: readonly CostOfRun[], maxMade: number) {
  const completed = runs.filter(({ status }) => status === 'COMPLETED')
  const known = await estimatedMicros(
    context.services.db,
    completed.map(({ id }) => id),
  )
  const compared: Compared[] = []
  let made = 0
  let last: string | undefined
  for (const run of runs) {
    if (run.status === 'COMPLETED') {
      if (!known.has(run.id) && made++ === maxMade) break
      const micros = known.get(run.id) ?? (await makeEstimate(context, run.id))
      if (micros !== null) compared.push({ ...run, estimatedMicros: micros })
    }
    last = run.id
  }
  return { compared, last }
}

/** Null if the run, its inputs or a model that it used no longer exist. */
async function makeEstimate(context: Context, runId: string): Promise<number | null> {
  const { db, runs } = context.services
  const row = await findRun(db, context.principal.accountId, runId)
  if (!row) return null
  const inputs = await runs.payloads.read(row.account_id, row.inputs).catch(nullIfGone)
  if (inputs === null) return null
  const estimate = await estimateOfRun(context, row, inputs as Record<string, unknown>)
  return estimate && toMicros(estimate.estimatedCost)
}

const sumsOf = (compared: readonly Compared[]) =>
  [...Map.groupBy(compared, ({ workflow_id }) => workflow_id)]
    .map(([workflowId, own]) => ({
      workflowId,
      name: own[0]?.workflow_name ?? '',
      runs: own.length,
      estimated: money(sum(own.map((run) => run.estimatedMicros))),
      actual: money(sum(own.map((run) => run.cost_micros))),
    }))
    .sort((a, b) => b.actual.amount - a.actual.amount)

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
