import { type CredentialKind, type CredentialSecret, lastChars } from '#core/credential.ts'
import type { Db, Reader, Tx, Writer } from '../db.ts'
import type { SecretBox } from '../secret-box.ts'
import { json, orNull, type Row, table, text, time, uuid } from '../table.ts'
import { lockAccount } from './accounts.ts'

const shown = table({
  id: uuid,
  name: text(),
  kind: text<CredentialKind>(),
  /** The provider whose key it is; null for every other kind. */
  provider: orNull(text()),
  hosts: json<readonly string[]>(),
  last_chars: orNull(text()),
  created_at: time,
  updated_at: time,
  last_used_at: orNull(time),
}).all
const { columns } = shown
const withSecret = shown.beside<{ secret: Uint8Array }>()

/** Everything about a credential that may be shown. */
export type CredentialRow = Row<typeof shown>

export type CredentialContent = { secret: CredentialSecret; hosts: readonly string[] }
export type OpenedCredential = CredentialRow & { opened: CredentialSecret }

/** Binds the secret to its account too, so that a row copied to another one cannot be opened. */
const rowKey = (accountId: string, id: string) => ({
  table: 'credentials',
  row: `${accountId} ${id}`,
})

const seal = (box: SecretBox, accountId: string, id: string, secret: CredentialSecret) =>
  box.seal(rowKey(accountId, id), Buffer.from(JSON.stringify(secret)))

const providerOf = (secret: CredentialSecret): string | null =>
  secret.kind === 'provider' ? secret.provider : null

/** Ordered by name. */
export const listCredentials = (db: Reader, accountId: string): Promise<CredentialRow[]> =>
  shown.query(db, `select ${columns} from credentials where account_id = $1 order by name`, [
    accountId,
  ])

/** The credentials with these names, as far as they exist. */
export const findCredentials = (
  db: Reader,
  accountId: string,
  names: readonly string[],
): Promise<CredentialRow[]> =>
  shown.query(
    db,
    `select ${columns} from credentials
     where account_id = $1 and name ${db.dialect.inList('$2', 'text')}`,
    [accountId, db.dialect.list(names)],
  )

/** By name, as workflows refer to it, or by id if it must be the one that was used before. */
export type WhichCredential = { name: string } | { id: string }

export async function openCredential(
  db: Reader,
  box: SecretBox,
  accountId: string,
  which: WhichCredential,
): Promise<OpenedCredential | null> {
  const [column, value] = 'id' in which ? ['id', which.id] : ['name', which.name]
  const [row] = await withSecret.query(
    db,
    `select ${columns}, secret from credentials where account_id = $1 and ${column} = $2`,
    [accountId, value],
  )
  if (!row) return null
  const { secret, ...rest } = row
  const opened = box.open(rowKey(accountId, row.id), secret).toString('utf8')
  return { ...rest, opened: JSON.parse(opened) }
}

/** 'taken' if the account has one with this name, 'too-many' if it already has `most`. */
export async function insertCredential(
  tx: Tx,
  box: SecretBox,
  credential: CredentialContent & { accountId: string; id: string; name: string; nowMs: number },
  { most }: { most: number },
): Promise<CredentialRow | 'taken' | 'too-many'> {
  const { accountId, id, name, secret, hosts, nowMs } = credential
  // Two requests that count at once would both see room.
  await lockAccount(tx, accountId)
  const others = await listCredentials(tx, accountId)
  if (others.some((other) => other.name === name)) return 'taken'
  if (others.length >= most) return 'too-many'
  const [row] = await shown.write(
    tx,
    `insert into credentials
       (id, account_id, name, kind, provider, hosts, last_chars, secret, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) returning ${columns}`,
    [
      id,
      accountId,
      name,
      secret.kind,
      providerOf(secret),
      JSON.stringify(hosts),
      lastChars(secret),
      seal(box, accountId, id, secret),
      nowMs,
    ],
  )
  if (!row) throw new Error('an insert returned no row')
  return row
}

/** Null if the account has none of this name. */
export async function replaceCredential(
  tx: Tx,
  box: SecretBox,
  {
    accountId,
    name,
    secret,
    hosts,
    nowMs,
  }: CredentialContent & {
    accountId: string
    name: string
    nowMs: number
  },
): Promise<CredentialRow | null> {
  const [known] = await findCredentials(tx, accountId, [name])
  if (!known) return null
  const [row] = await shown.write(
    tx,
    `update credentials
     set kind = $3, provider = $4, hosts = $5, last_chars = $6, secret = $7, updated_at = $8
     where account_id = $1 and id = $2 returning ${columns}`,
    [
      accountId,
      known.id,
      secret.kind,
      providerOf(secret),
      JSON.stringify(hosts),
      lastChars(secret),
      seal(box, accountId, known.id, secret),
      nowMs,
    ],
  )
  return row ?? null
}

/** Null if the account has none of this name. */
export async function deleteCredential(
  db: Writer,
  accountId: string,
  name: string,
): Promise<CredentialRow | null> {
  const [row] = await shown.write(
    db,
    `delete from credentials where account_id = $1 and name = $2 returning ${columns}`,
    [accountId, name],
  )
  return row ?? null
}

/** The time never moves back, although processes write in any order. */
export async function recordCredentialUse(
  db: Db,
  accountId: string,
  id: string,
  usedAtMs: number,
): Promise<void> {
  await db.write(
    `update credentials set last_used_at = $3
     where account_id = $1 and id = $2 and (last_used_at is null or last_used_at < $3)`,
    [accountId, id, usedAtMs],
  )
}
