// A token is counted as four UTF-16 units, begun ones whole. Cheap, the same everywhere, and
// close to what tokenizers give for English; nobody pays by it.
import type { TextDelta, TextResult } from '../../provider.ts'

const unitsPerToken = 4

/** Of a longer request only both ends are read. */
export const maxInputTokens = 16_000
export const maxOutputTokens = 8_000
export const maxReadLength = maxInputTokens * unitsPerToken

export const countTokens = (text: string): number => Math.ceil(text.length / unitsPerToken)

/** The longest beginning that fits, never half a character. */
export const cutAt = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

export const cutToTokens = (text: string, maxTokens: number): string =>
  cutAt(text, maxTokens * unitsPerToken)

/** Between words where there is one near, in about the size in which large models answer. */
const split = (text: string): string[] => text.match(/.{1,24}(?= )|.{1,24}/gsu) ?? []

/** A finished answer as it would have come piece by piece. */
export function piecesOf({ text, toolCalls = [], usage, ...answer }: TextResult): TextDelta[] {
  const { finish, answeredBy } = answer
  const pieces: TextDelta[] = split(text).map((part) => ({ type: 'text', text: part }))
  for (const [index, { arguments: written, ...call }] of toolCalls.entries()) {
    pieces.push({ type: 'tool_call', index, ...call })
    for (const part of split(written)) pieces.push({ type: 'tool_arguments', index, text: part })
  }
  if (usage) pieces.push({ type: 'usage', usage })
  return [...pieces, { type: 'end', finish, ...(answeredBy ? { answeredBy } : {}) }]
}
