// Between commit and sync, a row can be read that a power cut would undo. No answer may confirm it
// before it is on disk.
import assert from 'node:assert/strict'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Context } from '#api/public/context.ts'
import { findReplay } from '#api/public/runs/accept-run.ts'
import { systemClock } from '#core/clock.ts'
import { createRunSubmitter } from '#engine/runs/submit-run.ts'
import { migrate } from '#store/migrate.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { findRunByKey } from '#store/tables/runs.ts'
import { addWorkflow, chain, migrations, newAccount, runsOn, submit, until } from './setting.ts'

/** Syncs that wait for `release` once they are held. */
function holdableSyncs() {
  let isHeld = false
  let waiting: (() => void)[] = []
  return {
    sync: () => new Promise<void>((resolve) => (isHeld ? waiting.push(resolve) : resolve())),
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      for (const go of waiting) go()
      waiting = []
    },
  }
}

const passes = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}

async function openHoldable() {
  const folder = await mkdtempDisposable(join(tmpdir(), 'atelier-synced-'))
  const syncs = holdableSyncs()
  const db = openSqlite({ path: join(folder.path, 'a.db'), sync: syncs.sync })
  await migrate(db, migrations)
  return {
    db,
    ...syncs,
    async [Symbol.asyncDispose]() {
      syncs.release()
      await db.close()
      await folder.remove()
    },
  }
}

test('what a query has seen is synced once `synced` resolves, also if a sync was under way', async () => {
  await using opened = await openHoldable()
  const { db } = opened
  assert.equal(db.synced(), undefined)
  const writes: Promise<unknown>[] = []
  const add = async (name: string) => {
    writes.push(db.write('insert into server_facts (name, value) values ($1, $1)', [name]))
    const seen = () => db.query('select 1 as one from server_facts where name = $1', [name])
    await until(async () => (await seen()).length === 1)
  }
  const told: string[] = []
  opened.hold()
  await add('first')
  const first = db.synced()?.then(() => told.push('first'))
  await add('second')
  const second = db.synced()?.then(() => told.push('second'))
  await passes()
  assert.deepEqual(told, [])
  opened.release()
  await Promise.all([first, second, ...writes])
  assert.deepEqual(told, ['first', 'second'])
  assert.equal(db.synced(), undefined)
})

test('a replay is answered only once the first submission is on disk', async () => {
  await using opened = await openHoldable()
  const { db } = opened
  const accountId = newAccount()
  const workflow = await addWorkflow(db, accountId, chain(1))
  const limits = { clock: systemClock, maxQueued: 9, queueTimeoutMs: 60_000 }
  const submitRun = createRunSubmitter({ runs: runsOn(db), ...limits })
  // Without room for another run, it looks for the key first.
  const another = { submitRun: createRunSubmitter({ runs: runsOn(db), ...limits, maxQueued: 1 }) }
  opened.hold()
  const told: string[] = []
  const first = submit({ submitRun }, accountId, workflow, { key: 'k' })
  const known = () => findRunByKey(db, accountId, workflow.id, 'k')
  await until(async () => (await known()) !== undefined)
  const { fingerprint } = (await known()) ?? { fingerprint: '' }
  const context = { services: { db }, principal: { accountId } } as Context
  const replay = findReplay(context, workflow.id, 'k', fingerprint)
  const other = findReplay(context, workflow.id, 'k', 'other').catch((error) => error)
  const second = submit(another, accountId, workflow, { key: 'k' })
  const all = Object.entries({ first, replay, other, second }).map(([name, answer]) =>
    answer.then(() => told.push(name)),
  )
  await passes()
  assert.deepEqual(told, [], 'told before it was on disk')
  opened.release()
  await Promise.all(all)
  assert.equal((await replay)?.id, (await first).id)
  assert.equal((await second).id, (await first).id)
  assert.equal((await other).details.runId, (await first).id)
})
