import type { Db, Reader } from '../db.ts'

/** No notice is shown for longer, so that older marks can go. */
const keptMs = 200 * 24 * 3_600_000

export async function readNoticeIds(db: Reader, userId: string): Promise<Set<string>> {
  const rows = await db.query<{ notice: string }>(
    'select notice from notice_reads where user_id = $1',
    [userId],
  )
  return new Set(rows.map(({ notice }) => notice))
}

export const markRead = (
  db: Db,
  userId: string,
  notices: readonly string[],
  nowMs: number,
): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.write('delete from notice_reads where user_id = $1 and read_at < $2', [
      userId,
      nowMs - keptMs,
    ])
    for (const notice of notices) {
      await tx.write(
        `insert into notice_reads (user_id, notice, read_at) values ($1, $2, $3)
         on conflict (user_id, notice) do nothing`,
        [userId, notice, nowMs],
      )
    }
  })
