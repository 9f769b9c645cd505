import { displayApiKey, makeApiKey } from '#auth/api-key.ts'
import { hashToken } from '#auth/token-hash.ts'
import { Failure, invalid } from '#core/errors.ts'
import { uuidV7 } from '#core/ids.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#store/db.ts'
import {
  insertApiKeyWithin,
  listApiKeys,
  readApiKey,
  revokeApiKey,
  updateApiKeyWithin,
} from '#store/tables/api-keys.ts'
import { answer } from '../../operation.ts'
import { Closed, Nullable, Timestamp, Uuid } from '../../schemas.ts'
import { assertMayMakeKeys } from '../budgets/own-limit.ts'
import {
  type ConsoleContext,
  defineConsole,
  requireCaller,
  requireStillSignedIn,
} from '../context.ts'
import { KeyScopes, Name } from '../fields.ts'
import {
  ApiKeyRecord,
  changeText,
  Limits,
  NewApiKeyRecord,
  nameAndId,
  toRecord,
  toStoredLimits,
} from './api-key-record.ts'
import { withinBounds } from './key-bounds.ts'

const maxLive = 50

export const listKeys = defineConsole({
  id: 'listApiKeys',
  route: 'GET /api-keys',
  summary: 'Lists the API keys of the account, live ones first',
  access: 'viewer',
  takesKeys: true,
  success: {
    200: { description: 'The keys.', data: Closed({ items: Type.Array(ApiKeyRecord) }) },
  },
  async handle(context) {
    const { accountId } = requireCaller(context)
    const { db, clock } = context.services
    const keys = await listApiKeys(db, accountId, clock.nowMs())
    return answer({ items: keys.map(toRecord) })
  },
})

export const createKey = defineConsole({
  id: 'createApiKey',
  route: 'POST /api-keys',
  summary: 'Creates an API key and shows it once',
  access: 'editor',
  takesKeys: true,
  body: Closed({
    name: Name,
    scopes: Type.Optional(KeyScopes),
    expiresAt: Type.Optional(Nullable(Timestamp)),
    limits: Type.Optional(Limits),
  }),
  success: { 200: { description: 'The key.', data: NewApiKeyRecord } },
  errors: ['QUOTA_EXCEEDED'],
  audit: { action: 'key.created', target: ({ body }) => body.name },
  repeatable: false,
  ifUnknown: 'List the keys: revoke one whose secret you were not shown.',
  async handle(context, { body }) {
    const { accountId, userId } = requireCaller(context)
    assertMayMakeKeys(context)
    const { db, clock, random } = context.services
    const nowMs = clock.nowMs()
    const key = makeApiKey(random)
    const { scopes, limits, expiresAt } = body
    const settings = await withinBounds(context, {
      ...(scopes ? { scopes } : {}),
      ...(limits ? { limits: toStoredLimits(limits) } : {}),
      ...(expiresAt === undefined ? {} : { expiresAtMs: readExpiry(expiresAt, nowMs) }),
    })
    const record = {
      id: uuidV7(nowMs),
      name: body.name.trim(),
      display: displayApiKey(key),
      ...settings,
      scopes: [...settings.scopes],
    }
    const stored = { ...record, accountId, userId, keyHash: hashToken(key), nowMs }
    // Somebody who changes their password and revokes their keys must find this one, too.
    const admit = (tx: Tx) => requireStillSignedIn(tx, context)
    if (!(await insertApiKeyWithin(db, stored, { maxLive, admit }))) throw tooMany()
    const shown = toRecord({
      ...record,
      userId,
      createdAtMs: nowMs,
      lastUsedAtMs: null,
      revokedAtMs: null,
    })
    return answer({ ...shown, key })
  },
})

function readExpiry(expiresAt: string | null, nowMs: number): number | null {
  if (expiresAt === null) return null
  const expiresAtMs = Date.parse(expiresAt)
  // A leap second matches the format but parses to NaN, which is refused here too.
  if (expiresAtMs > nowMs) return expiresAtMs
  throw invalid(
    'INVALID_REQUEST',
    [{ path: '/expiresAt', rule: 'future', message: 'must be in the future' }],
    '/expiresAt must be in the future.',
  )
}

const noSuchKey = () => new Failure('RECORD_NOT_FOUND', { message: 'There is no such API key.' })

/** Editors may change only the keys they made; owners may change all keys. */
async function requireOwnKey(context: ConsoleContext, keyId: string): Promise<void> {
  const { accountId, userId, role } = requireCaller(context)
  if (role === 'owner') return
  const key = await readApiKey(context.services.db, accountId, keyId)
  if (!key || key.userId === userId) return
  throw new Failure('INSUFFICIENT_ROLE', {
    message: 'Someone else created this key. Only an owner may change it.',
    details: { role: 'owner' },
  })
}

const tooMany = () =>
  new Failure('QUOTA_EXCEEDED', {
    message: `An account has at most ${maxLive} live API keys. Revoke one first.`,
    retryable: false,
  })

export const updateKey = defineConsole({
  id: 'updateApiKey',
  route: 'PUT /api-keys/{keyId}',
  summary: 'Changes an API key that is not revoked; takes effect everywhere within 5 seconds',
  access: 'editor',
  takesKeys: true,
  params: Type.Object({ keyId: Uuid('Identifier of the key.') }),
  body: Closed({
    name: Name,
    scopes: KeyScopes,
    limits: Limits,
    expiresAt: Nullable(Timestamp),
  }),
  success: { 200: { description: 'The changed key.', data: ApiKeyRecord } },
  errors: ['RECORD_NOT_FOUND', 'QUOTA_EXCEEDED'],
  audit: { action: 'key.changed', target: ({ params }) => params.keyId },
  repeatable: true,
  async handle(context, { params: { keyId }, body }) {
    const { accountId } = requireCaller(context)
    const { db, clock, verifier } = context.services
    const nowMs = clock.nowMs()
    await requireOwnKey(context, keyId)
    const settings = await withinBounds(context, {
      scopes: body.scopes,
      limits: toStoredLimits(body.limits),
      expiresAtMs: readExpiry(body.expiresAt, nowMs),
    })
    const key = { accountId, keyId, nowMs }
    const { name } = body
    const changed = await updateApiKeyWithin(
      db,
      key,
      { name, ...settings },
      { maxLive, onChange: (before, after) => context.describe?.(changeText(before, after)) },
    )
    if (changed === null) throw noSuchKey()
    if (changed === 'too-many') throw tooMany()
    verifier.forgetKey(changed.id)
    return answer(toRecord(changed))
  },
})

export const revokeKey = defineConsole({
  id: 'revokeApiKey',
  route: 'DELETE /api-keys/{keyId}',
  summary: 'Revokes an API key; takes effect everywhere within 5 seconds',
  access: 'editor',
  takesKeys: true,
  params: Type.Object({ keyId: Uuid('Identifier of the key.') }),
  success: { 200: { description: 'The revoked key.', data: ApiKeyRecord } },
  errors: ['RECORD_NOT_FOUND'],
  audit: { action: 'key.revoked', target: ({ params }) => params.keyId },
  repeatable: true,
  async handle(context, { params }) {
    const { accountId } = requireCaller(context)
    const { db, clock, verifier } = context.services
    await requireOwnKey(context, params.keyId)
    const revoked = await db.transaction(async (tx) => {
      const key = await revokeApiKey(tx, accountId, params.keyId, clock.nowMs())
      if (key) context.describe?.(nameAndId(key))
      return key
    })
    if (!revoked) throw noSuchKey()
    verifier.forgetKey(revoked.id)
    return answer(toRecord(revoked))
  },
})
