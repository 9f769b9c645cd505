import type { Config, NodeType } from '../node/node-type.ts'

/** Settings for the docs, for types whose initial settings do not show enough. */
const settings: Record<string, Config> = {
  'input.text': { label: 'Topic', minLength: 3, maxLength: 200 },
  'input.number': { label: 'Copies', integer: true, minimum: 1, maximum: 10, default: 1 },
  'input.boolean': { label: 'Translate', default: false },
  'input.image': { label: 'Photo', description: 'A product on a plain background.' },
  'input.video': { label: 'Clip', required: false },
  'input.json': { label: 'Order', schema: { type: 'object', required: ['items'] } },
  'text.generate': { maxTokens: 400, responseFormat: 'json' },
  'image.generate': { imageAspectRatio: '16:9' },
  'video.generate': { videoSeconds: 5 },
  'text.template': { template: 'Write a headline about {{topic}} in {{language}}.' },
  'json.transform': { expression: 'items[price > 10].name', outputType: 'list' },
  'flow.condition': { expression: 'score >= 0.8' },
  'flow.map': {
    apply: { type: 'text.template', data: { template: '- {{item}}' } },
    concurrency: 4,
    maxItems: 50,
    onItemError: 'collect',
  },
  'flow.repeat': {
    apply: {
      type: 'text.generate',
      data: { model: 'demo-text', system: 'Make the text shorter. Keep its meaning.' },
    },
    until: '$length(value) <= 280',
    maxIterations: 5,
    onLimit: 'pass',
  },
  'flow.merge': { mode: 'object' },
  'wait.delay': { seconds: 3600 },
  'wait.approval': { title: 'Publish this post?', expiresAfterSeconds: 86_400 },
  'wait.callback': {
    request: { method: 'POST', url: 'https://api.example.com/jobs' },
    expiresAfterSeconds: 3600,
  },
  'http.request': {
    method: 'POST',
    url: 'https://api.example.com/orders/{{id}}',
    headers: { accept: 'application/json' },
    credential: 'orders-api',
  },
  'workflow.call': { workflowId: 7 },
  output: { label: 'Headline' },
}

/** A node of this type as it appears in a graph, with settings that its schema accepts. */
export function exampleNode({ type, canvas, modelKinds }: NodeType) {
  const [kind] = modelKinds ?? []
  const model = kind === undefined ? {} : { model: `demo-${kind.toLowerCase()}` }
  const id = type.replace(/[^a-z]+/g, '_')
  return { id, type, data: { ...canvas.initial, ...model, ...settings[type] } }
}
