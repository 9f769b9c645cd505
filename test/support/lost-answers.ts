import { type Db, StoreUnavailable } from '#store/db.ts'

/** Executes the first write whose SQL matches but loses its answer, like a broken connection. */
export function losingAnAnswer(db: Db, pattern: RegExp): Db {
  let isLost = false
  const lose = (isHit: boolean) => {
    if (!isHit || isLost) return
    isLost = true
    throw new StoreUnavailable('the answer was lost')
  }
  return {
    ...db,
    async write<Row>(sql: string, params?: Parameters<Db['write']>[1]) {
      const rows = await db.write<Row>(sql, params)
      lose(pattern.test(sql))
      return rows
    },
    async writeAll(statements, options) {
      let isHit = false
      const rows = await db.writeAll(() => {
        const made = statements()
        isHit = made.some(({ sql }) => pattern.test(sql))
        return made
      }, options)
      lose(isHit)
      return rows
    },
    async transaction(work) {
      let isHit = false
      const value = await db.transaction((tx) =>
        work({
          ...tx,
          write(sql, params) {
            isHit ||= pattern.test(sql)
            return tx.write(sql, params)
          },
        }),
      )
      lose(isHit)
      return value
    },
  }
}
