// Signatures of calls. Google's are bytes in base64, and some of its clients check that. What another
// vendor wants back is packed and written in base64 as well.
import type { Thought, ToolCall } from '#core/text-stream.ts'
import { packThoughts } from '../thoughts.ts'

/** The signature of the first call of an answer: Google's own, or the thoughts of another vendor. */
export function firstSignature(
  { signature }: Pick<ToolCall, 'signature'>,
  thoughts: readonly Thought[] | undefined,
): string | undefined {
  const packed = packThoughts(thoughts)
  return packed === undefined ? signature : Buffer.from(packed).toString('base64')
}

/** What `firstSignature` made is opened; Google's own is passed on. */
export function openSignature(signature: string): string {
  const decoded = Buffer.from(signature, 'base64').toString('latin1')
  return isPacked(decoded) ? decoded : signature
}

const isPacked = (text: string): boolean => text.startsWith('thoughts.')
