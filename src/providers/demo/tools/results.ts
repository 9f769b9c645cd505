// Reads the calls and results of functions without knowing them, and reports them in plain lines.
import { isRecord } from '#core/record.ts'
import type { ToolCall } from '#core/text-stream.ts'
import { argumentsOf, contentText } from '../../conversation.ts'
import { type Json, parseJson, recordsOf } from '../../json-shape.ts'
import type { Message } from '../../provider.ts'

/** A call that was made, and its result: parsed if it is JSON, else as text. */
export type Step = { name: string; args: Json; result: unknown }

export function stepsIn(messages: readonly Message[]): Step[] {
  const calls = new Map<string, ToolCall>()
  return messages.flatMap((message) => {
    const isResult = message.role === 'tool'
    for (const call of isResult ? [] : (message.toolCalls ?? [])) calls.set(call.id, call)
    const call = isResult && calls.get(message.toolCallId)
    if (!call) return []
    return [
      { name: call.name, args: argumentsOf(call), result: unwrapped(contentText(message.content)) },
    ]
  })
}

/** The relevant part of an answer, which many APIs wrap. A failure stays as it is. */
function unwrapped(text: string): unknown {
  const result = parseJson(text.slice(0, 1_000_000)) ?? text
  if (!isRecord(result) || failureOf(result) !== undefined) return result
  const inner = [result.data, result.result, result.structuredContent]
  return inner.find((one) => typeof one === 'object' && one !== null) ?? result
}

/** What went wrong, in the words of the answer. */
function failureOf(result: unknown): string | undefined {
  if (typeof result === 'string') return /^error\b/i.test(result) ? short(result) : undefined
  if (!isRecord(result)) return undefined
  const { error, success, isError } = result
  if (isRecord(error)) return short(error.message ?? error.code ?? error)
  return error || success === false || isError === true ? short(error || result) : undefined
}

export const hasFailed = ({ result }: Step): boolean => failureOf(result) !== undefined

const plain = (key: string) => key.toLowerCase().replace(/[^a-z0-9]/g, '')

/** The value of a key at any depth; the one nearest to the top wins. */
export function findKey(value: unknown, key: string): string | number | undefined {
  const queue = [value]
  for (let at = 0; at < Math.min(queue.length, 5000); at++) {
    const one = queue[at]
    if (typeof one !== 'object' || one === null) continue
    for (const [name, inner] of Object.entries(one).slice(0, 200)) {
      const isValue = typeof inner === 'string' || typeof inner === 'number'
      if (isValue && plain(name) === plain(key)) return inner
      queue.push(inner)
    }
  }
  return undefined
}

/** The items of an answer that is a list. */
export const itemsOf = (result: unknown): Json[] =>
  recordsOf(isRecord(result) ? result.items : result)

const underWay =
  /^(?:queued|pending|running|in[ _-]?progress|processing|started|submitted|waiting|cancel[ _-]requested)$/i

const stateOf = (result: unknown): string =>
  isRecord(result) ? String(result.status ?? result.state ?? '') : ''

export const isUnderWay = ({ result }: Step): boolean => underWay.test(stateOf(result))

/** `then` is added below the report of the steps. */
export const tell = (steps: readonly Step[], ...then: string[]): string =>
  [
    ...steps.map(describe),
    ...then,
    'I am the embedded demo model: rules chose these calls, not a language model.',
  ].join('\n\n')

function describe({ name, result }: Step): string {
  const failure = failureOf(result)
  if (failure !== undefined) return `${name} did not work: ${failure}`
  const list = isRecord(result) ? result.items : result
  if (Array.isArray(list)) {
    const count = list.length === 0 ? 'nothing.' : `${list.length}:`
    return [`${name} found ${count}`, ...list.slice(0, 20).map(title)].join('\n')
  }
  if (!isRecord(result)) return `${name}: ${short(result)}`
  const { status: _, outputs, ...rest } = result
  const lines = isRecord(outputs) ? ['Outputs:', ...linesOf(outputs)] : linesOf(rest)
  return [`${name}: ${stateOf(result)}`.trim(), ...lines].join('\n')
}

/** An item of a list, by its identifier and its name if it has them. */
function title(item: unknown): string {
  const { name, title, ...rest } = isRecord(item) ? item : {}
  const id = Object.entries(rest).find(([key]) => /id$/i.test(key))?.[1]
  const words = [id, name ?? title].filter((part) => part !== undefined)
  return `- ${words.length > 0 ? words.map(short).join(': ') : short(item)}`
}

const linesOf = (record: Json): string[] =>
  Object.entries(record)
    .filter(([, value]) => value !== null && value !== '')
    .slice(0, 16)
    .map(([key, value]) => `- ${key}: ${short(value)}`)

const short = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 2000)
