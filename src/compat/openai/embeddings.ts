import type { Catalogue } from '#core/catalogue.ts'
import type { EmbeddingInput, Embeddings, EmbedTexts } from '#core/embedding.ts'
import { isRecord } from '#core/record.ts'
import type { CompatAnswer, CompatCaller } from '../compat-api.ts'
import { embeddingModel } from '../embedding-model.ts'
import { badParameter, type Fields, given, optionalCount, requiredString } from '../parameters.ts'

/** OpenAI's own limits. */
const maxInputs = 2048
const maxTokensPerInput = 8192

type Encoding = 'float' | 'base64'

export async function answerEmbeddings(
  { catalogue, embedTexts }: { catalogue: Catalogue; embedTexts: EmbedTexts },
  body: unknown,
  { principal, signal }: CompatCaller,
): Promise<CompatAnswer> {
  if (!isRecord(body)) throw badParameter('', 'must be a JSON object')
  const modelId = requiredString(body, 'model')
  const inputs = readInputs(given(body, 'input'))
  const dimensions = optionalCount(body, 'dimensions')
  const encoding = readEncoding(body)
  const model = embeddingModel(catalogue, { modelId, dimensions }, (why) =>
    badParameter('dimensions', why, 'UNSUPPORTED_PARAMETER'),
  )
  const call = {
    ...{ principal, modelId: model.id, inputs },
    ...(dimensions === undefined ? {} : { dimensions }),
  }
  return { body: embeddingsAnswer(await embedTexts(call, { signal }), encoding) }
}

function readEncoding(body: Fields): Encoding {
  const encoding = given(body, 'encoding_format') ?? 'float'
  if (encoding === 'float' || encoding === 'base64') return encoding
  throw badParameter('encoding_format', 'must be float or base64')
}

/** A text, the tokens of a text, or a list of either. */
function readInputs(input: unknown): EmbeddingInput[] {
  if (typeof input === 'string') return [readInput(input, 'input')]
  if (!Array.isArray(input) || input.length === 0) {
    throw badParameter('input', 'must be text, a list of texts, or tokens')
  }
  if (typeof input[0] === 'number') return [readInput(input, 'input')]
  if (input.length > maxInputs)
    throw badParameter('input', `may contain at most ${maxInputs} inputs`)
  return input.map((one: unknown, index) => readInput(one, `input[${index}]`))
}

function readInput(input: unknown, at: string): EmbeddingInput {
  if (typeof input === 'string' && input !== '') return input
  if (!Array.isArray(input) || input.length === 0) {
    throw badParameter(at, 'must be non-empty text or a non-empty list of tokens')
  }
  if (input.length > maxTokensPerInput) {
    throw badParameter(at, `may contain at most ${maxTokensPerInput} tokens`)
  }
  if (input.every(isToken)) return input
  throw badParameter(at, 'must contain tokens as whole numbers')
}

const isToken = (token: unknown): token is number =>
  Number.isSafeInteger(token) && Number(token) >= 0

/** `cost` (in US dollars) is not part of OpenAI's format: see chat-answer.ts. */
const embeddingsAnswer = (
  { modelId, vectors, inputTokens, costMicros }: Embeddings,
  encoding: Encoding,
) => ({
  object: 'list',
  data: vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: encoding === 'float' ? Array.from(vector) : base64Of(vector),
  })),
  model: modelId,
  usage: {
    prompt_tokens: inputTokens,
    total_tokens: inputTokens,
    cost: costMicros === null ? null : costMicros / 1e6,
  },
})

/** 32-bit floats, little-endian, which is how all common platforms store them. */
const base64Of = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
