import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { P } from '../../support/server.ts'
import { openWorld } from '../tasks/setting.ts'

describe('a chat with an Idempotency-Key whose server is killed', () => {
  for (const { name: database } of databases) {
    test(`is not paid again, and what is known is said, on ${database}`, async () => {
      await using world = await openWorld(database)
      const { openai } = world.doubles
      const json = { model: 'test/text', messages: [{ role: 'user', content: 'Once' }] }
      const asking = (key: string) => ({
        method: 'POST',
        path: `${P}/chat/completions`,
        json,
        headers: { 'Idempotency-Key': key },
      })
      const server = await world.start()
      const answered = await server.call(asking('answered'))
      assert.equal(answered.status, 200, answered.text)
      await openai.script('chat', { do: 'hold' })
      const lost = server.call(asking('under way')).catch(() => 'died')
      await openai.arrived('chat', 2)
      await server.kill()
      assert.equal(await lost, 'died')
      await openai.release()
      const next = await world.start()
      assert.equal((await next.call(asking('answered'))).text, answered.text)
      const asked = await next.call(asking('under way'))
      assert.deepEqual([asked.status, asked.body.error.code], [500, 'OUTCOME_UNKNOWN'])
      assert.match(asked.body.error.message, /may have been billed, so it was not repeated/)
      assert.equal((await openai.state()).counts.accepted, 2)
      assert.equal(await next.stop(), 0)
    })
  }
})
