// Thoughts in APIs that have no place for them. What a vendor wants back travels as the signature of
// the first call of an answer, which clients send back unread.
import type { Thought, ToolCall } from '#core/text-stream.ts'

const prefix = 'thoughts.'

/** Undefined if no vendor wants any of them back. */
export function packThoughts(thoughts: readonly Thought[] = []): string | undefined {
  const signed = thoughts.filter(({ signature }) => signature !== undefined)
  if (signed.length === 0) return undefined
  const pairs = signed.map(({ text, signature }) => [text, signature])
  return prefix + Buffer.from(JSON.stringify(pairs)).toString('base64url')
}

/** Puts pieces together: a signature ends a thought. */
export function createThoughtReader() {
  const ended: Thought[] = []
  let words = ''
  return {
    read({ text, signature }: Thought) {
      words += text
      if (signature === undefined) return
      ended.push({ text: words, signature })
      words = ''
    },
    /** Those that have ended. */
    thoughts: (): readonly Thought[] => ended,
  }
}

/** The calls of one answer without packed thoughts, and these. What cannot be read is left out. */
export function unpackThoughts(calls: readonly ToolCall[]): {
  toolCalls: ToolCall[]
  thoughts?: Thought[]
} {
  const thoughts: Thought[] = []
  const toolCalls = calls.map((call): ToolCall => {
    if (!call.signature?.startsWith(prefix)) return call
    const { signature, ...rest } = call
    thoughts.push(...thoughtsIn(signature))
    return rest
  })
  return thoughts.length === 0 ? { toolCalls } : { toolCalls, thoughts }
}

function thoughtsIn(packed: string): Thought[] {
  try {
    const pairs: unknown = JSON.parse(
      Buffer.from(packed.slice(prefix.length), 'base64url').toString(),
    )
    if (!Array.isArray(pairs)) return []
    return pairs.flatMap((pair: unknown) => {
      const [text, signature] = Array.isArray(pair) ? pair : []
      return typeof text === 'string' && typeof signature === 'string' ? [{ text, signature }] : []
    })
  } catch {
    return []
  }
}
