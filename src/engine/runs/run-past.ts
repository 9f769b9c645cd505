// What a claimed run needs from before: its calls, what it waits for and, if it has slept, its values
// and limits. Runs that are claimed together are read together: many timers may be due at once.
import { createBatcher } from '#core/batcher.ts'
import type { RunSpender } from '#core/run-facts.ts'
import type { Step } from '#core/step-states.ts'
import type { NodeOutputs } from '#graph/node/node-type.ts'
import type { ClaimedRun, RunWait } from '#store/engine-store.ts'
import type { RunDeps } from './run-deps.ts'
import { type Booked, bookedIn } from './run-money.ts'

/** In one query: few enough that they begin without holding up others. */
const readAtOnce = 25
/** More would take all connections to the database. */
const queriesAtOnce = 2

export type StoredPast = {
  steps: readonly Step[]
  waits: readonly RunWait[]
  /** Who pays for it now; null if it has not slept. */
  spender: RunSpender | null
  /** What its calls have cost so far; null if it has no limit of its own. */
  booked: Booked | null
}

export type ReadPast = (row: ClaimedRun) => Promise<StoredPast>

type ReadDeps = Pick<RunDeps, 'steps' | 'waits' | 'ledger' | 'spenderNow' | 'clock'>

export function createPastReader(deps: ReadDeps): ReadPast {
  const { add } = createBatcher<ClaimedRun, StoredPast>(
    async (take) => {
      const entries = take()
      const rows = entries.map(({ item }) => item)
      const ids = rows.map(({ id }) => id)
      const spenderOf = (row: ClaimedRun) =>
        row.slept_epoch > 0 ? deps.spenderNow(row.account_id, row.spender) : null
      const bookedOf = async ({ id, max_cost_micros: limit }: ClaimedRun) =>
        limit === null ? null : bookedIn(await deps.ledger.attemptsOf(id))
      const [steps, waits, spenders, booked] = await Promise.all([
        deps.steps.ofRuns(ids),
        deps.waits.ofRuns(ids),
        Promise.all(rows.map(spenderOf)),
        Promise.all(rows.map(bookedOf)),
      ])
      const waitsOf = Map.groupBy(waits, ({ run_id }) => run_id)
      for (const [index, { item, resolve }] of entries.entries()) {
        resolve({
          steps: steps.get(item.id) ?? [],
          waits: waitsOf.get(item.id) ?? [],
          spender: spenders[index] ?? null,
          booked: booked[index] ?? null,
        })
      }
    },
    { maxItems: readAtOnce, atOnce: queriesAtOnce, timers: deps.clock },
  )
  return add
}

export type RememberedRun = {
  row: ClaimedRun
  values: ReadonlyMap<string, NodeOutputs>
}

/** The run with addresses and limits that are valid now, and the values it had computed. */
export async function remember(
  deps: Pick<RunDeps, 'payloads' | 'refreshMedia'>,
  row: ClaimedRun,
  { spender }: StoredPast,
): Promise<RememberedRun> {
  if (!spender) return { row, values: new Map() }
  const { account_id: accountId, kept } = row
  const before = kept === null ? {} : await deps.payloads.read(accountId, kept)
  const fresh = await deps.refreshMedia(accountId, { before, inputs: JSON.parse(row.inputs) })
  const { before: values, inputs } = fresh as {
    before: Record<string, NodeOutputs>
    inputs: object
  }
  return {
    row: { ...row, spender, inputs: JSON.stringify(inputs) },
    values: new Map(Object.entries(values)),
  }
}
