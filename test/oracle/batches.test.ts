// Batches as our adapters submit, list and read them, judged by the vendors' SDKs: their types, and
// what they send themselves.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { createAnthropicProvider } from '#providers/anthropic/adapter.ts'
import { createOpenAiProvider } from '#providers/openai/adapter.ts'
import type { Batches, Provider, TextRequest } from '#providers/provider.ts'
import { adapterAt, formFields, patient, type Recorded, startRecorder } from './recorder.ts'

const apiKey = 'sk-oracle-0123456789'
const request: TextRequest = {
  model: 'some-model',
  messages: [{ role: 'user', content: 'Hello' }],
  maxTokens: 100,
}
const id = '0199aaaa-0000-7000-8000-000000000001'
const certain = { ...patient, confirm: async () => {} }
const submitted = { submittedAtMs: 0, submittedUntilMs: Date.now() }

const batchesOf = (t: TestContext, provider: Provider): Batches => {
  t.after(() => provider.close?.())
  assert.ok(provider.batches)
  return provider.batches
}

const wire = ({ method, path, body }: Recorded) => ({ method, path, body })

async function openAi(t: TestContext) {
  const recorder = await startRecorder(t, { json: { id: 'file_1' } })
  const baseUrl = recorder.url
  const batches = batchesOf(
    t,
    createOpenAiProvider({ name: 'openai', apiKey, baseUrl, dialect: 'openai' }),
  )
  const sdk = new OpenAI({ apiKey, baseURL: baseUrl, maxRetries: 0 })
  return { recorder, batches, sdk }
}

async function anthropic(t: TestContext) {
  const recorder = await startRecorder(t, { json: { id: 'msgbatch_1' } })
  const baseUrl = recorder.url
  const batches = batchesOf(t, createAnthropicProvider({ name: 'anthropic', apiKey, baseUrl }))
  const sdk = new Anthropic({ apiKey, baseURL: baseUrl, maxRetries: 0 })
  return { recorder, batches, sdk }
}

test('a batch at OpenAI is a file and a batch, as its SDK sends them', async (t) => {
  const { recorder, batches, sdk } = await openAi(t)
  const calls = [{ id: 'call-1', body: batches.bodyOf(request) }]
  assert.equal(await batches.submit({ id, calls }, certain), 'file_1')
  const [file, batch] = recorder.requests.map(wire)
  const responses: OpenAI.Responses.ResponseCreateParamsNonStreaming = JSON.parse(
    batches.bodyOf(request),
  )
  const line = { custom_id: 'call-1', method: 'POST', url: '/v1/responses', body: responses }
  const theirFile = await recorder.sentBy(() =>
    sdk.files.create({
      purpose: 'batch',
      expires_after: { anchor: 'created_at', seconds: 259_200 },
      file: new File([`${JSON.stringify(line)}\n`], `${id}.jsonl`, { type: 'application/jsonl' }),
    }),
  )
  assert.deepEqual(formFields(file?.body), formFields(theirFile.body))
  assert.equal(file?.path, theirFile.path)
  const params: OpenAI.BatchCreateParams = {
    input_file_id: 'file_1',
    endpoint: '/v1/responses',
    completion_window: '24h',
    metadata: { atelier_batch: id },
  }
  assert.deepEqual(batch, wire(await recorder.sentBy(() => sdk.batches.create(params))))
})

test('what is asked about batches at OpenAI is what its SDK asks', async (t) => {
  const { recorder, batches, sdk } = await openAi(t)
  const same = async (ours: () => Promise<unknown>, theirs: () => Promise<unknown>) =>
    assert.deepEqual(wire(await recorder.sentBy(ours)), wire(await recorder.sentBy(theirs)))
  const lost = { id, callIds: new Set(['call-1']), ...submitted, otherRefs: new Set<string>() }
  await same(
    () => batches.poll('batch_1', patient),
    () => sdk.batches.retrieve('batch_1'),
  )
  await same(
    () => batches.find(lost, patient),
    async () => void (await sdk.batches.list({ limit: 100 })),
  )
  await same(
    () => batches.cancel('batch_1', patient),
    () => sdk.batches.cancel('batch_1'),
  )
})

test('nothing that is billed is asked for by a process that may have been replaced', async (t) => {
  const replaced = new Error('another worker has it')
  const submission = { ...patient, confirm: async () => Promise.reject(replaced) }
  const calls = [{ id: 'call-1', body: '{}' }]
  const made: string[] = []
  for (const { recorder, batches } of [await openAi(t), await anthropic(t)]) {
    await assert.rejects(batches.submit({ id, calls }, submission), replaced)
    made.push(...recorder.requests.map(({ path }) => path))
  }
  assert.deepEqual(made, ['/files'])
})

test('a call in the flex tier is what the SDK of OpenAI sends, and says which tier answered', async (t) => {
  const recorder = await startRecorder(t)
  const made = createOpenAiProvider({
    ...{ name: 'openai', apiKey, baseUrl: recorder.url, dialect: 'openai' },
  })
  const { whole } = adapterAt(t, made)
  const sdk = new OpenAI({ apiKey, baseURL: recorder.url, maxRetries: 0 })
  const ours = await recorder.sentBy(() => whole({ ...request, tier: 'flex' }))
  const { service_tier, ...rest } = ours.body as OpenAI.Responses.ResponseCreateParamsNonStreaming
  const params: OpenAI.Responses.ResponseCreateParamsNonStreaming = { ...rest, service_tier }
  assert.equal(params.service_tier, 'flex')
  assert.deepEqual(ours.body, (await recorder.sentBy(() => sdk.responses.create(params))).body)
  const tiers: OpenAI.Responses.ServiceTier[] = ['flex', 'default', 'auto', 'priority', null]
  const seen: unknown[] = []
  for (const tier of tiers) {
    const answer: Partial<OpenAI.Responses.Response> = {
      ...{ id: 'resp_1', object: 'response', status: 'completed', service_tier: tier },
      output: [],
    }
    recorder.answer({ json: answer })
    seen.push((await whole(request)).tier)
  }
  assert.deepEqual(seen, ['flex', undefined, undefined, undefined, undefined])
})

test('every state of a batch at OpenAI is understood', async (t) => {
  const { recorder, batches } = await openAi(t)
  const states: Record<OpenAI.Batch['status'], string> = {
    ...{ validating: 'running', in_progress: 'running', finalizing: 'running' },
    ...{ cancelling: 'running', completed: 'ended unknown', failed: 'ended unprocessed' },
    ...{ expired: 'ended unprocessed', cancelled: 'ended unprocessed' },
  }
  for (const [status, expected] of Object.entries(states)) {
    const json: Partial<OpenAI.Batch> = { id: 'batch_1', status: status as OpenAI.Batch['status'] }
    recorder.answer({ json })
    const seen = await batches.poll('batch_1', patient)
    assert.equal(Object.values(seen).join(' '), expected, status)
  }
  const found: Partial<OpenAI.Batch> = { id: 'batch_7', metadata: { atelier_batch: id } }
  recorder.answer({ json: { object: 'list', data: [found], has_more: false } })
  const lost = { id, callIds: new Set<string>(), ...submitted, otherRefs: new Set<string>() }
  assert.equal(await batches.find(lost, patient), 'batch_7')
  assert.equal(await batches.find({ ...lost, id: 'another' }, patient), null)
})

test('a batch at Anthropic is what its SDK sends, and so is what is asked about it', async (t) => {
  const { recorder, batches, sdk } = await anthropic(t)
  const params: Anthropic.MessageCreateParamsNonStreaming = JSON.parse(batches.bodyOf(request))
  const requests: Anthropic.Messages.BatchCreateParams['requests'] = [
    { custom_id: 'call-1', params },
  ]
  const calls = [{ id: 'call-1', body: batches.bodyOf(request) }]
  const lost = { id, callIds: new Set(['call-1']), ...submitted, otherRefs: new Set<string>() }
  const pairs: [() => Promise<unknown>, () => Promise<unknown>][] = [
    [() => batches.submit({ id, calls }, certain), () => sdk.messages.batches.create({ requests })],
    [() => batches.poll('msgbatch_1', patient), () => sdk.messages.batches.retrieve('msgbatch_1')],
    [() => batches.cancel('msgbatch_1', patient), () => sdk.messages.batches.cancel('msgbatch_1')],
    [
      () => batches.find(lost, patient),
      async () => void (await sdk.messages.batches.list({ limit: 100 })),
    ],
  ]
  for (const [ours, theirs] of pairs)
    assert.deepEqual(wire(await recorder.sentBy(ours)), wire(await recorder.sentBy(theirs)))
})

test('every result of a batch at Anthropic is understood', async (t) => {
  const { recorder, batches } = await anthropic(t)
  const error = (type: 'invalid_request_error' | 'api_error'): Anthropic.ErrorResponse => ({
    type: 'error',
    request_id: null,
    error: { type, message: 'no' },
  })
  const message = {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test' },
    ...{ content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' },
    usage: { input_tokens: 1, output_tokens: 2 },
  } as unknown as Anthropic.Message
  const seen: Record<string, Anthropic.Messages.MessageBatchResult> = {
    answered: { type: 'succeeded', message },
    unprocessed: { type: 'expired' },
    'unprocessed too': { type: 'canceled' },
    'not billed': { type: 'errored', error: error('api_error') },
    invalid: { type: 'errored', error: error('invalid_request_error') },
  }
  const read: string[] = []
  for (const [custom_id, result] of Object.entries(seen)) {
    const line: Anthropic.Messages.MessageBatchIndividualResponse = { custom_id, result }
    recorder.answer({ json: line })
    for await (const one of batches.results('msgbatch_1', patient)) {
      const what = 'result' in one ? one.result.text : 'error' in one ? one.error.kind : 'returned'
      read.push(`${one.id}: ${what}`)
    }
  }
  assert.deepEqual(read, [
    'answered: Hi',
    'unprocessed: returned',
    'unprocessed too: returned',
    'not billed: returned',
    'invalid: invalid',
  ])
})

test('at Anthropic a batch under way may be the lost one, unless it was made long after', async (t) => {
  const { recorder, batches } = await anthropic(t)
  const at = Date.UTC(2026, 0, 1, 12)
  const lost = { id, callIds: new Set(['call-1']), otherRefs: new Set<string>() }
  const times = { submittedAtMs: at, submittedUntilMs: at + 600_000 }
  const seen = async (created: number, otherRefs: string[] = []) => {
    const batch: Partial<Anthropic.Messages.MessageBatch> = {
      ...{ id: 'msgbatch_1', processing_status: 'in_progress' },
      created_at: new Date(created).toISOString(),
      request_counts: { processing: 1, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
    }
    recorder.answer({ json: { data: [batch], has_more: false } })
    return batches.find({ ...lost, ...times, otherRefs: new Set(otherRefs) }, patient)
  }
  assert.equal(await seen(at + 60_000), 'unknown')
  assert.equal(await seen(at + 60_000, ['msgbatch_1']), null)
  assert.equal(await seen(at + 3_600_000), null)
  assert.equal(await seen(at - 3_600_000), null)
})
