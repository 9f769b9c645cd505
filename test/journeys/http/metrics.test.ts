import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { request } from 'undici'
import { P, startServer } from '../../support/server.ts'

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

test('metrics count requests by operation and status, on an address of their own', async (t) => {
  const port = await freePort()
  const server = await startServer({ METRICS_LISTEN: `127.0.0.1:${port}` })
  t.after(server.stop)
  await server.call(`${P}/models`)
  await server.call(`${P}/models`)
  await server.call({ path: `${P}/models`, key: null })
  const text = await (await request(`http://127.0.0.1:${port}/metrics`)).body.text()
  const name = 'atelier_http_request_duration_seconds'
  assert.match(text, new RegExp(`# TYPE ${name} histogram`))
  assert.match(text, new RegExp(`${name}_count{operation="listModels",status="200"} 2`))
  assert.match(
    text,
    new RegExp(`${name}_bucket{operation="listModels",status="401",le="\\+Inf"} 1`),
  )
  assert.match(text, /process_cpu_seconds_total/)
  assert.equal((await server.call({ path: '/metrics', key: null })).status, 404)
})
