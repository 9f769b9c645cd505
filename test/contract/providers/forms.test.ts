import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOpenAiProvider } from '#providers/openai/adapter.ts'
import { png } from '../../support/provider-doubles/media.ts'
import { bench } from './subjects.ts'

const openai = {
  double: 'openai',
  create: (at: { baseUrl: string; apiKey: string }) =>
    createOpenAiProvider({ name: 'openai', dialect: 'openai', ...at }),
} as const
const image = { bytes: png, mimeType: 'image/png' }
const prompt = 'Line one\r\n--boundary\r\n"quoted" – ünï'

test('a picture to edit arrives whole, with a prompt of any characters', async (t) => {
  const it = await bench(t, openai)
  await it.submit({ kind: 'IMAGE', model: 'gpt-image-2', prompt, image, aspectRatio: '1:1' })
  assert.equal(it.double.requests[0]?.path, '/v1/images/edits')
  assert.deepEqual(it.double.requests[0]?.body, {
    model: 'gpt-image-2',
    prompt,
    n: '1',
    size: '1024x1024',
    image: { filename: 'image.png', mimeType: 'image/png', base64: png.toString('base64') },
  })
})

test('a mask arrives beside the first of several pictures', async (t) => {
  const it = await bench(t, openai)
  const pictures = { image, references: [image], mask: image }
  await it.submit({ kind: 'IMAGE', model: 'gpt-image-2', prompt, ...pictures })
  const body = it.double.requests[0]?.body as Record<string, unknown>
  assert.deepEqual(body.mask, {
    ...{ filename: 'mask.png', mimeType: 'image/png', base64: png.toString('base64') },
  })
})

test('a first frame arrives whole, and an odd type cannot break the form', async (t) => {
  const create: typeof openai.create = (at) =>
    createOpenAiProvider({ name: 'local', dialect: 'compatible', ...at })
  const it = await bench(t, { ...openai, create })
  const odd = { bytes: png, mimeType: 'image/png\r\nx-evil: 1' }
  await it.submit({ kind: 'VIDEO', model: 'wan', prompt, image: odd, seconds: 4 })
  assert.deepEqual(it.double.requests[0]?.body, {
    model: 'wan',
    prompt,
    seconds: '4',
    input_reference: {
      filename: 'input_reference.bin',
      mimeType: 'application/octet-stream',
      base64: png.toString('base64'),
    },
  })
})

test('a server that asks for no key is sent none', async (t) => {
  const it = await bench(t, openai, { apiKey: '' })
  await it
    .generateText({ model: 'llama', messages: [{ role: 'user', content: 'Hi' }] })
    .catch(() => {})
  assert.equal(it.double.requests[0]?.headers.authorization, undefined)
})
