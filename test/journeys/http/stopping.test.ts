import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDouble } from '../../support/provider-doubles/double.ts'
import { wires } from '../../support/provider-doubles/wires.ts'
import { rawHttp } from '../../support/raw-http.ts'
import { P, startServer } from '../../support/server.ts'

test('a stop lets requests in flight finish, turns new ones away and is not ready', async (t) => {
  const double = await startDouble(wires.openai)
  t.after(double.close)
  const server = await startServer({ OPENAI_API_KEY: double.key, OPENAI_BASE_URL: double.url })
  t.after(server.stop)
  t.after(double.release)
  const { body } = await server.call(`${P}/models`)
  const model = body.data.items.find(
    (one: { provider: string; kind: string }) => one.provider === 'openai' && one.kind === 'TEXT',
  )
  double.script('chat', { do: 'hold' })
  const json = { model: model.id, messages: [{ role: 'user', content: 'hello' }] }
  const inFlight = server.call({ method: 'POST', path: `${P}/chat/completions`, json })
  await double.arrived('chat', 1)
  const stopped = server.stop()
  for (const path of ['/readyz', `${P}/models`]) {
    const refused = await rawHttp(server.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    assert.equal(refused.status, 503)
    assert.equal(JSON.parse(refused.body).error.code, 'SERVICE_UNAVAILABLE')
    assert.equal(refused.headers['retry-after'], '1')
  }
  double.release()
  assert.equal((await inFlight).status, 200)
  await stopped
  await assert.rejects(server.call('/readyz'), 'the port is closed')
})
