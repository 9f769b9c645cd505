// Our requests to Replicate, judged by its official client.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import Replicate, { type ApiError, type Page, type Prediction } from 'replicate'
import type { JobRef, ProviderError } from '#providers/provider.ts'
import { createReplicateProvider } from '#providers/replicate/adapter.ts'
import { patient, startRecorder } from './recorder.ts'

const auth = 'r8_oracle'
const model = 'black-forest-labs/flux-schnell'
const ref: JobRef = { v: 1, provider: 'replicate', id: 'abc123' }
const lost = {
  request: { kind: 'IMAGE' as const, model, prompt: 'A blue door' },
  submittedAtMs: 0,
  taskId: 't',
}
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
    const expected = await recorder.sentBy(() => sdk.predictions.create({ model, input, wait: 5 }))
    assert.deepEqual(sent.body, expected.body)
    assert.equal(sent.headers.prefer, expected.headers.prefer)
    assert.equal(`${sent.method} ${sent.path}`, `${expected.method} ${expected.path}`)
    assert.equal(sent.headers.authorization, expected.headers.authorization)
  })

  test('to ask, to cancel and to find goes where its client goes', async (t) => {
    const { recorder, sdk, provider } = await stand(t)
    const pairs = [
      [() => provider.poll?.(ref, patient), () => sdk.predictions.get('abc123')],
      [() => provider.cancel?.(ref, patient), () => sdk.predictions.cancel('abc123')],
      [() => provider.find?.(lost, patient), () => sdk.predictions.list()],
    ] as const
    for (const [ours, theirs] of pairs) {
      const expected = await recorder.sentBy(theirs)
      const sent = await recorder.sentBy(async () => ours())
      // The client cannot say since when; the API documents how.
      const path = sent.path.replace(/\?created_after=.*$/, '')
      assert.equal(`${sent.method} ${path}`, `${expected.method} ${expected.path}`)
    }
  })

  test('that waited for the answer has the result from it', async (t) => {
    const { recorder, provider } = await stand(t)
    const options = { ...patient, taskId: 't' }
    const output = ['https://replicate.delivery/a.png', 'data:image/png;base64,AQID']
    recorder.answer({ status: 201, json: prediction({ status: 'succeeded', output }) })
    const submitted = await provider.submit?.(request, options)
    assert.ok(submitted && 'ref' in submitted)
    assert.equal(submitted.ref.id, 'abc123')
    assert.ok(submitted.state?.state === 'succeeded')
    assert.equal(submitted.state.outputs.length, 2)
    recorder.answer({ status: 201, json: prediction({ status: 'processing' }) })
    const early = await provider.submit?.(request, options)
    assert.ok(early && 'ref' in early && early.state?.state === 'running')
  })

  test('that is refused is told as its client tells it, and certain below 500', async (t) => {
    const { recorder, sdk, provider } = await stand(t)
    const cases: [number, string, string, string][] = [
      [401, 'You did not pass a valid authentication token', 'auth', 'rejected'],
      [402, 'You have insufficient credit to run this model', 'auth', 'rejected'],
      [404, 'The requested resource could not be found.', 'not_found', 'rejected'],
      [422, '- input.prompt: Field is required', 'invalid', 'rejected'],
      [429, 'Request was throttled. Your rate limit resets in ~9s.', 'busy', 'rejected'],
      [500, 'An internal error occurred', 'server', 'unknown'],
    ]
    for (const [status, detail, kind, outcome] of cases) {
      recorder.answer({ status, json: { title: 'Error', detail, status } })
      // It would send a throttled request again, and again.
      if (status !== 429) {
        const theirs = sdk.predictions.create({ model, input: { prompt: 'x' } })
        await assert.rejects(theirs, ({ response }: ApiError) => response.status === status)
      }
      const ours = async () => provider.submit?.(request, { ...patient, taskId: 't' })
      await assert.rejects(ours, (error: ProviderError) => {
        assert.deepEqual([error.kind, error.outcome], [kind, outcome], String(status))
        assert.match(error.message, new RegExp(detail.slice(0, 20)))
        assert.equal(error.retryAfterMs, status === 429 ? 9_000 : undefined)
        return true
      })
    }
  })

  test('for a canceled job tells what became of it', async (t) => {
    const { recorder, provider } = await stand(t)
    const ends: [Prediction['status'], string][] = [
      ['canceled', 'canceled'],
      ['aborted', 'canceled'],
      ['succeeded', 'too_late'],
      ['failed', 'too_late'],
      ['processing', 'requested'],
    ]
    for (const [status, told] of ends) {
      recorder.answer({ json: prediction({ status }) })
      assert.equal(await provider.cancel?.(ref, patient), told, status)
    }
  })

  test('for a lost submission finds it in the list its client reads', async (t) => {
    const { recorder, provider } = await stand(t)
    const submitted = await recorder.sentBy(async () =>
      provider.submit?.(lost.request, { ...patient, taskId: 't' }),
    )
    const { input } = submitted.body as { input: object }
    const results = [prediction({ id: 'other1' }), prediction({ id: 'mine1', input })]
    recorder.answer({ json: { results } satisfies Page<Prediction> })
    assert.deepEqual(await provider.find?.(lost, patient), { ...ref, id: 'mine1' })
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
