// Provider keys that accounts store as credentials. Promises that a key is read when a call is
// made, goes only to its own provider at the address the operator configured, and appears in no
// answer and no error. Adapters with such keys are kept for the next call; one that is evicted or
// whose key was replaced is closed once its last call has ended.
import { createBoundedMap } from '#core/bounded-map.ts'
import { keyProblem, type ProviderKey } from '#core/credential.ts'
import { hideIn } from '#core/hidden-secrets.ts'
import { NodeFailure } from '#graph/node/node-failure.ts'
import type { Batches, Provider, ProviderAccess, TextResult } from '#providers/provider.ts'
import type { OpenedCredential, WhichCredential } from '#store/engine-store.ts'
import { type CredentialDeps, missing, noteUse, openExisting } from './open-credential.ts'
import { namingKey } from './provider-failure.ts'

export type OpenedKey = { provider: Provider; credential: { id: string; name: string } }

type KeyUse = { accountId: string; credential: WhichCredential; provider: string }

/** Throws a NodeFailure if the account has no such credential or it is for another provider. */
export type ProviderKeys = {
  /** The key is held until the work has ended. */
  use<T>(use: KeyUse, work: (key: OpenedKey) => Promise<T>): Promise<T>
  /** The credential's id, for a call that is made later. */
  idOf(use: { accountId: string; name: string; provider: string }): Promise<string>
  close(): Promise<void>
}

type Deps = CredentialDeps & {
  /** Undefined for a provider that is unknown or is called without a key. */
  accessTo(provider: string): ProviderAccess | undefined
  onError(error: unknown): void
}

/** An adapter is a connection pool that closes idle connections itself, so many can be kept. */
const maxKept = 500

type Kept = OpenedKey & { key: string; baseUrl: string; users: number; isRetired: boolean }

export function openProviderKeys(deps: Deps): ProviderKeys {
  const closing = new Set<Promise<unknown>>()
  const closeUnused = (one: Kept) => {
    if (!one.isRetired || one.users > 0) return
    const closed = Promise.resolve(one.provider.close?.()).catch(deps.onError)
    closing.add(closed)
    void closed.then(() => closing.delete(closed))
  }
  const kept = createBoundedMap<Kept>({
    maxEntries: maxKept,
    onRemoved(one) {
      one.isRetired = true
      closeUnused(one)
    },
  })

  /** Counts the caller before other code can run: an adapter with users is not closed. */
  async function hold({ id, name }: OpenedCredential, secret: ProviderKey): Promise<Kept> {
    const { provider, key } = secret
    const access = deps.accessTo(provider)
    if (!access) throw notAllowed(`The provider "${provider}" cannot be called with a key here.`)
    const { baseUrl } = access
    const known = kept.get(id)
    const isSame = known?.key === key && known.baseUrl === baseUrl
    if (isSame && known.provider.name === provider) {
      known.users++
      return known
    }
    const adapter = hidingKey(await access.open(key), (text) => hideIn(text, secret, name))
    const opened = { provider: adapter, credential: { id, name }, key, baseUrl }
    const one: Kept = { ...opened, users: 1, isRetired: false }
    kept.set(id, one)
    return one
  }

  return {
    async use({ accountId, credential: which, provider }, work) {
      const credential = await openExisting(deps, accountId, which)
      const held = await hold(credential, keyOf(credential, provider))
      try {
        await noteUse(deps, accountId, credential)
        return await work(held)
      } catch (error) {
        throw namingKey(error, `the key of credential "${credential.name}"`)
      } finally {
        held.users--
        closeUnused(held)
      }
    },
    async idOf({ accountId, name, provider }) {
      const [found] = await deps.credentials.find(accountId, [name])
      if (!found) throw new NodeFailure('CREDENTIAL_NOT_FOUND', missing({ name }))
      const problem = keyProblem(name, found, provider)
      if (problem !== null) throw notAllowed(problem)
      return found.id
    },
    async close() {
      kept.clear()
      await Promise.all(closing)
    },
  }
}

const notAllowed = (message: string) => new NodeFailure('CREDENTIAL_NOT_ALLOWED', message)

/** The encrypted part names the provider: somebody who can change the row cannot change that. */
function keyOf({ name, opened }: OpenedCredential, provider: string): ProviderKey {
  const problem = keyProblem(name, opened, provider)
  if (problem !== null || opened.kind !== 'provider') throw notAllowed(problem ?? '')
  return opened
}

/** Some servers echo the request in their answers, which are recorded and shown. */
function hidingKey(provider: Provider, hide: (text: string) => string): Provider {
  const { generateText, batches } = provider
  if (!generateText) return provider
  const clean = (result: TextResult): TextResult => ({
    ...result,
    text: hide(result.text),
    ...(result.refusal === undefined ? {} : { refusal: hide(result.refusal) }),
    ...(result.answeredBy === undefined ? {} : { answeredBy: hide(result.answeredBy) }),
  })
  return {
    ...provider,
    generateText: async (request, options) => clean(await generateText(request, options)),
    ...(batches ? { batches: { ...batches, results } } : {}),
  }

  async function* results(...asked: Parameters<Batches['results']>) {
    for await (const one of batches?.results(...asked) ?? [])
      yield 'result' in one ? { ...one, result: clean(one.result) } : one
  }
}
