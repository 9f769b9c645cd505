import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isInSample, readTraceparent, type Span } from '#operate/tracing/span.ts'
import { openSpanExporter } from '#operate/tracing/span-exporter.ts'

const span: Span = {
  context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true },
  parentSpanId: null,
  name: 'x',
  kind: 'internal',
  startMs: 1_794_808_942_000.5,
  endMs: 1_794_808_942_001,
  attributes: {},
  error: null,
}

/** A collector that gives these answers, one after the other. */
function exporterTo(...answers: (number | Error)[]) {
  const sent: { spans: Record<string, unknown>[] }[] = []
  const seen = { dropped: 0, away: 0, back: 0 }
  const exporter = openSpanExporter({
    ...{ url: 'http://collector/v1/traces', headers: {}, resource: {} },
    scope: { name: 'atelier', version: '0' },
    onDropped: (count) => {
      seen.dropped += count
    },
    onUnavailable: () => {
      seen.away++
    },
    onRecovered: () => {
      seen.back++
    },
    fetch: async (_, init) => {
      const body = JSON.parse(String(init?.body))
      sent.push({ spans: body.resourceSpans[0].scopeSpans[0].spans })
      const answer = answers.shift() ?? 200
      if (answer instanceof Error) throw answer
      return new Response(null, { status: answer })
    },
  })
  return { exporter, sent, seen }
}

describe('the exporter of spans', () => {
  test('sends all that is queued when it is closed, in batches', async () => {
    const { exporter, sent, seen } = exporterTo()
    for (let i = 0; i < 600; i++) exporter.add(span)
    await exporter.close()
    assert.equal(
      sent.reduce((total, { spans }) => total + spans.length, 0),
      600,
    )
    assert.ok(sent.every(({ spans }) => spans.length <= 512))
    assert.equal(sent[0]?.spans[0]?.startTimeUnixNano, '1794808942000500000')
    assert.deepEqual(seen, { dropped: 0, away: 0, back: 0 })
  })

  test('never grows: what does not fit is dropped and counted', async () => {
    const { exporter, sent, seen } = exporterTo(new Error('no route'), new Error('no route'))
    for (let i = 0; i < 3_000; i++) exporter.add(span)
    await exporter.close()
    assert.equal(seen.dropped, 3_000)
    assert.equal(seen.away, 1)
    assert.ok(sent.length <= 2)
  })

  test('keeps spans for a collector that is busy, and says so once', async () => {
    const { exporter, sent, seen } = exporterTo(503, 200)
    for (let i = 0; i < 512; i++) exporter.add(span)
    while (sent.length === 0) await new Promise(setImmediate)
    await exporter.close()
    assert.deepEqual(
      sent.map(({ spans }) => spans.length),
      [512, 512],
    )
    assert.deepEqual(seen, { dropped: 0, away: 1, back: 1 })
  })

  test('drops what a collector refuses for good', async () => {
    const { exporter, sent, seen } = exporterTo(400)
    exporter.add(span)
    await exporter.close()
    assert.equal(sent.length, 1)
    assert.deepEqual(seen, { dropped: 1, away: 1, back: 0 })
  })
})

describe('the trace of a caller', () => {
  const valid = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

  test('is read from its header, of this and later versions', () => {
    assert.deepEqual(readTraceparent(valid), {
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      isSampled: true,
    })
    assert.equal(readTraceparent(`cc${valid.slice(2)}-what-comes`)?.isSampled, true)
    assert.equal(readTraceparent(valid.replace(/1$/, '0'))?.isSampled, false)
  })

  for (const header of [
    undefined,
    '',
    valid.toUpperCase(),
    `ff${valid.slice(2)}`,
    `${valid.slice(0, 3)}${'0'.repeat(32)}${valid.slice(35)}`,
    `${valid.slice(0, 36)}${'0'.repeat(16)}-01`,
    valid.slice(0, -1),
  ]) {
    test(`is none in ${header}`, () => assert.equal(readTraceparent(header), null))
  }
})

test('the same traces are in the sample of every process', () => {
  const ids = Array.from({ length: 2_000 }, (_, i) => i.toString(16).padStart(32, '0'))
  const kept = ids.filter((id) => isInSample(id, 0.25))
  assert.ok(kept.length > 350 && kept.length < 650, String(kept.length))
  assert.deepEqual(
    kept,
    ids.filter((id) => isInSample(id, 0.25)),
  )
  assert.equal(isInSample('a', 0), false)
})
