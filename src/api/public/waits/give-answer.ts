// Stores one answer to what a run waits for. What depends on anything but the database is looked at
// before the transaction: forms in an isolated process, and pictures at their addresses.
import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import {
  type Answerer,
  type AnswererKind,
  answererText,
  type Lateness,
} from '#core/wait-answers.ts'
import type { WaitAnswer } from '#core/wait-facts.ts'
import { type KnownWait, storeAnswer } from '#store/tables/wait-answers.ts'
import type { Services } from '../context.ts'
import { acceptAnswer, answerDigest } from './accept-answer.ts'
import { latenessRead, readAnswer } from './known-waits.ts'

export type GivenBy = {
  answerer: Answerer
  /** For the audit log; both null for a link or a callback. */
  userId: string | null
  keyId: string | null
  ipAddress: string | null
}

export type Stored = { row: KnownWait; isReplay: boolean }

/** Throws ANSWER_INVALID and leaves the wait open, or one of the codes for an answer that is late. */
export async function giveAnswer(
  services: Services,
  wait: KnownWait,
  answer: WaitAnswer,
  given: GivenBy,
): Promise<Stored> {
  const by = answererText(given.answerer)
  const { account_id: accountId, run_id: runId, id: waitId } = wait
  const sent = answerDigest(answer)
  // Found out here already, so that a repeat costs no lock, and before what is wrong with the
  // answer: it would be corrected in vain.
  const late = latenessRead(wait)
  if (late !== null) return closed(services, wait, { sent, by, late })
  const accepted = await acceptAnswer(services, wait, answer)
  const nowMs = services.clock.nowMs()
  const stored = await storeAnswer(services.db, {
    ...{ accountId, runId, waitId, by },
    held: await services.runs.payloads.put(accountId, JSON.stringify(accepted)),
    from: given.ipAddress,
    audit: {
      ...{ accountId, nowMs, userId: given.userId, keyId: given.keyId },
      action: 'wait.answered',
      target: `${answer.decision ?? 'callback'}: ${wait.title} (run ${runId})`,
      ipAddress: given.ipAddress,
    },
  })
  if (!stored) throw new Failure('WAIT_NOT_FOUND')
  const row = { ...wait, ...stored.wait }
  if (stored.late === null) return { row, isReplay: false }
  return closed(services, row, { sent, by, late: stored.late })
}

/** The same answer by the same caller is repeated, any other is told what came first. */
async function closed(
  services: Services,
  row: KnownWait,
  { sent, by, late }: { sent: string; by: string; late: Lateness },
): Promise<Stored> {
  // What another request wrote is told only once it is on disk.
  await services.db.synced()
  if (late !== 'WAIT_ALREADY_ANSWERED') throw tooLate(late, row)
  const { account_id: accountId, answer: held, answered_by } = row
  const first = held === null ? {} : await services.runs.payloads.read(accountId, held)
  const isSame = ((first as WaitAnswer).sent ?? answerDigest(first as WaitAnswer)) === sent
  if (isSame && answered_by === by) return { row, isReplay: true }
  const known = await readAnswer(services, row)
  if (!known) throw new Failure(late)
  const { by: answerer, decision, at } = known
  const who = answerer.name ?? whoBy[answerer.kind]
  const what =
    decision === undefined ? 'answered' : `${decision}${decision === 'reject' ? 'ed' : 'd'}`
  throw new Failure(late, { message: `${who} ${what} this at ${at}.`, details: { answer: known } })
}

const whoBy: Record<AnswererKind, string> = {
  person: 'Somebody',
  key: 'A key',
  token: 'A program',
  link: 'Somebody with the link',
  sender: 'The sender',
}

const tooLate = (late: Lateness, { expires_at }: KnownWait) =>
  new Failure(late, { details: { expiresAt: toRfc3339(expires_at) } })
