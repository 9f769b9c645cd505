// The token endpoint, which exchanges codes and refresh tokens for access tokens. Each of them
// works once. A second use means that somebody else has a copy; since we cannot tell which of the
// two is the client, the grant ends and the person connects again (OAuth 2.1 sections 4.1.3 and
// 4.3.1). Only a client that refreshes twice at once, as several windows of one program do, is
// forgiven: for a few seconds the same refresh token gets the same successor.
import { hash } from 'node:crypto'
import type { Clock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import { type Role, scopesOf } from '#core/roles.ts'
import type { Scope } from '#core/scopes.ts'
import type { Db, Tx } from '#store/db.ts'
import type { SecretBox } from '#store/secret-box.ts'
import { insertAuditOfUser } from '#store/tables/audit-entries.ts'
import { readOAuthClient } from '#store/tables/oauth-clients.ts'
import { type Consent, findGrantOfOAuthCode, useOAuthCode } from '#store/tables/oauth-codes.ts'
import {
  endOAuthGrant,
  endOAuthGrantOfClient,
  endReusedOAuthGrant,
  findRotatedOAuthGrant,
  insertOAuthGrant,
  type OAuthGrant,
  rotateOAuthGrant,
} from '#store/tables/oauth-grants.ts'
import { readUserStanding } from '#store/tables/users.ts'
import { maxTokenTtlSeconds, type OwnTokens } from '../own-tokens.ts'
import { type Random, randomToken } from '../random.ts'
import { hashToken } from '../token-hash.ts'
import { checkResource } from './authorization.ts'
import { isDocumentId } from './client-documents.ts'
import { OAuthError } from './oauth-error.ts'
import { type Parameters, requireParameter } from './parameters.ts'

/** An app that was not used for this long has to be connected again. */
const idleMs = 30 * 24 * 3_600_000
const maxPerUser = 100
// Two requests that begin together arrive within this time, also over a slow connection.
const sameRefreshMs = 30_000
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/
const refreshForm = /^([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/

/** RFC 6749 section 5.1. */
export type TokenAnswer = {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

export type TokenEndpoint = {
  issue(parameters: Parameters): Promise<TokenAnswer>
  /** RFC 7009: ends the grant of an access or refresh token. An unknown one is no error. */
  revoke(parameters: Parameters): Promise<void>
}

type Deps = {
  db: Db
  clock: Clock
  random: Random
  ownTokens: Pick<OwnTokens, 'mint' | 'verify'>
  resource: string
  box: Pick<SecretBox, 'sign'>
  /** Makes the end of a grant take effect immediately in this process. */
  forgetAccount(accountId: string): void
}

type Issued = Pick<OAuthGrant, 'id' | 'userId' | 'accountId' | 'clientId' | 'scopes'>

export function createTokenEndpoint(deps: Deps): TokenEndpoint {
  return {
    async issue(parameters) {
      const type = requireParameter(parameters, 'grant_type')
      checkResource(parameters.resource, deps.resource)
      if (type === 'authorization_code') return exchange(deps, parameters)
      if (type === 'refresh_token') return refresh(deps, parameters)
      throw new OAuthError('unsupported_grant_type', 'Use authorization_code or refresh_token.')
    },
    async revoke(parameters) {
      const token = requireParameter(parameters, 'token')
      const clientId = requireParameter(parameters, 'client_id')
      const by = await grantOf(deps, token)
      const accountId = by && (await endOAuthGrantOfClient(deps.db, by, clientId))
      if (accountId) deps.forgetAccount(accountId)
    },
  }
}

async function exchange(deps: Deps, parameters: Parameters): Promise<TokenAnswer> {
  const { db, clock, random } = deps
  const verifier = requireParameter(parameters, 'code_verifier')
  const proof = {
    codeHash: hashToken(requireParameter(parameters, 'code')),
    clientId: requireParameter(parameters, 'client_id'),
    redirectUri: requireParameter(parameters, 'redirect_uri'),
    // A malformed verifier must not match any challenge.
    codeChallenge: verifierForm.test(verifier) ? hash('sha256', verifier, 'base64url') : '',
  }
  const token = newRefreshToken(random)
  const nowMs = clock.nowMs()
  const id = uuidV7(nowMs)
  const issued = await db.transaction(async (tx): Promise<Issued | null> => {
    const consent = await useOAuthCode(tx, proof, { grantId: id, nowMs })
    if (!consent) return null
    // The person may have been removed or disabled while they agreed.
    if ((await roleOf(tx, consent)) === null) return null
    const times = { nowMs, expiresAtMs: nowMs + idleMs }
    await insertOAuthGrant(tx, { ...consent, ...hashesOf(token), ...times, id }, { maxPerUser })
    await record(tx, { ...consent, id }, 'app.connected', nowMs)
    return { ...consent, id }
  })
  if (!issued) {
    await endIfUsedTwice(deps, proof.codeHash)
    throw await refusedGrant(deps, proof.clientId)
  }
  return answer(deps, issued, { scopes: issued.scopes, refreshToken: token })
}

async function endIfUsedTwice({ db, forgetAccount }: Deps, codeHash: string) {
  const used = await db.transaction(async (tx) => {
    const grant = await findGrantOfOAuthCode(tx, codeHash)
    if (grant) await endOAuthGrant(tx, grant)
    return grant
  })
  if (used) forgetAccount(used.accountId)
}

async function refresh(deps: Deps, parameters: Parameters): Promise<TokenAnswer> {
  const { db, clock, forgetAccount } = deps
  const clientId = requireParameter(parameters, 'client_id')
  const [family = '', given = ''] = halvesOf(requireParameter(parameters, 'refresh_token')) ?? []
  const next = successorOf(deps, family, given)
  const nowMs = clock.nowMs()
  const { grant, ended } = await db.transaction(async (tx) => {
    const token = hashesOf(`${family}.${given}`)
    const { familyHash, refreshHash } = hashesOf(next)
    const times = { nowMs, expiresAtMs: nowMs + idleMs }
    const grant =
      (await rotateOAuthGrant(tx, { ...token, clientId }, { refreshHash, ...times })) ??
      (await findRotatedOAuthGrant(tx, {
        ...{ familyHash, refreshHash, clientId, nowMs },
        sinceMs: nowMs - sameRefreshMs,
      }))
    if (!grant) {
      const reused = await endReusedOAuthGrant(tx, token)
      if (reused) await record(tx, reused, 'app.token-reused', nowMs)
      return { grant: null, ended: reused?.accountId ?? null }
    }
    const role = await roleOf(tx, grant)
    if (role !== null) {
      // Throws inside the transaction, so that asking for too much does not use up the token.
      const asked = narrowed(grant.scopes, parameters.scope)
      const scopes = asked.filter((scope) => scopesOf(role).includes(scope))
      return { grant: { ...grant, scopes }, ended: null }
    }
    await endOAuthGrant(tx, { accountId: grant.accountId, grantId: grant.id })
    return { grant: null, ended: grant.accountId }
  })
  if (ended) forgetAccount(ended)
  if (!grant) throw await refusedGrant(deps, clientId)
  return answer(deps, grant, { scopes: grant.scopes, refreshToken: next })
}

/** Made from its predecessor with our key: only we can tell it, and always the same. */
const successorOf = ({ box }: Deps, family: string, given: string): string =>
  `${family}.${box.sign({ table: 'oauth_grants', row: family }, given).toString('base64url')}`

/** An app acts for a person, so the entry is theirs. Its address is that of a server, not theirs. */
const record = (
  tx: Tx,
  grant: Pick<OAuthGrant, 'id' | 'userId' | 'clientName' | 'scopes'>,
  action: 'app.connected' | 'app.token-reused',
  nowMs: number,
): Promise<void> =>
  insertAuditOfUser(tx, {
    userId: grant.userId,
    action,
    target: `${grant.clientName} (${grant.id}): ${
      action === 'app.connected' ? grant.scopes.join(' ') : 'disconnected'
    }`,
    ipAddress: null,
    nowMs,
  })

/** Null if the person was removed or disabled, or their account was: the grant then ends. */
async function roleOf(
  tx: Tx,
  { userId, accountId }: Pick<Consent, 'userId' | 'accountId'>,
): Promise<Role | null> {
  const standing = await readUserStanding(tx, userId, accountId)
  return standing === null || standing.account.disabled ? null : standing.role
}

/** RFC 6749 section 6: a refresh may ask for less than was granted, never for more. */
function narrowed(granted: Scope[], asked: string | undefined): Scope[] {
  if (asked === undefined) return granted
  const words = asked.split(' ').filter((word) => word !== '')
  if (words.every((word) => (granted as string[]).includes(word))) {
    return granted.filter((scope) => words.includes(scope))
  }
  throw new OAuthError('invalid_scope', 'The person did not grant all of these scopes.')
}

/**
 * A client whose registration was deleted is told so, and can register again instead of sending
 * the person to a page that does not know it.
 */
async function refusedGrant({ db }: Deps, clientId: string): Promise<OAuthError> {
  const isKnown = isDocumentId(clientId) || (await readOAuthClient(db, clientId)) !== null
  if (!isKnown) return new OAuthError('invalid_client', 'There is no such client. Register again.')
  return new OAuthError('invalid_grant', 'This code or token is not valid. Connect the app again.')
}

async function answer(
  { ownTokens }: Deps,
  { id: grantId, userId, accountId, clientId }: Issued,
  { scopes, refreshToken }: { scopes: Scope[]; refreshToken: string },
): Promise<TokenAnswer> {
  const ttlSeconds = maxTokenTtlSeconds
  const app = { clientId, grantId }
  const { token } = await ownTokens.mint({ userId, accountId, scopes, ttlSeconds, app })
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: ttlSeconds,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  }
}

/** Two unguessable halves: the first names the grant and stays, the second works once. */
const newRefreshToken = (random: Random) => `${randomToken(random)}.${randomToken(random)}`

const halvesOf = (token: string): [string, string] | null => {
  const [, family, second] = refreshForm.exec(token) ?? []
  return family === undefined || second === undefined ? null : [family, second]
}

function hashesOf(token: string) {
  const [family = '', second = ''] = token.split('.')
  return { familyHash: hashToken(family), refreshHash: hashToken(second) }
}

/** An access token names its grant only if it is valid, because unsigned claims prove nothing. */
async function grantOf({ ownTokens }: Deps, token: string) {
  if (halvesOf(token)) return { familyHash: hashesOf(token).familyHash }
  const outcome = await ownTokens.verify(token).catch(() => null)
  return outcome?.grantId === undefined ? null : { grantId: outcome.grantId }
}
