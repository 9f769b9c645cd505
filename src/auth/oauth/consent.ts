// A person's decision, from the page that asks for it to the code that follows. What the page
// showed travels through the browser sealed and bound to the session: no other site or session can
// answer in its place, and nothing that was not shown can be granted.
import type { Clock } from '#core/clock.ts'
import type { Scope } from '#core/scopes.ts'
import type { Db } from '#store/db.ts'
import type { SecretBox } from '#store/secret-box.ts'
import { markOAuthClientConnected } from '#store/tables/oauth-clients.ts'
import { insertOAuthCode } from '#store/tables/oauth-codes.ts'
import { holdSession } from '#store/tables/sessions.ts'
import { type Random, randomToken } from '../random.ts'
import { type Session, sessionEnded } from '../sessions.ts'
import { hashToken } from '../token-hash.ts'
import type { AuthorizationRequest } from './authorization.ts'

const decideWithinMs = 30 * 60_000
// Clients exchange a code within a second. RFC 6749 allows ten minutes at most.
const codeMs = 60_000

export type Consents = {
  seal(session: Session, request: AuthorizationRequest): string
  /** Null if it was sealed for another session, too long ago, or not by this server. */
  open(session: Session, sealed: string): AuthorizationRequest | null
  /** Returns the code for the client. Throws AUTH_REQUIRED if the session has ended. */
  grant(session: Session, request: AuthorizationRequest, scopes: Scope[]): Promise<string>
}

export function createConsents(deps: {
  db: Db
  clock: Clock
  random: Random
  box: SecretBox
}): Consents {
  const { db, clock, random, box } = deps
  const rowOf = ({ tokenHash }: Session) => ({ table: 'oauth-consent', row: tokenHash })

  return {
    seal(session, request) {
      const text = JSON.stringify({ request, untilMs: clock.nowMs() + decideWithinMs })
      return Buffer.from(box.seal(rowOf(session), Buffer.from(text))).toString('base64url')
    },
    open(session, sealed) {
      try {
        const opened = box.open(rowOf(session), Buffer.from(sealed, 'base64url')).toString('utf8')
        const shown: { request: AuthorizationRequest; untilMs: number } = JSON.parse(opened)
        return clock.nowMs() < shown.untilMs ? shown.request : null
      } catch {
        return null
      }
    },
    async grant(session, request, scopes) {
      const { accountId, userId } = session
      const { clientId, clientName, redirectUri, codeChallenge } = request
      const code = randomToken(random)
      const nowMs = clock.nowMs()
      await db.transaction(async (tx) => {
        if (!(await holdSession(tx, session))) throw sessionEnded()
        await markOAuthClientConnected(tx, clientId, nowMs)
        await insertOAuthCode(tx, {
          ...{ accountId, userId, clientId, clientName, redirectUri, scopes, codeChallenge },
          codeHash: hashToken(code),
          expiresAtMs: nowMs + codeMs,
        })
      })
      return code
    },
  }
}
