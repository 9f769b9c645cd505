// Vectors for texts, as one paid call to one model.
import type { Model } from '#core/catalogue.ts'
import type { EmbeddingInput, EmbedTexts } from '#core/embedding.ts'
import { usualWindowTokens } from './call-bounds.ts'
import { openModel } from './open-model.ts'
import { makePaidCall } from './paid-call.ts'
import type { TextCallDeps } from './text-attempt.ts'
import { charactersPerToken } from './text-request.ts'
import { createTimeLimits } from './time-limit.ts'

/** Tokens that a provider adds to each input, such as markers of its beginning and end. */
const addedTokensPerInput = 8
/**
 * What the last answer of a model counted for each input beyond that, if its server adds a text of
 * its own: later calls reserve that too, as chats do.
 */
const countedPerInput = new WeakMap<Model, number>()

export function createEmbedder(deps: TextCallDeps): EmbedTexts {
  const limits = createTimeLimits(deps, deps.clock)
  return async ({ principal, modelId, inputs, dimensions }, { signal: caller }) => {
    const { entry, askAt } = openModel(deps, modelId, ({ embed }) => embed)
    const request = { inputs, ...(dimensions === undefined ? {} : { dimensions }) }
    const given = sum(inputs, mostTokensOf)
    const window = windowsOf(entry.model, inputs)
    const counted = (countedPerInput.get(entry.model) ?? 0) * inputs.length
    const limit = limits.open(caller)
    try {
      const { id, answer, units, costMicros } = await makePaidCall(deps, {
        operation: 'embedding',
        ...{ principal, entry },
        most: { inputTokens: Math.min(given + counted, window) },
        believed: { inputTokens: window },
        expected: { inputTokens: sum(inputs, expectedTokensOf) },
        wait: limits.waitOf(limit),
        ask: (at) => askAt(at)({ model: at.providerModel, ...request }, { signal: limit }),
        usedBy: ({ usage }) => usage && { inputTokens: usage.inputTokens },
      })
      const { inputTokens = 0 } = units
      const beyond = Math.max(0, Math.ceil((inputTokens - given) / inputs.length))
      countedPerInput.set(entry.model, beyond)
      const { vectors } = answer
      return { id, modelId: entry.model.id, vectors, inputTokens, costMicros }
    } finally {
      limits.close(limit)
    }
  }
}

const sum = (inputs: EmbeddingInput[], tokensOf: (input: EmbeddingInput) => number): number =>
  inputs.reduce((total, input) => total + tokensOf(input), 0)

/** No tokenizer produces more than one token per byte. */
const mostTokensOf = (input: EmbeddingInput): number =>
  addedTokensPerInput + (typeof input === 'string' ? Buffer.byteLength(input) : input.length)

/** Each input has a context window of its own. */
const windowsOf = ({ capabilities }: Model, inputs: EmbeddingInput[]): number =>
  sum(inputs, (input) =>
    Math.max(mostTokensOf(input), capabilities.maxInputTokens ?? usualWindowTokens),
  )

const expectedTokensOf = (input: EmbeddingInput): number =>
  typeof input === 'string' ? Math.ceil(input.length / charactersPerToken) : input.length
