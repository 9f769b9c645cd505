import type { Catalogue } from '#core/catalogue.ts'
import type { EmbeddingInput, Embeddings, EmbedTexts } from '#core/embedding.ts'
import type { CompatAnswer, CompatCaller } from '../compat-api.ts'
import { embeddingModel } from '../embedding-model.ts'
import {
  count,
  FieldProblem,
  ignored,
  oneOf,
  problemFailure,
  type Read,
  readFields,
  reading,
  record,
  required,
  rowsOf,
  someText,
  within,
} from '../field-table.ts'

/** OpenAI's own limits. */
const maxInputs = 2048
const maxTokensPerInput = 8192

type Encoding = 'float' | 'base64'
type Asked = {
  modelId?: string
  inputs?: EmbeddingInput[]
  dimensions?: number
  encoding?: Encoding
}

/** A text, the tokens of a text, or a list of either. */
const readInputs: Read<EmbeddingInput[]> = (input) => {
  if (typeof input === 'string') return [readInput(input)]
  if (!Array.isArray(input) || input.length === 0) {
    throw new FieldProblem('must be text, a list of texts, or tokens')
  }
  if (typeof input[0] === 'number') return [readInput(input)]
  if (input.length > maxInputs) throw new FieldProblem(`may contain at most ${maxInputs} inputs`)
  return input.map((one: unknown, index) => within(index, () => readInput(one)))
}

const readInput: Read<EmbeddingInput> = (input) => {
  if (typeof input === 'string' && input !== '') return input
  if (!Array.isArray(input) || input.length === 0) {
    throw new FieldProblem('must be non-empty text or a non-empty list of tokens')
  }
  if (input.length > maxTokensPerInput) {
    throw new FieldProblem(`may contain at most ${maxTokensPerInput} tokens`)
  }
  if (input.every(isToken)) return input
  throw new FieldProblem('must contain tokens as whole numbers')
}

const row = rowsOf<Asked>()

export const embeddingFields = {
  model: row('modelId', 'the model, by its id here', someText),
  input: row('inputs', 'texts, or tokens of texts', readInputs),
  dimensions: row('dimensions', 'the length of the vectors, within what the model can', count),
  encoding_format: row('encoding', 'how vectors are written', oneOf('float', 'base64')),
  user: ignored('it names your user to the vendor, and is not passed on'),
}

export async function answerEmbeddings(
  { catalogue, embedTexts }: { catalogue: Catalogue; embedTexts: EmbedTexts },
  body: unknown,
  { principal, signal }: CompatCaller,
): Promise<CompatAnswer> {
  const { modelId, inputs, dimensions, encoding } = reading('brackets', () => {
    const asked = readFields<Asked>(embeddingFields, record(body), {})
    const needed = {
      modelId: required(asked.modelId, 'model'),
      inputs: required(asked.inputs, 'input'),
    }
    return { ...asked, ...needed }
  })
  const model = embeddingModel(catalogue, { modelId, dimensions }, (why) =>
    problemFailure('dimensions', why, 'UNSUPPORTED_PARAMETER'),
  )
  const call = {
    ...{ principal, modelId: model.id, inputs },
    ...(dimensions === undefined ? {} : { dimensions }),
  }
  return { body: embeddingsAnswer(await embedTexts(call, { signal }), encoding ?? 'float') }
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
