import { maxTokenTtlSeconds } from '#auth/own-tokens.ts'
import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { type Role, scopesOf } from '#core/roles.ts'
import { Type } from '#core/schema.ts'
import { isDefaultScope, type Scope } from '#core/scopes.ts'
import { insertAuditEntry } from '#store/tables/audit-entries.ts'
import { answer } from '../../operation.ts'
import { Closed, Timestamp } from '../../schemas.ts'
import { entryBy } from '../audit/audit-entry.ts'
import { defineConsole, requireSession, requireStillSignedIn } from '../context.ts'
import { Scopes } from '../fields.ts'

export const mintToken = defineConsole({
  id: 'mintToken',
  route: 'POST /tokens',
  summary: 'Creates a short-lived access token (JWT) for the public API',
  access: 'viewer',
  bodyOptional: true,
  body: Closed({
    scopes: Type.Optional(Scopes),
    ttlSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: maxTokenTtlSeconds })),
  }),
  success: {
    200: {
      description: 'The token.',
      data: Closed({
        accessToken: Type.String(),
        tokenType: Type.Literal('Bearer'),
        scopes: Scopes,
        expiresAt: Timestamp,
      }),
    },
  },
  errors: ['INSUFFICIENT_ROLE'],
  audit: { byItself: ['token.minted'] },
  repeatable: true,
  async handle(context, { body }) {
    const { userId, accountId, role } = requireSession(context)
    const scopes = grantable(role, body.scopes)
    const ttlSeconds = body.ttlSeconds ?? maxTokenTtlSeconds
    const { token, expiresAtMs } = await context.services.mintToken({
      userId,
      accountId,
      scopes,
      ttlSeconds,
    })
    const target = `for ${ttlSeconds} s: ${scopes.join(' ')}`
    await context.services.db.transaction(async (tx) => {
      await requireStillSignedIn(tx, context)
      await insertAuditEntry(tx, entryBy(context, 'token.minted', target))
    })
    return answer({
      accessToken: token,
      tokenType: 'Bearer',
      scopes,
      expiresAt: toRfc3339(expiresAtMs),
    })
  },
})

/** The scopes of a new token: the usual ones of its maker's role, unless they name others. */
function grantable(role: Role, wanted: readonly Scope[] | undefined): readonly Scope[] {
  const allowed = scopesOf(role)
  const missing = wanted?.find((scope) => !allowed.includes(scope))
  if (missing === undefined) return wanted ?? allowed.filter(isDefaultScope)
  throw new Failure('INSUFFICIENT_ROLE', {
    message: `Your role in this account does not include the scope ${missing}.`,
    details: { scope: missing },
  })
}
