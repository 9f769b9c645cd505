// Every model that this server knows, also those that cannot be called now, each with the reason.
import { type CatalogueEntry, modelKinds, withStandIn } from '#core/catalogue.ts'
import type { StandIns } from '#core/pricing.ts'
import { type Static, Type } from '#core/schema.ts'
import { readAccount } from '#store/tables/accounts.ts'
import { listCredentials } from '#store/tables/credentials.ts'
import { answer } from '../../operation.ts'
import { Model, ModelLifecycle } from '../../public/models/list-models.ts'
import { Closed, NamedRecord, Nullable, OneOf } from '../../schemas.ts'
import { defineConsole, requireSession } from '../context.ts'

const Words = Type.Optional(Type.Array(Type.String()))
const Day = Type.String({ format: 'date' })

/** The members that only models outside the native kinds have. */
const Capabilities = Closed({
  ...Model.properties.capabilities.properties,
  embeddingDimensions: Type.Optional(
    Closed({ min: Type.Integer(), max: Type.Integer(), default: Type.Integer() }),
  ),
  speechFormats: Words,
  speechInstructions: Type.Optional(Type.Boolean()),
  speechEvents: Type.Optional(Type.Boolean()),
  transcriptFormats: Words,
})

const CatalogueModel = NamedRecord('CatalogueModel', {
  ...Model.properties,
  kind: OneOf(modelKinds),
  capabilities: Capabilities,
  state: OneOf(['ready', 'unpriced', 'no-key', 'disabled', 'retired']),
  why: Nullable(Type.String({ description: 'Why it is not ready; null if it is.' })),
  withOwnKey: Type.Boolean({
    description:
      'Only workflows can call it, with the account’s own provider key: the server has none.',
  }),
  priceDate: Nullable(Day),
  lifecycle: Closed({
    ...ModelLifecycle.properties,
    status: OneOf(['active', 'retiring', 'retired']),
  }),
})
type CatalogueModel = Static<typeof CatalogueModel>

export const listModelCatalogue = defineConsole({
  id: 'listModelCatalogue',
  route: 'GET /model-catalogue',
  summary: 'Lists every model the server knows, and why some of them cannot be used',
  access: 'viewer',
  success: {
    200: {
      description: 'All models, in the order they are shown.',
      data: NamedRecord('ModelCatalogue', { items: Type.Array(CatalogueModel) }),
    },
  },
  async handle(context) {
    const { accountId } = requireSession(context)
    const { db, api } = context.services
    const [account, credentials] = await Promise.all([
      readAccount(db, accountId),
      listCredentials(db, accountId),
    ])
    const facts = {
      ownKeys: new Set(credentials.map(({ provider }) => provider)),
      standIns: account?.standIns,
    }
    const models = api.catalogue.entries.filter(({ route }) => !route)
    return answer({ items: models.map((entry) => toItem(entry, facts)) })
  },
})

type Facts = {
  /** Providers that the account has a key for. */
  ownKeys: ReadonlySet<string | null>
  standIns: StandIns | undefined
}

function toItem(known: CatalogueEntry, facts: Facts): CatalogueModel {
  const entry = withStandIn(known, facts.standIns)
  const { model } = entry
  const { priceSource, ...record } = model
  const { lifecycle = { status: 'active' as const } } = model
  return {
    ...record,
    ...(priceSource ? { priceSource } : {}),
    ...stateOf(entry, lifecycle, facts),
    withOwnKey: !entry.isWithdrawn && !model.enabled && facts.ownKeys.has(entry.provider),
    priceDate: priceSource?.date ?? null,
    lifecycle,
  }
}

function stateOf(
  { model, provider, isWithdrawn }: CatalogueEntry,
  { status, shutdownAt }: CatalogueModel['lifecycle'],
  { ownKeys }: Facts,
): Pick<CatalogueModel, 'state' | 'why'> {
  if (status === 'retired')
    return { state: 'retired', why: `${provider} shut it down on ${shutdownAt}.` }
  if (isWithdrawn)
    return { state: 'disabled', why: 'The operator disabled it, or no longer lists it.' }
  if (!model.enabled && !ownKeys.has(provider))
    return {
      state: 'no-key',
      why: `Neither the server nor your account has a key for ${provider}.`,
    }
  if (model.pricing === null && !model.demo)
    return { state: 'unpriced', why: 'No price is known, so it is refused under a spend limit.' }
  return { state: 'ready', why: null }
}
