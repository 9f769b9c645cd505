// What the console shows of a run beyond what the API says: its estimate, what started it, and
// whether somebody said no in it.
import { toAmount } from '#core/money.ts'
import { Type } from '#core/schema.ts'
import type { WaitAnswer } from '#core/wait-facts.ts'
import { estimatedMicros } from '#store/tables/run-estimates.ts'
import { startersOf } from '#store/tables/run-starters.ts'
import { approvalAnswers } from '#store/tables/waits.ts'
import type { Services } from '../../public/context.ts'
import { RunSummary } from '../../public/runs/run-record.ts'
import { Amount, Closed, NamedRecord, Nullable, OneOf } from '../../schemas.ts'

/** A run as it appears in the lists of the console. */
export const ListedRun = NamedRecord('ListedRun', {
  ...RunSummary.properties,
  estimatedCost: Nullable({
    ...Amount,
    description: 'The estimated cost; null until somebody has opened the run.',
  }),
  startedBy: Nullable(
    Closed(
      {
        kind: OneOf(['trigger', 'key', 'person']),
        id: Type.String(),
        name: Nullable(Type.String({ description: 'Null if it is gone.' })),
      },
      { description: 'What started it; null if that was not noted.' },
    ),
  ),
  rejected: Type.Optional(
    Type.Literal(true, { description: 'Somebody rejected what one of its nodes asked for.' }),
  ),
})

/** The further facts of runs of one account, read together. */
export async function listedFacts(
  { db, runs }: Pick<Services, 'db' | 'runs'>,
  accountId: string,
  runIds: readonly string[],
) {
  const [estimates, starters, answers] = await Promise.all([
    estimatedMicros(db, runIds),
    startersOf(db, accountId, runIds),
    approvalAnswers(db, accountId, runIds),
  ])
  const rejected = new Set<string>()
  for (const { run_id: runId, answer } of answers) {
    const given = answer && ((await runs.payloads.read(accountId, answer)) as WaitAnswer)
    if (given && given.decision === 'reject') rejected.add(runId)
  }
  return (runId: string) => {
    const micros = estimates.get(runId)
    return {
      estimatedCost: micros === undefined ? null : toAmount(micros),
      startedBy: starters.get(runId) ?? null,
      ...(rejected.has(runId) ? { rejected: true as const } : {}),
    }
  }
}
