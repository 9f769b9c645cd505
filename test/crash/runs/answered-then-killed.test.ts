import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { addWorkflow, ended, graph, started, until } from '../../journeys/runs/setting.ts'
import { signUp } from '../../support/console.ts'
import { databases } from '../../support/databases.ts'
import { type Answer, type Call, P, type TestServer } from '../../support/server.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'

const approval = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'ask', type: 'wait.approval', data: { title: 'Publish?' } },
    { id: 'approve', type: 'output' },
    { id: 'reject', type: 'output' },
  ],
  ['in -> ask.value', 'ask.approved -> approve', 'ask.rejected -> reject'],
)

for (const { name, open } of databases) {
  test(`of 100 answers one wins, and kills before and after it lose nothing (${name})`, async () => {
    await using closing = new AsyncDisposableStack()
    const dataDir = await mkdtemp(join(tmpdir(), 'atelier-answers-'))
    closing.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
    const database = name === 'postgres' ? closing.use(await open()) : null
    const url = database && 'url' in database.location ? database.location.url : ''
    const env = { DATA_DIR: dataDir, SIGN_UP: 'open', LEASE_SECONDS: '2', DATABASE_URL: url }
    const start = async (role: string): Promise<ServerProcess> => {
      const server = await startServerProcess({ ...env, ROLE: role })
      closing.defer(() => server.kill())
      return server
    }

    const first = await start('all')
    const me = await signUp(first as unknown as TestServer)
    const key = await me.newKey()
    const answering = await me.newKey({ scopes: ['waits:answer'] })
    const by = (server: ServerProcess) => ({
      call: (call: Call | string): Promise<Answer> =>
        server.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
    })
    const runId = await started(by(first), await addWorkflow(by(first), approval), {
      inputs: { in: 'x' },
    })
    const { waitingFor } = await until(by(first), runId, (run) => run.waitingFor?.length > 0)
    await first.kill()

    // On PostgreSQL nothing executes runs now, so that the answer can only be stored. SQLite has one
    // process for everything, which is killed as soon as it has answered.
    const servers = await Promise.all((url === '' ? ['all'] : ['api', 'api']).map(start))
    const path = `${P}/workflow-runs/${runId}/waits/${waitingFor[0].waitId}`
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const decision = i % 2 ? 'approve' : 'reject'
        const json = { decision, comment: String(i) }
        const server = servers[i % servers.length]
        assert.ok(server)
        const { status } = await server.call({ method: 'POST', path, json, key: answering })
        return { status, decision }
      }),
    )
    const won = outcomes.filter(({ status }) => status === 200)
    assert.equal(won.length, 1)
    assert.equal(outcomes.filter(({ status }) => status === 409).length, 99)
    await Promise.all(servers.map((server) => server.kill()))

    const last = await start('all')
    const { status, outputs } = await ended(by(last), runId)
    assert.deepEqual([status, outputs], ['COMPLETED', { [won[0]?.decision ?? '']: 'x' }])
  })
}
