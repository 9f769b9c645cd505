import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { signedHeaders } from '#engine/deliveries/sign.ts'

const page = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8')
const [withPackage = '', byHand = ''] = [...page.matchAll(/```js\n(.*?)```/gs)].map(
  ([, code]) => code,
)

// A module without a file path cannot resolve packages by name.
const load = (code: string) => {
  const placed = code.replace("'standardwebhooks'", `'${import.meta.resolve('standardwebhooks')}'`)
  return import(`data:text/javascript,${encodeURIComponent(placed)}`)
}

const [current, previous] = [randomBytes(32), randomBytes(32)]
const asSecret = (key: Buffer) => `whsec_${key.toString('base64')}`
const body = JSON.stringify({ type: 'workflow.run.completed', data: { runId: 'é' } })
const nowSeconds = () => Math.floor(Date.now() / 1_000)
const signed = (ageSeconds = 0) =>
  signedHeaders({ id: 'msg_1', timestampSeconds: nowSeconds() - ageSeconds, body }, [
    current,
    previous,
  ])

test('the receiver by hand accepts both secrets and refuses what is changed or old', async () => {
  const { isGenuine } = (await load(byHand)) as {
    isGenuine(secret: string, headers: Record<string, string>, rawBody: string): boolean
  }
  assert.equal(isGenuine(asSecret(current), signed(), body), true)
  assert.equal(isGenuine(asSecret(previous), signed(), body), true)
  assert.equal(isGenuine(asSecret(randomBytes(32)), signed(), body), false)
  assert.equal(isGenuine(asSecret(current), signed(), `${body} `), false)
  assert.equal(isGenuine(asSecret(current), { ...signed(), 'webhook-id': 'x' }, body), false)
  assert.equal(isGenuine(asSecret(current), signed(400), body), false)
  assert.equal(isGenuine(asSecret(current), signed(-400), body), false)
  assert.equal(isGenuine(asSecret(current), {}, body), false)
})

test('the receiver with the package answers 204 to what is genuine and 401 to the rest', async (t) => {
  Object.assign(process.env, { WEBHOOK_SECRET: asSecret(current), PORT: '0' })
  t.mock.method(console, 'log', () => undefined)
  const { server } = (await load(withPackage)) as { server: Server }
  if (!server.listening) await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const post = async (text: string) => {
    const address = `http://127.0.0.1:${port}/`
    return (await fetch(address, { method: 'POST', headers: signed(), body: text })).status
  }
  assert.equal(await post(body), 204)
  assert.equal(await post(body), 204)
  assert.equal(await post(`${body} `), 401)
  server.close()
  server.closeAllConnections()
})
