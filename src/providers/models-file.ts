// MODELS_FILE: the operator's word on models. Anything in it that is not understood stops the
// start, with the place named; a silently ignored price would cost money.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false }
const Price = Type.Optional(Type.Number({ minimum: 0 }))
const Words = Type.Optional(Type.Array(Type.String()))
const Count = Type.Optional(Type.Integer({ minimum: 1 }))

const Endpoint = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,39}$' }),
    baseUrl: Type.String({ pattern: '^https?://' }),
    apiKey: Type.Optional(Type.String({ minLength: 1 })),
    /** Names the environment variable that holds the key, to keep it out of the file. */
    apiKeyVariable: Type.Optional(Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' })),
  },
  closed,
)

const Capabilities = Type.Object(
  {
    inputModalities: Words,
    maxInputTokens: Count,
    maxOutputTokens: Count,
    temperature: Type.Optional(Type.Object({ min: Type.Number(), max: Type.Number() }, closed)),
    imageAspectRatios: Words,
    imageQualities: Words,
    imageSampleSizes: Words,
    videoAspectRatios: Words,
    videoResolutions: Words,
    videoSeconds: Type.Optional(
      Type.Object(
        { min: Type.Integer({ minimum: 1 }), max: Type.Integer(), default: Type.Integer() },
        closed,
      ),
    ),
    videoAudio: Type.Optional(Type.Boolean()),
  },
  closed,
)

const Pricing = Type.Object(
  {
    inputPerMillionTokens: Price,
    outputPerMillionTokens: Price,
    perImage: Price,
    perSecond: Price,
  },
  closed,
)

const ModelEntry = Type.Object(
  {
    id: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$' }),
    provider: Type.Optional(Type.String()),
    providerModel: Type.Optional(Type.String({ minLength: 1 })),
    kind: Type.Optional(
      Type.Unsafe<'TEXT' | 'CODE' | 'IMAGE' | 'VIDEO'>({
        type: 'string',
        enum: ['TEXT', 'CODE', 'IMAGE', 'VIDEO'],
      }),
    ),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    enabled: Type.Optional(Type.Boolean()),
    capabilities: Type.Optional(Capabilities),
    pricing: Type.Optional(Pricing),
    fallbacks: Words,
  },
  closed,
)

const ModelsFile = Type.Object(
  { endpoints: Type.Optional(Type.Array(Endpoint)), models: Type.Optional(Type.Array(ModelEntry)) },
  closed,
)

export type ModelsFile = Static<typeof ModelsFile>
export type ModelEntry = Static<typeof ModelEntry>

export class ModelsFileError extends Error {
  override name = 'ModelsFileError'
}

const check = new Ajv2020({ allErrors: true }).compile<ModelsFile>(ModelsFile)

export function parseModelsFile(text: string): ModelsFile {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ModelsFileError(`is not JSON: ${(cause as Error).message}`)
  }
  if (check(value)) return value
  const problems = (check.errors ?? []).map((error) => {
    const { additionalProperty } = error.params as { additionalProperty?: string }
    const what = additionalProperty ? `"${additionalProperty}" is not known` : error.message
    return `  ${error.instancePath || '/'}: ${what}`
  })
  throw new ModelsFileError(`is not acceptable:\n${problems.join('\n')}`)
}
