import type { Clock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { Db, Writer } from '#store/db.ts'
import { insertAuditOfUser } from '#store/tables/audit-entries.ts'
import {
  type Device,
  deleteSession,
  deleteSessionsUnseenSince,
  type Entrant,
  insertSession,
  type ListedSession,
  listSessions,
  readSession,
  type StoredSession,
  sessionId,
  touchSession,
} from '#store/tables/sessions.ts'
import { arriveFrom } from '#store/tables/sign-in-places.ts'
import { addressKey } from './address-key.ts'
import { cookieName, readCookie, setCookie } from './cookies.ts'
import { type Random, randomToken } from './random.ts'
import { hashToken } from './token-hash.ts'

const idleMs = 12 * 3_600_000
const absoluteMs = 7 * 24 * 3_600_000
/** The last use is stored with this precision, which saves a write per request. */
const seenEveryMs = 60_000
const tokenForm = /^[A-Za-z0-9_-]{43}$/

// A 401 must name a scheme (RFC 9110 section 15.5.2). It is not Bearer, because most of the
// console API accepts no bearer credentials.
export const challenge = { 'WWW-Authenticate': 'Session realm="console"' }

/** For whoever was signed out between the check of their session and what they asked for. */
export const sessionEnded = () =>
  new Failure('AUTH_REQUIRED', { message: 'Sign in first.', headers: challenge })

const changedMeanwhile = () =>
  new Failure('INVALID_CREDENTIAL', {
    message: 'Your password or your access was changed just now. Sign in again.',
    headers: challenge,
  })

export type Session = StoredSession

export type Sessions = {
  /**
   * Returns the Set-Cookie value. The token is written nowhere else; the store holds its hash.
   * Throws INVALID_CREDENTIAL if the person was disabled or changed their password meanwhile.
   */
  start(db: Writer, entrant: Entrant, device: Device): Promise<string>
  /** Returns the Set-Cookie value that removes the cookie. */
  end(session: Session | null, ipAddress: string): Promise<string>
  resolve(cookieHeader: string | undefined): Promise<Session | null>
  /** The live sessions of a user, most recently used first. */
  list(userId: string): Promise<ListedSession[]>
}

export function createSessions(options: {
  db: Db
  clock: Clock
  random: Random
  baseUrl: string
}): Sessions {
  const { db, clock, random } = options
  const name = cookieName('session', options.baseUrl)

  return {
    async start(writer, entrant, device) {
      const { userId } = entrant
      const nowMs = clock.nowMs()
      const token = randomToken(random)
      await deleteSessionsUnseenSince(writer, nowMs - idleMs)
      const session = { ...device, ...entrant, tokenHash: hashToken(token), nowMs }
      if (!(await insertSession(writer, session))) throw changedMeanwhile()
      const { ipAddress, userAgent } = device
      if (ipAddress !== null) {
        const place = addressKey(ipAddress)
        await arriveFrom(writer, { userId, place, ipAddress, userAgent, nowMs })
      }
      const from = userAgent ?? 'a program without a name'
      await insertAuditOfUser(writer, { userId, action: 'sign-in', target: from, ipAddress, nowMs })
      return setCookie(name, token, { maxAgeSeconds: absoluteMs / 1000 })
    },
    async end(session, ipAddress) {
      if (session) {
        const { userId, tokenHash } = session
        await db.transaction(async (tx) => {
          await deleteSession(tx, tokenHash)
          const nowMs = clock.nowMs()
          const target = `session ${sessionId(tokenHash)}`
          await insertAuditOfUser(tx, { userId, action: 'sign-out', target, ipAddress, nowMs })
        })
      }
      return setCookie(name, '', { maxAgeSeconds: 0 })
    },
    async resolve(cookieHeader) {
      const token = readCookie(cookieHeader, name)
      if (token === null || !tokenForm.test(token)) return null
      const session = await readSession(db, hashToken(token))
      if (!session) return null
      const nowMs = clock.nowMs()
      if (nowMs >= session.lastSeenAtMs + idleMs || nowMs >= session.createdAtMs + absoluteMs) {
        return null
      }
      if (nowMs >= session.lastSeenAtMs + seenEveryMs) {
        await touchSession(db, session, nowMs)
      }
      return session
    },
    list(userId) {
      const nowMs = clock.nowMs()
      const alive = { seenAfterMs: nowMs - idleMs, createdAfterMs: nowMs - absoluteMs }
      return listSessions(db, userId, alive)
    },
  }
}
