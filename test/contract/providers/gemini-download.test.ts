import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGeminiProvider } from '#providers/gemini/adapter.ts'
import { startDouble } from '../../support/provider-doubles/double.ts'
import { geminiWire } from '../../support/provider-doubles/gemini.ts'

test('the key goes along to a download on the configured host, and to no other', async (t) => {
  const double = await startDouble(geminiWire)
  const { url: baseUrl, key: apiKey } = double
  const provider = createGeminiProvider({ name: 'gemini', apiKey, baseUrl })
  t.after(() => Promise.all([double.close(), provider.close?.()]))
  const { signal } = new AbortController()
  const name = 'models/veo/operations/1'
  const outputsFor = async (uri: string) => {
    const generateVideoResponse = { generatedSamples: [{ video: { uri } }] }
    const body = { name, done: true, response: { generateVideoResponse } }
    double.script('poll', { do: 'say', status: 200, body })
    const polled = await provider.poll?.({ v: 1, provider: 'gemini', id: name }, { signal })
    if (polled?.state !== 'succeeded') return polled?.state
    const { mayHaveHeaders: _, ...output } = polled.outputs[0] as { mayHaveHeaders?: unknown }
    return output
  }
  const own = `${baseUrl}/v1beta/files/x:download?alt=media`
  const headers = { 'x-goog-api-key': apiKey }
  const mimeType = 'video/mp4'
  assert.deepEqual(await outputsFor(own), { url: own, headers, mimeType })
  for (const foreign of ['https://storage.googleapis.com/x.mp4', 'http://127.0.0.1:1/v1beta/x']) {
    assert.deepEqual(await outputsFor(foreign), { url: foreign, mimeType })
  }
  assert.equal(await outputsFor('gs://bucket/x.mp4'), 'failed')
})
