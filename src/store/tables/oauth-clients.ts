import type { Db, Reader, Tx, Writer } from '../db.ts'
import { json, type Row, table, text } from '../table.ts'

/** A program as it describes itself. All that is certain is that codes go to these URIs. */
export type OAuthClient = { id: string; name: string; redirectUris: readonly string[] }

const whole = table({ id: text(), name: text(), redirect_uris: json<readonly string[]>() }).all

/**
 * If more than `maxWaiting` clients were never connected, the oldest of those are deleted. Clients
 * that simultaneous registrations could not see are deleted by a later one.
 */
export async function insertOAuthClient(
  db: Db,
  client: OAuthClient & { nowMs: number },
  { maxWaiting }: { maxWaiting: number },
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.write(
      'insert into oauth_clients (id, name, redirect_uris, created_at) values ($1, $2, $3, $4)',
      [client.id, client.name, JSON.stringify(client.redirectUris), client.nowMs],
    )
    await tx.write(
      `delete from oauth_clients where id in (
         select id from oauth_clients where connected_at is null
         order by created_at desc, id desc limit 100 offset ${maxWaiting})`,
    )
  })
}

export async function readOAuthClient(db: Reader, id: string): Promise<OAuthClient | null> {
  const [row] = await whole.query(db, `select ${whole.columns} from oauth_clients where id = $1`, [
    id,
  ])
  return row ? toClient(row) : null
}

/** Changes nothing for a client without a row. */
export async function markOAuthClientConnected(tx: Tx, id: string, nowMs: number): Promise<void> {
  await tx.write('update oauth_clients set connected_at = $2 where id = $1', [id, nowMs])
}

/** Deletes clients that nobody has connected since then and that have no grant. */
export async function deleteUnusedOAuthClients(
  db: Writer,
  since: { createdMs: number; connectedMs: number },
): Promise<void> {
  await db.write(
    `delete from oauth_clients where
       ((connected_at is null and created_at < $1) or connected_at < $2)
       and not exists (select 1 from oauth_grants g where g.client_id = oauth_clients.id)`,
    [since.createdMs, since.connectedMs],
  )
}

const toClient = (row: Row<typeof whole>): OAuthClient => ({
  id: row.id,
  name: row.name,
  redirectUris: row.redirect_uris,
})
