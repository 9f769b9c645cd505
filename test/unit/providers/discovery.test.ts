import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addToModelsFile, compareModels } from '#providers/discovery/add-to-models-file.ts'
import { discoverModels } from '#providers/discovery/discover-models.ts'
import { parseModelsFile } from '#providers/models-file.ts'

/** A server that answers some addresses, by path and model. */
const serving =
  (answers: Record<string, unknown>) =>
  async (url: string, body?: object): Promise<unknown> => {
    const { pathname } = new URL(url)
    const model = (body as { model?: string } | undefined)?.model
    return answers[model === undefined ? pathname : `${pathname} ${model}`] ?? null
  }
const list = (...data: object[]) => ({ object: 'list', data })
const base = 'http://127.0.0.1:9/v1'

describe('the models of a server', () => {
  test('that speaks only OpenAI’s protocol are told apart by their names', async () => {
    const ask = serving({ '/v1/models': list({ id: 'phi-5' }, { id: 'nomic-embed-text' }, {}) })
    assert.deepEqual(await discoverModels(`${base}/`, ask), {
      server: null,
      models: [
        { providerModel: 'phi-5', kind: 'TEXT' },
        { providerModel: 'nomic-embed-text', kind: 'EMBEDDING' },
      ],
    })
    assert.equal(await discoverModels(base, serving({})), null)
    assert.equal(await discoverModels(base, serving({ '/v1/models': { error: 'no' } })), null)
  })

  test('of vLLM come with their context', async () => {
    const one = { id: 'Qwen/Qwen4-8B', owned_by: 'vllm', max_model_len: 32_768 }
    assert.deepEqual(await discoverModels(base, serving({ '/v1/models': list(one) })), {
      server: 'vllm',
      models: [
        { providerModel: 'Qwen/Qwen4-8B', kind: 'TEXT', maxInputTokens: 32_768, keepsSchema: true },
      ],
    })
  })

  test('of Ollama come with what each can do', async () => {
    const ask = serving({
      '/v1/models': list({ id: 'gemma4:latest' }, { id: 'all-minilm:latest' }, { id: 'half' }),
      '/api/tags': { models: [{ name: 'gemma4:latest' }] },
      '/api/show gemma4:latest': {
        capabilities: ['completion', 'vision', 'tools'],
        model_info: { 'general.architecture': 'gemma4', 'gemma4.context_length': 131_072 },
      },
      '/api/show all-minilm:latest': {
        capabilities: ['embedding'],
        model_info: { 'bert.context_length': 512 },
      },
    })
    const gemma = { providerModel: 'gemma4:latest', kind: 'TEXT', maxInputTokens: 131_072 }
    assert.deepEqual(await discoverModels(base, ask), {
      server: 'ollama',
      models: [
        { ...gemma, seesImages: true, keepsSchema: true },
        { providerModel: 'all-minilm:latest', kind: 'EMBEDDING', maxInputTokens: 512 },
        { providerModel: 'half', kind: 'TEXT', keepsSchema: true },
      ],
    })
  })
})

describe('MODELS_FILE', () => {
  const file = {
    endpoints: [{ name: 'ours', baseUrl: base }],
    models: [
      { id: 'fast', provider: 'ours', providerModel: 'phi-5', kind: 'TEXT' as const },
      { id: 'ours/gone', provider: 'ours', providerModel: 'gone', kind: 'TEXT' as const },
      { id: 'demo-text', enabled: false },
    ],
  }
  const found = [
    { providerModel: 'phi-5', kind: 'TEXT' as const },
    { providerModel: 'big model+', kind: 'TEXT' as const, maxInputTokens: 4_096 },
  ]

  test('is compared with what a server has, under whatever name it lists a model', () => {
    const { added, known, gone } = compareModels(file, 'ours', found, { isFree: true })
    assert.deepEqual(
      [added, known, gone].map((models) => models.map(({ id }) => id)),
      [['ours/big-model-'], ['fast'], ['ours/gone']],
    )
    assert.deepEqual(added[0], {
      ...{ id: 'ours/big-model-', provider: 'ours', providerModel: 'big model+', kind: 'TEXT' },
      capabilities: { maxInputTokens: 4_096 },
      pricing: { inputPerMillionTokens: 0, outputPerMillionTokens: 0 },
    })
  })

  test('keeps all it has when models are added, and gets the endpoint if that is new', () => {
    const { added: models } = compareModels(file, 'ours', found, { isFree: false })
    const endpoint = { name: 'other', baseUrl: base }
    const next = parseModelsFile(addToModelsFile(file, { endpoint, models }))
    assert.deepEqual(next.endpoints, [...file.endpoints, endpoint])
    assert.deepEqual(next.models, [...file.models, ...models])
    const same = parseModelsFile(addToModelsFile(next, { endpoint, models: [] }))
    assert.deepEqual(same, next)
  })
})
