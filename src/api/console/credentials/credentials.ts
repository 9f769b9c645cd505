// Secrets that workflows refer to by name. They can be replaced and deleted but never read.
import { Failure } from '#core/errors.ts'
import { uuidV7 } from '#core/ids.ts'
import { Type } from '#core/schema.ts'
import {
  insertCredential,
  deleteCredential as removeCredential,
  listCredentials as selectCredentials,
  replaceCredential as storeCredential,
} from '#store/tables/credentials.ts'
import { answer } from '../../operation.ts'
import { Closed } from '../../schemas.ts'
import { type ConsoleContext, defineConsole, requireCaller } from '../context.ts'
import {
  CredentialName,
  CredentialRecord,
  contentFields,
  problem,
  readContent,
  toRecord,
} from './credential-record.ts'

// Enough for every service that an account uses, and few enough for a list without pages.
const most = 200

const noSuchCredential = () =>
  new Failure('RECORD_NOT_FOUND', { message: 'There is no such credential.' })
const keyableProviders = ({ services }: ConsoleContext) =>
  services
    .server()
    .providers.filter(({ takesKeys }) => takesKeys)
    .map(({ id }) => id)
/** For the audit log: where it goes, never what it is. */
const contentText = (name: string, given: { kind: string; hosts?: string[]; provider?: string }) =>
  `${name}: ${given.kind} for ${(given.provider ?? given.hosts?.join(' ')) || 'nothing that is sent'}`
const byName = Type.Object({ name: CredentialName })

export const listCredentials = defineConsole({
  id: 'listCredentials',
  route: 'GET /credentials',
  summary: 'Lists the credentials of the account by name, without their secrets',
  access: 'viewer',
  takesKeys: true,
  success: {
    200: { description: 'The credentials.', data: Closed({ items: Type.Array(CredentialRecord) }) },
  },
  async handle(context) {
    const { accountId } = requireCaller(context)
    const rows = await selectCredentials(context.services.db, accountId)
    return answer({ items: rows.map(toRecord) })
  },
})

export const createCredential = defineConsole({
  id: 'createCredential',
  route: 'POST /credentials',
  summary: 'Stores a secret that workflows refer to by name',
  access: 'owner',
  takesKeys: true,
  body: Closed({ name: CredentialName, ...contentFields }),
  success: { 200: { description: 'The credential.', data: CredentialRecord } },
  errors: ['QUOTA_EXCEEDED'],
  audit: { action: 'credential.created', target: ({ body }) => contentText(body.name, body) },
  repeatable: false,
  ifUnknown: 'List the credentials: it is there if it was stored.',
  async handle(context, { body: { name, ...given } }) {
    const { accountId } = requireCaller(context)
    const { db, clock, secretBox } = context.services
    const content = readContent(given, keyableProviders(context))
    const nowMs = clock.nowMs()
    const credential = { ...content, accountId, id: uuidV7(nowMs), name, nowMs }
    const stored = await db.transaction((tx) =>
      insertCredential(tx, secretBox, credential, { most }),
    )
    if (stored === 'taken') throw problem('/name', 'is taken: replace that credential instead')
    if (stored === 'too-many') {
      const message = `An account has at most ${most} credentials. Delete one first.`
      throw new Failure('QUOTA_EXCEEDED', { message, retryable: false })
    }
    return answer(toRecord(stored))
  },
})

export const replaceCredential = defineConsole({
  id: 'replaceCredential',
  route: 'PUT /credentials/{name}',
  summary: 'Replaces the secret of a credential; requests sent from now on use the new one',
  access: 'owner',
  takesKeys: true,
  params: byName,
  body: Closed(contentFields),
  success: { 200: { description: 'The credential.', data: CredentialRecord } },
  errors: ['RECORD_NOT_FOUND'],
  audit: {
    action: 'credential.replaced',
    target: ({ params, body }) => contentText(params.name, body),
  },
  repeatable: true,
  async handle(context, { params: { name }, body }) {
    const { accountId } = requireCaller(context)
    const { db, clock, secretBox } = context.services
    const content = readContent(body, keyableProviders(context))
    const credential = { ...content, accountId, name, nowMs: clock.nowMs() }
    const stored = await db.transaction((tx) => storeCredential(tx, secretBox, credential))
    if (!stored) throw noSuchCredential()
    return answer(toRecord(stored))
  },
})

export const deleteCredential = defineConsole({
  id: 'deleteCredential',
  route: 'DELETE /credentials/{name}',
  summary: 'Deletes a credential; nodes that refer to it fail from now on',
  access: 'owner',
  takesKeys: true,
  params: byName,
  success: {
    200: {
      description: 'Deleted.',
      data: Closed({ name: CredentialName, deleted: Type.Literal(true) }),
    },
  },
  errors: ['RECORD_NOT_FOUND'],
  audit: { action: 'credential.deleted', target: ({ params }) => params.name },
  repeatable: true,
  async handle(context, { params: { name } }) {
    const { accountId } = requireCaller(context)
    const { db } = context.services
    const deleted = await db.transaction((tx) => removeCredential(tx, accountId, name))
    if (!deleted) throw noSuchCredential()
    return answer({ name, deleted: true })
  },
})
