// What one estimate may cost the server: texts are counted and expressions evaluated up to a
// bound, and told as assumptions beyond it.

import { measure } from '../execution/values.ts'
import type { EstimateEnv, Guess, OutputHistory } from '../node-type.ts'
import { known, unknownValue } from './guess.ts'

export type EstimateTools = {
  countTokens(text: string): Promise<number>
  outputHistory(model: string): Promise<OutputHistory | null>
  evaluate(
    expression: string,
    input: unknown,
  ): Promise<{ value: unknown } | { error: string } | { limit: string } | { tooDeep: string }>
}

const longestCounted = 100_000
const maxCountedChars = 1_000_000
const maxEvaluations = 1_000
/** What goes to and comes from expressions, together. */
const maxEvaluatedBytes = 32 * 1024 * 1024
const longestRemembered = 10_000
const charsPerToken = 4

/** The tools of one estimate, with their bounds; `note` collects what had to be assumed. */
export function boundTools(
  tools: EstimateTools,
  note: (sentence: string) => void,
): Pick<EstimateEnv, 'countTokens' | 'outputHistory' | 'evaluate'> {
  const counted = new Map<string, Promise<number>>()
  const histories = new Map<string, Promise<OutputHistory | null>>()
  let charsLeft = maxCountedChars
  let evaluationsLeft = maxEvaluations
  let bytesLeft = maxEvaluatedBytes

  async function countSample(text: string): Promise<number> {
    const sample = text.slice(0, longestCounted)
    if (charsLeft < sample.length) {
      note(`Long texts count as one token for ${charsPerToken} characters.`)
      return Math.ceil(text.length / charsPerToken)
    }
    charsLeft -= sample.length
    if (sample.length < text.length) note('Very long texts are counted by their beginning.')
    try {
      return Math.round((await tools.countTokens(sample)) * (text.length / sample.length))
    } catch {
      note(
        `Texts that could not be counted in time count as one token for ${charsPerToken} characters.`,
      )
      return Math.ceil(text.length / charsPerToken)
    }
  }

  return {
    countTokens(text) {
      if (text === '') return Promise.resolve(0)
      if (text.length > longestRemembered) return countSample(text)
      const ready = counted.get(text) ?? countSample(text)
      counted.set(text, ready)
      return ready
    },
    outputHistory(model) {
      const ready = histories.get(model) ?? tools.outputHistory(model)
      histories.set(model, ready)
      return ready
    },
    async evaluate(expression, input): Promise<Guess> {
      bytesLeft -= measure(input, bytesLeft)
      if (evaluationsLeft <= 0 || bytesLeft <= 0) {
        note('Some expressions were not evaluated: their results count as unknown.')
        return unknownValue()
      }
      evaluationsLeft--
      const reply = await tools.evaluate(expression, input)
      if ('value' in reply) {
        bytesLeft -= measure(reply.value, bytesLeft)
        return known(reply.value)
      }
      // One that overran its limits will not be the last: no further time is spent.
      if ('limit' in reply) evaluationsLeft = 0
      const reason = Object.values(reply)[0]
      note(`An expression fails on the given inputs, and so would the run: ${reason}`)
      return unknownValue()
    },
  }
}
