import type { Reader } from '../db.ts'

/** How many calls of a model an account has finished since a day, and how long the answers were. */
export async function outputHistory(
  db: Reader,
  { accountId, model, fromDay }: { accountId: string; model: string; fromDay: string },
): Promise<{ calls: number; outputTokens: number }> {
  const [row] = await db.query<{ calls: number | null; output_tokens: number | null }>(
    `select sum(calls) as calls, sum(output_tokens) as output_tokens from spend_days
     where account_id = $1 and day >= $2 and model = $3`,
    [accountId, fromDay, model],
  )
  return { calls: Number(row?.calls ?? 0), outputTokens: Number(row?.output_tokens ?? 0) }
}
