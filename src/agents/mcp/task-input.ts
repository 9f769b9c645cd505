// What a run waits for, as MCP asks people: a task that requires input carries requests of the kind
// `elicitation/create`, and `tasks/update` brings the answers. To accept approves, to decline
// rejects, and to cancel leaves it open for somebody else.

import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isRecord } from '#core/record.ts'
import type { Ask, RouteAnswer } from './route-call.ts'
import { dataOf } from './tool-result.ts'
import { pathOf, type Work } from './work.ts'

/** By the id of the wait. */
type InputRequests = Record<string, object>

/** A person can hardly look at more at once; the others are asked for after these. */
const mostAtOnce = 10
const subjectChars = 4_000

export const canAskPeople = ({ mcpReq: { envelope } }: ServerContext): boolean => {
  const meta = envelope as Record<string, unknown> | undefined
  const declared = meta?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
  return declared?.elicitation !== undefined
}

type Wait = {
  status: string
  title: string
  description: string | null
  value: unknown
  form: object | null
  mayAnswer: boolean
}

/** What the caller may decide about the run; nothing if others have to. */
export async function inputRequests(
  ask: Ask,
  work: Work,
  { body }: RouteAnswer,
  signal: AbortSignal,
): Promise<InputRequests> {
  const { data } = JSON.parse(body) as { data: { waitingFor?: { waitId: string; kind: string }[] } }
  const asked = (data.waitingFor ?? []).filter(({ kind }) => kind === 'APPROVAL')
  const requests: InputRequests = {}
  for (const { waitId } of asked.slice(0, mostAtOnce)) {
    const read = await ask({ method: 'GET', path: waitPath(work, waitId), headers: {} }, signal)
    if (read.status >= 400) continue
    const wait = (JSON.parse(read.body) as { data: Wait }).data
    const requestedSchema = flatForm(wait.form)
    if (wait.status !== 'OPEN' || !wait.mayAnswer || !requestedSchema) continue
    const params = { mode: 'form', message: messageOf(wait), requestedSchema }
    requests[waitId] = { method: 'elicitation/create', params }
  }
  return requests
}

const waitPath = (work: Work, waitId: string) => `${pathOf(work)}/waits/${waitId}`

function messageOf({ title, description, value }: Wait): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  const subject =
    text.length <= subjectChars ? text : `${text.slice(0, subjectChars)} (${text.length} in all)`
  const lines = [title, description, subject, 'Accept to approve, decline to reject.']
  return lines.filter((line) => line).join('\n\n')
}

/** The protocol knows forms of single values only; undefined if this one has others. */
function flatForm(form: object | null): object | undefined {
  const { properties = {}, required } = (form ?? {}) as Form
  const isFlat = Object.values(properties).every(
    (field) => isRecord(field) && singles.includes(String(field.type)),
  )
  if (!isFlat) return undefined
  return { type: 'object', properties, ...(required ? { required } : {}) }
}

type Form = { properties?: Record<string, unknown>; required?: string[] }
const singles = ['string', 'number', 'integer', 'boolean']

/** Answers to what nobody asked, or what was decided meanwhile, change nothing. */
export async function giveInput(
  ask: Ask,
  work: Work,
  responses: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
  for (const [waitId, response] of Object.entries(responses)) {
    const answer = answerOf(response)
    if (!answer || work.kind !== 'run' || !/^[0-9a-f-]{36}$/.test(waitId)) continue
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(answer)
    const call = { method: 'POST', path: waitPath(work, waitId), headers, body } as const
    const given = await ask(call, signal)
    if (given.status === 404 || given.status === 409) continue
    if (given.status === 422) {
      const { error } = JSON.parse(given.body) as { error: { message: string } }
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, error)
    }
    dataOf(given)
  }
}

function answerOf(response: unknown): object | undefined {
  if (!isRecord(response)) return undefined
  const { action, content } = response
  if (action === 'decline') return { decision: 'reject' }
  if (action !== 'accept') return undefined
  const isFilled = isRecord(content) && Object.keys(content).length > 0
  return { decision: 'approve', ...(isFilled ? { response: content } : {}) }
}
