import assert from 'node:assert/strict'
import { openSimulation } from './schedule.ts'

/** Executes `count` schedules. A failure names the seed, which `npm run simulate` shows. */
export async function explore(options: { first: number; step: number; count: number }) {
  await using simulation = await openSimulation()
  const seeds = Array.from({ length: options.count }, (_, i) => options.first + i * options.step)
  const done = { texts: 0, pictures: 0, acts: 0, webhooks: 0 }
  for (const seed of seeds) {
    const outcome = await simulation.run(seed)
    const { violations } = outcome
    assert.deepEqual(violations, [], `to see what happened: npm run simulate -- ${seed}`)
    for (const [kind, count] of Object.entries(outcome.done))
      done[kind as keyof typeof done] += count
  }
  // Nothing is proved by calls that are never made.
  for (const [kind, count] of Object.entries(done)) {
    assert.ok(count > options.count / 20, `${count} ${kind} in ${options.count} schedules`)
  }
}
