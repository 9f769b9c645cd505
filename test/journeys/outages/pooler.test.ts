import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { ownMigrations } from '../../support/migrated.ts'
import { type PoolMode, startPooler } from '../../support/pooler.ts'
import { dispatched } from '../cli/setting.ts'
import { chat, ended, openBench, says, submitted } from '../generation/setting.ts'
import { graph, run } from '../runs/setting.ts'

for (const mode of ['session', 'transaction'] satisfies PoolMode[]) {
  test(`a server serves and works behind a pooler in ${mode} mode`, async (t) => {
    const opened = await databases
      .find(({ name }) => name === 'postgres')
      ?.open({ migrations: ownMigrations })
    assert.ok(opened && 'url' in opened.location)
    t.after(opened.close)
    const { url } = opened.location
    const pooler = await startPooler(url, mode)
    t.after(() => pooler[Symbol.asyncDispose]())
    const direct = mode === 'transaction' && { DATABASE_DIRECT_URL: url }
    const bench = await openBench(t, {
      env: { DATABASE_URL: pooler.url, DATABASE_POOL: '4', ...direct },
    })
    const talk = await chat(bench, { model: 'demo-text', messages: [says('Hello')] })
    assert.equal(talk.status, 200, talk.text)
    const taskId = await submitted(bench, 'image', { model: 'demo-image', prompt: 'A gate' })
    assert.equal((await ended(bench, taskId)).status, 'COMPLETED')
    const words = graph(
      [
        { id: 'in', type: 'input.text' },
        { id: 'g', type: 'text.generate', data: { model: 'demo-text' } },
        { id: 'out', type: 'output' },
      ],
      ['in -> g.prompt', 'g -> out'],
    )
    const { status } = await run(bench, words, { in: 'Hello' })
    assert.equal(status, 'COMPLETED')
  })
}

test('a pooler that forgets prepared statements is refused at the start, and by the doctor', async (t) => {
  const opened = await databases
    .find(({ name }) => name === 'postgres')
    ?.open({ migrations: ownMigrations })
  assert.ok(opened && 'url' in opened.location)
  t.after(opened.close)
  const { url } = opened.location
  const pooler = await startPooler(url, 'forgetful')
  t.after(() => pooler[Symbol.asyncDispose]())
  const env = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: url }
  await assert.rejects(openBench(t, { env }), /Use PgBouncer 1\.21 or newer/)
  const { stdout, code } = await dispatched(['doctor', '--json'], { env })
  assert.equal(code, 1)
  assert.match(stdout, /"check":"database","level":"fail".*Use PgBouncer 1\.21 or newer/)
  // The setting alone is no pooler.
  await openBench(t, { env: { ...env, DATABASE_URL: url } })
})
