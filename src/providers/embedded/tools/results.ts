// Reads what functions answered without knowing them: identifiers, states, lists, failures.
import { isRecord, type Json, recordsOf } from '../../json-shape.ts'
import type { Step } from './dialogue.ts'

/** The part of an answer that matters: many APIs wrap it. */
export function core(result: unknown): unknown {
  if (!isRecord(result)) return result
  for (const key of ['data', 'result', 'structuredContent']) {
    const inner = result[key]
    if (typeof inner === 'object' && inner !== null) return inner
  }
  return result
}

const plain = (key: string) => key.toLowerCase().replace(/[^a-z0-9]/g, '')

const maxLooked = 5000

/** The value of a key wherever it stands, nearest to the top first. */
export function findKey(value: unknown, key: string): string | number | undefined {
  const wanted = plain(key)
  let level: unknown[] = [value]
  for (let looked = 0; level.length > 0 && looked < maxLooked; ) {
    const next: unknown[] = []
    for (const one of level) {
      looked++
      if (Array.isArray(one)) next.push(...one.slice(0, 200))
      if (!isRecord(one)) continue
      for (const [name, inner] of Object.entries(one).slice(0, 200)) {
        const isScalar = typeof inner === 'string' || typeof inner === 'number'
        if (isScalar && plain(name) === wanted) return inner
        if (typeof inner === 'object' && inner !== null) next.push(inner)
      }
    }
    level = next
  }
  return undefined
}

/** The items of an answer that is a list. */
export function itemsOf(result: unknown): Json[] {
  const inner = core(result)
  if (Array.isArray(inner)) return recordsOf(inner)
  if (!isRecord(inner)) return []
  if (Array.isArray(inner.items)) return recordsOf(inner.items)
  // One thing may hold lists too.
  const isOne = 'status' in inner || 'id' in inner || Object.keys(inner).length > 6
  const lists = isOne
    ? []
    : Object.values(inner).filter(
        (value) => Array.isArray(value) && value.some((item) => isRecord(item)),
      )
  return recordsOf(lists[0])
}

const underWay =
  /^(?:queued|pending|running|in[ _-]?progress|processing|started|starting|submitted|waiting|scheduled|cancel[ _-]requested|accepted)$/i

export function isUnderWay({ result }: Step): boolean {
  const inner = core(result)
  if (!isRecord(inner)) return false
  const state = inner.status ?? inner.state
  return typeof state === 'string' && underWay.test(state)
}

/** What went wrong, in the words of the answer. */
export function failureIn(result: unknown): string | undefined {
  if (typeof result === 'string') return /^error\b/i.test(result) ? result.slice(0, 500) : undefined
  if (!isRecord(result)) return undefined
  const { error } = result
  if (typeof error === 'string' && error !== '') return error.slice(0, 500)
  if (isRecord(error)) {
    const words = [error.message, error.code].filter((word) => typeof word === 'string')
    return words.length > 0 ? words.join(' ').slice(0, 500) : 'it failed'
  }
  return result.success === false || result.isError === true ? 'it failed' : undefined
}
