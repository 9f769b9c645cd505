// In which order firings begin and are listed.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { schedule } from '#engine/triggers/scheduler.ts'
import { listFirings } from '#store/tables/firings.ts'
import { databases } from '../../support/databases.ts'
import { migrations } from '../runs/setting.ts'
import { fireByHand, minuteMs, openStage, type Stage, startMs } from './setting.ts'

/** Newest first, as callers see them. */
const listed = async ({ db, accountId }: Stage, triggerId: string) =>
  (await listFirings(db, { accountId, triggerId }, { before: null, limit: 100 })).reverse()

/** Occurrences whose runs have begun, the first to begin first. */
async function begun(stage: Stage, count: number): Promise<string[]> {
  const order: string[] = []
  const { start, ...deps } = stage.deps()
  for (let i = 0; i < count; i++) {
    await schedule({
      ...deps,
      start: (firing, trigger) => {
        order.push(firing.occurrence)
        return start(firing, trigger)
      },
    })
    await stage.end('COMPLETED')
  }
  return order
}

for (const { name, open } of databases) {
  describe(`the order of firings (${name})`, () => {
    test('occurrences that are made up for begin and are listed as they were due', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ everySeconds: 60, startAtMs: startMs, overlap: 'queue' })
      stage.time.nowMs = startMs + 11 * minuteMs
      const due = Array.from({ length: 12 }, (_, i) => String(startMs + i * minuteMs))
      assert.deepEqual(await begun(stage, 12), due)
      assert.deepEqual(
        (await listed(stage, id)).map(({ occurrence }) => occurrence),
        due,
      )
    })

    test('each gap is made up for by its newest hundred, and counted in one row for the rest', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ everySeconds: 60, startAtMs: startMs })
      const isOff = await stage.add({ everySeconds: 60, startAtMs: startMs, catchUp: 'none' })
      for (const minute of [0, 150, 280]) await stage.round(startMs + minute * minuteMs)
      const all = await stage.firings(id)
      const gaps = (of: typeof all) =>
        of
          .filter(({ reason }) => reason === 'MISSED')
          .map((row) => [(row.scheduled_at - startMs) / minuteMs, row.missed])
      assert.deepEqual(gaps(all), [
        [1, 48],
        [151, 28],
      ])
      // The last minute of a gap is on time.
      assert.deepEqual(gaps(await stage.firings(isOff)), [
        [1, 148],
        [151, 128],
      ])
      const made = (await stage.firings(id)).filter(({ run_id }) => run_id !== null)
      const minutes = made.map((row) => (row.scheduled_at - startMs) / minuteMs)
      const span = (from: number, to: number) =>
        Array.from({ length: to - from + 1 }, (_, i) => from + i)
      assert.deepEqual(minutes, [0, ...span(49, 150), ...span(179, 280)])
      const newest = (await listed(stage, id)).map(({ scheduled_at }) => scheduled_at)
      assert.deepEqual(newest, newest.toSorted())
    })

    test('what comes within one millisecond, or after a clock was set back, keeps its order', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ overlap: 'queue' }, 'WEBHOOK')
      const sent = Array.from({ length: 12 }, (_, i) => `${i}`)
      for (const key of sent) {
        if (key === '6') stage.time.nowMs -= 60 * minuteMs
        await fireByHand(stage, id, key)
      }
      stage.time.nowMs = startMs
      assert.deepEqual(
        (await listed(stage, id)).map(({ occurrence }) => occurrence),
        sent,
      )
      assert.deepEqual(await begun(stage, 12), sent)
    })
  })
}
