import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import type { Clock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { FetchJson } from './fetch-json.ts'
import { jose } from './jose.ts'

const freshMs = 10 * 60_000
/** How long keys stay in use while their issuer is unreachable; it may have revoked them. */
const staleMs = 60 * 60_000
const minBetweenFetchesMs = 30_000
const retryAfterFailureMs = 5_000

/**
 * The keys behind a JWKS URL. They are fetched when first needed and then every ten minutes while
 * in use. An unknown `kid` also triggers a fetch, but at most every 30 s, so that made-up key ids
 * cannot cause traffic.
 */
export function createRemoteKeys(options: {
  url: () => Promise<string> | string
  fetchJson: FetchJson
  clock: Clock
}): JWTVerifyGetKey {
  const { fetchJson, clock } = options
  let current: { keys: JWTVerifyGetKey; fetchedAtMs: number } | null = null
  let triedAtMs = Number.NEGATIVE_INFINITY
  let pauseMs = 0
  let pending: Promise<void> | null = null

  async function fetchKeys(): Promise<void> {
    triedAtMs = clock.nowMs()
    pauseMs = retryAfterFailureMs
    const { status, body } = await fetchJson(await options.url())
    if (status !== 200) throw new Error(`the key set endpoint answered with status ${status}`)
    current = { keys: jose().createLocalJWKSet(body as JSONWebKeySet), fetchedAtMs: clock.nowMs() }
    triedAtMs = clock.nowMs()
    pauseMs = minBetweenFetchesMs
  }

  function refresh(): Promise<void> {
    const sinceMs = clock.nowMs() - triedAtMs
    // A clock that was set back keeps nobody waiting for longer.
    if (sinceMs >= 0 && sinceMs < pauseMs && !pending) return Promise.resolve()
    pending ??= fetchKeys().finally(() => {
      pending = null
    })
    return pending
  }

  async function ensureKeys(): Promise<JWTVerifyGetKey> {
    const nowMs = clock.nowMs()
    // Nor is a key trusted for longer then.
    if (current) current.fetchedAtMs = Math.min(current.fetchedAtMs, nowMs)
    const ageMs = current ? nowMs - current.fetchedAtMs : Number.POSITIVE_INFINITY
    if (current && ageMs < freshMs) return current.keys
    const refreshed = refresh()
    if (current && ageMs < staleMs) {
      // A failed refresh matters only once these keys are too old to use.
      refreshed.catch(() => undefined)
      return current.keys
    }
    await refreshed.catch((cause) => {
      throw unreachable(cause)
    })
    if (current && clock.nowMs() - current.fetchedAtMs < staleMs) return current.keys
    throw unreachable('the last attempt failed a few seconds ago')
  }

  return async (header, token) => {
    const keys = await ensureKeys()
    try {
      return await keys(header, token)
    } catch (error) {
      if (!(error instanceof jose().errors.JWKSNoMatchingKey)) throw error
      await refresh().catch(() => undefined)
      return (current?.keys ?? keys)(header, token)
    }
  }
}

const unreachable = (cause: unknown) =>
  new Failure('SERVICE_UNAVAILABLE', {
    message: 'The keys of the token issuer cannot be read right now.',
    retryAfterSeconds: retryAfterFailureMs / 1000,
    cause,
  })
