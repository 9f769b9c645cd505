import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rounds } from '../support/rounds.ts'
import { explore } from './explore.ts'
import { openSimulation } from './schedule.ts'

test('whatever befalls several processes, nothing is lost, paid twice or left unfinished', () =>
  explore({ first: 2, step: 2, count: rounds(10_000) }))

test('a seed always leads to the same schedule, whatever was executed before it', async () => {
  await using simulation = await openSimulation()
  const seeds = [7, 8, 31, 32]
  const inOrder = []
  for (const seed of seeds) inOrder.push(await simulation.run(seed))
  for (const [index, seed] of [...seeds.entries()].reverse()) {
    assert.deepEqual(await simulation.run(seed), inOrder[index])
  }
  assert.equal(new Set(inOrder.map(({ hash }) => hash)).size, seeds.length)
})
