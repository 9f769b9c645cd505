import { canonicalJson } from '#core/canonical-json.ts'
// Stores one answer to what a run waits for. The schema of a form is checked in an isolated process
// before the transaction, which must not wait for anything but the database.
import { toRfc3339 } from '#core/clock.ts'
import { Failure, type Issue, invalid } from '#core/errors.ts'
import {
  type Answerer,
  type AnswererKind,
  answererText,
  type Lateness,
} from '#core/wait-answers.ts'
import type { WaitAnswer } from '#core/wait-facts.ts'
import { editProblem } from '#graph/node/port-values.ts'
import { schemaForAjv } from '#graph/node/user-schema.ts'
import { type KnownWait, storeAnswer } from '#store/tables/wait-answers.ts'
import type { Services } from '../context.ts'

import { readAnswer } from './known-waits.ts'

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
  const text = JSON.stringify(answer)
  // A closed wait is found out here already, so that a repeat costs no lock.
  if (wait.status !== 'OPEN') return closed(services, wait, { text, by })
  await checkAnswer(services, wait, answer)
  const nowMs = services.clock.nowMs()
  const stored = await storeAnswer(services.db, {
    ...{ accountId, runId, waitId, by },
    held: await services.runs.payloads.put(accountId, text),
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
  return closed(services, row, { text, by }, stored.late)
}

/** The same answer by the same caller is repeated, any other is told what came first. */
async function closed(
  services: Services,
  row: KnownWait,
  { text, by }: { text: string; by: string },
  late: Lateness = latenessBy[row.status],
): Promise<Stored> {
  // What another request wrote is told only once it is on disk.
  await services.db.synced()
  if (late !== 'WAIT_ALREADY_ANSWERED') throw tooLate(late, row)
  const { account_id: accountId, answer: held, answered_by } = row
  const first = held === null ? null : await services.runs.payloads.read(accountId, held)
  const isSame = canonicalJson(first) === canonicalJson(JSON.parse(text))
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

const latenessBy: Record<KnownWait['status'], Lateness> = {
  OPEN: 'WAIT_CANCELLED',
  ANSWERED: 'WAIT_ALREADY_ANSWERED',
  PASSED: 'WAIT_EXPIRED',
  EXPIRED: 'WAIT_EXPIRED',
  CANCELLED: 'WAIT_CANCELLED',
}

const tooLate = (late: Lateness, { expires_at }: KnownWait) =>
  new Failure(late, { details: { expiresAt: toRfc3339(expires_at) } })

async function checkAnswer(services: Services, wait: KnownWait, answer: WaitAnswer): Promise<void> {
  const { account_id: accountId, kind, details } = wait
  const issues: Issue[] = await issuesOfEdit(services, wait, answer)
  const schema = kind === 'CALLBACK' ? details.schema : details.form
  const path = kind === 'CALLBACK' ? '' : '/response'
  const isAsked = schema !== undefined && (kind === 'CALLBACK' || isFormDue(answer))
  if (kind === 'APPROVAL' && schema === undefined && answer.response !== undefined) {
    issues.push({ path, rule: 'form', message: 'this asks for no response' })
  }
  if (isAsked) {
    const checks = [{ schema: schemaForAjv(schema), value: answer.response ?? {} }]
    const [found] = await services.graphs.checkSchemas(accountId, checks)
    if (found && 'schema' in found) issues.push({ path, rule: 'schema', message: found.schema })
    else if (found) issues.push(...found.issues.map((i) => ({ ...i, path: `${path}${i.path}` })))
  }
  if (issues.length === 0) return
  const [{ path: where, message } = { path: '', message: '' }] = issues
  throw invalid('ANSWER_INVALID', issues, `${where} ${message}.`.trim())
}

/** What follows gets a value of the type that it would have got. */
async function issuesOfEdit(
  { runs }: Services,
  { account_id: accountId, value, details }: KnownWait,
  { value: edited }: WaitAnswer,
): Promise<Issue[]> {
  if (edited === undefined) return []
  if (details.mayEdit !== true)
    return [{ path: '/value', rule: 'mayEdit', message: 'this value may not be changed' }]
  const problem = editProblem(await runs.payloads.read(accountId, value), edited)
  return problem === null ? [] : [{ path: '/value', rule: 'value', message: problem }]
}

/** Whoever rejects need not fill in a form; what they do fill in must fit. */
const isFormDue = ({ decision, response }: WaitAnswer): boolean =>
  decision !== 'reject' || response !== undefined
