import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Call, Endpoint } from '#providers/http-call.ts'
import {
  comment,
  EventTooLarge,
  readServerEvents,
  type ServerEvent,
} from '#providers/server-events.ts'
import { streamOf } from '#providers/streamed-text.ts'
import { rounds } from '../../support/rounds.ts'

async function* from<Chunk extends Uint8Array>(
  chunks: Iterable<Chunk>,
): AsyncGenerator<Chunk, void, undefined> {
  yield* chunks
}
const read = (...chunks: (string | Uint8Array)[]): Promise<ServerEvent[]> =>
  Array.fromAsync(readServerEvents(from(chunks.map((chunk) => Buffer.from(chunk)))))

describe('a stream of events', () => {
  test('separates events by empty lines, whatever the line ending', async () => {
    const expected = [{ event: '', data: 'one' }, comment, { event: 'named', data: 'two\nlines' }]
    for (const end of ['\n', '\r', '\r\n']) {
      const text = ['data: one', '', ': a comment', 'event: named', 'data:two', 'data: lines', '']
      assert.deepEqual(await read(`${text.join(end)}${end}`), expected, JSON.stringify(end))
    }
  })

  test('reads the same wherever its bytes are cut', async () => {
    const bytes = Buffer.from('data: {"a":"é🚪"}\r\n\r\nevent: x\r\ndata: 東京\r\n\r\ndata: last')
    const whole = await read(bytes)
    assert.equal(whole.length, 3)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        const chunks = places.slice(1).map((end, i) => bytes.subarray(places[i], end))
        assert.deepEqual(await read(...chunks), whole)
      }),
      { numRuns: rounds(200) },
    )
  })

  test('refuses an event that never ends before it fills the memory', async () => {
    const endless = Array.from({ length: 80 }, () => Buffer.alloc(65_536, 'x'))
    await assert.rejects(read('data: ', ...endless), EventTooLarge)
    const lines = Array.from({ length: 80 }, () => `data: ${'x'.repeat(65_536)}\n`)
    await assert.rejects(read(...lines), EventTooLarge)
  })

  test('of text shows with each comment that its provider is alive', async () => {
    const lines = [
      ': OPENROUTER PROCESSING',
      ': OPENROUTER PROCESSING',
      'data: {"a":1}',
      'data: [DONE]',
    ]
    const chunks = from(lines.map((line) => Buffer.from(`${line}\n\n`)))
    const upstream = { name: 'p', redact: (text: string) => text }
    const answer = { status: 200, headers: {}, body: Buffer.alloc(0), chunks }
    const endpoint = { ...upstream, stream: async () => answer } as unknown as Endpoint
    const deltas = streamOf(endpoint, {} as Call, {
      requestId: () => null,
      refused: () => assert.fail('it is a stream'),
      open: () => ({
        read: ({ a }) => [{ type: 'text', text: String(a) }],
        end: () => ({ finish: 'stop' }),
      }),
    })
    assert.deepEqual(
      (await Array.fromAsync(deltas)).map(({ type }) => type),
      ['open', 'working', 'working', 'text', 'end'],
    )
  })
})
