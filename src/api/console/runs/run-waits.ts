import { toRfc3339 } from '#core/clock.ts'
import { type Static, Type } from '#core/schema.ts'
import type { WaitAnswer } from '#core/wait-facts.ts'
import { namesOf } from '#store/tables/wait-answers.ts'
import type { WaitRow } from '#store/tables/waits.ts'
import type { Context } from '../../public/context.ts'
import {
  answererIds,
  shownPath,
  toAnswer,
  WaitAnswerRecord,
  WaitHead,
} from '../../public/waits/wait-record.ts'
import { NamedRecord, Nullable } from '../../schemas.ts'

const { waitId, nodeId, path, kind, status, title, since, expiresAt } = WaitHead.properties
const { decision, comment, by, at, from } = WaitAnswerRecord.properties

/** What the page of a run shows of a wait; value, form and response are read with the wait. */
export const ShownWait = NamedRecord('ShownWait', {
  ...{ waitId, nodeId, path, kind, status, title, since, expiresAt },
  answer: Nullable(NamedRecord('ShownAnswer', { decision, comment, by, at, from })),
})
type Shown = Static<typeof ShownWait>

export const ShownWaits = Type.Optional(
  Type.Array(ShownWait, { description: 'What the run waited or waits for: the newest 200.' }),
)

export async function shownWaits(
  { services }: Context,
  rows: readonly WaitRow[],
): Promise<{ waits?: Shown[] }> {
  const [first] = rows
  if (!first) return {}
  const { account_id: accountId } = first
  const names = await namesOf(services.db, accountId, rows.flatMap(answererIds))
  const waits = rows.map(async (row): Promise<Shown> => {
    const held = row.answer && (await services.runs.payloads.read(accountId, row.answer))
    const answer = held ? toAnswer(row, held as WaitAnswer, names) : null
    return {
      ...{ waitId: row.id, nodeId: row.node_id, path: shownPath(row.path), kind: row.kind },
      ...{ status: row.status, title: row.title },
      since: toRfc3339(row.created_at),
      expiresAt: toRfc3339(row.expires_at),
      answer: answer && {
        ...(answer.decision ? { decision: answer.decision } : {}),
        ...(answer.comment === undefined ? {} : { comment: answer.comment }),
        ...{ by: answer.by, at: answer.at, from: answer.from },
      },
    }
  })
  return { waits: await Promise.all(waits) }
}
