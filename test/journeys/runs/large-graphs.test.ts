import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { P } from '../../support/server.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { ended, started } from './setting.ts'

// Takes 21 bytes of memory per byte of JSON. Five of these graphs fill most of the heap, and each
// is cached twice.
const padding = `[${'{},'.repeat(1_200_000)}{}]`
const graph = `{"nodes":[{"id":"a","type":"input.text","data":{"required":false,"padding":${padding}}}],"connections":[]}`

test('an account that runs many large graphs does not use up the memory of the server', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-graphs-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const server = await startServerProcess({
    DATA_DIR: folder,
    NODE_OPTIONS: '--max-old-space-size=700',
  })
  t.after(server.kill)
  for (let i = 0; i < 5; i++) {
    const made = await server.call({
      method: 'POST',
      path: `${P}/workflows`,
      headers: { 'content-type': 'application/json' },
      body: `{"name":"w","data":${graph}}`,
    })
    assert.equal(made.status, 200, made.text.slice(0, 500))
    const run = await ended(server, await started(server, made.body.data.id))
    assert.equal(run.status, 'COMPLETED')
  }
  assert.equal(await server.stop(), 0)
})
