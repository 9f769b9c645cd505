// Whether an answer fits what a run asks, by the rules of the inputs of a run. A picture or film that
// takes the place of another is read now: the run must not fail over it after the decision.
import { hash } from 'node:crypto'
import { canonicalJson } from '#core/canonical-json.ts'
import { type Failure, type Issue, invalid } from '#core/errors.ts'
import type { WaitAnswer } from '#core/wait-facts.ts'
import { editedMedia, editProblem } from '#graph/node/port-values.ts'
import { schemaForAjv } from '#graph/node/user-schema.ts'
import type { KnownWait } from '#store/tables/wait-answers.ts'
import type { Services } from '../context.ts'

/** What is stored of an answer. Throws ANSWER_INVALID if it does not fit what is asked. */
export async function acceptAnswer(
  services: Services,
  wait: KnownWait,
  answer: WaitAnswer,
): Promise<WaitAnswer> {
  const { account_id: accountId, kind, details } = wait
  const { issues, media } = await judgeEdit(services, wait, answer)
  const schema = kind === 'CALLBACK' ? details.schema : details.form
  const path = kind === 'CALLBACK' ? '' : '/response'
  const isAsked = schema !== undefined && (kind === 'CALLBACK' || isFormDue(answer))
  if (kind === 'APPROVAL' && schema === undefined && answer.response !== undefined) {
    issues.push({ path, rule: 'form', message: 'this asks for no response' })
  }
  if (isAsked) {
    // A form may be left empty; the body of a callback is judged as it came, also null.
    const { response: value = {} } = answer
    const checks = [{ schema: schemaForAjv(schema), value }]
    const [found] = await services.graphs.checkSchemas(accountId, checks)
    if (found && 'schema' in found) issues.push({ path, rule: 'schema', message: found.schema })
    else if (found) issues.push(...found.issues.map((i) => ({ ...i, path: `${path}${i.path}` })))
  }
  if (issues.length > 0) throw unfit(issues)
  if (!media) return answer
  // Last, because it is kept: nobody else could say later what the address had led to.
  const read = await services.runs.acceptMedia(accountId, media.url, media.kind)
  if ('problem' in read) {
    throw unfit([{ path: '/value', rule: media.kind, message: `cannot be used: ${read.problem}` }])
  }
  return { ...answer, value: read.media, sent: answerDigest(answer) }
}

function unfit(issues: Issue[]): Failure {
  const [{ path: where, message } = { path: '', message: '' }] = issues
  return invalid('ANSWER_INVALID', issues, `${where} ${message}.`.trim())
}

type Edit = { issues: Issue[]; media?: { url: string; kind: 'image' | 'video' } }

/** What follows gets a value of the type that it would have got. */
async function judgeEdit(
  { runs }: Services,
  { account_id: accountId, value, details }: KnownWait,
  { value: edited }: WaitAnswer,
): Promise<Edit> {
  if (edited === undefined) return { issues: [] }
  if (details.mayEdit !== true)
    return {
      issues: [{ path: '/value', rule: 'mayEdit', message: 'this value may not be changed' }],
    }
  const before = await runs.payloads.read(accountId, value)
  const problem = editProblem(before, edited)
  if (problem !== null) return { issues: [{ path: '/value', rule: 'value', message: problem }] }
  const media = editedMedia(before, edited)
  return media ? { issues: [], media } : { issues: [] }
}

/** The same for equal answers, however their members are ordered. */
export const answerDigest = (answer: WaitAnswer): string =>
  hash('sha256', canonicalJson(answer), 'base64url')

/** Whoever rejects need not fill in a form; what they do fill in must fit. */
const isFormDue = ({ decision, response }: WaitAnswer): boolean =>
  decision !== 'reject' || response !== undefined
