import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { roles } from '#core/roles.ts'
import { Type } from '#core/schema.ts'
import type { Reader } from '#store/db.ts'
import { type AccountPosition, listAccounts, listPeople } from '#store/tables/account-list.ts'
import { setAccountDisabled } from '#store/tables/accounts.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, Nullable, OneOf, Timestamp, Uuid } from '../../schemas.ts'
import { defineConsole, requireSession } from '../context.ts'
import { cursorsOf, listOf, listQuery } from '../cursor.ts'

const maxPeople = 20

const AccountRecord = NamedRecord('ServerAccount', {
  id: Uuid('Identifier of the account.'),
  name: Type.String(),
  createdAt: Timestamp,
  disabledAt: Nullable(Timestamp),
  people: Type.Array(
    Closed({
      userId: Uuid('Identifier of the person.'),
      email: Nullable(Type.String()),
      name: Nullable(Type.String({ description: 'Their name at the OpenID provider.' })),
      role: OneOf(roles),
      disabled: Type.Boolean(),
      lastSeenAt: Nullable(Timestamp),
    }),
    { description: `The first ${maxPeople}. An account of an external issuer has none.` },
  ),
})

type Stored = Awaited<ReturnType<typeof listAccounts>>[number]
const timeOrNull = (ms: number | null) => (ms === null ? null : toRfc3339(ms))

async function toRecord(db: Reader, { id, name, created_at, disabled_at }: Stored) {
  const people = await listPeople(db, id, maxPeople)
  return {
    id,
    name,
    createdAt: toRfc3339(created_at),
    disabledAt: timeOrNull(disabled_at),
    people: people.map((person) => ({
      userId: person.id,
      email: person.email,
      name: person.name,
      role: person.role,
      disabled: person.disabled_at !== null,
      lastSeenAt: timeOrNull(person.last_seen_at),
    })),
  }
}

export const listServerAccounts = defineConsole({
  id: 'listServerAccounts',
  route: 'GET /server/accounts',
  summary: 'Lists all accounts of this server with their people, newest first',
  access: 'operator',
  query: Type.Object(listQuery),
  success: { 200: { description: 'The accounts.', data: listOf(AccountRecord) } },
  async handle(context, { query: { cursor, size = 50 } }) {
    const { accountId } = requireSession(context)
    const { db, secretBox } = context.services
    const cursors = cursorsOf<AccountPosition>(secretBox, {
      list: 'accounts',
      accountId,
      filters: {},
    })
    const stored = await listAccounts(db, cursors.read(cursor), size + 1)
    const shown = stored.slice(0, size)
    const last = stored.length > size ? shown.at(-1) : undefined
    return answer({
      items: await Promise.all(shown.map((account) => toRecord(db, account))),
      next: cursors.write(last ? { createdAtMs: last.created_at, id: last.id } : null),
    })
  },
})

export const updateServerAccount = defineConsole({
  id: 'updateServerAccount',
  route: 'PUT /server/accounts/{accountId}',
  summary: 'Disables an account of this server, or enables it again; takes effect in 5 seconds',
  description:
    'Its people, keys and tokens are answered with 403 `ACCOUNT_DISABLED`. Runs in progress continue.',
  access: 'operator',
  params: Type.Object({ accountId: Uuid('Identifier of the account.') }),
  body: Closed({ disabled: Type.Boolean() }),
  success: { 200: { description: 'The changed account.', data: AccountRecord } },
  errors: ['RECORD_NOT_FOUND', 'LAST_OWNER'],
  audit: {
    action: 'account.switched',
    target: ({ params, body }) => `${params.accountId} ${body.disabled ? 'disabled' : 'enabled'}`,
  },
  repeatable: true,
  async handle(context, { params: { accountId }, body }) {
    const { db, clock, verifier } = context.services
    if (body.disabled && accountId === requireSession(context).accountId) {
      throw new Failure('LAST_OWNER', {
        message: 'This account operates the server and cannot be disabled.',
      })
    }
    const account = await setAccountDisabled(db, accountId, body.disabled ? clock.nowMs() : null)
    if (!account) throw new Failure('RECORD_NOT_FOUND', { message: 'There is no such account.' })
    verifier.forgetAccount(accountId)
    const { id, name, createdAtMs: created_at, disabledAtMs: disabled_at } = account
    return answer(await toRecord(db, { id, name, created_at, disabled_at }))
  },
})
