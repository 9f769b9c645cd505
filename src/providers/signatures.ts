// What a model thought before it called a function. Some vendors want it back unchanged. Callers
// do not know about it, so it travels as the signature of the first call of an answer.
import type { ToolCall } from '#core/text-stream.ts'
import { type Json, parseJson, recordsOf } from './json-shape.ts'

type Signer = 'anthropic' | 'openai'

/** The prefix tells ours from other adapters' signatures, which may arrive after a fallback. */
export const sign = (signer: Signer, thoughts: readonly object[]): string | undefined =>
  thoughts.length === 0
    ? undefined
    : `${signer}.${Buffer.from(JSON.stringify(thoughts)).toString('base64url')}`

/** `calls` belong to one answer. A signature that cannot be read counts as absent. */
export function readSigned(signer: Signer, calls: readonly ToolCall[]): Json[] {
  const own = calls.find(({ signature }) => signature?.startsWith(`${signer}.`))?.signature
  if (own === undefined) return []
  return recordsOf(parseJson(Buffer.from(own.slice(signer.length + 1), 'base64url').toString()))
}
