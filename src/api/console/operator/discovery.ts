import { Failure } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import { abortSignalOf } from '#core/stop.ts'
import { insertAuditEntry } from '#store/tables/audit-entries.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, Nullable } from '../../schemas.ts'
import { entryBy } from '../audit/audit-entry.ts'
import { defineConsole } from '../context.ts'

const most = 500
const ModelName = Type.String({ minLength: 1, maxLength: 128 })

const Discovered = NamedRecord('DiscoveredEndpoint', {
  name: Type.String({ description: 'Its name in MODELS_FILE.' }),
  baseUrl: Type.String(),
  problem: Nullable(Type.String({ description: 'Why it could not be asked; null if it was.' })),
  added: Type.Array(
    Closed({
      id: ModelName,
      kind: Type.String(),
      maxInputTokens: Nullable(Type.Integer()),
      inputs: Type.Array(Type.String(), { description: 'What it reads besides text.' }),
    }),
    { description: 'Models that it has and MODELS_FILE has not.' },
  ),
  known: Type.Integer({ minimum: 0, description: 'How many of its models are in MODELS_FILE.' }),
  gone: Type.Array(ModelName, { description: 'Models in MODELS_FILE that it no longer has.' }),
})

export const findServerModels = defineConsole({
  id: 'findServerModels',
  route: 'GET /server/discovery',
  summary:
    'Asks the endpoints in MODELS_FILE which models they have, and compares; changes nothing',
  access: 'operator',
  success: {
    200: {
      description: 'The endpoints that speak OpenAI’s protocol.',
      data: Closed({ items: Type.Array(Discovered) }),
    },
  },
  errors: ['PROVIDER_UNAVAILABLE'],
  async handle({ services, signal }) {
    const found = await services.discovery.find(abortSignalOf(signal()))
    return answer({
      items: found.map(({ added, gone, ...endpoint }) => ({
        ...endpoint,
        added: added.map(({ id, kind = 'TEXT', capabilities = {} }) => ({
          ...{ id, kind, maxInputTokens: capabilities.maxInputTokens ?? null },
          inputs: (capabilities.inputModalities ?? []).filter((one) => one !== 'text'),
        })),
        gone: gone.map(({ id }) => id),
      })),
    })
  },
})

export const addServerModels = defineConsole({
  id: 'addServerModels',
  route: 'POST /server/discovery',
  summary: 'Adds models that an endpoint has to MODELS_FILE; calls can name them seconds later',
  description: 'The file before is kept beside it. Nothing else in it is changed.',
  access: 'operator',
  body: Closed({
    endpoint: Type.String({ minLength: 1, maxLength: 64 }),
    ids: Type.Array(ModelName, { minItems: 1, maxItems: most }),
    free: Type.Boolean({
      description: 'Price them at 0. Without a price they are refused under a spend limit.',
    }),
  }),
  success: {
    200: {
      description: 'Added.',
      data: Closed({ added: Type.Integer({ minimum: 0, description: 'How many were new.' }) }),
    },
  },
  errors: ['PROVIDER_UNAVAILABLE', 'RECORD_NOT_FOUND'],
  audit: { byItself: ['models.added'] },
  repeatable: true,
  async handle(context, { body: { endpoint, ids, free: isFree } }) {
    const { db, discovery } = context.services
    // Recorded before the file is written, which no transaction can undo.
    const target = `${endpoint}: ${ids.join(', ')}`.slice(0, 500)
    await insertAuditEntry(db, entryBy(context, 'models.added', target))
    const signal = abortSignalOf(context.signal())
    const added = await discovery.take({ endpoint, ids, isFree }, signal)
    if (added === null)
      throw new Failure('RECORD_NOT_FOUND', { message: 'MODELS_FILE has no such endpoint.' })
    return answer({ added })
  },
})
