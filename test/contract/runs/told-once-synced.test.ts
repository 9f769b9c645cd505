// Between commit and sync, a row can be read that a power cut would undo. No answer may confirm it
// before it is on disk.
import assert from 'node:assert/strict'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Context } from '#api/public/context.ts'
import { findReplay } from '#api/public/runs/accept-run.ts'
import { acceptHook } from '#api/public/triggers/accept-hook.ts'
import { hookAnswer } from '#api/public/triggers/hook-answer.ts'
import { occurrenceOf } from '#api/public/triggers/hook-request.ts'
import { systemClock } from '#core/clock.ts'
import { createRunSubmitter } from '#engine/runs/submit-run.ts'
import { migrate } from '#store/migrate.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { insertFiring } from '#store/tables/new-firings.ts'
import { findRunByKey } from '#store/tables/runs.ts'
import { openStage } from '../triggers/setting.ts'
import {
  addRun,
  addWorkflow,
  chain,
  migrations,
  newAccount,
  runsOn,
  submit,
  until,
} from './setting.ts'
import { closeTools, openAccount } from './waiting.ts'

after(closeTools)

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

/** None of them may answer before the disk has what it tells of. */
async function assertHeldBack(
  { release }: { release(): void },
  answers: Record<string, Promise<unknown>>,
) {
  const told: string[] = []
  const all = Object.entries(answers).map(([name, answer]) => answer.then(() => told.push(name)))
  await passes()
  assert.deepEqual(told, [], 'told before it was on disk')
  release()
  await Promise.all(all)
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
  const first = submit({ submitRun }, accountId, workflow, { key: 'k' })
  const known = () => findRunByKey(db, accountId, workflow.id, 'k')
  await until(async () => (await known()) !== undefined)
  const { fingerprint } = (await known()) ?? { fingerprint: '' }
  const context = { services: { db }, principal: { accountId } } as Context
  const replay = findReplay(context, workflow.id, 'k', fingerprint)
  const other = findReplay(context, workflow.id, 'k', 'other').catch((error) => error)
  const second = submit(another, accountId, workflow, { key: 'k' })
  await assertHeldBack(opened, { first, replay, other, second })
  assert.equal((await replay)?.id, (await first).id)
  assert.equal((await second).id, (await first).id)
  assert.equal((await other).details.runId, (await first).id)
})

test('an answer is repeated, and another refused, only once the first is on disk', async () => {
  await using opened = await openHoldable()
  const { db } = opened
  const on = await openAccount(db)
  const ann = await on.addPerson('ann@example.com', 'editor')
  const wait = await on.addWait()
  const approve = { decision: 'approve' }
  opened.hold()
  const first = on.answer(wait, ann, approve)
  const status = () => db.query<{ status: string }>('select status from waits')
  await until(async () => (await status())[0]?.status === 'ANSWERED')
  const again = on.answer(wait, ann, approve)
  const other = on.answer(wait, ann, { decision: 'reject' })
  await assertHeldBack(opened, { first, again, other })
  assert.deepEqual([(await again).status, (await other).status], [200, 409])
})

/** A request as a sender repeats it, and services for what it needs. */
const request = {
  ...{ body: Buffer.from('{}'), headers: { 'webhook-id': 'one' }, query: {} },
  parseJson: (body: Buffer) => JSON.parse(body.toString()),
}

test('a webhook that is repeated is accepted only once the first is on disk', async () => {
  await using opened = await openHoldable()
  const { db } = opened
  const stage = await openStage(db)
  const id = await stage.add({ overlap: 'queue' }, 'WEBHOOK')
  const trigger = await stage.trigger(id)
  const waits = { secretsOf: async () => [] }
  const triggers = { answerUntil: () => 0 }
  const services = { db, waits, triggers, clock: systemClock } as unknown as Context['services']
  const { account_id: accountId, settings } = trigger
  const input = { ...request, body: {} }
  const occurrence = await occurrenceOf(services, { accountId, settings }, input)
  const state = { failures: 0, open: 1, queued: 0, newestId: null }
  const firing = { occurrence, scheduledAtMs: 1, nowMs: 1, heldUntilMs: 2 }
  opened.hold()
  const first = db.transaction((tx) => insertFiring(tx, trigger, state, firing))
  await until(async () => (await stage.firings(id)).length === 1)
  const again = acceptHook(services, trigger, request)
  await assertHeldBack(opened, { first, again })
  assert.equal((await again).status, 202)
})

test('a webhook that waits for its run is told of an end that is on disk', async () => {
  await using opened = await openHoldable()
  const { db } = opened
  const stage = await openStage(db)
  const trigger = await stage.trigger(await stage.add({ respond: 'result' }, 'WEBHOOK'))
  const runId = await addRun(db, stage.accountId, stage.workflow)
  const services = {
    db,
    triggers: { awaitRun: async () => true },
  } as unknown as Context['services']
  const firing = { id: newAccount(), run_id: runId, reason: null }
  const hook = { services, trigger, untilMs: 0 }
  opened.hold()
  const ended = stage.end('FAILED')
  const left = () => db.query('select id from runs where completed_at is null')
  await until(async () => (await left()).length === 0)
  const told = hookAnswer(hook, firing as Parameters<typeof hookAnswer>[1])
  await assertHeldBack(opened, { ended, told })
  assert.equal((await told).status, 200)
})
