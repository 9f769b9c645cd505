// The audit log of an account: what was changed, by whom and from where. Operations declare their
// action (`audit` in their definition); the guard records it in the transaction of the change.

import { auditActions } from '#core/audit-actions.ts'
import { toRfc3339 } from '#core/clock.ts'
import { type Static, Type } from '#core/schema.ts'
import { type AuditRow, insertAuditEntry, listAuditEntries } from '#store/tables/audit-entries.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, Nullable, OneOf, Timestamp, Uuid } from '../../schemas.ts'
import { type ConsoleContext, defineConsole, requireCaller } from '../context.ts'
import { cursorsOf, listOf, listQuery } from '../cursor.ts'
import { entryBy } from './audit-entry.ts'

const AuditRecord = NamedRecord('AuditEntry', {
  id: Uuid('Identifier of the entry.'),
  at: Timestamp,
  actor: Closed({
    kind: OneOf(['user', 'key', 'server']),
    id: Nullable(Uuid('Identifier of the person or the key.')),
    name: Nullable(
      Type.String({
        description: 'The e-mail of the person or the name of the key, as it is now.',
      }),
    ),
  }),
  action: OneOf(auditActions),
  target: Nullable(Type.String({ description: 'What was changed: a name or an identifier.' })),
  ipAddress: Nullable(Type.String()),
})

const filterFields = {
  action: Type.Optional(OneOf(auditActions)),
  actorId: Type.Optional(Uuid('Only what this person or key did.')),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
}
const Filters = Closed(filterFields)

const toRecord = (row: AuditRow): Static<typeof AuditRecord> => ({
  id: row.id,
  at: toRfc3339(row.at),
  actor:
    row.actor_key !== null
      ? { kind: 'key', id: row.actor_key, name: row.key_name }
      : { kind: row.actor_user ? 'user' : 'server', id: row.actor_user, name: row.email },
  action: row.action,
  target: row.target,
  ipAddress: row.ip_address,
})

const read = (
  { services: { db } }: ConsoleContext,
  accountId: string,
  { from, to, ...filters }: Static<typeof Filters>,
  page: { before: string | null; limit: number },
) =>
  listAuditEntries(
    db,
    accountId,
    {
      ...filters,
      ...(from === undefined ? {} : { from: Date.parse(from) }),
      ...(to === undefined ? {} : { to: Date.parse(to) }),
    },
    page,
  )

export const listAudit = defineConsole({
  id: 'listAudit',
  route: 'GET /audit',
  summary: 'Lists what was changed in the account, by whom and from where, newest first',
  access: 'owner',
  takesKeys: true,
  query: Type.Object({ ...filterFields, ...listQuery }),
  success: { 200: { description: 'Entries.', data: listOf(AuditRecord) } },
  async handle(context, { query: { cursor, size = 50, ...filters } }) {
    const { accountId } = requireCaller(context)
    const { secretBox } = context.services
    const cursors = cursorsOf<string>(secretBox, { list: 'audit', accountId, filters })
    const page = { before: cursors.read(cursor), limit: size + 1 }
    const rows = await read(context, accountId, filters, page)
    const shown = rows.slice(0, size)
    const last = rows.length > size ? (shown.at(-1)?.id ?? null) : null
    return answer({ items: shown.map(toRecord), next: cursors.write(last) })
  },
})

/** About 2 MB. A longer log can be exported month by month. */
const mostExported = 10_000

export const exportAudit = defineConsole({
  id: 'exportAudit',
  route: 'POST /audit/export',
  summary: 'Returns entries of the audit log as CSV, newest first, at most 10,000',
  access: 'owner',
  takesKeys: true,
  body: Filters,
  success: {
    200: {
      description: 'The entries.',
      data: Closed({
        csv: Type.String({ description: 'With a header line, lines ended by CRLF (RFC 4180).' }),
        count: Type.Integer({ minimum: 0 }),
      }),
    },
  },
  audit: { byItself: ['audit.exported'] },
  repeatable: true,
  async handle(context, { body }) {
    const { accountId } = requireCaller(context)
    const { db } = context.services
    const rows = await read(context, accountId, body, { before: null, limit: mostExported })
    // Recorded before the answer is sent, so that no export goes unnoticed.
    await insertAuditEntry(db, entryBy(context, 'audit.exported', `${rows.length} entries`))
    return answer({ csv: toCsv(rows.map(toRecord)), count: rows.length })
  },
})

const columns = ['at', 'actorKind', 'actorId', 'actor', 'action', 'target', 'ipAddress']

function toCsv(records: readonly Static<typeof AuditRecord>[]): string {
  const lines = records.map(({ at, actor, action, target, ipAddress }) =>
    [at, actor.kind, actor.id, actor.name, action, target, ipAddress].map(cell).join(','),
  )
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`
}

/** Anybody may have chosen a name, so a cell that begins like a formula is turned into text. */
function cell(value: string | null): string {
  const text = /^[=+\-@\t\r]/.test(value ?? '') ? `'${value}` : (value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
