// What is kept of firings, and for how long: as the server's own upkeep does it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deleteExpired } from '#operate/upkeep.ts'
import { databases } from '../../support/databases.ts'
import { migrations } from '../runs/setting.ts'
import { dayMs, minuteMs, openStage, type Stage, startMs } from './setting.ts'

/** The upkeep of a server that keeps runs for so many days. */
const upkeep = ({ db, time }: Stage, RETENTION_DAYS: number) =>
  deleteExpired(
    {
      config: { RETENTION_DAYS, AUDIT_DAYS: 365 },
      ...{ db, clock: { nowMs: () => time.nowMs }, media: { deleteExpired: async () => 0 } },
    },
    new AbortController().signal,
  )

const statuses = async (stage: Stage, id: string) =>
  (await stage.firings(id)).map(({ status, reason }) => reason ?? status)

for (const { name, open } of databases) {
  describe(`firings are kept (${name})`, () => {
    test('until the run that they made has ended, however long it sleeps', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ everySeconds: 7 * 86_400, startAtMs: startMs, overlap: 'skip' })
      await stage.round(startMs)
      await database.db.write(`update runs set status = 'RUNNING', wake_at = $1`, [
        startMs + 300 * dayMs,
      ])
      stage.time.nowMs = startMs + 200 * dayMs
      await upkeep(stage, 30)
      assert.deepEqual(await statuses(stage, id), ['STARTED'])
      // So the run still counts as one that has not ended.
      await stage.round(startMs + 203 * dayMs)
      const since = (await statuses(stage, id)).slice(1)
      assert.deepEqual(new Set(since), new Set(['SKIPPED_OVERLAP']))
    })

    test('as long as that run is, and not longer', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ everySeconds: 365 * 86_400, startAtMs: startMs })
      await stage.round(startMs)
      const endedMs = startMs + 100 * dayMs
      await database.db.write(`update runs set status = 'COMPLETED', completed_at = $1`, [endedMs])
      stage.time.nowMs = endedMs + 29 * dayMs
      await upkeep(stage, 30)
      assert.deepEqual(await statuses(stage, id), ['STARTED'])
      stage.time.nowMs = endedMs + 31 * dayMs
      await upkeep(stage, 30)
      assert.deepEqual(await statuses(stage, id), [])
    })

    test('for a week at least, so that a repeated delivery is recognised', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ everySeconds: 365 * 86_400, startAtMs: startMs })
      await stage.round(startMs)
      await database.db.write(`update runs set status = 'COMPLETED', completed_at = $1`, [startMs])
      stage.time.nowMs = startMs + 7 * dayMs - minuteMs
      await upkeep(stage, 1)
      assert.deepEqual(await statuses(stage, id), ['STARTED'])
      stage.time.nowMs = startMs + 7 * dayMs + minuteMs
      await upkeep(stage, 1)
      assert.deepEqual(await statuses(stage, id), [])
    })
  })
}
