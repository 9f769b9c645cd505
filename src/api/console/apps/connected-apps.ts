import { receiverOf } from '#auth/oauth/redirect-uri.ts'
import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { type Static, Type } from '#core/schema.ts'
import { endOwnOAuthGrant, listOAuthGrants, type OAuthGrant } from '#store/tables/oauth-grants.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, Timestamp, Uuid } from '../../schemas.ts'
import { defineConsole, requireSession } from '../context.ts'
import { Scopes } from '../fields.ts'

const ConnectedApp = NamedRecord('ConnectedApp', {
  id: Uuid('Identifier of this connection; an app may have several.'),
  name: Type.String({ description: 'As the app calls itself.' }),
  clientId: Type.String({ description: 'An https URL if the app is published there.' }),
  receiver: Type.String({ description: 'Who got the access, in words.' }),
  scopes: Scopes,
  connectedAt: Timestamp,
  lastUsedAt: Timestamp,
})

const toRecord = (grant: OAuthGrant): Static<typeof ConnectedApp> => ({
  id: grant.id,
  name: grant.clientName,
  clientId: grant.clientId,
  receiver: receiverOf(grant.redirectUri),
  scopes: grant.scopes,
  connectedAt: toRfc3339(grant.createdAtMs),
  lastUsedAt: toRfc3339(grant.lastUsedAtMs),
})

export const listConnectedApps = defineConsole({
  id: 'listConnectedApps',
  route: 'GET /connected-apps',
  summary: 'Lists the apps you have connected over MCP, last used first',
  access: 'viewer',
  success: {
    200: { description: 'The apps.', data: Closed({ items: Type.Array(ConnectedApp) }) },
  },
  async handle(context) {
    const { accountId, userId } = requireSession(context)
    const { db, clock } = context.services
    const grants = await listOAuthGrants(db, { accountId, userId, nowMs: clock.nowMs() })
    return answer({ items: grants.map(toRecord) })
  },
})

export const disconnectApp = defineConsole({
  id: 'disconnectApp',
  route: 'DELETE /connected-apps/{appId}',
  summary: 'Disconnects an app: its tokens stop working',
  access: 'viewer',
  params: Type.Object({ appId: Uuid('Identifier of the connection.') }),
  success: { 200: { description: 'The app that was disconnected.', data: ConnectedApp } },
  errors: ['RECORD_NOT_FOUND'],
  audit: { action: 'app.disconnected', target: ({ params }) => params.appId },
  repeatable: true,
  async handle(context, { params }) {
    const { accountId, userId } = requireSession(context)
    const { db, verifier } = context.services
    const grant = await db.transaction(async (tx) => {
      const ended = await endOwnOAuthGrant(tx, { accountId, userId }, params.appId.toLowerCase())
      if (ended) context.describe?.(`${ended.clientName} (${ended.id})`)
      return ended
    })
    if (!grant) throw new Failure('RECORD_NOT_FOUND', { message: 'No such app is connected.' })
    verifier.forgetAccount(accountId)
    return answer(toRecord(grant))
  },
})
