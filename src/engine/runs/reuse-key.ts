// The key of a call: the SHA-256 of its canonical form (RFC 8785). Two calls of an account have the
// same key if the same request would be sent to the same place with the same credential. Labels,
// positions, prices and secrets are no part of it.
import { hash } from 'node:crypto'
import { cappedOutput } from '#core/call-tokens.ts'
import { canonicalJson } from '#core/canonical-json.ts'
import {
  type Catalogue,
  type CatalogueEntry,
  type KeyOwner,
  ownerOf,
  usableModel,
} from '#core/catalogue.ts'
import type { Spender } from '#core/generation.ts'
import { withRoutes } from '#core/routed-catalogue.ts'
import type { Media, ReusableRequest } from '#graph/node/outside-calls.ts'
import type { Deployment } from '#providers/provider.ts'
import type { Reuse } from '#store/engine-store.ts'
import { hasSpendLimit } from '../calls/spend-limit.ts'

export type KeyDeps = {
  catalogue: Catalogue
  /** Where the calls of a provider go. */
  addressOf(provider: string): string
  /** The server's own keys for it, if they have names. */
  deploymentsOf(provider: string): readonly KeyPlace[] | undefined
  credentialId(accountId: string, name: string): Promise<string | null>
  /** The digest of the account's media at this address; null if it is not known. */
  digestOf(accountId: string, media: Pick<Media, 'url'>): Promise<string | null>
}

/** Where one key goes, and what it calls the models that it has. */
type KeyPlace = Pick<Deployment, 'models'> & { baseUrl: string }

/** What runs need to reuse answers. */
export type ReuseDeps = Reuse &
  KeyDeps & {
    /** Copies the records of media in a value; undefined if some are gone. */
    keepMedia(accountId: string, value: unknown): Promise<unknown>
  }

/** Who pays for it, and whether the run limits its cost. */
export type Payer = { spender: Spender; isCostLimited: boolean }

/** The canonical form of a call with so many equal ones before it in its node. */
export type CallForm = (number: number) => string

export const keyOf = (form: CallForm, number: number): string =>
  hash('sha256', form(number), 'base64url')

/** Null if nobody can say what would be sent. A promise only if something must be looked up. */
export function formOf(
  deps: KeyDeps,
  asked: ReusableRequest,
  payer: Payer,
): CallForm | null | Promise<CallForm | null> {
  const { accountId } = payer.spender
  const { credential } = asked.call
  const image = asked.kind === 'HTTP' ? undefined : asked.call.image
  const mask = asked.kind === 'MEDIA' ? asked.call.mask : undefined
  const served = asked.kind === 'HTTP' ? noModel : placeOf(deps, asked.call, payer.spender)
  if (!served) return null
  if (credential === undefined && !image && !mask) {
    const request = requestOf(asked, served, payer)
    return formWith(accountId, { served, credentialId: null, request })
  }
  return lookedUp(deps, asked, { served, image, mask, credential, payer })
}

async function lookedUp(
  deps: KeyDeps,
  asked: ReusableRequest,
  from: {
    served: Place
    image: Media | undefined
    mask: Media | undefined
    credential: string | undefined
    payer: Payer
  },
): Promise<CallForm | null> {
  const { served, image, mask, credential, payer } = from
  const { accountId } = payer.spender
  const [digest, maskDigest, credentialId] = await Promise.all([
    image ? deps.digestOf(accountId, image) : undefined,
    mask ? deps.digestOf(accountId, mask) : undefined,
    credential === undefined ? undefined : deps.credentialId(accountId, credential),
  ])
  if (digest === null || maskDigest === null || credentialId === null) return null
  const request = requestOf(asked, served, payer, { digest, maskDigest })
  return formWith(accountId, { served, credentialId: credentialId ?? null, request })
}

/** Members are written in their order, so that what JSON.stringify writes is canonical. */
const formWith =
  (
    accountId: string,
    { served, credentialId, request }: { served: Place; credentialId: string | null } & Requested,
  ): CallForm =>
  (number) =>
    `{"account":"${accountId}",${served.before}"credential":${JSON.stringify(credentialId)},"kind":"${request.kind}","model":${served.model},"number":${number},"provider":${served.provider},"request":${request.text}}`

type Requested = { request: { kind: string; text: string } }

function requestOf(
  asked: ReusableRequest,
  { entry, most }: Place,
  payer: Payer,
  { digest, maskDigest }: { digest?: string | undefined; maskDigest?: string | undefined } = {},
): Requested['request'] {
  switch (asked.kind) {
    case 'TEXT': {
      const { prompt, responseFormat, system: systemPrompt, temperature } = asked.call
      const content =
        digest === undefined
          ? prompt
          : [
              { text: prompt, type: 'text' },
              { digest, type: 'image' },
            ]
      const messages = [{ content, role: 'user' }]
      const maxTokens = asked.call.maxTokens ?? (isLimited(payer) ? most : undefined)
      const sent = { maxTokens, messages, responseFormat, systemPrompt, temperature }
      return { kind: 'TEXT', text: JSON.stringify(sent) }
    }
    case 'MEDIA': {
      const { kind, parameters, prompt } = asked.call
      const byDefault = kind === 'VIDEO' ? entry?.model.capabilities.videoSeconds?.default : null
      const seconds = parameters.videoSeconds ?? byDefault ?? undefined
      const given = { ...parameters, digest, mask: maskDigest, prompt, videoSeconds: seconds }
      return { kind, text: canonicalJson(given) }
    }
    case 'HTTP': {
      const { method, url, headers, body } = asked.call
      return { kind: 'HTTP', text: canonicalJson({ method, url, headers, body }) }
    }
    default:
      return asked satisfies never
  }
}

const isLimited = ({ isCostLimited, spender }: Payer): boolean =>
  isCostLimited || hasSpendLimit(spender)

/**
 * Where a call goes, as parts of the canonical form. `most`: the output that is asked for under a
 * limit, as `boundsOf` in calls/call-bounds.ts fills it in; each candidate of a route has its own.
 */
type Place = {
  entry?: CatalogueEntry
  before: string
  model: string
  provider: string
  most?: number | readonly number[]
}

const mostOf = (entry: CatalogueEntry | undefined): number =>
  cappedOutput(entry?.model.capabilities.maxOutputTokens)

const noModel: Place = { before: '"address":null,', model: 'null', provider: 'null' }

const places = {
  server: new WeakMap<CatalogueEntry, Place>(),
  account: new WeakMap<CatalogueEntry, Place>(),
}

function placeOf(
  deps: KeyDeps,
  { model, credential }: { model: string; credential?: string },
  { routes }: Pick<Spender, 'routes'>,
): Place | null {
  const owner = ownerOf(credential)
  const entry = usableModel(withRoutes(deps.catalogue, routes), model, owner)
  if (!entry) return null
  const known = places[owner].get(entry)
  if (known) return known
  // An entry is replaced with its catalogue, and so is what is remembered of it.
  const place = entry.route ? routePlace(deps, entry, owner) : modelPlace(deps, entry, owner)
  places[owner].set(entry, place)
  return place
}

/** Names of keys make no difference, nor how many there are; where they go does. */
function servedAt(
  { addressOf, deploymentsOf }: KeyDeps,
  { provider, providerModel }: Pick<CatalogueEntry, 'provider' | 'providerModel'>,
  owner: KeyOwner,
): { address: string | null; model: string | readonly object[] } {
  const keys = owner === 'server' ? deploymentsOf(provider) : undefined
  if (!keys) return { address: addressOf(provider), model: providerModel }
  const served = keys.flatMap(({ baseUrl, models }) => {
    const model = models ? models.get(providerModel) : providerModel
    return model === undefined ? [] : [{ address: baseUrl, model }]
  })
  const byText = new Map(served.map((one) => [canonicalJson(one), one]))
  const all = [...byText.keys()].sort().flatMap((text) => byText.get(text) ?? [])
  const [only] = all
  return only && all.length === 1 ? only : { address: null, model: all }
}

function modelPlace(deps: KeyDeps, entry: CatalogueEntry, owner: KeyOwner): Place {
  const { address, model } = servedAt(deps, entry, owner)
  return {
    entry,
    before: `"address":${JSON.stringify(address)},`,
    model: canonicalJson(model),
    provider: JSON.stringify(entry.provider),
    most: mostOf(entry),
  }
}

/** A route counts as its definition, and its candidates as the places that they are. */
function routePlace(deps: KeyDeps, entry: CatalogueEntry, owner: KeyOwner): Place {
  const { name: _, description: __, ...definition } = entry.route ?? { name: '' }
  const known = (entry.route?.candidates ?? []).map(({ model: id }) => deps.catalogue.known(id))
  const candidates = known.map((one) => {
    const { provider = '', providerModel = '' } = one ?? {}
    return { ...servedAt(deps, { provider, providerModel }, owner), provider }
  })
  return {
    entry,
    before: '"address":null,',
    model: canonicalJson({ definition, candidates }),
    provider: '"route"',
    most: known.map(mostOf),
  }
}
