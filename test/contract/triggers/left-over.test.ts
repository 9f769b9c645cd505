// Firings that were accepted and whose run was not reported, or not begun: by processes that died,
// or while somebody switched the trigger off.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Services } from '#api/public/context.ts'
import { acceptHook } from '#api/public/triggers/accept-hook.ts'
import { createRunStarter } from '#api/public/triggers/start-run.ts'
import { systemClock } from '#core/clock.ts'
import { type StartRun, startFiring } from '#engine/triggers/scheduler.ts'
import { closeUnfinishedWork } from '#store/tables/restored-work.ts'
import { deleteTrigger, updateTrigger } from '#store/tables/triggers.ts'
import { deleteWorkflow } from '#store/tables/workflow-ends.ts'
import { databases } from '../../support/databases.ts'
import { migrations } from '../runs/setting.ts'
import {
  countRuns,
  dayMs,
  fireByHand,
  minuteMs,
  openStage,
  type Stage,
  startMs,
} from './setting.ts'

const laterMs = startMs + 10 * minuteMs

/** The server's own, in which the maker's rights are judged as `judge` says. */
const starter = ({ db }: Stage, judge: () => 'KEY_REVOKED'): StartRun =>
  createRunStarter({ db } as Services, { now: async () => startMs, makerOf: async () => judge() })

const neverJudged = () => assert.fail('it was about to begin')

const away: StartRun = () => Promise.reject(new Error('the database is away'))

async function switched(stage: Stage, id: string, enabled: 0 | 1) {
  const row = await stage.trigger(id)
  await updateTrigger(stage.db, row, { ...row, enabled, due_at: null, nowMs: startMs })
}

/** As a sender repeats it. */
const request = {
  ...{ body: Buffer.from('{}'), headers: { 'webhook-id': 'one' }, query: {} },
  parseJson: (body: Buffer) => JSON.parse(body.toString()),
}

/** What a webhook needs whose runs take too long to be waited for. */
const hookServices = (stage: Stage, start: StartRun) =>
  ({
    ...{ db: stage.db, clock: systemClock, waits: { secretsOf: async () => [] } },
    triggers: {
      now: async () => startMs,
      answerUntil: () => 0,
      awaitRun: async () => false,
      onFired() {},
      startFiring: (firing, trigger) => startFiring(stage.deps({ start }), firing, trigger),
    } satisfies Partial<Services['triggers']>,
  }) as unknown as Services

const outcomes = async (stage: Stage, id: string) =>
  (await stage.firings(id)).map(({ status, reason }) => [status, reason])

/** A process that dies after it stored the run, before it could say so. */
function dying(stage: Stage) {
  const deps = stage.deps()
  const started = () => Promise.reject(new Error('killed'))
  return { ...deps, triggers: { ...deps.triggers, started } }
}

for (const { name, open } of databases) {
  describe(`a firing whose run is stored but not reported (${name})`, () => {
    const changes: [string, (stage: Stage, id: string) => Promise<unknown>][] = [
      ['the key of its maker is revoked', async () => {}],
      ['the trigger is switched off', (stage, id) => switched(stage, id, 0)],
      [
        'the workflow is deleted',
        ({ db, accountId, workflow }) =>
          deleteWorkflow(db, { accountId, id: workflow.id, ifVersion: null, nowMs: startMs }),
      ],
    ]
    for (const [what, change] of changes) {
      test(`gets that run, although ${what} meanwhile`, async () => {
        await using database = await open({ migrations })
        const stage = await openStage(database.db)
        const id = await stage.add({ atMs: startMs }, 'ONCE')
        await stage.round(startMs, dying(stage))
        const [run] = await database.db.query<{ id: string }>('select id from runs')
        await change(stage, id)
        await stage.round(laterMs, stage.deps({ start: starter(stage, () => 'KEY_REVOKED') }))
        const [firing] = await stage.firings(id)
        assert.deepEqual(
          [firing?.status, firing?.reason, firing?.run_id],
          ['STARTED', null, run?.id],
        )
        assert.equal((await stage.trigger(id)).paused_reason, null)
        assert.equal(await countRuns(database.db), 1)
      })
    }

    test('gets that run in a restored copy, where it ends', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const ids = [await stage.add({ atMs: startMs }, 'ONCE')]
      await stage.round(startMs, dying(stage))
      ids.push(await stage.add({ atMs: startMs }, 'ONCE'))
      await stage.round(startMs, stage.deps({ start: away }))
      const error = { code: 'QUARANTINED', message: 'restored', retryable: false } as const
      await closeUnfinishedWork(database.db, { nowMs: startMs, error })
      await stage.round(laterMs, stage.deps({ start: starter(stage, neverJudged) }))
      assert.deepEqual((await Promise.all(ids.map((id) => outcomes(stage, id)))).flat(), [
        ['STARTED', null],
        ['SKIPPED', 'PAUSED'],
      ])
    })

    test('keeps it, although another process had already left the firing out', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ atMs: startMs }, 'ONCE')
      // The first is held up in storing the run for longer than it holds the firing.
      const { start } = stage.deps()
      const slow: StartRun = async (firing, trigger) => {
        await switched(stage, id, 0)
        await stage.round(laterMs, stage.deps({ start: starter(stage, neverJudged) }))
        assert.deepEqual(await outcomes(stage, id), [['SKIPPED', 'PAUSED']])
        return start(firing, trigger)
      }
      await stage.round(startMs, stage.deps({ start: slow }))
      assert.deepEqual(await outcomes(stage, id), [['STARTED', null]])
    })
  })

  describe(`a firing that has not begun (${name})`, () => {
    const ends: [string, string, (stage: Stage, id: string) => Promise<unknown>][] = [
      ['is switched off', 'PAUSED', (stage, id) => switched(stage, id, 0)],
      [
        'is switched off and on again',
        'PAUSED',
        async (stage, id) => {
          await switched(stage, id, 0)
          await switched(stage, id, 1)
        },
      ],
      [
        'is paused',
        'PAUSED',
        (stage, id) =>
          stage
            .deps()
            .triggers.pause(id, { reason: 'MEMBER_LEFT', message: 'left', nowMs: startMs }),
      ],
      [
        'is deleted',
        'PAUSED',
        ({ db, accountId, workflow }, id) =>
          deleteTrigger(db, { accountId, workflowId: workflow.id, id }, startMs),
      ],
      [
        'is deleted with its workflow',
        'NO_VERSION',
        ({ db, accountId, workflow }) =>
          deleteWorkflow(db, { accountId, id: workflow.id, ifVersion: null, nowMs: startMs }),
      ],
    ]
    for (const [what, reason, end] of ends) {
      test(`does not begin once its trigger ${what}, and says why`, async () => {
        await using database = await open({ migrations })
        const stage = await openStage(database.db)
        const id = await stage.add({ everySeconds: 60, startAtMs: startMs, overlap: 'queue' })
        await stage.round(startMs, stage.deps({ start: away }))
        await stage.round(startMs + minuteMs, stage.deps({ start: away }))
        await end(stage, id)
        await stage.round(laterMs, stage.deps({ start: starter(stage, neverJudged) }))
        assert.deepEqual(await outcomes(stage, id), [
          ['SKIPPED', reason],
          ['SKIPPED', reason],
        ])
        assert.equal(await countRuns(database.db), 0)
      })
    }

    test('does not begin if those that were due with it took so long that the trigger is off', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ everySeconds: 60, startAtMs: startMs })
      const { start } = stage.deps()
      let isOff: Promise<void> | undefined
      const first: StartRun = async (firing, trigger) => {
        isOff ??= switched(stage, id, 0)
        await isOff
        if (firing.reason) return { reason: firing.reason, message: '' }
        return start(firing, trigger)
      }
      await stage.round(startMs + 60 * minuteMs, stage.deps({ start: first }))
      const runs = await countRuns(database.db)
      assert.ok(runs > 0 && runs <= 20, String(runs))
      const left = (await outcomes(stage, id)).filter(([status]) => status !== 'STARTED')
      assert.equal(left.length, 61 - runs)
      assert.deepEqual(new Set(left.map(String)), new Set(['SKIPPED,PAUSED']))
    })

    test('is refused to its sender once the trigger is off, and begins with a repeat once it is on', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ respond: 'result' }, 'WEBHOOK')
      const send = async (start: StartRun) =>
        acceptHook(hookServices(stage, start), await stage.trigger(id), request)
      const first = (await send(away)).body as { data: { firingId: string; runId: string | null } }
      assert.equal(first.data.runId, null)
      await switched(stage, id, 0)
      await assert.rejects(send(starter(stage, neverJudged)), { code: 'TRIGGER_PAUSED' })
      assert.deepEqual(await outcomes(stage, id), [['SKIPPED', 'PAUSED']])
      await switched(stage, id, 1)
      await send(stage.deps().start)
      const [firing, ...others] = await stage.firings(id)
      assert.deepEqual([firing?.status, firing?.reason, others], ['STARTED', null, []])
    })

    test('begins if it was fired by hand while the trigger was off, in its turn', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add(
        {
          ...{ atMs: startMs + dayMs, overlap: 'queue', pauseAfterFailures: 1 },
        },
        'ONCE',
      )
      await switched(stage, id, 0)
      for (const key of ['a', 'b']) await fireByHand(stage, id, key)
      await stage.round(startMs + minuteMs)
      await stage.end('FAILED')
      await stage.round(startMs + 2 * minuteMs)
      assert.equal(await countRuns(database.db), 2)
    })
  })
}
