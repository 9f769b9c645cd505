// All accounts of the server, for its operator. The only lists that go beyond the caller's account.
import type { Role } from '#core/roles.ts'
import type { Reader } from '../db.ts'
import { orNull, table, text, time, uuid } from '../table.ts'

const accounts = table({
  id: uuid,
  name: text(),
  created_at: time,
  disabled_at: orNull(time),
}).all
const people = table({
  id: uuid,
  account_id: uuid,
  email: orNull(text()),
  name: orNull(text()),
  role: text<Role>(),
  disabled_at: orNull(time),
  last_seen_at: orNull(time),
}).all

export type AccountPosition = { createdAtMs: number; id: string }

/** Newest first. */
export const listAccounts = (db: Reader, after: AccountPosition | null, size: number) =>
  accounts.query(
    db,
    after === null
      ? `select ${accounts.columns} from accounts order by created_at desc, id desc limit $1`
      : `select ${accounts.columns} from accounts
         where created_at < $2 or (created_at = $2 and id < $3)
         order by created_at desc, id desc limit $1`,
    after === null ? [size] : [size, after.createdAtMs, after.id],
  )

/** At most `size`, in the order in which they joined. */
export const listPeople = (db: Reader, accountId: string, size: number) =>
  people.query(
    db,
    `select ${people.columns} from users where account_id = $1 and removed_at is null
     order by created_at, id limit $2`,
    [accountId, size],
  )
