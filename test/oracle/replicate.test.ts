// Our requests to Replicate, judged by its official client.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import Replicate, { type Prediction } from 'replicate'
import type { JobRef } from '#providers/provider.ts'
import { createReplicateProvider } from '#providers/replicate/adapter.ts'
import { patient, startRecorder } from './recorder.ts'

const auth = 'r8_oracle'
const model = 'black-forest-labs/flux-schnell'
const ref: JobRef = { v: 1, provider: 'replicate', id: 'abc123' }
const request = { kind: 'IMAGE' as const, model, prompt: 'A blue door', aspectRatio: '16:9' }

async function stand(t: TestContext) {
  const recorder = await startRecorder(t)
  const sdk = new Replicate({ auth, baseUrl: `${recorder.url}/v1` })
  const provider = createReplicateProvider({
    name: 'replicate',
    apiKey: auth,
    baseUrl: recorder.url,
  })
  t.after(() => provider.close?.())
  return { recorder, sdk, provider }
}

const prediction = (rest: Partial<Prediction>): Prediction => ({
  id: 'abc123',
  status: 'starting',
  model,
  version: 'hidden',
  input: { prompt: 'A blue door' },
  source: 'api',
  data_removed: false,
  created_at: '2026-11-15T10:00:00.000Z',
  urls: { get: 'https://x/get', cancel: 'https://x/cancel', stream: 'https://x/stream' },
  ...rest,
})

describe('a request to Replicate', () => {
  test('for a picture is what its client sends', async (t) => {
    const { recorder, sdk, provider } = await stand(t)
    const options = { ...patient, taskId: 't' }
    const sent = await recorder.sentBy(async () => provider.submit?.(request, options))
    // The seed carries our mark, by which a submission whose answer was lost is found again.
    const { seed } = (sent.body as { input: { seed: number } }).input
    const input = { prompt: 'A blue door', aspect_ratio: '16:9', seed }
    const expected = await recorder.sentBy(() => sdk.predictions.create({ model, input }))
    assert.deepEqual(sent.body, expected.body)
    assert.equal(`${sent.method} ${sent.path}`, `${expected.method} ${expected.path}`)
    assert.equal(sent.headers.authorization, expected.headers.authorization)
  })

  test('to ask, to cancel and to find goes where its client goes', async (t) => {
    const { recorder, sdk, provider } = await stand(t)
    const pairs = [
      [() => provider.poll?.(ref, patient), () => sdk.predictions.get('abc123')],
      [() => provider.cancel?.(ref, patient), () => sdk.predictions.cancel('abc123')],
    ] as const
    for (const [ours, theirs] of pairs) {
      const expected = await recorder.sentBy(theirs)
      const sent = await recorder.sentBy(async () => ours())
      assert.equal(`${sent.method} ${sent.path}`, `${expected.method} ${expected.path}`)
    }
  })

  test('reads every state its client names', async (t) => {
    const { recorder, provider } = await stand(t)
    const states: [Prediction['status'], string][] = [
      ['starting', 'queued'],
      ['processing', 'running'],
      ['succeeded', 'succeeded'],
      ['failed', 'failed'],
      ['canceled', 'canceled'],
      ['aborted', 'canceled'],
    ]
    for (const [status, state] of states) {
      const json = prediction({ status, output: ['https://host/a.png'], error: 'no' })
      recorder.answer({ json })
      assert.equal((await provider.poll?.(ref, patient))?.state, state, status)
    }
  })
})
