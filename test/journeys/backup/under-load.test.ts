// A backup of a server that is being used: everything that was acknowledged before the command
// began is in it, and nobody who uses the server notices.
import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { P, startServer, type TestServer } from '../../support/server.ts'
import { readRun, started } from '../runs/setting.ts'
import { assertThere, cli, type Env, fill, newFolder, newPlace, rowsOf } from './setting.ts'

const clients = 4

/** What callers were answered, kept outside of the server. */
function startLoad(server: TestServer, workflowId: number) {
  const runs: string[] = []
  let chats = 0
  let isOver = false
  const client = async () => {
    while (!isOver) {
      runs.push(await started(server, workflowId, { inputs: { topic: 'load' } }))
      const answer = await server.call({
        method: 'POST',
        path: `${P}/chat/completions`,
        json: { model: 'demo-text', messages: [{ role: 'user', content: 'What is 2 + 2?' }] },
      })
      assert.equal(answer.status, 200, answer.text)
      chats++
    }
  }
  const all = Promise.all(Array.from({ length: clients }, client))
  return {
    acknowledged: () => ({ runs: [...runs], chats }),
    async moreThan(count: number) {
      const reached = () => runs.length > count && chats > count
      while (!reached()) await Promise.race([all, new Promise((done) => setTimeout(done, 5))])
    },
    async stop() {
      isOver = true
      await all
    },
  }
}

const chatRows = async (env: Env) => {
  const [row] = await rowsOf<{ calls: number }>(
    env,
    `select count(*) as calls from ledger where operation = 'chat' and run_id is null`,
  )
  return row?.calls ?? 0
}

/** Sums of the ledger, by its own rows. */
const sums = (env: Env) =>
  rowsOf<{ model: string; calls: number; input_tokens: number }>(
    env,
    `select model, sum(calls) as calls, sum(input_tokens) as input_tokens from spend_days
     group by model order by model`,
  )

const secrets = async (env: Env) => [
  ...(await rowsOf(env, `select * from webhook_secrets`)),
  ...(await rowsOf(env, `select * from signing_keys`)),
  ...(await rowsOf(env, `select * from api_keys order by id`)),
]

describe('a backup of a server in use', () => {
  for (const [from, targets] of [
    ['sqlite', ['sqlite']],
    ['postgres', ['postgres', 'sqlite']],
  ] as const) {
    test(`on ${from} holds all that was acknowledged, and is restored on ${targets.join(' and ')}`, async (t) => {
      const original = await newPlace(t, from)
      const server = await startServer(original)
      t.after(() => server.stop())
      const there = await fill(server)
      const load = startLoad(server, there.echoId)
      await load.moreThan(20)
      const before = load.acknowledged()
      const folder = join(await newFolder(t), 'copy')
      await cli(['backup', folder], original)
      const during = load.acknowledged()
      await load.moreThan(during.runs.length)
      await load.stop()
      assert.ok(during.runs.length > before.runs.length, 'nothing was answered during the backup')
      const key = server.ownerKey
      const kept = await secrets(original)
      await server.stop()

      await assertPrivate(folder)
      await cli(['restore', folder, '--check'], original)
      for (const to of targets) {
        const place = await newPlace(t, to)
        await cli(['restore', folder, '--trust'], place)
        assert.deepEqual(await secrets(place), kept)
        assert.ok((await chatRows(place)) >= before.chats)
        const [demo] = await sums(place)
        assert.equal(demo?.model, 'demo-image')
        await using restored = await startServer(place)
        for (const runId of before.runs) await readRun(restored, runId)
        await assertThere(restored, key, there)
      }
    })
  }
})

/** It holds every secret: nobody but its owner may read it. */
async function assertPrivate(folder: string) {
  for (const name of await readdir(folder, { recursive: true })) {
    const { mode } = await stat(join(folder, name))
    assert.equal(mode & 0o077, 0, name)
  }
}
