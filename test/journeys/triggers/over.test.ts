// Triggers that have nothing left to fire, and what can still be done with them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPauses } from '../../support/pauses.ts'
import type { Body } from '../../support/server.ts'
import { type Hooks, onEachDatabase } from './hook-setting.ts'

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const future = '2100-01-01T00:00:00.000Z'

/** Each has one occurrence, and after it none. */
const kinds = [
  {
    kind: 'SCHEDULE',
    once: (ms: number) => ({ everySeconds: 60, startAt: inMs(ms), endAt: inMs(ms + 100) }),
    path: '/endAt',
    moved: { everySeconds: 120 },
    mended: { endAt: null },
  },
  {
    kind: 'ONCE',
    once: (ms: number) => ({ at: inMs(ms) }),
    path: '/at',
    moved: { at: '2026-01-01T00:00:00Z' },
    mended: { at: future },
  },
]

/** Soon over: on a busy machine its time may pass before the server hears of it. */
async function made({ api, at }: Hooks, settings: (ms: number) => object): Promise<Body> {
  for (let ms = 1_500; ; ms *= 2) {
    const json = { name: 'over', ...settings(ms) }
    const { status, body, text } = await api.call({ method: 'POST', path: at(), json })
    if (status === 200) return body.data
    assert.ok(ms < 100_000, text)
  }
}

onEachDatabase('a trigger that is over', {}, (on) => {
  for (const { kind, once, path, moved, mended } of kinds) {
    test(`is still renamed, edited and switched off (${kind})`, async () => {
      const { triggerId } = await made(on, (ms) => ({ kind, inputs: { title: 'x' }, ...once(ms) }))
      const pause = createPauses()
      while ((await on.firings(triggerId)).length === 0) await pause()
      const put = async (change: object) => {
        const { status, body } = await on.api.call({
          ...{ method: 'PUT', path: `${on.at()}/${triggerId}`, json: change },
        })
        return status === 200 ? body.data : body.error.details.issues[0].path
      }
      const renamed = await put({ name: 'renamed', inputs: { title: 'y' } })
      assert.deepEqual([renamed.name, renamed.inputs], ['renamed', { title: 'y' }])
      assert.deepEqual(renamed.nextFirings, [])
      // A record may be sent back as it was read.
      assert.equal((await put(renamed)).name, 'renamed')
      assert.equal(await put(moved), path, 'another time that never comes')
      assert.equal((await put({ enabled: false })).enabled, false)
      assert.equal((await put({ name: 'off' })).name, 'off')
      assert.equal(await put({ enabled: true }), path, 'it would never fire')
      const again = await put({ ...mended, enabled: true })
      assert.deepEqual([again.enabled, again.nextFirings.length > 0], [true, true])
      assert.equal((await on.firings(triggerId)).length, 1)
    })
  }
})
