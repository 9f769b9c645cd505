// One account maps long lists, as many as it can. The server must answer others meanwhile: no turn
// of its event loop may take a second of processor time.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addWorkflow, ended, graph, started } from '../journeys/runs/setting.ts'
import { startServerProcess } from '../support/server-process.ts'

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

export async function mapLongLists(runs: number) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'atelier-lists-'))
  const out = `${folder.path}.json`
  const watcher = fileURLToPath(new URL('./turns.ts', import.meta.url))
  const server = await startServerProcess(
    { DATA_DIR: folder.path, ATELIER_TEST_TURNS: out },
    { nodeOptions: ['--import', watcher] },
  )
  server.switchRequestLog()
  const workflowId = await addWorkflow(server, mapped)
  const inputs = { in: Array.from({ length: 200 }, (_, i) => `item ${i} `) }
  const ids = await Promise.all(
    Array.from({ length: runs }, () => started(server, workflowId, { inputs })),
  )
  for (const id of ids) assert.equal((await ended(server, id)).status, 'COMPLETED')
  assert.equal(await server.stop(), 0)
  const { longestMs } = JSON.parse(readFileSync(out, 'utf8'))
  assert.ok(longestMs < 1_000, `one turn took ${longestMs} ms`)
  return { runs, longestTurnMs: Math.round(longestMs) }
}
