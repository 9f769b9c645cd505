import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mp4, png } from '../../support/provider-doubles/media.ts'
import type { DoubleKind } from '../../support/provider-doubles/wires.ts'
import { type Body, P } from '../../support/server.ts'
import { closedAddress, startHost } from './host.ts'
import {
  assertFailure,
  attempts,
  type Bench,
  ended,
  eventually,
  generate,
  newCustomer,
  openBench,
  says,
  submitted,
  videoModels,
} from './setting.ts'

type Offer = { double: DoubleKind; kind: 'image' | 'video'; model: string; cost: number | null }

const offers: Offer[] = [
  { double: 'openai', kind: 'image', model: 'openai/gpt-image-2', cost: null },
  { double: 'openai', kind: 'video', model: 'test/sora', cost: null },
  {
    double: 'gemini',
    kind: 'image',
    model: 'gemini/gemini-3-pro-image',
    cost: (21 * 2 + 1120 * 120) / 1e6,
  },
  { double: 'gemini', kind: 'video', model: 'test/veo', cost: 0.5 },
  { double: 'fal', kind: 'image', model: 'fal/flux-schnell', cost: 0.003 },
  { double: 'fal', kind: 'video', model: 'fal/kling-3-4k', cost: 5 * 0.42 },
  { double: 'replicate', kind: 'image', model: 'replicate/flux-schnell', cost: 0.003 },
  { double: 'replicate', kind: 'video', model: 'replicate/seedance-2.0-fast', cost: null },
]

const fetchMedia = (bench: Bench, url: string, headers: Record<string, string> = {}) =>
  fetch(url.replace(/^https?:\/\/[^/]+/, bench.url), { headers })

async function assertMedia(bench: Bench, media: Body, bytes: Buffer, mimeType: string) {
  assert.equal(media.mimeType, mimeType)
  assert.equal(media.sizeBytes, bytes.length)
  const whole = await fetchMedia(bench, media.url)
  assert.equal(whole.status, 200)
  assert.equal(whole.headers.get('content-type'), mimeType)
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), bytes)
  const part = await fetchMedia(bench, media.url, { range: 'bytes=2-9' })
  assert.equal(part.status, 206)
  assert.equal(part.headers.get('content-range'), `bytes 2-9/${bytes.length}`)
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(2, 10))
}

describe('a generation', () => {
  for (const { double, kind, model, cost } of offers) {
    test(`of ${double} ends with its own copy of the ${kind}, submitted once`, async (t) => {
      const bench = await openBench(t, { doubles: [double], models: videoModels })
      const provider = bench.doubles[double]
      provider.plan('succeeded')
      const messages = [says('A blue door')]
      const accepted = await generate(bench, kind, { model, messages })
      assert.equal(accepted.status, 200, accepted.text)
      const { taskId, data } = accepted.body
      assert.equal(data.taskId, taskId)
      assert.deepEqual([data.kind, data.status], [kind.toUpperCase(), 'QUEUED'])
      assert.equal(accepted.headers.location, `${P}/tasks/${taskId}`)
      const task = await ended(bench, taskId)
      assert.equal(task.status, 'COMPLETED', JSON.stringify(task.error))
      assert.deepEqual(
        [task.model, task.promptPreview, task.source, task.error, task.retryAfterSeconds],
        [model, 'A blue door', 'DIRECT', null, 0],
      )
      if (cost === null) assert.ok(task.cost === null || task.cost.amount > 0)
      else assert.equal(task.cost.amount, cost)
      assert.ok(task.startedAt >= task.createdAt && task.completedAt >= task.startedAt)
      const content = kind === 'image' ? task.imageContent : task.videoContent
      assert.equal(content.length, 1)
      assert.equal('imageContent' in task && 'videoContent' in task, false)
      if (kind === 'image') {
        await assertMedia(bench, content[0], png, 'image/png')
        assert.deepEqual([content[0].width, content[0].height], [1, 1])
      } else {
        await assertMedia(bench, content[0], mp4, 'video/mp4')
        assert.deepEqual([content[0].width, content[0].height], [64, 64])
        assert.ok(Math.abs(content[0].durationSeconds - 1) < 0.1)
        assert.equal(content[0].hasAudio, false)
      }
      assert.deepEqual([provider.counts.submit, provider.counts.accepted], [1, 1])
      assert.equal(provider.counts.keysLeaked, 0)
      assert.deepEqual(
        (await attempts(bench)).map((attempt) => [attempt.task_id, attempt.outcome]),
        [[taskId, 'SUCCEEDED']],
      )
    })
  }

  test('is polled until it is done, and shows that it runs meanwhile', async (t) => {
    const bench = await openBench(t, { doubles: ['replicate'] })
    const { replicate } = bench.doubles
    replicate.plan('running', 'succeeded')
    replicate.script('poll', { do: 'hold' })
    const taskId = await submitted(bench, 'image', { model: 'replicate/flux-schnell' })
    await replicate.arrived('poll', 1)
    const meanwhile = await bench.call(`${P}/tasks/${taskId}`)
    const { status, startedAt, completedAt, cost, retryAfterSeconds } = meanwhile.body.data
    assert.deepEqual([status, completedAt, cost], ['RUNNING', null, null])
    assert.notEqual(startedAt, null)
    assert.equal(retryAfterSeconds, 1)
    assert.equal(meanwhile.headers['retry-after'], '1')
    replicate.release()
    assert.equal((await ended(bench, taskId)).status, 'COMPLETED')
    assert.equal(replicate.counts.poll, 2)
  })

  test('has as long as the operator says, even beyond the range of a timer', async (t) => {
    const bench = await openBench(t, { env: { TASK_IMAGE_TIMEOUT_SECONDS: '5000000' } })
    const task = await ended(bench, await submitted(bench, 'image', { model: 'demo-image' }))
    assert.equal(task.status, 'COMPLETED', JSON.stringify(task.error))
  })

  test('starts from a picture sent as a data URL, kept out of the database', async (t) => {
    const bench = await openBench(t, { doubles: ['fal'] })
    bench.doubles.fal.plan('succeeded')
    const dataUrl = `data:image/png;base64,${png.toString('base64')}`
    const content = [
      { type: 'text', text: 'Make it red' },
      { type: 'image_url', image_url: { url: dataUrl } },
    ]
    const taskId = await submitted(bench, 'image', {
      model: 'fal/nano-banana-2',
      messages: [says(content)],
    })
    const task = await ended(bench, taskId)
    assert.equal(task.status, 'COMPLETED', JSON.stringify(task.error))
    assert.equal(task.promptPreview, 'Make it red')
    const [job] = bench.doubles.fal.jobs
    assert.equal(job?.model, 'fal-ai/nano-banana-2/edit')
    assert.deepEqual(job?.body, { prompt: 'Make it red', image_urls: [dataUrl] })
    const [row] = await bench.db.query<{ request: string }>('select request from tasks')
    assert.doesNotMatch(row?.request ?? '', /base64/)
  })

  test('starts from a picture at an address, fetched when the work starts', async (t) => {
    const host = await startHost(t, (_, response) => response.end(png))
    const env = { OUTBOUND_ALLOW: '127.0.0.1/32' }
    const bench = await openBench(t, { doubles: ['fal'], env })
    bench.doubles.fal.plan('succeeded')
    const content = [
      { type: 'text', text: 'Make it red' },
      { type: 'image_url', image_url: { url: `${host.url}/in.png` } },
    ]
    const messages = [says(content)]
    const taskId = await submitted(bench, 'image', { model: 'fal/nano-banana-2', messages })
    assert.equal((await ended(bench, taskId)).status, 'COMPLETED')
    assert.equal(host.requests.length, 1)
  })

  test('is refused for a picture it cannot take', async (t) => {
    const bench = await openBench(t, { doubles: ['fal'] })
    const picture = (url: string) => ({ type: 'image_url', image_url: { url } })
    const ask = (model: string, ...urls: string[]) =>
      generate(bench, 'image', {
        model,
        messages: [says([{ type: 'text', text: 'A door' }, ...urls.map(picture)])],
      })
    const good = `data:image/png;base64,${png.toString('base64')}`
    const private_ = await ask('fal/nano-banana-2', 'http://127.0.0.1:1234/a.png')
    assertFailure(private_, 400, 'INVALID_REQUEST')
    assertFailure(await ask('fal/nano-banana-2', 'data:,x'), 400, 'INVALID_REQUEST')
    assertFailure(await ask('fal/flux-schnell', good), 400, 'UNSUPPORTED_PARAMETER')
    const many = Array.from({ length: 15 }, () => good)
    const tooMany = await ask('fal/nano-banana-2', ...many)
    const { message } = assertFailure(tooMany, 400, 'UNSUPPORTED_PARAMETER').details.issues[0]
    assert.match(message, /accepts at most 14 images/)
    assertFailure(await ask('demo-image', good, good), 400, 'UNSUPPORTED_PARAMETER')
    assert.equal((await bench.call(`${P}/tasks`)).body.data.total, 0)
  })
})

describe('media', () => {
  test('has an address that holds for a day, is made anew on reading, and cannot be guessed', async (t) => {
    const bench = await openBench(t, { doubles: ['fal'] })
    bench.doubles.fal.plan('succeeded')
    const taskId = await submitted(bench, 'image', { model: 'fal/flux-schnell' })
    const { url } = (await ended(bench, taskId)).imageContent[0]
    const wrong = new URL(url)
    wrong.searchParams.set('sig', 'A'.repeat(43))
    assert.equal((await fetchMedia(bench, wrong.href)).status, 404)
    const longer = new URL(url)
    longer.searchParams.set('exp', String(Number(longer.searchParams.get('exp')) + 3600))
    assert.equal((await fetchMedia(bench, longer.href)).status, 404)
    assert.equal((await fetchMedia(bench, url.split('?')[0] ?? '')).status, 404)
    const hourMs = 3_600_000
    bench.clock.advance(24 * hourMs - 1000)
    assert.equal((await fetchMedia(bench, url)).status, 200)
    bench.clock.advance(2 * hourMs)
    assert.equal((await fetchMedia(bench, url)).status, 404)
    const again = (await bench.call(`${P}/tasks/${taskId}`)).body.data.imageContent[0]
    assert.notEqual(again.url, url)
    assert.equal((await fetchMedia(bench, again.url)).status, 200)
  })
})

describe('tasks', () => {
  test('are counted for the operator as they end', async (t) => {
    const metrics = new URL(await closedAddress()).host
    const bench = await openBench(t, { doubles: ['fal'], env: { METRICS_LISTEN: metrics } })
    bench.doubles.fal.plan('succeeded')
    await ended(bench, await submitted(bench, 'image', { model: 'fal/flux-schnell' }))
    bench.doubles.fal.plan('failed')
    await ended(bench, await submitted(bench, 'video', { model: 'fal/kling-3-4k' }))
    // A task is counted after its end is stored, so the end may be read a little earlier.
    const text = await eventually(
      async () => (await fetch(`http://${metrics}/metrics`)).text(),
      (read) => /atelier_tasks_ended_total\{kind="VIDEO"/.test(read),
    )
    assert.match(text, /^atelier_tasks_ended_total\{kind="IMAGE",status="COMPLETED"\} 1$/m)
    assert.match(text, /^atelier_tasks_ended_total\{kind="VIDEO",status="FAILED"\} 1$/m)
  })

  test('of another account do not exist, by any identifier', async (t) => {
    const bench = await openBench(t)
    const { key } = await newCustomer(bench)
    const taskId = await submitted(bench, 'image', { model: 'demo-image' })
    for (const id of [taskId, taskId.toUpperCase()]) {
      assertFailure(await bench.call({ path: `${P}/tasks/${id}`, key }), 404, 'TASK_NOT_FOUND')
      assert.equal((await bench.call(`${P}/tasks/${id}`)).status, 200)
    }
    const unknown = '00000000-0000-7000-8000-000000000000'
    assertFailure(await bench.call(`${P}/tasks/${unknown}`), 404, 'TASK_NOT_FOUND')
    assertFailure(await bench.call(`${P}/tasks/urn:uuid:${taskId}`), 400, 'INVALID_REQUEST')
    const list = await bench.call({ path: `${P}/tasks`, key })
    assert.deepEqual([list.body.data.total, list.body.data.items], [0, []])
  })

  test('are listed newest first, page by page, each once', async (t) => {
    const bench = await openBench(t, { env: { EMBEDDED_OPTIONS: 'delayMs=600000' } })
    const ids: string[] = []
    for (let i = 0; i < 7; i++) {
      ids.unshift(await submitted(bench, 'image', { model: 'demo-image', prompt: `door ${i}` }))
    }
    const page = async (query: string) => (await bench.call(`${P}/tasks${query}`)).body.data
    const pages = [
      await page('?size=3'),
      await page('?page=2&size=3'),
      await page('?page=3&size=3'),
    ]
    assert.deepEqual(
      pages.flatMap(({ items }) => items.map((task: Body) => task.taskId)),
      ids,
    )
    const { items, ...counts } = pages[2]
    assert.deepEqual(counts, { page: 3, size: 3, total: 7, totalPages: 3, next: null })
    assert.equal(items[0].promptPreview, 'door 0')
    assert.deepEqual((await page('?page=4&size=3')).items, [])
    assert.equal((await page('')).size, 50)
    for (const query of ['?page=0', '?size=201', '?size=x', '?page=1&page=2']) {
      assertFailure(await bench.call(`${P}/tasks${query}`), 400, 'INVALID_REQUEST')
    }
  })

  test('show the first 200 characters of the prompt, never half of one', async (t) => {
    const bench = await openBench(t, { env: { EMBEDDED_OPTIONS: 'delayMs=600000' } })
    const messages = [
      says('not this', 'system'),
      says('🚪'.repeat(150)),
      says('nor this', 'assistant'),
      says('é'.repeat(150)),
    ]
    const taskId = await submitted(bench, 'image', { model: 'demo-image', messages })
    const task = (await bench.call(`${P}/tasks/${taskId}`)).body.data
    assert.equal(task.promptPreview, `${'🚪'.repeat(150)}\n${'é'.repeat(49)}`)
  })

  test('admit unknown members, and check known ones of the other kind before ignoring them', async (t) => {
    const bench = await openBench(t, { doubles: ['fal'] })
    bench.doubles.fal.plan('succeeded')
    const request = {
      model: 'fal/flux-schnell',
      messages: [{ role: 'user', content: 'A door', name: 'x', more: { a: 1 } }],
      imageAspectRatio: '16:9',
      seed: 7,
      anything: { at: 'all' },
    }
    const ignored = { videoSeconds: 9_999, videoResolution: '16K', videoGenerateAudio: true }
    const taskId = await submitted(bench, 'image', { ...request, ...ignored })
    const task = await ended(bench, taskId)
    assert.equal(task.status, 'COMPLETED')
    assert.deepEqual(bench.doubles.fal.jobs[0]?.body, {
      prompt: 'A door',
      image_size: 'landscape_16_9',
      seed: 7,
    })
    assert.deepEqual(task.ignored, ['anything', ...Object.keys(ignored)])
    const wrong = [
      { videoSeconds: '5' },
      { videoSeconds: 0 },
      { videoSeconds: 1.5 },
      { videoGenerateAudio: 'yes' },
      { videoResolution: 720 },
      { imageQuality: null },
      { messages: [] },
      { messages: [{ role: 'user' }] },
    ]
    for (const change of wrong) {
      const answer = await generate(bench, 'image', { ...request, ...change })
      assertFailure(answer, 400, 'INVALID_REQUEST')
    }
    for (const change of [{ imageAspectRatio: '7:1' }, { model: 'fal/kling-3-4k' }]) {
      const answer = await generate(bench, 'image', { ...request, ...change })
      assert.equal(answer.status, 400, answer.text)
    }
    const silent = await generate(bench, 'image', { ...request, messages: [says('x', 'system')] })
    assertFailure(silent, 400, 'INVALID_REQUEST')
  })
})
