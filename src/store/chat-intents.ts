import type { Reader, Statement } from './db.ts'
import type { Attempt } from './ledger.ts'

export const addChatIntents = (
  batch: string,
  attempts: readonly Attempt[],
  nowMs: number,
): Statement => ({
  sql: 'insert into chat_intents (batch, attempts, created_at) values ($1, $2, $3)',
  rows: [[batch, JSON.stringify(attempts), nowMs]],
})

export const dropChatIntents = (batch: string): Statement => ({
  sql: 'delete from chat_intents where batch = $1',
  rows: [[batch]],
})

/** Of processes that died: every chat of these has been settled, or never will be. */
export async function abandonedChatIntents(
  db: Reader,
  beforeMs: number,
  limit: number,
): Promise<{ batch: string; attempts: Attempt[] }[]> {
  const rows = await db.query<{ batch: string; attempts: string }>(
    'select batch, attempts from chat_intents where created_at < $1 limit $2',
    [beforeMs, limit],
  )
  return rows.map(({ batch, attempts }) => ({ batch, attempts: JSON.parse(attempts) }))
}
