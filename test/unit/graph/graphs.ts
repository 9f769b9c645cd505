// Graphs for tests, and the services a check needs, without processes or a store.

import type { ModelFacts } from '#graph/node/models.ts'
import type { StoredGraph } from '#graph/validation/calls.ts'
import { type ValidateEnv, validateGraph } from '#graph/validation/validate.ts'

export const node = (id: string, type: string, data: Record<string, unknown> = {}) => ({
  id,
  type,
  data,
})

/** `node` or `node.port` at either end. */
export function wire(from: string, to: string) {
  const [source, sourceHandle] = from.split('.')
  const [target, targetHandle] = to.split('.')
  return { source, sourceHandle, target, targetHandle }
}

export type Graph = { nodes: unknown[]; connections: unknown[] }

export const graph = (nodes: unknown[], connections: unknown[] = []): Graph => ({
  nodes,
  connections,
})

const model = (
  id: string,
  kind: ModelFacts['kind'],
  rest: Partial<ModelFacts> = {},
): [string, ModelFacts] => [
  id,
  {
    id,
    kind,
    provider: 'openai',
    availability: 'available',
    capabilities: {},
    pricing: null,
    ...rest,
  },
]

const catalogue = new Map([
  model('text', 'TEXT', { pricing: { inputPerMillionTokens: 2, outputPerMillionTokens: 10 } }),
  model('code', 'CODE', {
    provider: 'anthropic',
    pricing: { inputPerMillionTokens: 3, outputPerMillionTokens: 15 },
  }),
  model('image', 'IMAGE', {
    pricing: { perImage: 0.04 },
    capabilities: { imageAspectRatios: ['1:1', '16:9'] },
  }),
  model('drawn', 'IMAGE', {
    pricing: { inputPerMillionTokens: 5, outputPerMillionTokens: 30 },
  }),
  model('video', 'VIDEO', {
    pricing: { perSecond: 0.1 },
    capabilities: { videoSeconds: { min: 1, max: 10, default: 4 }, videoAudio: false },
  }),
  model('limited', 'TEXT', {
    capabilities: { maxOutputTokens: 100, temperature: { min: 0, max: 1 } },
  }),
  model('unpriced', 'TEXT'),
  model('ending', 'TEXT', {
    lifecycle: { status: 'retiring', shutdownAt: '2027-01-06', replacement: 'text' },
  }),
  model('ended', 'TEXT', { lifecycle: { status: 'retired', shutdownAt: '2026-01-06' } }),
  model('disabled', 'TEXT', { availability: 'disabled' }),
  model('keyless', 'TEXT', { availability: 'not-configured', provider: 'acme' }),
])

export const models = (id: string) => catalogue.get(id)

export type Options = Partial<ValidateEnv> & { stored?: Record<number, unknown> }

/** Expressions holding "(((" count as broken; schemas are taken as they are. */
export const validate = (data: unknown, { stored = {}, ...options }: Options = {}) =>
  validateGraph(data, {
    models,
    selfId: null,
    load: async (ids) =>
      ids
        .filter((id) => id in stored)
        .map((id): StoredGraph => ({ workflowId: id, version: 1, data: stored[id], chars: 1 })),
    checkExpressions: async (texts) =>
      texts.map((text) => (text.includes('(((') ? 'Unexpected end of expression' : null)),
    checkSchemas: async (checks) => checks.map(() => ({ issues: [] })),
    findCredentials: async () => [],
    ...options,
  })

export const codesOf = async (data: unknown, options: Options = {}) =>
  (await validate(data, options)).validation.errors.map((error) => error.code)

/** input → template → text.generate → output. */
export const small = () =>
  graph(
    [
      node('topic', 'input.text'),
      node('ask', 'text.template', { template: 'Write about {{topic}}.' }),
      node('write', 'text.generate', { model: 'text' }),
      node('result', 'output'),
    ],
    [wire('topic', 'ask.topic'), wire('ask', 'write.prompt'), wire('write', 'result')],
  )
