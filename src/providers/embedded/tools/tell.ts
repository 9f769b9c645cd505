// The answer once the calls are made: what they gave, in plain lines, and who says so.
import { isRecord, type Json } from '../../json-shape.ts'
import type { Step } from './dialogue.ts'
import { core, failureIn, itemsOf } from './results.ts'

const maxItems = 20
const maxLines = 16
const maxValueLength = 2000

export const signature =
  'I am the embedded demo model: rules chose these calls, not a language model.'

export function tell(steps: readonly Step[]): string {
  const parts = steps.map((step, index) => {
    const failure = failureIn(step.result)
    if (failure !== undefined) return `${step.name} did not work: ${failure}`
    return describe(step, { isLast: index === steps.length - 1 })
  })
  return [...parts, signature].join('\n\n')
}

function describe({ name, result }: Step, { isLast }: { isLast: boolean }): string {
  const inner = core(result)
  if (!isRecord(inner) && !Array.isArray(inner)) return `${name}: ${short(inner)}`
  const items = itemsOf(result)
  if (items.length > 0 && !isRecord(outputsOf(inner))) {
    const lines = items.slice(0, maxItems).map((item) => `- ${title(item)}`)
    const more = items.length > maxItems ? [`… and ${items.length - maxItems} more`] : []
    return [`${name} found ${items.length}:`, ...lines, ...more].join('\n')
  }
  if (Array.isArray(inner)) return `${name} found nothing.`
  const outputs = outputsOf(inner)
  const state = inner.status ?? inner.state
  const head = typeof state === 'string' ? `${name}: ${state}` : `${name}:`
  if (isRecord(outputs) && isLast) return [head, 'Outputs:', ...lines(outputs)].join('\n')
  return [head, ...lines(inner).filter((line) => line !== `- status: ${state}`)].join('\n')
}

const outputsOf = (inner: unknown): unknown => (isRecord(inner) ? inner.outputs : undefined)

const title = (item: Json): string => {
  const name = item.name ?? item.title
  const id = item.id ?? Object.entries(item).find(([key]) => /id$/i.test(key))?.[1]
  const state = typeof item.status === 'string' ? ` (${item.status})` : ''
  if (name !== undefined && id !== undefined && name !== id) return `${id}: ${short(name)}${state}`
  return name === undefined && id === undefined
    ? lines(item).join(', ').replaceAll('- ', '')
    : `${short(name ?? id)}${state}`
}

const lines = (record: Json): string[] =>
  Object.entries(record)
    .filter(
      ([, value]) =>
        value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
    )
    .slice(0, maxLines)
    .map(([key, value]) => `- ${key}: ${short(value)}`)

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength - 1)}…` : text
}
