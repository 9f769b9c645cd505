import assert from 'node:assert/strict'
import { openSimulation } from './schedule.ts'

/** Executes `count` schedules. A failure names the seed, which `npm run simulate` shows. */
export async function explore(options: { first: number; step: number; count: number }) {
  await using simulation = await openSimulation()
  const seeds = Array.from({ length: options.count }, (_, i) => options.first + i * options.step)
  for (const seed of seeds) {
    const { violations } = await simulation.run(seed)
    assert.deepEqual(violations, [], `to see what happened: npm run simulate -- ${seed}`)
  }
}
