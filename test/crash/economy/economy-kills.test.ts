import { test } from 'node:test'
import { killEconomy } from './economy-kills.ts'

test('runs whose server is killed are answered in batches, each once and in time', async () => {
  await killEconomy({ database: 'sqlite', runs: 24, kills: 2, seed: 7 })
})
