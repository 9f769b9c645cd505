import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNodeType, nodeTypes } from '#graph/types/table.ts'
import { graph, node, validate, wire } from './graphs.ts'

/** Problems with the settings alone: a value fills every port that needs one. */
async function problems(type: string, data: Record<string, unknown>) {
  const { validation } = await validate(graph([node('n', type, data)]))
  return validation.errors.map(({ path }) => path.replace('/nodes/0/data', ''))
}

const prompt = { prompt: 'x' }
const url = 'https://example.com/a'
const apply = { type: 'text.template', data: { template: '{{item}}' } }
const told = { type: 'text.template', data: { template: '{{item}} in {{language}}' } }

const accepted: [string, Record<string, unknown>][] = [
  ['input.text', {}],
  [
    'input.text',
    { label: 'Ä'.repeat(200), required: false, default: 'a', minLength: 1, maxLength: 1 },
  ],
  ['input.text', { enum: ['a', 'b'], default: 'b', examples: ['a'], description: 'Pick one.' }],
  ['input.text', { default: '😀😀', maxLength: 2 }],
  ['input.number', { minimum: 1, maximum: 3, integer: true, default: 2 }],
  ['input.boolean', { default: false }],
  ['input.image', { default: 'https://example.com/a.png' }],
  ['input.image', { default: 'data:image/png;base64,AA==' }],
  ['input.video', { required: false }],
  [
    'input.json',
    { schema: { type: 'array', items: { $ref: '#/$defs/a' }, $defs: { a: { type: 'string' } } } },
  ],
  ['input.json', { default: null }],
  [
    'text.generate',
    { model: 'text', ...prompt, temperature: 0, maxTokens: 1, responseFormat: 'json' },
  ],
  ['text.generate', { model: 'code', ...prompt }],
  ['text.generate', { model: 'nowhere', ...prompt, temperature: 99 }],
  ['image.generate', { model: 'image', ...prompt, imageAspectRatio: '16:9', imageQuality: 'any' }],
  ['video.generate', { model: 'video', ...prompt, videoSeconds: 10 }],
  ['text.template', { template: 'no names' }],
  [
    'text.template',
    { template: '{{ a }} {{b.c.0}} {{not a name}}', values: { a: 1 }, b: { c: [2] } },
  ],
  ['json.transform', { expression: 'a', input: null, outputType: 'list' }],
  ['flow.condition', { expression: 'a', value: false }],
  ['flow.map', { items: [], apply, concurrency: 10, maxItems: 10_000, onItemError: 'collect' }],
  ['flow.map', { items: [], apply: { type: 'flow.map', data: { apply } } }],
  ['flow.map', { items: [], apply: told, context: ['language'], language: 'de' }],
  [
    'flow.repeat',
    { value: 'x', apply: told, until: 'true', context: ['language'], language: 'de' },
  ],
  ['flow.repeat', { value: 1, apply, until: 'index = 2', maxIterations: 100, onLimit: 'pass' }],
  [
    'flow.map',
    {
      items: [],
      apply: {
        type: 'text.generate',
        data: { model: 'text' },
        itemPort: 'prompt',
        outputPort: 'text',
      },
    },
  ],
  ['flow.merge', { mode: 'object', in: 1 }],
  [
    'http.request',
    { url: `${url}/{{id}}?q={{q}}`, method: 'POST', query: { a: 1 }, headers: { 'x-a': '{{t}}' } },
  ],
  ['http.request', { url, timeoutMs: 30_000, responseType: 'text', failOnHttpError: false }],
  ['output', { value: 1, anything: { else: [] } }],
  ['browser.crop', { free: true }],
]
for (const [type, data] of accepted) {
  test(`${type} takes ${JSON.stringify(data).slice(0, 90)}`, async () => {
    assert.deepEqual(await problems(type, data), [])
  })
}

const refused: [string, Record<string, unknown>, string[]][] = [
  ['input.text', { label: 'a'.repeat(201) }, ['/label']],
  ['input.text', { label: 5 }, ['/label']],
  ['input.text', { required: 'yes' }, ['/required']],
  ['input.text', { default: null }, ['/default']],
  ['input.text', { default: 'abc', maxLength: 2 }, ['/default']],
  ['input.text', { minLength: 3, maxLength: 2 }, ['/maxLength']],
  ['input.text', { enum: ['a', 'a'] }, ['/enum']],
  ['input.text', { enum: [] }, ['/enum']],
  ['input.text', { enum: ['a'], default: 'b' }, ['/default']],
  ['input.text', { examples: [1] }, ['/examples/0']],
  ['input.number', { default: '5' }, ['/default']],
  ['input.number', { integer: true, default: 1.5 }, ['/default']],
  ['input.number', { minimum: 2, maximum: 1 }, ['/maximum']],
  ['input.boolean', { default: 0 }, ['/default']],
  ['input.image', { default: 'ftp://example.com/a.png' }, ['/default']],
  ['input.image', { default: 'data:video/mp4;base64,AA==' }, ['/default']],
  ['input.json', { schema: true }, ['/schema']],
  ['input.json', { schema: { $ref: 'https://example.com/s.json' } }, ['/schema/$ref']],
  [
    'input.json',
    { schema: { type: 'object', properties: { a: { $id: 'x' } } } },
    ['/schema/properties/a/$id'],
  ],
  [
    'input.json',
    { schema: { $schema: 'http://json-schema.org/draft-07/schema#' } },
    ['/schema/$schema'],
  ],
  ['text.generate', prompt, ['/model']],
  ['text.generate', { model: '', ...prompt }, ['/model']],
  ['text.generate', { model: 'image', ...prompt }, ['/model']],
  [
    'text.generate',
    { model: 'text', ...prompt, maxTokens: 1.5, responseFormat: 'xml' },
    ['/maxTokens', '/responseFormat'],
  ],
  [
    'text.generate',
    { model: 'limited', ...prompt, maxTokens: 101, temperature: 1.1 },
    ['/temperature', '/maxTokens'],
  ],
  ['image.generate', { model: 'image', ...prompt, imageAspectRatio: '2:1' }, ['/imageAspectRatio']],
  ['video.generate', { model: 'video', ...prompt, videoSeconds: 11 }, ['/videoSeconds']],
  [
    'video.generate',
    { model: 'video', ...prompt, videoGenerateAudio: true },
    ['/videoGenerateAudio'],
  ],
  ['text.template', { template: 5 }, ['/template']],
  [
    'text.template',
    { template: Array.from({ length: 101 }, (_, i) => `{{n${i}}}`).join('') },
    ['/template'],
  ],
  ['text.template', { template: '{{a}}'.repeat(1001), a: 1 }, ['/template']],
  ['json.transform', { input: 1 }, ['/expression']],
  ['json.transform', { input: 1, expression: 'a'.repeat(10_001) }, ['/expression']],
  ['json.transform', { input: 1, expression: 'a', outputType: 'sound' }, ['/outputType']],
  ['flow.map', { items: [] }, ['/apply']],
  ['flow.map', { items: [], apply: { ...apply, type: 'input.text' } }, ['/apply/type']],
  ['flow.map', { items: [], apply: { type: 'flow.map', data: {} } }, ['/apply/data/apply']],
  ['flow.map', { items: [], apply, context: ['item'] }, ['/context/0']],
  ['flow.map', { items: [], apply, context: ['language'] }, ['/context/0']],
  ['flow.map', { items: [], apply, context: ['a', 'a'] }, ['/context']],
  [
    'flow.map',
    { items: [], apply, onItemError: 'ignore', maxItems: 10_001 },
    ['/onItemError', '/maxItems'],
  ],
  ['flow.repeat', { value: 1 }, ['/apply', '/until']],
  ['flow.repeat', { value: 1, apply, until: 'true', maxIterations: 101 }, ['/maxIterations']],
  ['flow.repeat', { value: 1, apply, until: '', onLimit: 'stop' }, ['/until', '/onLimit']],
  [
    'flow.repeat',
    { value: 1, apply: { ...apply, type: 'output' }, until: 'true' },
    ['/apply/type'],
  ],
  ['flow.map', { items: [], apply: { type: 'text.generate' } }, ['/apply/data']],
  ['flow.map', { items: [], apply: { type: 'text.generate', data: {} } }, ['/apply/data/model']],
  [
    'flow.map',
    { items: [], apply: { ...apply, itemPort: 'other' } },
    ['/apply/itemPort', '/apply/data/item'],
  ],
  ['flow.map', { items: [], apply: { ...apply, outputPort: 'other' } }, ['/apply/outputPort']],
  [
    'flow.map',
    {
      items: [],
      apply: { type: 'image.generate', data: { model: 'image', prompt: 1 }, itemPort: 'image' },
    },
    ['/apply/data/prompt'],
  ],
  ['flow.map', { items: [], apply, concurrency: 11, maxItems: 0 }, ['/concurrency', '/maxItems']],
  ['flow.merge', { in: 1, mode: 'last' }, ['/mode']],
  ['http.request', {}, ['/url']],
  ['http.request', { url: 'ftp://example.com' }, ['/url']],
  ['http.request', { url: '/relative' }, ['/url']],
  ['http.request', { url: 'https://{{host}}/a' }, ['/url']],
  ['http.request', { url: 'https://example.{{tld}}/a' }, ['/url']],
  ['http.request', { url: 'https://user:pass@example.com/' }, ['/url']],
  ['http.request', { url: 'https://exa mple.com/' }, ['/url']],
  ['http.request', { url, method: 'TRACE' }, ['/method']],
  ['http.request', { url, timeoutMs: 30_001 }, ['/timeoutMs']],
  [
    'http.request',
    { url, headers: { Host: 'a', 'Proxy-X': 'b', 'content-length': '1' } },
    ['/headers/Host', '/headers/Proxy-X', '/headers/content-length'],
  ],
  [
    'http.request',
    { url, headers: { 'x a': 'b', 'x-b': 'a\r\nb' } },
    ['/headers/x a', '/headers/x-b'],
  ],
  ['http.request', { url, query: { a: [] } }, ['/query/a']],
  ['workflow.call', {}, ['/workflowId']],
  ['workflow.call', { workflowId: '7' }, ['/workflowId']],
  ['workflow.call', { workflowId: 0 }, ['/workflowId']],
]
for (const [type, data, paths] of refused) {
  test(`${type} refuses ${JSON.stringify(data).slice(0, 90)}`, async () => {
    assert.deepEqual((await problems(type, data)).sort(), paths.sort())
  })
}

test('a schema that fails the full check is refused with the reason', async () => {
  const data = graph([node('n', 'input.json', { schema: { type: 'object' }, default: 1 })])
  const bySchema = await validate(data, { checkSchemas: async () => [{ schema: 'no good' }] })
  assert.match(String(bySchema.validation.errors[0]?.message), /no good/)
  const issues = [{ path: '', rule: 'type', message: 'must be object' }]
  const byDefault = await validate(data, { checkSchemas: async () => [{ issues }] })
  assert.equal(byDefault.validation.errors[0]?.path, '/nodes/0/data/default')
})

test('a connected port ignores a value of its name in data', async () => {
  const data = graph(
    [node('t', 'input.text'), node('w', 'text.generate', { model: 'text', prompt: 5 })],
    [wire('t', 'w.prompt')],
  )
  assert.ok((await validate(data)).validation.valid)
})

test('every node type says what a canvas needs', () => {
  assert.equal(nodeTypes.length, 21)
  for (const { type, canvas } of nodeTypes) {
    assert.equal(findNodeType(type)?.type, type)
    assert.ok(canvas.label.length > 0 && canvas.help.length > 20 && canvas.icon.length > 0, type)
  }
  assert.equal(findNodeType('browser.crop')?.canvas.group, 'browser')
})
