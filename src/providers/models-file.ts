// MODELS_FILE: the operator's changes to the models. Anything in it that is not understood is an
// error that names the position, because a silently ignored price would cost money.
import type { ErrorObject } from 'ajv/dist/2020.js'
import { createAjv } from '#core/ajv.ts'
import { speechFormats, transcriptFormats } from '#core/audio.ts'
import { modelKinds } from '#core/catalogue.ts'
import { mediaOptions } from '#core/media-options.ts'
import { nearest } from '#core/nearest.ts'
import { once } from '#core/once.ts'
import { RouteName, routeFields } from '#core/route-schema.ts'
import { type Static, Type } from '#core/schema.ts'
import { hostedForms, reasoningEfforts } from '#core/text-stream.ts'
import { UnitPricesSchema } from './price-schema.ts'

const closed = { additionalProperties: false }
const Words = Type.Optional(Type.Array(Type.String()))
const OneOf = <const T extends string>(values: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values] })
/** Errors show the description in place of the pattern. */
const Written = (pattern: string, description: string) => Type.String({ pattern, description })
const Whole = Type.Integer({ minimum: 1 })
const Count = Type.Optional(Whole)
const Range = Type.Optional(Type.Object({ min: Type.Number(), max: Type.Number() }, closed))

const Name = Written('^[a-z0-9][a-z0-9-]{0,39}$', '1 to 40 lowercase letters, digits and hyphens')
const Address = Written('^https?://', 'an http:// or https:// address')

/** How a server is reached, and what it is asked with. */
const access = {
  apiKey: Type.Optional(Type.String({ minLength: 1 })),
  /** The environment variable that holds the key, which keeps the key out of the file. */
  apiKeyVariable: Type.Optional(
    Written('^[A-Z][A-Z0-9_]*$', 'the name of a variable, in capitals'),
  ),
  /** Azure: of the older addresses, which name it. Without it, those under /openai/v1. */
  apiVersion: Type.Optional(
    Written('^\\d{4}-\\d{2}-\\d{2}(-preview)?$', 'a version, as 2024-10-21'),
  ),
  /** Azure: the key is a token of Entra. */
  bearer: Type.Optional(Type.Boolean()),
  /** Bedrock: the region, if the address does not name it. */
  region: Type.Optional(Written('^[a-z]{2}(-[a-z]+)+-\\d$', 'a region, as us-east-1')),
  /** Bedrock, without a key: the profile in the files of AWS. */
  profile: Type.Optional(Type.String({ minLength: 1 })),
}

export const endpointTypes = ['openai', 'azure', 'bedrock'] as const

const Endpoint = Type.Object(
  { name: Name, baseUrl: Address, type: Type.Optional(OneOf(endpointTypes)), ...access },
  closed,
)

/** One of several keys of a provider, or of several places where it is deployed. */
const DeploymentEntry = Type.Object(
  {
    provider: Type.String(),
    name: Name,
    baseUrl: Type.Optional(Address),
    ...access,
    weight: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    /** The models that it has, and what they are called there. */
    models: Type.Optional(Type.Record(Type.String(), Type.String({ minLength: 1 }))),
    concurrency: Count,
    requestsPerMinute: Count,
    tokensPerMinute: Count,
  },
  closed,
)

const Capabilities = Type.Object(
  {
    inputModalities: Type.Optional(Type.Array(OneOf(['text', 'image', 'video', 'audio']))),
    maxInputImages: Count,
    mask: Type.Optional(Type.Boolean()),
    maxInputTokens: Count,
    maxOutputTokens: Count,
    minOutputTokens: Count,
    contextTiers: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }))),
    temperature: Range,
    topP: Range,
    stopSequences: Type.Optional(Type.Boolean()),
    reasoningEfforts: Type.Optional(Type.Array(OneOf(reasoningEfforts))),
    documents: Type.Optional(Type.Boolean()),
    webSearch: Type.Optional(OneOf(hostedForms)),
    structuredOutput: Type.Optional(Type.Boolean()),
    forcedToolChoice: Type.Optional(Type.Boolean()),
    imageAspectRatios: Words,
    imageQualities: Words,
    imageSampleSizes: Words,
    videoAspectRatios: Words,
    videoResolutions: Words,
    videoSeconds: Type.Optional(
      Type.Object(
        {
          min: Type.Integer({ minimum: 1 }),
          max: Type.Integer(),
          default: Type.Integer(),
          values: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1 })),
        },
        closed,
      ),
    ),
    videoAudio: Type.Optional(Type.Boolean()),
    mediaOptions: Type.Optional(Type.Array(OneOf(mediaOptions))),
    embeddingDimensions: Type.Optional(
      Type.Object({ min: Whole, max: Whole, default: Whole }, closed),
    ),
    speechFormats: Type.Optional(Type.Array(OneOf(speechFormats))),
    speechInstructions: Type.Optional(Type.Boolean()),
    speechEvents: Type.Optional(Type.Boolean()),
    transcriptFormats: Type.Optional(Type.Array(OneOf(transcriptFormats))),
  },
  closed,
)

const ModelEntry = Type.Object(
  {
    id: Written(
      '^(?!route:)[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$',
      '1 to 128 letters, digits and . _ : / @ -, beginning with a letter or digit, but not with route:',
    ),
    provider: Type.Optional(Type.String()),
    providerModel: Type.Optional(Type.String({ minLength: 1 })),
    kind: Type.Optional(OneOf(modelKinds)),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    enabled: Type.Optional(Type.Boolean()),
    capabilities: Type.Optional(Capabilities),
    pricing: Type.Optional(UnitPricesSchema),
    /** Whether its server takes batches in OpenAI's format; at half the price unless said otherwise. */
    batch: Type.Optional(Type.Boolean()),
    batchPricing: Type.Optional(UnitPricesSchema),
    /** Whether its server has OpenAI's flex tier; at half the price unless said otherwise. */
    flex: Type.Optional(Type.Boolean()),
    flexPricing: Type.Optional(UnitPricesSchema),
    fallbacks: Words,
    lifecycle: Type.Optional(
      Type.Object(
        {
          shutdownAt: Written('^\\d{4}-\\d{2}-\\d{2}$', 'a day, as 2027-01-06'),
          replacement: Type.Optional(Type.String()),
        },
        closed,
      ),
    ),
  },
  closed,
)

const RouteEntry = Type.Object({ name: RouteName, ...routeFields }, closed)

/** Of each key of a provider, over all processes. */
const LimitsEntry = Type.Object(
  {
    provider: Type.String(),
    concurrency: Count,
    requestsPerMinute: Count,
    tokensPerMinute: Count,
  },
  closed,
)

export const ModelsFile = Type.Object(
  {
    endpoints: Type.Optional(Type.Array(Endpoint)),
    models: Type.Optional(Type.Array(ModelEntry)),
    routes: Type.Optional(Type.Array(RouteEntry)),
    limits: Type.Optional(Type.Array(LimitsEntry)),
    deployments: Type.Optional(Type.Array(DeploymentEntry)),
  },
  closed,
)

export type ModelsFile = Static<typeof ModelsFile>
export type ModelEntry = Static<typeof ModelEntry>
export type FileEndpoint = Static<typeof Endpoint>
export type FileDeployment = Static<typeof DeploymentEntry>

export class ModelsFileError extends Error {
  override name = 'ModelsFileError'
}

const checkFile = once(() =>
  createAjv({ allErrors: true, verbose: true }).compile<ModelsFile>(ModelsFile),
)

export function parseModelsFile(text: string): ModelsFile {
  const value = readJson(text)
  const check = checkFile()
  if (check(value)) return value
  throw new ModelsFileError(problemsOf(check.errors ?? []))
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ModelsFileError(`is not JSON${positionIn((cause as Error).message)}`)
  }
}

export const problemsOf = (errors: readonly ErrorObject[]): string =>
  `is invalid:\n${errors.map((error) => `  ${error.instancePath || '/'}: ${sentenceOf(error)}`).join('\n')}`

/** Where the parser stopped. Its message also quotes the file, which may hold keys. */
const positionIn = (message: string): string =>
  /\(line \d+ column \d+\)/.exec(message)?.[0].replace(/^/, ' ') ?? ''

/** What is wrong, and what is allowed instead. */
function sentenceOf({ keyword, params, parentSchema, data, message }: ErrorObject): string {
  const { additionalProperty, allowedValues } = params as Record<string, unknown>
  if (typeof additionalProperty === 'string') {
    const known = Object.keys(parentSchema?.properties ?? {})
    const meant = nearest(additionalProperty, known)
    const hint = meant === null ? `use ${known.join(', ')}` : `did you mean "${meant}"?`
    return `"${additionalProperty}" is not known: ${hint}`
  }
  if (Array.isArray(allowedValues)) {
    return `must be one of ${allowedValues.join(', ')}, but is ${JSON.stringify(data)}`
  }
  if (keyword === 'pattern') return `must be ${parentSchema?.description}`
  return message ?? 'is invalid'
}
