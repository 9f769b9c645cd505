import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { type ConsolePage, type ConsoleTest, startConsole } from '../support/console-browser.ts'
import { P } from '../support/server.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole({ OUTBOUND_ALLOW: '127.0.0.1/32' })
})
after(() => app[Symbol.asyncDispose]())

/** How often this tab has asked for the deliveries. */
function countReads(page: ConsolePage) {
  let reads = 0
  page.on('request', (request) => {
    if (/\/deliveries\?/.test(request.url())) reads++
  })
  return {
    now: () => reads,
    more: async (count: number) => {
      const goal = reads + count
      while (reads < goal) await page.waitForRequest(/\/deliveries\?/)
    },
  }
}

const setVisibility = (page: ConsolePage, state: 'visible' | 'hidden') =>
  page.evaluate((to) => {
    Object.defineProperty(document, 'visibilityState', { value: to, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)

test('of two tabs one reads for both, and the other takes over when it is hidden', async () => {
  const receiver = createServer((_request, response) => {
    response.statusCode = 500
    response.end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  try {
    // Its receiver fails, so the delivery stays pending and its list is read every 2 seconds.
    await runWithCallback(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`)
    await app.open('/developer/webhooks', async (first) => {
      await first.getByText('Pending').first().waitFor()
      const firstReads = countReads(first)
      await firstReads.more(1)
      const second = await app.tab(first, '/developer/webhooks')
      await second.getByText('Pending').first().waitFor()
      const secondReads = countReads(second)
      await firstReads.more(2)
      assert.equal(secondReads.now(), 0)
      await setVisibility(first, 'hidden')
      const before = firstReads.now()
      await secondReads.more(2)
      assert.equal(firstReads.now(), before)
    })
  } finally {
    receiver.close()
  }
})

async function runWithCallback(callbackUrl: string) {
  const data = {
    nodes: [
      { id: 'in', type: 'input.text', data: { default: 'hello' } },
      { id: 'out', type: 'output', data: {} },
    ],
    connections: [{ source: 'in', target: 'out' }],
  }
  const path = `${P}/workflows`
  const stored = await app.server.call({ method: 'POST', path, json: { name: 'Echo', data } })
  const started = await app.server.call({
    method: 'POST',
    path: `${path}/${stored.body.data.id}/runs`,
    headers: { 'idempotency-key': 'once' },
    json: { callbackUrl },
  })
  assert.equal(started.status, 202, started.text)
}
