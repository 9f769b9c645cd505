import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { graph, run } from '../runs/setting.ts'
import { type Bench, chat, ended, openBench, says, submitted } from './setting.ts'

/** Names that callers use for the same server. No outside address may be fetched here. */
const hosts = ['localhost', '127.0.0.1', '[::1]', 'atelier.example', '127.1']
const hourMs = 3_600_000

describe('an address of our own media, whatever name of the server it carries', () => {
  let bench: Bench
  let url: URL
  const closing: (() => unknown)[] = []
  before(async () => {
    const t = { after: (close: () => unknown) => void closing.push(close) }
    bench = await openBench(t as never)
    const task = await ended(bench, await submitted(bench, 'image', { model: 'demo-image' }))
    url = new URL(task.imageContent[0].url)
  })
  after(async () => {
    for (const close of closing) await close()
  })
  const under = (host: string) =>
    url.href.replace(url.host, `${host}${host === 'atelier.example' ? '' : `:${url.port}`}`)
  const content = (address: string) => [
    { type: 'text', text: 'Paint it red' },
    { type: 'image_url', image_url: { url: address } },
  ]

  for (const host of hosts) {
    test(`${host}: chats, tasks and runs read it from the store`, async () => {
      const messages = [says(content(under(host)))]
      const answer = await chat(bench, { model: 'demo-text', messages })
      assert.equal(answer.status, 200, answer.text)
      const taskId = await submitted(bench, 'image', { model: 'demo-image', messages })
      assert.equal((await ended(bench, taskId)).status, 'COMPLETED')
      const data = graph(
        [
          { id: 'picture', type: 'input.image' },
          { id: 'out', type: 'output' },
        ],
        ['picture -> out'],
      )
      const { status, nodeErrors, outputs } = await run(bench, data, { picture: under(host) })
      assert.deepEqual([status, nodeErrors], ['COMPLETED', []])
      assert.equal(new URL(outputs.out.url).host, url.host)
    })
  }

  test('without its signature it is an outside address like any other', async () => {
    const address = new URL(under('localhost'))
    address.searchParams.set('sig', 'A'.repeat(43))
    const answer = await chat(bench, {
      model: 'demo-text',
      messages: [says(content(address.href))],
    })
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.error.message, /localhost|host/i)
  })

  test('once it has expired it is refused as such', async () => {
    bench.clock.advance(26 * hourMs)
    const answer = await chat(bench, {
      model: 'demo-text',
      messages: [says(content(under('localhost')))],
    })
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.error.message, /has expired/)
  })
})
