import { NodeFailure } from './node-failure.ts'
import type { Answer } from './outside-calls.ts'
import { assertDepth } from './values.ts'

/** Of an answer that was asked for as JSON. Throws if it is none. */
export function parseAnswer({ text, finish }: Answer): unknown {
  // A cut-off answer, such as part of a number, may well parse and would be wrong.
  if (finish === 'length') {
    throw new NodeFailure(
      'TYPE_MISMATCH',
      "The model's JSON was cut off at the output limit. Raise maxTokens.",
    )
  }
  try {
    const value: unknown = JSON.parse(withoutFence(text))
    assertDepth(value)
    return value
  } catch (error) {
    if (error instanceof NodeFailure) throw error
    throw new NodeFailure(
      'TYPE_MISMATCH',
      'The model was asked for JSON and returned something else.',
    )
  }
}

/**
 * Models often put JSON into a code fence although they were asked for plain JSON. A pattern over
 * the whole answer would take minutes for a few thousand line breaks, which models do write.
 */
function withoutFence(text: string): string {
  const trimmed = text.trim()
  const isFenced = trimmed.startsWith('```') && trimmed.endsWith('```') && trimmed.length > 6
  return isFenced ? trimmed.slice(3, -3).replace(/^json/, '') : trimmed
}

export function isJsonAnswer(answer: Answer): boolean {
  try {
    parseAnswer(answer)
    return true
  } catch {
    return false
  }
}
