// Kills processes at random moments, ROUNDS times (200), half on SQLite and half on PostgreSQL,
// and says what was seen. SEED repeats the choices of an earlier soak.

import { runKillRounds } from '../crash/tasks/kill-rounds.ts'
import { databases } from '../support/databases.ts'

const rounds = Math.ceil(Number(process.env.ROUNDS ?? 200) / databases.length)
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 32)
console.log(`generation kills: ${rounds} rounds on each database, seed ${seed}`)
for (const { name: database } of databases) {
  const startedAtMs = Date.now()
  const onRound = (round: number) => {
    if (round % 10 === 0) console.log(`  ${database}: ${round} rounds`)
  }
  const summary = await runKillRounds({ database, rounds, seed, onRound })
  const seconds = Math.round((Date.now() - startedAtMs) / 1000)
  console.log(`  ${database}: ${JSON.stringify(summary)} in ${seconds} s`)
}
// A PostgreSQL server of its own would keep this process.
process.exit(0)
