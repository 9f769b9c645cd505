// Runs whose values need more memory together than the server has.
import assert from 'node:assert/strict'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startServerProcess } from '../../support/server-process.ts'
import { addWorkflow, ended, graph, run, started } from './setting.ts'

const names = Array.from({ length: 8 }, (_, i) => `t${i}`)

/** Eight long texts, all of which are needed until the picture is there. */
const heavy = graph(
  [
    { id: 'in', type: 'input.text' },
    ...names.map((id) => ({ id, type: 'text.template', data: { template: `{{a}}{{a}}${id}` } })),
    {
      id: 'picture',
      type: 'image.generate',
      data: { model: 'demo-image', prompt: 'a door', imageSampleSize: '512' },
    },
    { id: 'all', type: 'flow.merge' },
    { id: 'out', type: 'output' },
    { id: 'end', type: 'text.template', data: { template: 'done' } },
  ],
  [
    ...names.flatMap((id) => [`in -> ${id}.a`, `${id} -> all.in`]),
    'picture -> all.in',
    'end -> out',
  ],
)

test('runs that hold much memory together wait for each other, and others go on', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'atelier-memory-'))
  const server = await startServerProcess({
    DATA_DIR: folder.path,
    NODE_OPTIONS: '--max-old-space-size=320',
  })
  try {
    const workflowId = await addWorkflow(server, heavy)
    const inputs = { in: 'x'.repeat(1_000_000) }
    const runs = await Promise.all(
      Array.from({ length: 24 }, () => started(server, workflowId, { inputs })),
    )
    const small = await run(
      server,
      graph(
        [
          { id: 'in', type: 'input.text' },
          { id: 'out', type: 'output' },
        ],
        ['in -> out'],
      ),
      { in: 'hello' },
    )
    assert.deepEqual(small.outputs, { out: 'hello' })
    for (const runId of runs) assert.equal((await ended(server, runId)).status, 'COMPLETED')
  } finally {
    await server.kill()
  }
})

const mapped = graph(
  [
    { id: 'in', type: 'input.json' },
    {
      id: 'map',
      type: 'flow.map',
      data: {
        apply: { type: 'text.template', data: { template: `{{item}}${'x'.repeat(19_000)}` } },
        maxItems: 200,
      },
    },
    { id: 'out', type: 'output' },
  ],
  ['in -> map.items', 'map -> out'],
)

test('lists that are mapped count while they grow, and a restart resumes them all', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'atelier-memory-'))
  const start = () =>
    startServerProcess({ DATA_DIR: folder.path, NODE_OPTIONS: '--max-old-space-size=200' })
  let server = await start()
  try {
    const workflowId = await addWorkflow(server, mapped)
    const inputs = { in: Array.from({ length: 200 }, (_, i) => `item ${i} `) }
    const runs = await Promise.all(
      Array.from({ length: 40 }, () => started(server, workflowId, { inputs })),
    )
    await server.kill()
    server = await start()
    for (const runId of runs) assert.equal((await ended(server, runId)).status, 'COMPLETED')
  } finally {
    await server.kill()
  }
})
