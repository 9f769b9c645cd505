// Bounds what one estimate may cost the server. Texts are counted and expressions evaluated up to
// a limit; beyond it, the estimate lists what it assumed instead.

import { known, unknownValue } from '../node/guess.ts'
import type { EstimateEnv, Guess, OutputHistory } from '../node/node-type.ts'
import { measure } from '../node/values.ts'

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
/** Inputs and results of all expressions together. */
const maxEvaluatedBytes = 32 * 1024 * 1024
const maxCachedChars = 10_000
const charsPerToken = 4

/** The tools of one estimate, with their limits. `note` collects the assumptions. */
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
      note(`Long texts are counted as one token per ${charsPerToken} characters.`)
      return Math.ceil(text.length / charsPerToken)
    }
    charsLeft -= sample.length
    if (sample.length < text.length) note('The tokens of very long texts are extrapolated.')
    try {
      return Math.round((await tools.countTokens(sample)) * (text.length / sample.length))
    } catch {
      note(
        `Texts that could not be counted in time count as one token per ${charsPerToken} characters.`,
      )
      return Math.ceil(text.length / charsPerToken)
    }
  }

  return {
    countTokens(text) {
      if (text === '') return Promise.resolve(0)
      if (text.length > maxCachedChars) return countSample(text)
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
        note('Some expressions were not evaluated: their results are treated as unknown.')
        return unknownValue()
      }
      evaluationsLeft--
      const reply = await tools.evaluate(expression, input)
      if ('value' in reply) {
        bytesLeft -= measure(reply.value, bytesLeft)
        return known(reply.value)
      }
      // A graph with one expression that overruns its limits likely has more of them, so no
      // further time is spent.
      if ('limit' in reply) evaluationsLeft = 0
      const reason = Object.values(reply)[0]
      note(`An expression fails on the given inputs, and so would the run: ${reason}`)
      return unknownValue()
    },
  }
}
