import { isUtf8 } from 'node:buffer'
import { maxDepth } from '#core/depth.ts'
import { Failure } from '#core/errors.ts'

/**
 * Parses JSON as the contract allows it: UTF-8, at most 64 levels deep, and without keys that
 * could pollute prototypes in code that merges objects.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw refusal('The body is not UTF-8.')
  let value: unknown
  try {
    value = JSON.parse(bytes.toString())
  } catch (cause) {
    throw refusal(`The body is not JSON: ${(cause as Error).message.slice(0, 160)}`)
  }
  checkValue(value, 0)
  return value
}

function checkValue(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth >= maxDepth) throw refusal(`The body is nested more than ${maxDepth} levels deep.`)
  if (Array.isArray(value)) {
    for (const item of value) checkValue(item, depth + 1)
    return
  }
  const members = value as Record<string, unknown>
  // A parsed object inherits nothing enumerable, and a list of its keys would be garbage.
  for (const key in members) {
    if (key === '__proto__') throw refusal('The key "__proto__" is not allowed.')
    const member = members[key]
    if (key === 'constructor' && hasPrototypeKey(member)) {
      throw refusal('The key "constructor.prototype" is not allowed.')
    }
    checkValue(member, depth + 1)
  }
}

const hasPrototypeKey = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')

const refusal = (message: string) => new Failure('INVALID_JSON', { message })
