import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startHost } from '../../generation/host.ts'
import { openBench, testModels } from '../../generation/setting.ts'
import { connections } from './clients.ts'

for (const [how, connect] of Object.entries(connections)) {
  test(`${how}: a client that leaves ends the call to the provider`, async (t) => {
    const called = Promise.withResolvers<void>()
    const hungUp = Promise.withResolvers<void>()
    const silent = await startHost(t, (request) => {
      request.resume().once('end', called.resolve)
      request.socket.once('close', () => hungUp.resolve())
    })
    const env = { OPENAI_API_KEY: 'some-key', OPENAI_BASE_URL: silent.url }
    const bench = await openBench(t, { models: testModels, env })
    const key = (await readFile(join(bench.dataDir, 'owner.key'), 'utf8')).trim()
    const client = await connect({ url: bench.url, key })
    t.after(() => client[Symbol.asyncDispose]())
    const leave = new AbortController()
    const chat = { model: 'test/text', messages: [{ role: 'user', content: 'hello' }] }
    const answer = client.call('svc_chat', chat, { signal: leave.signal })
    const rejected = assert.rejects(answer)
    await called.promise
    leave.abort()
    // Over HTTP, the older protocol cancels with a message that no other request can act on.
    if (how === '2025 over HTTP') await client[Symbol.asyncDispose]()
    await rejected
    await hungUp.promise
  })
}
