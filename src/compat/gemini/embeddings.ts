// Vectors of texts in Google's format, one by one or many at once.
import type { Catalogue } from '#core/catalogue.ts'
import type { Embeddings, EmbedTexts } from '#core/embedding.ts'
import type { CompatAnswer, CompatCaller } from '../compat-api.ts'
import { embeddingModel } from '../embedding-model.ts'
import {
  count,
  FieldProblem,
  ignored,
  listOf,
  problemAt,
  type Read,
  readFields,
  reading,
  refused,
  required,
  rowsOf,
} from '../field-table.ts'
import { readInstruction } from './contents.ts'
import { fields } from './fields.ts'

/** Google's own limit. */
const maxRequests = 100

type Deps = { catalogue: Catalogue; embedTexts: EmbedTexts }
type Given = { text?: string; dimensions?: number }

const row = rowsOf<Given>()
const purpose = ignored(
  'the vectors of a model fit each other whatever their purpose; only Google has more to say',
)
const ofFiles = refused('is not supported: only text is embedded')

const readText: Read<string> = (value) => {
  const text = readInstruction(value)
  if (text !== '') return text
  throw new FieldProblem('must contain text')
}

export const embedFields = {
  model: ignored('the address names the model'),
  content: row('text', 'the text', readText),
  outputDimensionality: row('dimensions', 'the length of the vector', count),
  taskType: purpose,
  title: purpose,
  mimeType: ofFiles,
  documentOcr: ofFiles,
  audioTrackExtraction: ofFiles,
  autoTruncate: refused('(false) is not supported', (value) => value !== false),
}

const readOne: Read<Given & { text: string }> = (value) => {
  const given = readFields<Given>(embedFields, fields(value), {})
  return { ...given, text: required(given.text, 'content') }
}

type Batch = { requests?: ReturnType<typeof readOne>[] }

const batchFields = {
  requests: rowsOf<Batch>()(
    'requests',
    'the texts',
    listOf(readOne, { most: maxRequests, of: 'requests' }),
  ),
}

function readBatch(body: unknown): Required<Batch>['requests'] {
  const requests = required(readFields<Batch>(batchFields, fields(body), {}).requests, 'requests')
  const [first] = requests
  if (!first) throw problemAt('requests', 'must contain at least one request')
  if (requests.every(({ dimensions }) => dimensions === first.dimensions)) return requests
  throw problemAt('requests', 'must have the same outputDimensionality')
}

type Asked = { modelId: string; body: unknown }

export async function embedOne(
  deps: Deps,
  { modelId, body }: Asked,
  caller: CompatCaller,
): Promise<CompatAnswer> {
  const one = reading('brackets', () => readOne(body))
  const embedded = await embed(deps, { modelId, requests: [one] }, caller)
  const [embedding] = embedded.vectors.map(valuesOf)
  return { body: { embedding, ...usageOf(embedded) } }
}

export async function embedMany(
  deps: Deps,
  { modelId, body }: Asked,
  caller: CompatCaller,
): Promise<CompatAnswer> {
  const requests = reading('brackets', () => readBatch(body))
  const embedded = await embed(deps, { modelId, requests }, caller)
  return { body: { embeddings: embedded.vectors.map(valuesOf), ...usageOf(embedded) } }
}

function embed(
  { catalogue, embedTexts }: Deps,
  { modelId, requests }: { modelId: string; requests: Required<Batch>['requests'] },
  { principal, signal }: CompatCaller,
): Promise<Embeddings> {
  const dimensions = requests[0]?.dimensions
  const { id } = reading('brackets', () =>
    embeddingModel(catalogue, { modelId, dimensions }, (why) =>
      problemAt('outputDimensionality', why, 'UNSUPPORTED_PARAMETER'),
    ),
  )
  const inputs = requests.map(({ text }) => text)
  const length = dimensions === undefined ? {} : { dimensions }
  return embedTexts({ principal, modelId: id, inputs, ...length }, { signal })
}

const valuesOf = (vector: Float32Array) => ({ values: Array.from(vector) })

/** `cost` is our addition, as in the answers of other methods. */
const usageOf = ({ inputTokens, costMicros }: Embeddings) => ({
  usageMetadata: {
    promptTokenCount: inputTokens,
    totalTokenCount: inputTokens,
    cost: costMicros === null ? null : costMicros / 1e6,
  },
})
