import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../../support/server.ts'

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

test('a server that was stopped leaves no timer behind, so that its process can end', async () => {
  const before = timers()
  const server = await startServer()
  await server.stop()
  // Fewer, if one of a test that shares this process has ended meanwhile.
  assert.ok(timers() <= before, `${timers()} timers, ${before} before`)
})
