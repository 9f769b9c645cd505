import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { unpackNodes } from '#core/run-nodes.ts'
import type { Gateway } from '#outbound/gateway.ts'
import { requestCancel } from '#store/tables/cancel-run.ts'
import { waitsOfRun } from '#store/tables/waits.ts'
import { databases } from '../../support/databases.ts'
import {
  addRun,
  addWorkflow,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  startProcess,
  submit,
  until,
} from './setting.ts'
import { answer, approval, around, delay, isAsleep, makeDue } from './sleeping.ts'

for (const { name, open } of databases) {
  describe(name, () => {
    async function begin(graph: Parameters<typeof addWorkflow>[2]) {
      const database = await open({ migrations })
      const { db } = database
      const account = newAccount()
      const provider = countingProvider()
      const process = await startProcess(db, provider)
      const workflow = await addWorkflow(db, account, graph)
      const start = (input = 'a') =>
        addRun(db, account, workflow, { inputs: JSON.stringify({ in: input }) })
      return {
        ...{ db, account, provider, process, workflow, start },
        async [Symbol.asyncDispose]() {
          await process.worker.stop()
          await database[Symbol.asyncDispose]()
        },
      }
    }

    test('a run that only waits is released, and an answer continues it without repeating a call', async () => {
      await using setting = await begin(approval())
      const { db, account, provider } = setting
      const id = await setting.start()
      await until(() => isAsleep(db, id))
      const asleep = await rowOf(db, id)
      assert.deepEqual([asleep.owner, asleep.status], [null, 'RUNNING'])
      assert.equal(await answer(db, account, id, { decision: 'approve' }), true)
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      const ended = await rowOf(db, id)
      assert.equal(ended.status, 'COMPLETED', JSON.stringify(ended.node_errors))
      assert.deepEqual(JSON.parse(ended.outputs ?? ''), { out: 'a+ a+!+' })
      assert.deepEqual(
        [...provider.asked],
        [
          ['a', 1],
          ['a+ a+!', 1],
        ],
      )
    })

    test('the time of a node that waited is its waiting, and those before keep theirs', async () => {
      const { nodes } = approval()
      await using setting = await begin(approval())
      const { db, account } = setting
      const id = await setting.start()
      await until(() => isAsleep(db, id))
      const timesOf = async () => {
        const row = await rowOf(db, id)
        const states = unpackNodes(row.nodes?.value ?? [], row.created_at)
        return (node: string) => states[nodes.findIndex((one) => one.id === node)]
      }
      const asleep = await timesOf()
      const sleptMs = (await rowOf(db, id)).slept_at ?? 0
      await answer(db, account, id, { decision: 'approve' })
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      const ended = await timesOf()
      for (const node of ['in', 'before', 'shaped']) {
        const { startedAtMs, completedAtMs } = asleep(node) ?? {}
        assert.ok(startedAtMs && completedAtMs, node)
        assert.deepEqual(
          [ended(node)?.startedAtMs, ended(node)?.completedAtMs],
          [startedAtMs, completedAtMs],
        )
      }
      assert.equal(ended('wait')?.startedAtMs, asleep('wait')?.startedAtMs)
      for (const time of [ended('wait')?.completedAtMs, ended('after')?.startedAtMs])
        assert.ok((time ?? 0) >= sleptMs)
    })

    test('a delay that is over wakes its run, and passes on the value', async () => {
      await using setting = await begin(delay(3_600))
      const { db, account } = setting
      const id = await setting.start()
      await until(() => isAsleep(db, id))
      await makeDue(db)
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      const ended = await rowOf(db, id)
      assert.deepEqual(JSON.parse(ended.outputs ?? ''), { out: 'a+ a+!+' })
      const [wait] = await waitsOfRun(db, account, id)
      assert.equal(wait?.status, 'PASSED')
    })

    test('a short delay is waited for without a sleep', async () => {
      await using setting = await begin(delay(1))
      const { db } = setting
      const id = await setting.start()
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      const ended = await rowOf(db, id)
      assert.deepEqual([ended.status, ended.slept_epoch], ['COMPLETED', 0])
    })

    test('what a short delay holds up is done before its run sleeps over a longer wait', async () => {
      const { nodes, connections } = delay(1)
      const ask = { id: 'ask', type: 'wait.approval', data: { title: 'Publish?' } }
      const asked = { source: 'in', target: 'ask', targetHandle: 'value' }
      await using setting = await begin({
        nodes: [...nodes, ask],
        connections: [...connections, asked],
      })
      const { db, account, provider } = setting
      const id = await setting.start()
      await until(() => isAsleep(db, id))
      assert.equal(provider.asked.get('a+ a+!'), 1)
      const { nodes: states, created_at } = await rowOf(db, id)
      const after = nodes.findIndex((one) => one.id === 'after')
      assert.equal(unpackNodes(states?.value ?? [], created_at)[after]?.status, 'COMPLETED')
      await answer(db, account, id, { decision: 'reject' })
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      assert.deepEqual([...provider.asked.values()], [1, 1])
    })

    test('an approval that nobody gives in time takes the branch expired', async () => {
      await using setting = await begin(
        around({ type: 'wait.approval', data: { title: 'Publish?' } }, 'expired'),
      )
      const { db, account } = setting
      const id = await setting.start()
      await until(() => isAsleep(db, id))
      await makeDue(db)
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      assert.deepEqual(JSON.parse((await rowOf(db, id)).outputs ?? ''), { out: 'a+ a+!+' })
      assert.equal(await answer(db, account, id, { decision: 'approve' }), false)
    })

    test('a sleeping run that is cancelled has ended at once, and nobody can answer it', async () => {
      await using setting = await begin(approval())
      const { db, account } = setting
      const id = await setting.start()
      await until(() => isAsleep(db, id))
      const cancelled = await db.transaction((tx) =>
        requestCancel(tx, account, id, { reason: null, nowMs: Date.now() }),
      )
      assert.deepEqual([cancelled?.row.status, cancelled?.endedNow], ['CANCELLED', true])
      assert.equal(await answer(db, account, id, { decision: 'approve' }), false)
      const [wait] = await waitsOfRun(db, account, id)
      assert.equal(wait?.status, 'CANCELLED')
    })

    test('a run that fails elsewhere closes its waits at once: nobody can approve it', async () => {
      const { nodes, connections } = approval()
      const graph = {
        nodes: [...nodes, { id: 'bad', type: 'text.generate', data: { model: 'm', prompt: 'no' } }],
        connections,
      }
      await using setting = await begin(graph)
      const { db, account, provider } = setting
      provider.held.add('no')
      provider.refused.add('no')
      const id = await setting.start()
      await until(async () => (await waitsOfRun(db, account, id)).length === 1)
      provider.open('no')
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      const ended = await rowOf(db, id)
      assert.equal(ended.status, 'FAILED')
      const states = unpackNodes(ended.nodes?.value ?? [], ended.created_at)
      assert.equal(states[nodes.findIndex((node) => node.id === 'wait')]?.status, 'CANCELLED')
      assert.equal((await waitsOfRun(db, account, id))[0]?.status, 'CANCELLED')
      assert.equal(await answer(db, account, id, { decision: 'approve' }), false)
    })

    test('while calls of a failed run are still awaited, nobody can answer it any more', async () => {
      const { nodes, connections } = approval()
      const each = {
        ...{ id: 'each', type: 'flow.map' },
        data: { apply: { type: 'wait.approval', data: { title: 'This one?' } } },
      }
      const call = (id: string) => ({
        ...{ id, type: 'text.generate' },
        data: { model: 'm', prompt: id },
      })
      const items = { id: 'items', type: 'input.json', data: { default: [1, 2], required: false } }
      const graph = {
        nodes: [...nodes, items, each, call('bad'), call('slow')],
        connections: [...connections, { source: 'items', target: 'each', targetHandle: 'items' }],
      }
      await using setting = await begin(graph)
      const { db, account, provider } = setting
      for (const prompt of ['bad', 'slow']) provider.held.add(prompt)
      provider.refused.add('bad')
      const id = await setting.start()
      const statesOf = async () => {
        const row = await rowOf(db, id)
        const states = unpackNodes(row.nodes?.value ?? [], row.created_at)
        return Object.fromEntries(graph.nodes.map((node, i) => [node.id, states[i]]))
      }
      const statuses = async (...ids: string[]) => {
        const states = await statesOf()
        return ids.map((one) => states[one]?.status).join()
      }
      await until(async () => (await statuses('wait', 'each')) === 'WAITING,WAITING')
      assert.equal((await waitsOfRun(db, account, id)).length, 3)
      provider.open('bad')
      await until(async () => (await statuses('bad')) === 'FAILED')
      assert.equal(await statuses('wait', 'each', 'slow'), 'CANCELLED,CANCELLED,RUNNING')
      assert.ok((await statesOf()).wait?.completedAtMs)
      assert.equal((await rowOf(db, id)).completed_at, null)
      const waits = await waitsOfRun(db, account, id)
      assert.deepEqual(new Set(waits.map(({ status }) => status)), new Set(['CANCELLED']))
      assert.equal(await answer(db, account, id, { decision: 'approve' }), false)
      provider.open('slow')
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      assert.equal((await rowOf(db, id)).status, 'FAILED')
      assert.equal(await statuses('wait', 'each', 'slow'), 'CANCELLED,CANCELLED,COMPLETED')
    })

    test('items of a list wait beside each other, 100 at most, and keep their order', async () => {
      const count = 103
      await using setting = await begin(listOfApprovals(count))
      const { db, account } = setting
      const id = await setting.start()
      await until(() => isAsleep(db, id))
      const waits = await waitsOfRun(db, account, id)
      assert.equal(waits.filter(({ status }) => status === 'OPEN').length, 100)
      for (let answered = 0; answered < count; answered++) {
        await until(() => answer(db, account, id, { decision: 'approve' }))
      }
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      assert.deepEqual(JSON.parse((await rowOf(db, id)).outputs ?? ''), {
        list: Array.from({ length: count }, (_, i) => i),
      })
    })

    test('the time limit of a run does not run while it sleeps', async () => {
      await using setting = await begin(approval())
      const { db, account } = setting
      const id = await setting.start()
      await until(() => isAsleep(db, id))
      // Two hours pass; the run has one.
      await db.write(
        `update runs set slept_at = slept_at - 7200000, deadline_at = deadline_at - 7200000`,
      )
      await answer(db, account, id, { decision: 'approve' })
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      assert.equal((await rowOf(db, id)).status, 'COMPLETED')
    })

    test('a run that sleeps for longer than things are kept keeps what it refers to', async () => {
      await using setting = await begin(approval())
      const { db, account } = setting
      const mediaId = randomUUID()
      await db.writeAll(() => [
        {
          sql: `insert into media_blobs (name, hash, state, refs, created_at, mime_type, size_bytes)
            values ('b', 'h', 'LIVE', 1, 1, 'image/png', 1)`,
          rows: [[]],
        },
        {
          sql: `insert into media (id, account_id, blob, created_at) values ($1, $2, 'b', 1)`,
          rows: [[mediaId, account]],
        },
      ])
      const id = await setting.start(`http://atelier.test/media/${mediaId}?exp=1&sig=x`)
      await until(() => isAsleep(db, id))
      const asleep = await rowOf(db, id)
      const wakesInMs = (asleep.wake_at ?? 0) - Date.now()
      assert.ok(wakesInMs < 8 * 86_400_000, 'it wakes before anything is deleted')
      await db.write(`update runs set created_at = 1, wake_at = 1 where id = $1`, [id])
      await until(async () => ((await rowOf(db, id)).wake_at ?? 0) > 1)
      const [media] = await db.query<{ created_at: number }>('select created_at from media')
      assert.ok((media?.created_at ?? 0) > 1)
      // It goes on waiting for the same.
      assert.equal((await waitsOfRun(db, account, id)).length, 1)
      await answer(db, account, id, { decision: 'approve' })
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      assert.equal((await rowOf(db, id)).status, 'COMPLETED')
    })

    test('a retry asks again for another value, and not for the same', async () => {
      await using setting = await begin(approval())
      const { db, account, process, workflow } = setting
      const id = await setting.start()
      await until(() => isAsleep(db, id))
      await answer(db, account, id, { decision: 'approve' })
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      const steps = (await process.steps.ofRun(id)).filter((step) => step.status === 'DONE')
      const retry = async (key: string, change: Record<string, string>) => {
        const reused = steps.map((step) => ({
          ...{ path: step.path, kind: step.kind, attempts: 1, taskId: null },
          ...{ startedAtMs: step.started_at, endedAtMs: step.ended_at },
          result: change[step.path] ?? step.result ?? '',
        }))
        return submit(process, account, workflow, { key, retryOf: id, steps: reused })
      }
      const same = await retry('same', {})
      await until(async () => (await rowOf(db, same.id)).completed_at !== null)
      assert.deepEqual(await waitsOfRun(db, account, same.id), [])
      const other = await retry('other', { 'before#0': '"another"' })
      await until(() => isAsleep(db, other.id))
      assert.equal((await waitsOfRun(db, account, other.id)).length, 1)
    })

    test('a request whose answer died with a process is not sent again, and its message is waited for', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const account = newAccount()
      let sent = 0
      const gateway: Gateway = {
        check: () => assert.fail('nothing is checked'),
        request: () => {
          sent++
          return new Promise(() => {})
        },
        close: async () => {},
      }
      const data = { request: { method: 'POST', url: 'https://renderer.test/' } }
      const workflow = await addWorkflow(
        db,
        account,
        around({ type: 'wait.callback', data }, 'body'),
      )
      const first = await startProcess(db, countingProvider(), { gateway })
      const id = await addRun(db, account, workflow, { inputs: '{"in":"a"}' })
      await until(() => sent === 1)
      await first.bury()
      const heir = await startProcess(db, countingProvider(), { gateway })
      await until(() => isAsleep(db, id))
      assert.equal(await answer(db, account, id, { decision: 'approve', response: 'done' }), true)
      await until(async () => (await rowOf(db, id)).completed_at !== null)
      const ended = await rowOf(db, id)
      assert.equal(ended.status, 'COMPLETED', JSON.stringify(ended.node_errors))
      assert.equal(sent, 1)
      await heir.worker.stop()
    })
  })
}

/** Numbers in a list, each of which somebody has to approve, one at a time. */
const listOfApprovals = (count: number) => ({
  nodes: [
    {
      id: 'numbers',
      type: 'input.json',
      data: { default: Array.from({ length: count }, (_, i) => i), required: false },
    },
    {
      id: 'list',
      type: 'flow.map',
      data: {
        apply: { type: 'wait.approval', data: { title: 'This one?' } },
        concurrency: 1,
        maxItems: 200,
      },
    },
  ],
  connections: [{ source: 'numbers', target: 'list', targetHandle: 'items' }],
})
