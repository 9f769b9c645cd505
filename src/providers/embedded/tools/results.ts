// What functions were called and answered, read without knowing them, and reported in plain lines.
import type { ToolCall } from '#core/text-stream.ts'
import { argumentsOf } from '../../conversation.ts'
import { isRecord, type Json, parseJson, recordsOf } from '../../json-shape.ts'
import type { Message } from '../../provider.ts'

/** A call that was made, and what came of it: JSON where it is JSON, else its text. */
export type Step = { name: string; args: Json; result: unknown }

export function stepsIn(messages: readonly Message[]): Step[] {
  const calls = new Map<string, ToolCall>()
  return messages.flatMap((message) => {
    if (message.role !== 'tool') {
      for (const call of message.toolCalls ?? []) calls.set(call.id, call)
      return []
    }
    const call = calls.get(message.toolCallId)
    const text = message.content.slice(0, 1_000_000)
    return call
      ? [{ name: call.name, args: argumentsOf(call), result: parseJson(text) ?? text }]
      : []
  })
}

/** The part of an answer that matters: many APIs wrap it. */
export function core(result: unknown): unknown {
  if (!isRecord(result)) return result
  return (
    [result.data, result.result, result.structuredContent].find(
      (inner) => typeof inner === 'object' && inner !== null,
    ) ?? result
  )
}

const plain = (key: string) => key.toLowerCase().replace(/[^a-z0-9]/g, '')

/** The value of a key wherever it stands, nearest to the top first. */
export function findKey(value: unknown, key: string): string | number | undefined {
  let level: unknown[] = [value]
  for (let looked = 0; level.length > 0 && looked < 5000; looked += level.length) {
    const entries = level
      .slice(0, 5000)
      .flatMap((one) =>
        typeof one === 'object' && one !== null ? Object.entries(one).slice(0, 200) : [],
      )
    for (const [name, inner] of entries) {
      if (plain(name) === plain(key) && (typeof inner === 'string' || typeof inner === 'number'))
        return inner
    }
    level = entries.map(([, inner]) => inner)
  }
  return undefined
}

/** The items of an answer that is a list. */
export function itemsOf(result: unknown): Json[] {
  const inner = core(result)
  return recordsOf(isRecord(inner) ? inner.items : inner)
}

const underWay =
  /^(?:queued|pending|running|in[ _-]?progress|processing|started|submitted|waiting|cancel[ _-]requested)$/i

const stateOf = (result: unknown): string | undefined => {
  const inner = core(result)
  const state = isRecord(inner) ? (inner.status ?? inner.state) : undefined
  return typeof state === 'string' ? state : undefined
}

export const isUnderWay = ({ result }: Step): boolean => underWay.test(stateOf(result) ?? '')

/** What went wrong, in the words of the answer. */
export function failureIn(result: unknown): string | undefined {
  if (typeof result === 'string') return /^error\b/i.test(result) ? result.slice(0, 500) : undefined
  if (!isRecord(result)) return undefined
  const { error } = result
  if (typeof error === 'string' && error !== '') return error.slice(0, 500)
  if (isRecord(error)) return String(error.message ?? error.code ?? 'it failed').slice(0, 500)
  return result.success === false || result.isError === true ? 'it failed' : undefined
}

export const signature =
  'I am the embedded demo model: rules chose these calls, not a language model.'

export const tell = (steps: readonly Step[]): string =>
  [...steps.map(describe), signature].join('\n\n')

function describe({ name, result }: Step): string {
  const failure = failureIn(result)
  if (failure !== undefined) return `${name} did not work: ${failure}`
  const inner = core(result)
  const items = itemsOf(result)
  if (items.length > 0) {
    const rest = items.length > 20 ? [`… and ${items.length - 20} more`] : []
    return [`${name} found ${items.length}:`, ...items.slice(0, 20).map(title), ...rest].join('\n')
  }
  if (!isRecord(inner))
    return Array.isArray(inner) ? `${name} found nothing.` : `${name}: ${short(inner)}`
  const head = `${name}: ${stateOf(result) ?? ''}`.trim()
  if (isRecord(inner.outputs)) return [head, 'Outputs:', ...linesOf(inner.outputs)].join('\n')
  const { status: _, ...rest } = inner
  return [head, ...linesOf(rest)].join('\n')
}

function title(item: Json): string {
  const id = item.id ?? Object.entries(item).find(([key]) => /id$/i.test(key))?.[1]
  const name = item.name ?? item.title
  const words = [id, name].filter((part) => part !== undefined)
  return words.length > 0
    ? `- ${[...new Set(words)].map(short).join(': ')}`
    : linesOf(item).join(', ')
}

const linesOf = (record: Json): string[] =>
  Object.entries(record)
    .filter(
      ([, value]) =>
        value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
    )
    .slice(0, 16)
    .map(([key, value]) => `- ${key}: ${short(value)}`)

const short = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 2000 ? `${text.slice(0, 1999)}…` : text
}
