// Prices that an account chooses for models whose own price is not known. Without one, such a model
// is refused under a spend limit, because no limit could hold.

import { invalid } from '#core/errors.ts'
import type { StandIns, UnitPrices } from '#core/pricing.ts'
import { type Static, Type } from '#core/schema.ts'
import { lockAccount, readAccount, storeStandIns } from '#store/tables/accounts.ts'
import { listCredentials } from '#store/tables/credentials.ts'
import { answer } from '../../operation.ts'
import { Amount, Closed, NamedRecord, Nullable } from '../../schemas.ts'
import { type ConsoleContext, defineConsole, requireCaller, requireSession } from '../context.ts'
import { ModelName } from '../fields.ts'

/** Enough for every model that a server offers; the whole list is kept with each credential. */
const most = 100

const Price = Type.Optional(Type.Number({ ...Amount, maximum: 1_000_000 }))
const Prices = Closed({
  inputPerMillionTokens: Price,
  outputPerMillionTokens: Price,
  perImage: Price,
  perSecond: Price,
  inputAudioPerHour: Price,
  inputPerMillionCharacters: Price,
})
type PriceName = keyof Static<typeof Prices>

const StandIn = NamedRecord('StandInPrice', {
  model: Type.String(),
  kind: Type.String(),
  pricing: Nullable(Prices),
})
const StandInList = Closed({ items: Type.Array(StandIn) })

type Kind = ConsoleContext['services']['api']['catalogue']['models'][number]['kind']
const perToken: PriceName[] = ['inputPerMillionTokens', 'outputPerMillionTokens']

/** The prices that a call of each kind needs: all of one of these groups. */
const neededPrices: Record<Kind, PriceName[][]> = {
  TEXT: [perToken],
  CODE: [perToken],
  IMAGE: [['perImage'], perToken],
  VIDEO: [['perSecond']],
  EMBEDDING: [['inputPerMillionTokens']],
  SPEECH: [['inputPerMillionCharacters'], perToken],
  TRANSCRIPTION: [['inputAudioPerHour'], perToken],
}

export const listStandInPrices = defineConsole({
  id: 'listStandInPrices',
  route: 'GET /stand-in-prices',
  summary: 'Lists the models whose price is not known, with the stand-in prices of the account',
  access: 'viewer',
  takesKeys: true,
  success: {
    200: {
      description: 'A model without a stand-in price (null) is refused under a spend limit.',
      data: StandInList,
    },
  },
  async handle(context) {
    const { accountId } = requireCaller(context)
    const account = await readAccount(context.services.db, accountId)
    return answer(await listOf(context, accountId, account?.standIns ?? {}))
  },
})

// No key may call it: one with a limit of its own could make its calls free.
export const setStandInPrice = defineConsole({
  id: 'setStandInPrice',
  route: 'PUT /stand-in-prices',
  summary: 'Sets the stand-in price of a model whose price is not known, or removes it',
  access: 'owner',
  body: Closed({ model: ModelName, pricing: Nullable(Prices) }),
  success: { 200: { description: 'The stand-in prices.', data: StandInList } },
  audit: {
    action: 'stand-in-price.changed',
    target: ({ body: { model, pricing } }) => `${model}: ${pricing ? wordsOf(pricing) : 'none'}`,
  },
  repeatable: true,
  async handle(context, { body: { model, pricing } }) {
    const { accountId } = requireSession(context)
    const { db, verifier } = context.services
    if (pricing) checkPrices(context, model, pricing)
    const standIns = await db.transaction(async (tx) => {
      await lockAccount(tx, accountId)
      const { [model]: _, ...others } = (await readAccount(tx, accountId))?.standIns ?? {}
      if (Object.keys(others).length >= most) throw problem('/model', `has ${most} already`)
      const next = pricing ? { ...others, [model]: pricing } : others
      await storeStandIns(tx, accountId, next)
      return next
    })
    verifier.forgetAccount(accountId)
    return answer(await listOf(context, accountId, standIns))
  },
})

/** Models that the account can call, with a key of the server or its own, and those it priced. */
async function listOf({ services }: ConsoleContext, accountId: string, standIns: StandIns) {
  const { db, api } = services
  const { models, keyless } = api.catalogue
  const own = new Set((await listCredentials(db, accountId)).map(({ provider }) => provider))
  const isListed = ({ id, provider }: (typeof keyless)[number]) =>
    own.has(provider) || standIns[id] !== undefined
  const items: Static<typeof StandIn>[] = [...models, ...keyless.filter(isListed)]
    .filter(({ pricing, route }) => pricing === null && !route)
    .map(({ id, kind }) => ({
      ...{ model: id, kind },
      pricing: (standIns[id] as Static<typeof Prices>) ?? null,
    }))
  return { items }
}

function checkPrices(
  { services }: ConsoleContext,
  model: string,
  pricing: Static<typeof Prices>,
): void {
  const known = services.api.catalogue.known(model)?.model
  if (!known) throw problem('/model', 'is not a model of this server')
  if (known.pricing !== null) throw problem('/model', 'has a price, so it needs no stand-in')
  const groups = neededPrices[known.kind]
  if (groups.some((names) => names.every((name) => pricing[name] !== undefined))) return
  const needed = groups.map((names) => names.join(' and ')).join(', or ')
  throw problem('/pricing', `must have ${needed}`)
}

const problem = (path: string, message: string) =>
  invalid('INVALID_REQUEST', [{ path, rule: 'price', message }], `${path.slice(1)} ${message}.`)

const wordsOf = (pricing: UnitPrices): string =>
  Object.entries(pricing)
    .map(([name, price]) => `${name} ${price}`)
    .join(', ')
