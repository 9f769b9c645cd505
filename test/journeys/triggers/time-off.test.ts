// Time in which a trigger did not fire, on a server whose clock is moved. On PostgreSQL the
// database's clock decides; what is stored is the same.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { consolePath, type Person, signUp } from '../../support/console.ts'
import { createPauses } from '../../support/pauses.ts'
import { type Body, startServer, type TestServer } from '../../support/server.ts'
import { callerOf, type Hooks, hooksOf } from './hook-setting.ts'

const hourMs = 3_600_000
let aheadMs = 0
const nowMs = () => Date.now() + aheadMs

let server: TestServer
let person: Person
let on: Hooks
before(async () => {
  server = await startServer({ SIGN_UP: 'open' }, undefined, { ...systemClock, nowMs })
  person = await signUp(server)
  on = await hooksOf(server, person)
})
after(() => server.stop())

const inputs = { title: 'x' }
const hourly = { kind: 'SCHEDULE', everySeconds: 3600, catchUp: 'all', inputs }

async function made(settings: object, by = on.api): Promise<Body> {
  const json = { name: 't', ...settings }
  const { status, body, text } = await by.call({ method: 'POST', path: on.at(), json })
  assert.equal(status, 200, text)
  return body.data
}

async function changed(triggerId: string, json: object): Promise<Body> {
  const { status, body, text } = await on.api.call({
    ...{ method: 'PUT', path: `${on.at()}/${triggerId}`, json },
  })
  assert.equal(status, 200, text)
  return body.data
}

async function fired(triggerId: string, count = 1): Promise<Body[]> {
  const pause = createPauses()
  for (;;) {
    const firings = await on.firings(triggerId)
    if (firings.length >= count) return firings
    await pause()
  }
}

/** Returns once the scheduler has fired everything that is due: what is due later comes last. */
async function settled() {
  const { triggerId } = await made({
    ...{ kind: 'ONCE', at: new Date(nowMs() + 60_000).toISOString(), inputs },
  })
  aheadMs += 61_000
  await fired(triggerId)
}

const assertAhead = ({ nextFirings }: Body) => {
  assert.ok(Date.parse(nextFirings[0]) > nowMs(), `${nextFirings[0]} is not ahead`)
}

test('what was due while a trigger was off is never made up for', async () => {
  const { triggerId } = await made(hourly)
  await settled()
  const before = (await on.firings(triggerId)).length
  await changed(triggerId, { enabled: false })
  aheadMs += 10 * hourMs
  await settled()
  assertAhead(await changed(triggerId, { enabled: true }))
  await settled()
  assert.equal((await on.firings(triggerId)).length, before)
  aheadMs += hourMs
  await fired(triggerId, before + 1)
})

test('what was due while a trigger was paused is never made up for', async () => {
  const newKey = { method: 'POST', path: `${consolePath}/api-keys`, json: { name: 'brief' } }
  const { id: keyId, key } = (await person.call(newKey)).body.data
  const { triggerId } = await made(hourly, callerOf(server, key))
  await person.call({ method: 'DELETE', path: `${consolePath}/api-keys/${keyId}` })
  aheadMs += hourMs
  const reasons = async (count: number) =>
    (await fired(triggerId, count)).map(({ reason }) => reason).reverse()
  const pause = createPauses()
  while ((await on.api.call(`${on.at()}/${triggerId}`)).body.data.paused === null) await pause()
  const before = await reasons(1)
  assert.ok(before.every((reason) => reason === 'PAUSED'))
  aheadMs += 10 * hourMs
  await settled()
  assertAhead(await changed(triggerId, { enabled: true }))
  await settled()
  assert.deepEqual(await reasons(1), before)
  aheadMs += hourMs
  assert.equal((await reasons(before.length + 1)).at(-1), null)
})

test('an edit restarts the schedule from now: an occurrence that was still delayed is left out', async () => {
  for (;;) {
    const startAt = new Date(nowMs() + 60_000).toISOString()
    const { triggerId, nextFirings } = await made({ ...hourly, startAt, jitterSeconds: 3600 })
    const delayMs = Date.parse(nextFirings[0]) - Date.parse(startAt)
    // The delay follows from the random id of the trigger.
    if (delayMs < hourMs / 4) continue
    aheadMs += 5 * 60_000
    const { nextFirings: after } = await changed(triggerId, { name: 'renamed' })
    assert.equal(after[0], nextFirings[1])
    aheadMs += hourMs
    await settled()
    const scheduled = (await on.firings(triggerId)).map((one) => Date.parse(one.scheduledAt))
    assert.ok(!scheduled.includes(Date.parse(startAt)))
    return
  }
})
