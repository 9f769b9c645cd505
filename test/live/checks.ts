// What is tried with every vendor: small calls whose answers can be judged.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Model } from '#core/catalogue.ts'
import type { Usage } from '#core/usage.ts'
import {
  type ImageRequest,
  type Provider,
  ProviderError,
  type Submitted,
  type TextRequest,
  type TextResult,
} from '#providers/provider.ts'

export type Subject = {
  provider: Provider
  model: Model
  /** The name the model has at the vendor. */
  providerModel: string
  image?: Partial<ImageRequest>
}

/** What it used, as far as it says; undefined where it is billed by the piece. */
export type Used = Usage[] | undefined

export type Check = {
  name: string
  kind: 'TEXT' | 'IMAGE'
  /** Calls it makes at most; 0 where the vendor is expected to refuse. */
  calls: number
  /** Why it makes no sense with this model. */
  notFor?(model: Model): string | undefined
  run(subject: Subject): Promise<Used>
}

/** Room for the thoughts of a model that cannot be told not to think. */
export const maxTokens = 1_000
export const maxInputTokens = 1_000
const callTimeoutMs = 120_000
const pollMs = 1_000

const options = () => ({ signal: AbortSignal.timeout(callTimeoutMs) })
const say = (content: string) => ({ role: 'user' as const, content })
const base = ({ providerModel }: Subject): Pick<TextRequest, 'model' | 'maxTokens'> => ({
  model: providerModel,
  maxTokens,
})

const parameters = {
  type: 'object',
  properties: { town: { type: 'string' } },
  required: ['town'],
  additionalProperties: false,
}
const weather = { name: 'weather', description: 'The weather of a town, now.', parameters }
const sum = {
  type: 'object',
  properties: { sum: { type: 'integer' } },
  required: ['sum'],
  additionalProperties: false,
}

async function ask({ provider }: Subject, request: TextRequest): Promise<TextResult> {
  assert.ok(provider.generateText)
  return provider.generateText(request, options())
}

const usedBy = (...results: TextResult[]): Usage[] =>
  results.map(({ usage }) => {
    assert.ok(usage && usage.inputTokens > 0 && usage.outputTokens > 0, 'it does not say its usage')
    return usage
  })

async function callsWeather(subject: Subject, rest: Partial<TextRequest>) {
  const question = say('What is the weather in Rome? Use the function.')
  const request = { ...base(subject), messages: [question], tools: [weather], ...rest }
  const result = await ask(subject, request)
  const [call] = result.toolCalls ?? []
  assert.ok(call, 'it called no function')
  assert.equal(call.name, 'weather')
  assert.ok(JSON.parse(call.arguments), 'its arguments are no JSON')
  return { request, result, call }
}

export const checks: Check[] = [
  {
    name: 'chat',
    kind: 'TEXT',
    calls: 1,
    async run(subject) {
      const result = await ask(subject, { ...base(subject), messages: [say('Say hello.')] })
      assert.notEqual(result.text.trim(), '')
      assert.equal(result.finish, 'stop')
      return usedBy(result)
    },
  },
  {
    name: 'stream',
    kind: 'TEXT',
    calls: 1,
    async run(subject) {
      assert.ok(subject.provider.streamText)
      const request = { ...base(subject), messages: [say('Count from one to five.')] }
      const deltas = await Array.fromAsync(subject.provider.streamText(request, options()))
      assert.equal(deltas[0]?.type, 'open')
      const end = deltas.at(-1)
      assert.deepEqual([end?.type, end && 'finish' in end && end.finish], ['end', 'stop'])
      assert.notEqual(deltas.map((one) => (one.type === 'text' ? one.text : '')).join(''), '')
      const usage = deltas.findLast((one) => one.type === 'usage')
      assert.ok(usage, 'it does not say its usage')
      return [usage.usage]
    },
  },
  {
    name: 'tool round trip',
    kind: 'TEXT',
    calls: 2,
    async run(subject) {
      const { request, result, call } = await callsWeather(subject, {})
      const turn = { role: 'assistant' as const, content: result.text, toolCalls: [call] }
      const told = { role: 'tool' as const, toolCallId: call.id, content: '{"result":"clear"}' }
      const messages = [...request.messages, turn, told]
      const answer = await ask(subject, { ...request, messages })
      assert.notEqual(answer.text.trim(), '')
      return usedBy(result, answer)
    },
  },
  {
    name: 'forced tool',
    kind: 'TEXT',
    calls: 1,
    notFor: ({ capabilities }) =>
      capabilities.forcedToolChoice === false ? 'the model decides itself' : undefined,
    async run(subject) {
      const { result } = await callsWeather(subject, { toolChoice: { name: 'weather' } })
      return usedBy(result)
    },
  },
  {
    name: 'JSON schema',
    kind: 'TEXT',
    calls: 1,
    notFor: ({ capabilities }) =>
      capabilities.structuredOutput ? undefined : 'the model takes no schema',
    async run(subject) {
      const messages = [say('Add 17 and 25.')]
      const jsonSchema = { name: 'sum', schema: sum, strict: true }
      const result = await ask(subject, { ...base(subject), messages, jsonSchema })
      const value = JSON.parse(result.text)
      assert.ok(new Ajv2020().validate(sum, value), result.text)
      assert.equal(value.sum, 42)
      return usedBy(result)
    },
  },
  {
    name: 'a deliberate 400',
    kind: 'TEXT',
    calls: 0,
    run: (subject) => {
      const tools = [{ ...weather, name: 'not a name!' }]
      return refused(ask(subject, { ...base(subject), messages: [say('Hello')], tools }))
    },
  },
  {
    name: 'image',
    kind: 'IMAGE',
    calls: 1,
    async run(subject) {
      const submitted = await submit(subject, 'A small blue door, flat colours')
      const done = 'done' in submitted ? submitted : await followed(subject.provider, submitted)
      const outputs = 'done' in done ? done.done : done.outputs
      assert.ok(outputs.length > 0)
      return done.billed?.usage ? [done.billed.usage] : undefined
    },
  },
  {
    name: 'a deliberate refusal',
    kind: 'IMAGE',
    calls: 0,
    run: ({ providerModel, ...subject }) =>
      refused(submit({ ...subject, providerModel: `${providerModel}-that-does-not-exist` }, 'x')),
  },
]

async function submit({ provider, providerModel, image }: Subject, prompt: string) {
  assert.ok(provider.submit)
  const request: ImageRequest = { kind: 'IMAGE', model: providerModel, prompt, ...image }
  return provider.submit(request, { ...options(), taskId: crypto.randomUUID() })
}

async function followed(provider: Provider, { ref, state }: Extract<Submitted, { ref: object }>) {
  assert.ok(provider.poll)
  let seen = state ?? (await provider.poll(ref, options()))
  while ('nextMs' in seen) {
    await pause(pollMs)
    seen = await provider.poll(ref, options())
  }
  if (seen.state !== 'succeeded') throw seen.error
  return seen
}

/** The vendor says no, and we say surely that it did nothing. */
async function refused(call: Promise<unknown>): Promise<Used> {
  const error: unknown = await call.then(
    () => new Error('it was accepted'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ProviderError)) throw error
  assert.ok(
    error.kind === 'invalid' || error.kind === 'not_found',
    `${error.kind}: ${error.message}`,
  )
  assert.equal(error.outcome, 'rejected')
  return []
}
