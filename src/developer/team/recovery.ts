import { recoveryLinkMs, recoveryLinkOf } from '#auth/owner-recovery.ts'
import { randomToken } from '#auth/random.ts'
import { hashToken } from '#auth/token-hash.ts'
import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import { answer } from '#operations/operation.ts'
import { Closed, Nullable, Timestamp, Uuid } from '#operations/schemas.ts'
import { insertAuditOfUser } from '#store/tables/audit-entries.ts'
import { readMember } from '#store/tables/members.ts'
import { endOAuthGrantsOf } from '#store/tables/oauth-grants.ts'
import { isRecoveryLink, putRecoveryLink, useRecoveryLink } from '#store/tables/recovery-links.ts'
import { deleteSecondFactor } from '#store/tables/second-factors.ts'
import { deleteSessionsOf } from '#store/tables/sessions.ts'
import { setPassword } from '#store/tables/users.ts'
import { defineDeveloper, requireSession, signInRefused } from '../context.ts'
import { LinkToken, NewPassword } from '../fields.ts'
import { noSuchMember } from './members.ts'

export const createRecoveryLink = defineDeveloper({
  id: 'createRecoveryLink',
  route: 'POST /recovery-links',
  summary: 'Makes a link with which a member sets a new password, and shows it once',
  description:
    'The link works once, for an hour, and a new one replaces it. Their second step stays on.',
  access: 'owner',
  body: Closed({ userId: Uuid('The member.') }),
  success: {
    200: {
      description: 'The link.',
      data: Closed({
        link: Type.String({ description: 'To be passed on; shown only once.' }),
        expiresAt: Timestamp,
      }),
    },
  },
  errors: ['ROUTE_NOT_FOUND', 'INVALID_REQUEST'],
  audit: { action: 'recovery-link.created', target: ({ body }) => body.userId },
  repeatable: false,
  ifUnknown: 'Create another link: it replaces the one you were not shown.',
  async handle(context, { body: { userId } }) {
    const { accountId } = requireSession(context)
    const { db, clock, random, baseUrl } = context.services
    const nowMs = clock.nowMs()
    const member = await readMember(db, { accountId, userId, nowMs })
    if (!member) throw noSuchMember()
    if (member.email === null) {
      throw new Failure('INVALID_REQUEST', {
        message: 'This member has no e-mail to sign in with a password. They use OpenID.',
      })
    }
    const token = randomToken(random)
    const expiresAtMs = nowMs + recoveryLinkMs
    const link = { tokenHash: hashToken(token), userId, resetsTwoStep: false, expiresAtMs, nowMs }
    await db.transaction((tx) => putRecoveryLink(tx, link))
    return answer({ link: recoveryLinkOf(baseUrl, token), expiresAt: toRfc3339(expiresAtMs) })
  },
})

const refused = () =>
  signInRefused('This link was used, was replaced or has expired. Ask for a new one.')

export const recover = defineDeveloper({
  id: 'recover',
  route: 'POST /recover',
  summary: 'Sets a new password with a recovery link, ends all sessions and disconnects all apps',
  access: 'public',
  body: Closed({ token: LinkToken, password: NewPassword }),
  success: {
    200: {
      description: 'Changed. Sign in with the new password.',
      data: Closed({ email: Nullable(Type.String()) }),
    },
  },
  errors: ['INVALID_CREDENTIAL'],
  repeatable: false,
  ifUnknown: 'Try to sign in with the new password.',
  async handle({ services, ipAddress }, { body }) {
    const { db, clock, passwords, signInLimits } = services
    signInLimits.admit(ipAddress)
    const tokenHash = hashToken(body.token)
    // Checked before the expensive hash; using the link checks again.
    if (!(await isRecoveryLink(db, tokenHash, clock.nowMs()))) throw refused()
    const passwordHash = await passwords.hash(body.password)
    return db.transaction(async (tx) => {
      const link = await useRecoveryLink(tx, tokenHash, clock.nowMs())
      const user = link && (await setPassword(tx, link.userId, passwordHash))
      if (!user) throw refused()
      await deleteSessionsOf(tx, user.id)
      // Whoever knew the old password may have connected an app with it.
      await endOAuthGrantsOf(tx, user.id)
      if (link.resetsTwoStep) await deleteSecondFactor(tx, user.id)
      const entry = { userId: user.id, ipAddress, nowMs: clock.nowMs() }
      await insertAuditOfUser(tx, { ...entry, action: 'password.changed', target: 'recovery link' })
      return answer({ email: user.email })
    })
  },
})
