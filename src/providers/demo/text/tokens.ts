// Four UTF-16 units count as one token, rounded up. Cheap, the same everywhere, and close to what
// tokenizers give for English; nobody is billed by it.
import type { TextDelta, TextResult } from '../../provider.ts'

const unitsPerToken = 4

/** Of longer text, only the beginning and the end are read. */
export const maxInputTokens = 16_000
export const maxOutputTokens = 8_000
export const maxReadLength = maxInputTokens * unitsPerToken

export const countTokens = (text: string): number => Math.ceil(text.length / unitsPerToken)

/** The longest beginning that fits, without half a character at its end. */
export const cutAt = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

export const cutToTokens = (text: string, maxTokens: number): string =>
  cutAt(text, maxTokens * unitsPerToken)

/** Splits between words if possible, into pieces of about the size that large models stream. */
const split = (text: string): string[] => text.match(/.{1,24}(?= )|.{1,24}/gsu) ?? []

/** A finished answer in the pieces of a stream. */
export function piecesOf({ text, toolCalls = [], usage, ...answer }: TextResult): TextDelta[] {
  const { finish, endCause, answeredBy } = answer
  const pieces: TextDelta[] = split(text).map((part) => ({ type: 'text', text: part }))
  for (const [index, { arguments: written, ...call }] of toolCalls.entries()) {
    pieces.push({ type: 'tool_call', index, ...call })
    for (const part of split(written)) pieces.push({ type: 'tool_arguments', index, text: part })
  }
  if (usage) pieces.push({ type: 'usage', usage })
  const said = { ...(endCause ? { endCause } : {}), ...(answeredBy ? { answeredBy } : {}) }
  return [...pieces, { type: 'end', finish, ...said }]
}
