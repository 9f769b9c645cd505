// What the console shows of a run beyond what the API says: its estimate, what started it, and
// whether somebody said no in it.
import { toRfc3339 } from '#core/clock.ts'
import { toAmount } from '#core/money.ts'
import { nullIfGone } from '#core/payload-text.ts'
import { Type } from '#core/schema.ts'
import { type WaitAnswer, type WaitKind, waitKinds } from '#core/wait-facts.ts'
import { estimatedMicros } from '#store/tables/run-estimates.ts'
import { startersOf } from '#store/tables/run-starters.ts'
import { isAsleep, type RunListRow } from '#store/tables/runs.ts'
import { approvalAnswers, type OpenWait, openWaitsOf } from '#store/tables/waits.ts'
import type { Services } from '../../public/context.ts'
import { RunSummary } from '../../public/runs/run-record.ts'
import { Amount, Closed, NamedRecord, Nullable, OneOf, Timestamp } from '../../schemas.ts'

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
  waitingFor: Type.Optional(
    Closed(
      {
        kind: Nullable(OneOf(waitKinds, 'Null: a provider, a limit or another attempt.')),
        title: Type.String({ description: 'What a person is asked; otherwise empty.' }),
        until: Nullable(Timestamp),
      },
      { description: 'The first of what it waits for, if it does nothing else.' },
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
  rows: readonly Pick<RunListRow, 'id' | 'status' | 'wake_at'>[],
) {
  const runIds = rows.map(({ id }) => id)
  const asleep = new Set(rows.filter(isAsleep).map(({ id }) => id))
  const [estimates, starters, answers, waits] = await Promise.all([
    estimatedMicros(db, runIds),
    startersOf(db, accountId, runIds),
    approvalAnswers(db, accountId, runIds),
    asleep.size === 0 ? [] : openWaitsOf(db, accountId, [...asleep]),
  ])
  const rejected = new Set<string>()
  for (const { run_id: runId, answer } of answers) {
    const given =
      answer &&
      ((await runs.payloads.read(accountId, answer).catch(nullIfGone)) as WaitAnswer | null)
    if (given && given.decision === 'reject') rejected.add(runId)
  }
  return (runId: string) => {
    const micros = estimates.get(runId)
    return {
      estimatedCost: micros === undefined ? null : toAmount(micros),
      startedBy: starters.get(runId) ?? null,
      ...(asleep.has(runId)
        ? { waitingFor: waitOf(waits.find((one) => one.run_id === runId)) }
        : {}),
      ...(rejected.has(runId) ? { rejected: true as const } : {}),
    }
  }
}

const waitOf = (wait: OpenWait | undefined) => ({
  // Batches, the only other kind, are not read.
  kind: wait ? (wait.kind as WaitKind) : null,
  title: wait?.title ?? '',
  until: wait ? toRfc3339(wait.expires_at) : null,
})
