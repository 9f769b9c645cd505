import { isRecord } from '#core/record.ts'
import { countOf, parseJson, recordsOf } from '#providers/json-shape.ts'
import type { EmbedRequest, EmbedResult } from '#providers/provider.ts'
import { protocolError } from '#providers/refusal.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import { readVector, vectorOf } from '#providers/vectors.ts'
import { refusal } from './response.ts'

export const embeddingsBody = ({ model, inputs, dimensions }: EmbedRequest) => ({
  model,
  input: inputs,
  ...(dimensions === undefined ? {} : { dimensions }),
  // A quarter of the size of JSON numbers; servers that do not support it answer with numbers.
  encoding_format: 'base64' as const,
})

export function readEmbeddings(
  upstream: Upstream,
  answer: Answer,
  { inputs }: EmbedRequest,
): EmbedResult {
  if (answer.status !== 200) throw refusal(upstream, answer, { rejectedWhenBusy: true })
  const json = parseJson(answer.body)
  const usage = isRecord(json) && isRecord(json.usage) ? json.usage : undefined
  const vectors: Float32Array[] = []
  for (const [position, { index = position, embedding }] of recordsOf(
    isRecord(json) ? json.data : undefined,
  ).entries()) {
    const vector = typeof embedding === 'string' ? readVector(embedding) : vectorOf(embedding)
    if (vector && typeof index === 'number') vectors[index] = vector
  }
  const isWhole = inputs.every((_, index) => vectors[index] !== undefined)
  if (!isWhole || vectors.length !== inputs.length) {
    throw protocolError(upstream, answer, 'not one embedding for each input')
  }
  return {
    vectors,
    usage: usage ? { inputTokens: countOf(usage.prompt_tokens), outputTokens: 0 } : null,
  }
}
