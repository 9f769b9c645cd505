import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Collector, type ReceivedSpan, startCollector } from '../../support/collector.ts'
import { P, startServer } from '../../support/server.ts'
import { addWorkflow, ended, graph, started } from '../runs/setting.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const callersSpan = 'b7ad6b7169203331'
const chat = {
  model: 'demo-text',
  messages: [{ role: 'user', content: 'What is 12% of 250? The lighthouse is a secret.' }],
}

/** A picture and a text, each in a step of its own. */
const both = graph(
  [
    { id: 'text', type: 'text.generate', data: { model: 'demo-text', prompt: 'a lighthouse' } },
    { id: 'image', type: 'image.generate', data: { model: 'demo-image', prompt: 'a lighthouse' } },
    { id: 'a', type: 'output' },
    { id: 'b', type: 'output' },
  ],
  ['text -> a', 'image -> b'],
)

describe('traces', () => {
  let collector: Collector
  let ownerKey = ''
  let runId = ''
  before(async () => {
    collector = await startCollector()
    const server = await startServer({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc%20def',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    })
    ownerKey = server.ownerKey
    const ask = (path: string, flags: string, trace = traceId, more = {}) =>
      server.call({
        method: 'POST',
        path,
        headers: { traceparent: `00-${trace}-${callersSpan}-${flags}` },
        json: { ...chat, ...more },
      })
    await ask(`${P}/chat/completions`, '01')
    await ask('/v1/chat/completions', '01', 'c'.repeat(32), { stream: true })
    await ask(`${P}/chat/completions`, '00', 'd'.repeat(32))
    await server.call({ method: 'POST', path: `${P}/chat/completions`, json: { model: 'none' } })
    const workflowId = await addWorkflow(server, both)
    runId = await started(server, workflowId)
    assert.equal((await ended(server, runId)).status, 'COMPLETED')
    // What is queued is sent before the server has stopped.
    await server.stop()
  })
  after(() => collector[Symbol.asyncDispose]())

  const find = (satisfies: (span: ReceivedSpan) => boolean): ReceivedSpan => {
    const found = collector.spans.find(satisfies)
    assert.ok(found, `no such span among ${JSON.stringify(collector.spans, null, 1)}`)
    return found
  }

  test('show a request as a child of its caller, and the call it waits for as its child', () => {
    const request = find(({ kind, traceId: of }) => kind === 2 && of === traceId)
    assert.equal(request.parentSpanId, callersSpan)
    assert.equal(request.name, `POST ${P}/chat/completions`)
    assert.equal(request.attributes['http.response.status_code'], 200)
    assert.equal(request.attributes['http.route'], `${P}/chat/completions`)
    const call = find(({ parentSpanId }) => parentSpanId === request.spanId)
    assert.deepEqual(
      { name: call.name, kind: call.kind, traceId: call.traceId, status: call.status },
      { name: 'chat demo-text', kind: 3, traceId, status: {} },
    )
    const { attributes } = call
    assert.equal(attributes['gen_ai.operation.name'], 'chat')
    assert.equal(attributes['gen_ai.provider.name'], 'embedded')
    assert.equal(attributes['gen_ai.request.model'], 'demo-text')
    assert.equal(attributes['gen_ai.response.model'], 'demo-text')
    assert.deepEqual(attributes['gen_ai.response.finish_reasons'], ['stop'])
    assert.ok(Number(attributes['gen_ai.usage.input_tokens']) > 0)
    assert.ok(Number(attributes['gen_ai.usage.output_tokens']) > 0)
  })

  test('show the call behind a streamed answer as its child', () => {
    const request = find(({ kind, traceId: of }) => kind === 2 && of === 'c'.repeat(32))
    const call = find(({ parentSpanId }) => parentSpanId === request.spanId)
    assert.deepEqual(call.attributes['gen_ai.response.finish_reasons'], ['stop'])
    assert.equal(call.attributes['gen_ai.response.model'], 'demo-text')
  })

  test('of a caller who does not record are not sent', () => {
    assert.ok(collector.spans.every(({ traceId: of }) => of !== 'd'.repeat(32)))
  })

  test('show a refused request without an error of the server', () => {
    const refused = find(({ attributes }) => attributes['http.response.status_code'] === 400)
    assert.deepEqual(refused.status, {})
  })

  test('show a run under its own identifier, with its steps and their calls', () => {
    const ofRun = collector.spans.filter((span) => span.traceId === runId.replaceAll('-', ''))
    const run = find(({ attributes }) => attributes['atelier.run.status'] === 'COMPLETED')
    assert.equal(run.traceId, runId.replaceAll('-', ''))
    assert.equal(run.parentSpanId, undefined)
    const steps = ofRun.filter(({ parentSpanId }) => parentSpanId === run.spanId)
    assert.deepEqual(steps.map(({ name }) => name).sort(), ['step MEDIA', 'step TEXT'])
    for (const [step, call] of [
      ['step TEXT', 'chat demo-text'],
      ['step MEDIA', 'generate_content demo-image'],
    ] as const) {
      const parent = steps.find(({ name }) => name === step)
      const child = ofRun.find(({ name }) => name === call)
      assert.equal(child?.parentSpanId, parent?.spanId, call)
    }
    const submission = find(({ attributes }) => attributes['atelier.operation'] === 'runWorkflow')
    assert.deepEqual(
      submission.links?.map(({ traceId: of, spanId }) => ({ of, spanId })),
      [{ of: run.traceId, spanId: run.spanId }],
    )
  })

  test('name the service, and carry the headers of the collector', () => {
    const [resource] = collector.resources
    assert.equal(resource?.['service.name'], 'atelier')
    assert.equal(resource?.['deployment.environment.name'], 'test')
    assert.equal(collector.headers[0]?.['x-collector-key'], 'abc def')
  })

  test('hold neither a prompt nor an answer nor a key', () => {
    const sent = collector.bodies.join('')
    for (const secret of [ownerKey, 'lighthouse', '12%', 'abc def']) {
      assert.equal(sent.includes(secret), false, secret)
    }
  })
})

test('a collector that does not answer keeps nobody waiting', async () => {
  await using server = await startServer({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
  const answer = await server.call({ method: 'POST', path: `${P}/chat/completions`, json: chat })
  assert.equal(answer.status, 200)
})
