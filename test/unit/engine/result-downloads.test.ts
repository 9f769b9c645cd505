import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { MockAgent } from 'undici'
import { createMediaIo } from '#engine/tasks/media-io.ts'
import type { MediaStore } from '#media/media-store.ts'
import type { Gateway } from '#outbound/gateway.ts'
import { createGeminiProvider } from '#providers/gemini/adapter.ts'
import type { Output } from '#providers/provider.ts'

const google = 'https://generativelanguage.googleapis.com'
const apiKey = 'AIza-secret'
const own = `${google}/v1beta/files/x:download?alt=media`
const patient = { signal: new AbortController().signal }

/** What the adapter makes of a finished video at this address. */
async function outputsAt(uri: string): Promise<Output[]> {
  const dispatcher = new MockAgent()
  dispatcher.disableNetConnect()
  const name = 'models/veo/operations/1'
  const response = { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } }
  const pool = dispatcher.get(google)
  pool.intercept({ path: `/v1beta/${name}` }).reply(200, { name, done: true, response })
  const provider = createGeminiProvider({ name: 'gemini', apiKey, baseUrl: google, dispatcher })
  const polled = await provider.poll?.({ v: 1, provider: 'gemini', id: name }, patient)
  await dispatcher.close()
  assert.ok(polled?.state === 'succeeded')
  return polled.outputs
}

/** The addresses a download goes to, each with whether it was sent the key. */
async function keysSent(outputs: Output[], redirects: string[]): Promise<boolean[]> {
  const sent: boolean[] = []
  const request = async (_url: string, options: { headers?: Record<string, string> }) => {
    const location = redirects[sent.length]
    sent.push(options.headers?.['x-goog-api-key'] === apiKey)
    const body = Readable.from([Buffer.from('x')])
    return location === undefined
      ? { status: 200, headers: {}, body }
      : { status: 302, headers: { location }, body }
  }
  const gateway = { request } as unknown as Gateway
  const io = createMediaIo({
    media: { save: async () => ({}) } as unknown as MediaStore,
    gateway,
    providerGateway: gateway,
    providerOrigins: new Set([google]),
    maxResultBytes: 1_000,
  })
  await io.storeOutputs({ accountId: 'a', kind: 'VIDEO' }, outputs, patient.signal)
  return sent
}

describe('the key of Gemini on a redirected download', () => {
  const follow = async (...redirects: string[]) => keysSent(await outputsAt(own), redirects)

  test('goes along to the same host and to the other hosts of the same API', async () => {
    assert.deepEqual(await follow(`${google}/download/v1beta/files/x`), [true, true])
    const regional = 'https://eu-generativelanguage.googleapis.com/download/x'
    assert.deepEqual(await follow(regional, 'https://files.generativelanguage.googleapis.com/x'), [
      true,
      true,
      true,
    ])
  })

  test('goes to no other host, and does not come back once it was dropped', async () => {
    for (const foreign of [
      'https://storage.googleapis.com/bucket/x.mp4',
      'https://generativelanguage.googleapis.com.attacker.example/x',
      'https://attacker.example/?generativelanguage.googleapis.com',
      'http://eu-generativelanguage.googleapis.com/x',
      'https://eu-generativelanguage.googleapis.com:8443/x',
    ]) {
      assert.deepEqual(await follow(foreign), [true, false], foreign)
      assert.deepEqual(await follow(foreign, own), [true, false, false], foreign)
    }
  })

  test('is not sent to a result that lies elsewhere from the start', async () => {
    const outputs = await outputsAt('https://storage.googleapis.com/bucket/x.mp4')
    assert.deepEqual(await keysSent(outputs, []), [false])
  })
})
