// Our requests to OpenAI, judged by the schema it publishes.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createAgentDocuments } from '#agents/agent-documents.ts'
import { operations } from '#api/public/registry.ts'
import { builtinModels } from '#providers/builtin-models.ts'
import { createOpenAiProvider } from '#providers/openai/adapter.ts'
import { imageBody } from '#providers/openai/request.ts'
import { hello, intents } from './openai-intents.ts'
import { imageRequest, responseRequest } from './openai-schema.ts'
import { adapterAt, startRecorder } from './recorder.ts'

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
const isResponse = ajv.compile(responseRequest)
const isImage = ajv.compile(imageRequest)
const problems = (check: typeof isResponse, body: unknown) =>
  check(body)
    ? []
    : (check.errors ?? []).map(({ instancePath, message }) => [instancePath, message])

describe('the schema of OpenAI takes our request', () => {
  for (const [what, { ours }] of Object.entries(intents)) {
    test(`for ${what}, whole and streamed`, async (t) => {
      const recorder = await startRecorder(t)
      const options = { name: 'openai', dialect: 'openai', apiKey: 'k' } as const
      const adapter = adapterAt(t, createOpenAiProvider({ ...options, baseUrl: recorder.url }))
      for (const send of [adapter.whole, adapter.pieces]) {
        const { body } = await recorder.sentBy(() => send(ours))
        assert.deepEqual(problems(isResponse, body), [])
      }
    })
  }

  test('for every picture its models declare', () => {
    for (const { provider, kind, providerModel: model, capabilities } of builtinModels) {
      if (provider !== 'openai' || kind !== 'IMAGE') continue
      for (const aspectRatio of capabilities.imageAspectRatios ?? []) {
        for (const sampleSize of capabilities.imageSampleSizes ?? []) {
          for (const quality of capabilities.imageQualities ?? []) {
            const asked = { kind: 'IMAGE' as const, model, prompt: 'x' }
            const body = imageBody({ ...asked, aspectRatio, sampleSize, quality })
            assert.deepEqual(problems(isImage, body), [], `${model} ${aspectRatio} ${sampleSize}`)
            const size = String(body.size)
            const [width = 0, height = 0] = size.split('x').map(Number)
            assert.ok(width % 16 === 0 && height % 16 === 0, size)
            assert.ok(width <= 3 * height && height <= 3 * width, size)
            assert.ok(width * height <= 3840 * 2160, size)
          }
        }
      }
    }
  })
})

test('the schema of OpenAI takes our tools, and those that are strict keep to its rules for them', () => {
  const documents = createAgentDocuments(operations, 'http://127.0.0.1')
  const itemsOf = ({ content }: { content: string | Uint8Array }) =>
    JSON.parse(String(content)).data.items as Record<string, unknown>[]
  const tools = itemsOf(documents.strictTools('openai-responses'))
  const body = { model: 'gpt-6-luna', input: [hello], tools }
  assert.deepEqual(problems(isResponse, body), [])
  const strict = tools.filter((tool) => tool.strict === true)
  assert.deepEqual(
    strict.map(({ name }) => name),
    [
      'svc_list_models',
      'svc_get_task',
      'svc_list_workflows',
      'svc_get_workflow',
      'svc_delete_workflow',
      'svc_get_workflow_schema',
      'svc_get_workflow_run',
      'svc_list_workflow_runs',
    ],
  )
  for (const { parameters } of strict) {
    const { properties, required, additionalProperties } = parameters as Record<string, object>
    assert.deepEqual([Object.keys(properties ?? {}), additionalProperties], [required, false])
  }
  const nested = itemsOf(documents.strictTools('openai')).map((tool) => tool.function)
  assert.deepEqual(
    nested,
    tools.map(({ type: _, ...tool }) => tool),
  )
  // Without the query, nothing is strict; other formats know no such thing.
  assert.ok(itemsOf(documents.tools('openai-responses')).every((tool) => tool.strict === false))
  assert.ok(itemsOf(documents.strictTools('mcp')).every((tool) => !('strict' in tool)))
})

test('the schema of OpenAI refuses what the API refuses', () => {
  const input = [hello]
  const good = { model: 'gpt-6-luna', input }
  assert.deepEqual(problems(isResponse, good), [])
  const nested = { type: 'function', function: { name: 'weather', parameters: {} } }
  for (const bad of [
    { ...good, messages: input },
    { ...good, stop: ['END'] },
    { ...good, max_tokens: 100 },
    { ...good, max_output_tokens: 5 },
    { ...good, temperature: 3 },
    { ...good, reasoning_effort: 'low' },
    { ...good, response_format: { type: 'json_object' } },
    { ...good, tools: [nested] },
    { ...good, input: [{ role: 'tool', tool_call_id: 'c', content: 'x' }] },
  ]) {
    assert.notDeepEqual(problems(isResponse, bad), [], JSON.stringify(bad))
  }
})
