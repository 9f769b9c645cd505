import { isRecord } from '#core/record.ts'
import { countOf, parseJson, recordsOf } from '#providers/json-shape.ts'
import type { EmbedRequest, EmbedResult } from '#providers/provider.ts'
import { protocolError, unsendable } from '#providers/refusal.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import { vectorOf } from '#providers/vectors.ts'
import { refusal } from './response.ts'

/** The vendor's documented limit for one batch. */
const maxInputs = 100

export function embeddingsBody(
  upstream: Upstream,
  { model, inputs, dimensions }: EmbedRequest,
): object {
  if (inputs.length > maxInputs) {
    throw unsendable(upstream, `accepts at most ${maxInputs} inputs per request`)
  }
  const requests = inputs.map((text) => {
    if (typeof text !== 'string') throw unsendable(upstream, 'accepts text, not tokens, as input')
    return {
      model: `models/${model}`,
      content: { parts: [{ text }] },
      ...(dimensions === undefined ? {} : { outputDimensionality: dimensions }),
    }
  })
  return { requests }
}

export function readEmbeddings(
  upstream: Upstream,
  answer: Answer,
  { inputs }: EmbedRequest,
): EmbedResult {
  if (answer.status !== 200) throw refusal(upstream, answer, { rejectedWhenBusy: true })
  const json = parseJson(answer.body)
  const record = isRecord(json) ? json : {}
  const vectors = recordsOf(record.embeddings).flatMap(({ values }) => vectorOf(values) ?? [])
  if (vectors.length !== inputs.length) {
    throw protocolError(upstream, answer, 'not one embedding for each input')
  }
  const { usageMetadata } = record
  const inputTokens = isRecord(usageMetadata) ? countOf(usageMetadata.promptTokenCount) : 0
  return { vectors, usage: inputTokens > 0 ? { inputTokens, outputTokens: 0 } : null }
}
