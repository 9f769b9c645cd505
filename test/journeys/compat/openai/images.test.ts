import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toFile } from 'openai'
import { databases } from '../../../support/databases.ts'
import { png } from '../../../support/samples.ts'
import { P } from '../../../support/server.ts'
import { attempts, ended, eventually, newCustomer } from '../../generation/setting.ts'
import { clientOf, failureOf, openGateway } from './setting.ts'

/** 40 thousandths of a dollar per image. */
const models = {
  models: [
    {
      id: 'test/image',
      provider: 'local',
      providerModel: 'some-image',
      kind: 'IMAGE',
      capabilities: {
        inputModalities: ['text', 'image'],
        imageAspectRatios: ['1:1', '3:2', '16:9'],
        imageSampleSizes: ['1K', '2K'],
        imageQualities: ['low', 'high'],
      },
      pricing: { perImage: 0.04 },
    },
    {
      id: 'test/several',
      provider: 'local',
      kind: 'IMAGE',
      capabilities: { inputModalities: ['text', 'image'], maxInputImages: 4, mask: true },
    },
    { id: 'test/plain', provider: 'local', providerModel: 'plain-image', kind: 'IMAGE' },
  ],
}

const isPng = (base64: string | undefined) =>
  Buffer.from(base64 ?? '', 'base64')
    .subarray(1, 4)
    .toString() === 'PNG'

for (const { name: database } of databases) {
  describe(`images on ${database}`, () => {
    test('are made while the official client waits, as tasks, and are paid', async (t) => {
      const bench = await openGateway(t, { doubles: ['openai'], models, database })
      const { key, accountId } = await newCustomer(bench)
      const { images } = clientOf(bench, key)
      const made = await images.generate({
        model: 'test/image',
        prompt: 'A blue door',
        size: '1536x864' as never,
        quality: 'high',
        n: 2,
      })
      assert.equal(made.data?.length, 2)
      for (const image of made.data ?? []) {
        assert.ok(isPng(image.b64_json))
        assert.equal((await fetch(image.url ?? '')).status, 200)
        const { task_id } = image as { task_id?: string }
        const task = await bench.call({ path: `${P}/tasks/${task_id}`, key })
        assert.equal(task.body.data.status, 'COMPLETED')
      }
      assert.equal((made as { cost?: number }).cost, 0.08)
      const sent = bench.doubles.openai.requests.map(({ body }) => body as Record<string, unknown>)
      assert.deepEqual(
        sent.map(({ prompt, size, quality }) => [prompt, size, quality]),
        [
          ['A blue door', '1536x864', 'high'],
          ['A blue door', '1536x864', 'high'],
        ],
      )
      const own = (await attempts(bench)).filter((row) => row.account_id === accountId)
      assert.deepEqual(
        own.map(({ outcome, cost_micros }) => [outcome, Number(cost_micros)]),
        [
          ['SUCCEEDED', 40_000],
          ['SUCCEEDED', 40_000],
        ],
      )
      const linked = await images.generate({
        model: 'test/plain',
        prompt: 'A door',
        size: '640x480',
        response_format: 'url',
      })
      assert.deepEqual(Object.keys(linked.data?.[0] ?? {}).sort(), ['size', 'task_id', 'url'])
      const last = bench.doubles.openai.requests.at(-1)?.body as { size: string } | undefined
      assert.equal(last?.size, '640x480')
    })

    test('of one request are all begun or none, under a spend limit', async (t) => {
      const bench = await openGateway(t, { doubles: ['openai'], models, database })
      const { key } = await newCustomer(bench, { spendLimit: 0.1 })
      const { images } = clientOf(bench, key)
      const order = { model: 'test/image', prompt: 'A door' }
      const failed = await failureOf(images.generate({ ...order, n: 3 }))
      assert.deepEqual([failed.status, failed.code], [403, 'SPEND_LIMIT_REACHED'])
      const { body } = await bench.call({ path: `${P}/tasks`, key })
      assert.equal(body.data.total, 0)
      assert.equal((await images.generate({ ...order, n: 2 })).data?.length, 2)
    })
  })
}

test('an image that takes too long is not lost: the answer names its task', async (t) => {
  const env = { CHAT_TIMEOUT_SECONDS: '1' }
  const bench = await openGateway(t, { doubles: ['openai'], models, env })
  const { key } = await newCustomer(bench)
  const { images } = clientOf(bench, key)
  bench.doubles.openai.script('submit', { do: 'hold' })
  const { status, code, error } = await failureOf(
    images.generate({ model: 'test/image', prompt: 'A door' }),
  )
  assert.deepEqual([status, code], [504, 'PROVIDER_TIMEOUT'])
  assert.equal(bench.doubles.openai.counts.submit, 1, 'the client did not ask again')
  const path = error.headers?.get('location') ?? ''
  assert.ok(error.message.includes(path))
  bench.doubles.openai.release()
  const task = await ended(bench, path.split('/').at(-1) ?? '', { key })
  assert.equal(task.status, 'COMPLETED')
})

test('a server that stops answers those who wait for an image', async (t) => {
  const bench = await openGateway(t, {
    doubles: ['openai'],
    models,
    env: { SHUTDOWN_SECONDS: '30' },
  })
  const { key } = await newCustomer(bench)
  const { openai } = bench.doubles
  openai.script('submit', { do: 'hold' })
  const { images } = clientOf(bench, key).withOptions({ maxRetries: 0 })
  const waiting = failureOf(images.generate({ model: 'test/image', prompt: 'A door' }))
  await openai.arrived('submit', 1)
  const stopped = bench.stop()
  const { status, code } = await waiting
  assert.deepEqual([status, code], [504, 'PROVIDER_TIMEOUT'])
  openai.release()
  await stopped
})

test('a caller who leaves does not lose the task', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { key } = await newCustomer(bench)
  const { openai } = bench.doubles
  openai.script('submit', { do: 'hold' })
  const leaving = new AbortController()
  const { images } = clientOf(bench, key)
  const { signal } = leaving
  const asked = images.generate({ model: 'test/image', prompt: 'A door' }, { signal })
  await openai.arrived('submit', 1)
  leaving.abort()
  await assert.rejects(asked)
  openai.release()
  const tasks = await eventually(
    async () => (await bench.call({ path: `${P}/tasks`, key })).body.data.items,
    ([task]) => task.status === 'COMPLETED',
  )
  assert.equal(tasks.length, 1)
})

test('a picture is edited', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { key } = await newCustomer(bench)
  const client = clientOf(bench, key)
  const { openai } = bench.doubles
  const picture = png({ width: 8, height: 8 })
  const image = () => toFile(picture, 'door.png', { type: 'image/png' })

  await t.test('by the provider, from the form of the official client', async () => {
    const order = { model: 'test/image', prompt: 'Make it red', n: 1, size: '1024x1024' as const }
    const edited = await client.images.edit({ ...order, image: await image() })
    assert.ok(isPng(edited.data?.[0]?.b64_json))
    const { path, body } = openai.requests.at(-1) ?? {}
    assert.equal(path, '/v1/images/edits')
    assert.match(String(JSON.stringify(body)), /Make it red/)
    const several = { ...order, model: 'test/several', size: 'auto' as const }
    await client.images.edit({ ...several, image: [await image(), await image()] })
    assert.ok(Object.hasOwn(Object(openai.requests.at(-1)?.body), 'image[]'))
    const mask = await toFile(png({ width: 8, height: 8, shade: 9 }), 'part.png')
    await client.images.edit({ ...several, image: await image(), mask })
    const masked = openai.requests.at(-1)?.body as { mask?: { base64: string } }
    const sent = png({ width: 8, height: 8, shade: 9 }).toString('base64')
    assert.equal(masked.mask?.base64, sent)
    const demo = await client.images.edit({ ...order, model: 'demo-image', image: await image() })
    assert.ok(isPng(demo.data?.[0]?.b64_json))
  })

  await t.test('only with what it can be edited with', async () => {
    const order = { model: 'test/image', prompt: 'Make it red' }
    const bad: [object, string, string][] = [
      [{ image: await image(), mask: await image() }, 'UNSUPPORTED_PARAMETER', 'mask'],
      [{ image: await image(), mask: 'a text' }, 'INVALID_REQUEST', 'mask'],
      [{ image: [await image(), await image()] }, 'UNSUPPORTED_PARAMETER', 'image'],
      [{ image: [await image(), 'https://x.test/b.png'] }, 'INVALID_REQUEST', 'image'],
      [{ image: await image(), styles: ['vivid'] }, 'UNSUPPORTED_PARAMETER', 'styles'],
      [{ image: await image(), n: 99 }, 'INVALID_REQUEST', 'n'],
      [{ image: await image(), prompt: '' }, 'INVALID_REQUEST', 'prompt'],
      [{ image: await toFile(Buffer.from('no picture'), 'x.png') }, 'INVALID_REQUEST', 'messages'],
    ]
    for (const [extra, code, param] of bad) {
      const failed = await failureOf(client.images.edit({ ...order, ...extra } as never))
      assert.deepEqual([failed.status, failed.code, failed.param], [400, code, param])
    }
  })

  await t.test('not with a body that is no form, or too large a one', async () => {
    const send = (headers: Record<string, string>, body: Buffer | string) =>
      bench.call({ method: 'POST', path: '/v1/images/edits', key, headers, body })
    const form = { 'content-type': 'multipart/form-data; boundary=x' }
    const many = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n'.repeat(100)
    const tried = [
      await send({ 'content-type': 'application/json' }, '{}'),
      await send({ 'content-type': 'text/plain' }, 'hello'),
      await send({ 'content-type': 'multipart/form-data' }, 'hello'),
      await send(form, 'hello'),
      await send(form, `${many}--x--\r\n`),
      await send(form, Buffer.alloc(17 * 1024 * 1024)),
    ]
    assert.deepEqual(
      tried.map(({ status }) => status),
      [415, 415, 400, 400, 400, 413],
    )
    assert.ok(tried.every(({ body }) => typeof body.error.code === 'string'))
  })
})

test('what the vendor of a model has is passed on, and the size is told', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { images } = clientOf(bench, (await newCustomer(bench)).key)
  const { openai } = bench.doubles
  const order = { model: 'openai/gpt-image-2', prompt: 'A door' }
  const carried = { background: 'transparent', output_compression: 80, moderation: 'low' } as const
  const made = await images.generate({ ...order, ...carried, output_format: 'webp' })
  assert.partialDeepStrictEqual(made.data?.[0], { size: '1x1' })
  const sent = openai.requests.at(-1)?.body
  assert.partialDeepStrictEqual(sent, { ...carried, output_format: 'webp' })
  const wrong = await failureOf(images.generate({ ...order, output_format: 'svg' }))
  assert.deepEqual([wrong.status, wrong.param], [400, 'output_format'])
  const refused = await failureOf(images.generate({ ...order, size: '1000x1000' as never }))
  assert.match(refused.error.message, /one of .*1024x1024.*2048x2048/)
  const image = await toFile(png({ width: 8, height: 8 }), 'door.png', { type: 'image/png' })
  await images.edit({ ...order, image, output_compression: 70, output_format: 'jpeg' })
  assert.match(JSON.stringify(openai.requests.at(-1)?.body), /jpeg/)
})

test('what an image cannot be asked for is named', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { images } = clientOf(bench, (await newCustomer(bench)).key).withOptions({ maxRetries: 0 })
  const { openai } = bench.doubles
  const bad: [object, number, string, string][] = [
    [{ model: undefined }, 400, 'INVALID_REQUEST', 'model'],
    [{ model: 'demo-text' }, 400, 'MODEL_KIND_MISMATCH', 'model'],
    [{ prompt: '' }, 400, 'INVALID_REQUEST', 'prompt'],
    [{ n: 11 }, 400, 'INVALID_REQUEST', 'n'],
    [{ size: 'large' }, 400, 'INVALID_REQUEST', 'size'],
    [{ size: '1024x3000' }, 400, 'UNSUPPORTED_PARAMETER', 'size'],
    [{ size: '1000x1000' }, 400, 'UNSUPPORTED_PARAMETER', 'size'],
    [{ size: '1792x1024' }, 400, 'UNSUPPORTED_PARAMETER', 'size'],
    [{ size: '4096x4096' }, 400, 'UNSUPPORTED_PARAMETER', 'size'],
    [{ quality: 'hd' }, 400, 'UNSUPPORTED_PARAMETER', 'quality'],
    [{ background: 'transparent' }, 400, 'UNSUPPORTED_PARAMETER', 'background'],
    [{ output_format: 'webp' }, 400, 'UNSUPPORTED_PARAMETER', 'output_format'],
    [{ style: 'vivid' }, 400, 'UNSUPPORTED_PARAMETER', 'style'],
    [{ moderation: 'low' }, 400, 'UNSUPPORTED_PARAMETER', 'moderation'],
    [{ seed: 7 }, 400, 'UNSUPPORTED_PARAMETER', 'seed'],
    [{ complexity: 'high' }, 400, 'UNSUPPORTED_PARAMETER', 'complexity'],
    [{ response_format: 'hex' }, 400, 'INVALID_REQUEST', 'response_format'],
    [{ stream: true }, 400, 'UNSUPPORTED_PARAMETER', 'stream'],
  ]
  for (const [extra, status, code, param] of bad) {
    const asked = { model: 'test/image', prompt: 'A door', ...extra }
    const failed = await failureOf(images.generate(asked as never))
    assert.deepEqual([failed.status, failed.code, failed.param], [status, code, param])
  }
  assert.equal(openai.counts.submit, 0)
  const order = { model: 'test/image', prompt: 'A door' }
  openai.script('submit', {
    do: 'say',
    status: 400,
    body: { error: { code: 'moderation_blocked', message: 'No.' } },
  })
  const rejected = await failureOf(images.generate(order))
  assert.deepEqual([rejected.status, rejected.code], [400, 'CONTENT_REJECTED'])
})

test('each of several images counts against the limit per minute', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { key } = await newCustomer(bench, { limits: { generationPerMinute: 4 } })
  const { images } = clientOf(bench, key).withOptions({ maxRetries: 0 })
  const make = (n: number) => images.generate({ model: 'test/plain', prompt: 'A door', n })
  const never = await failureOf(make(5))
  assert.deepEqual([never.status, never.param], [400, 'n'])
  await make(3)
  const refused = await failureOf(make(2))
  assert.deepEqual([refused.status, refused.code], [429, 'RATE_LIMITED'])
  // What was refused counts for nothing: one more fits.
  await make(1)
  assert.equal((await failureOf(make(1))).status, 429)
  assert.equal(bench.doubles.openai.counts.submit, 4)
})
