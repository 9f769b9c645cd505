// One delivery of a webhook, sent over and over, many at once, as a sender does that never hears an
// answer: it makes one run, and who asks for the result gets that of the one run.
import assert from 'node:assert/strict'
import type { Db } from '#store/db.ts'
import { hooksOf } from '../journeys/triggers/hook-setting.ts'
import { signUp } from '../support/console.ts'
import { databases } from '../support/databases.ts'
import { startServer } from '../support/server.ts'

const atOnce = 100

export async function replayDeliveries(
  kind: Db['kind'],
  { replays }: { replays: number },
): Promise<object> {
  await using opened = await databases.find(({ name }) => name === kind)?.open()
  assert.ok(opened)
  const url: Record<string, string> =
    'url' in opened.location ? { DATABASE_URL: opened.location.url } : {}
  const server = await startServer({ SIGN_UP: 'open', RATE_LIMIT_HOOK: '0', ...url })
  try {
    const on = await hooksOf(server, await signUp(server))
    const { path, triggerId } = await on.hook({ respond: 'result' })
    const statuses = new Map<number, number>()
    const runIds = new Set<string>()
    for (let sent = 0; sent < replays; sent += atOnce) {
      const answers = await Promise.all(
        Array.from({ length: atOnce }, () =>
          on.send(path, { title: 'x' }, { 'webhook-id': 'same' }),
        ),
      )
      for (const { status, body } of answers) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (body.data.runId !== null) runIds.add(body.data.runId)
      }
    }
    const firings = await on.firings(triggerId)
    assert.deepEqual([runIds.size, firings.length], [1, 1])
    assert.deepEqual(firings[0]?.runId, [...runIds][0])
    const { body } = await on.api.call(`${on.at().replace('/triggers', '/runs')}`)
    assert.equal(body.data.items.length, 1)
    return { replays, runs: 1, answers: Object.fromEntries(statuses) }
  } finally {
    await server.stop()
  }
}
