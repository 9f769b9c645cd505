// Writes for ever, and prints the number of each write once it was answered. Even numbers are
// single writes, odd ones transactions of two rows.
import { writeSync } from 'node:fs'
import { openPostgres } from '#store/postgres/database.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { patientDatabase } from '../../support/databases.ts'

const [location = '', start = '0'] = process.argv.slice(2)
const db = location.startsWith('postgres:')
  ? openPostgres({ url: location, poolSize: 6, ...patientDatabase })
  : openSqlite({ path: location })

let next = Number(start)

async function writeForEver(): Promise<never> {
  for (;;) {
    const number = next++
    if (number % 2 === 0) await db.write('insert into pairs values ($1, 0)', [number])
    else {
      await db.transaction(async (tx) => {
        await tx.write('insert into pairs values ($1, 1)', [number])
        await tx.write('insert into pairs values ($1, 2)', [number])
      })
    }
    writeSync(1, `${number}\n`)
  }
}

await Promise.all(Array.from({ length: 16 }, writeForEver))
