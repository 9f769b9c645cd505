// Requests that a server with its demo models accepts, and answers as it gives them. A test sends
// the requests and checks the answers against their schemas.

type Example = { request?: unknown; data?: unknown }

const at = '2026-09-10T01:46:30.000Z'
const later = '2026-09-10T01:46:34.000Z'
const taskId = '01a1de12-2b6f-7000-8000-0f3a5c1b7d20'
const runId = '01a1de12-3561-7000-8000-072916837558'
const usd = (amount: number) => ({ amount, currency: 'USD' })
const prompt = (content: string) => [{ role: 'user', content }]

const graph = {
  nodes: [
    { id: 'topic', type: 'input.text', data: { label: 'Topic', maxLength: 200 } },
    { id: 'ask', type: 'text.template', data: { template: 'Write a headline about {{topic}}.' } },
    { id: 'write', type: 'text.generate', data: { model: 'demo-text', maxTokens: 60 } },
    { id: 'headline', type: 'output', data: {} },
  ],
  connections: [
    { source: 'topic', target: 'ask', targetHandle: 'topic' },
    { source: 'ask', target: 'write', targetHandle: 'prompt' },
    { source: 'write', target: 'headline' },
  ],
}
const workflow = {
  id: 7,
  workflowId: 7,
  name: 'Headline',
  canvasScale: null,
  version: 1,
  nodeCount: 4,
  connectionCount: 3,
  createdAt: at,
  updatedAt: at,
}
const accepted = { status: 'QUEUED', createdAt: at, retryAfterSeconds: 1 }
const task = {
  taskId,
  kind: 'IMAGE',
  status: 'COMPLETED',
  model: 'demo-image',
  promptPreview: 'A lighthouse at dusk',
  source: 'DIRECT',
  createdAt: at,
  startedAt: at,
  completedAt: later,
  imageContent: [
    {
      url: 'https://atelier.example/media/01a1de12?expires=1789084000&signature=x',
      mimeType: 'image/png',
      sizeBytes: 48213,
      width: 1024,
      height: 1024,
    },
  ],
  error: null,
  cost: usd(0),
  retryAfterSeconds: 0,
}
const page = (items: unknown[]) => ({
  items,
  page: 1,
  size: 20,
  total: 1,
  totalPages: 1,
  next: null,
})
const submitted = { runId, workflowId: 7, ...accepted, idempotentReplay: false }

export const examplesOf: Record<string, Example | undefined> = {
  createChatCompletion: {
    request: { model: 'demo-text', messages: prompt('What is 12% of 250?'), maxTokens: 60 },
    data: {
      id: 'chat_01a1de12',
      model: 'demo-text',
      content: '12% of 250 is 30.',
      finishReason: 'stop',
      usage: { inputTokens: 9, outputTokens: 8, totalTokens: 17 },
      cost: usd(0),
      createdAt: at,
    },
  },
  generateImage: {
    request: { model: 'demo-image', messages: prompt('A lighthouse at dusk') },
    data: { taskId, kind: 'IMAGE', ...accepted },
  },
  generateVideo: {
    request: {
      model: 'demo-video',
      messages: prompt('Waves against a lighthouse'),
      videoSeconds: 1,
      videoResolution: '360p',
    },
    data: { taskId, kind: 'VIDEO', ...accepted },
  },
  getTask: { data: task },
  listTasks: { data: page([task]) },
  createWorkflow: {
    request: { name: 'Headline', data: graph },
    data: { ...workflow, data: graph },
  },
  validateWorkflow: {
    request: { data: graph },
    data: {
      valid: true,
      errors: [],
      warnings: [],
      unsupportedNodes: [],
      nodeCount: 4,
      connectionCount: 3,
    },
  },
  getWorkflow: { data: { ...workflow, data: graph } },
  listWorkflows: { data: page([workflow]) },
  runWorkflow: {
    request: { inputs: { topic: 'autumn by the sea' }, metadata: { order: 42 } },
    data: submitted,
  },
  getWorkflowRun: {
    data: {
      runId,
      workflowId: 7,
      workflowName: 'Headline',
      workflowVersion: 1,
      status: 'COMPLETED',
      createdAt: at,
      startedAt: at,
      completedAt: later,
      nodeErrors: [],
      progress: { total: 4, completed: 4, skipped: 0, failed: 0 },
      cost: usd(0),
      metadata: { order: 42 },
      callback: null,
      cancelRequestedAt: null,
      cancelReason: null,
      inFlightTaskMayComplete: false,
      retryAfterSeconds: 0,
      outputs: { headline: 'Autumn by the sea' },
      nodes: [
        {
          nodeId: 'write',
          type: 'text.generate',
          status: 'COMPLETED',
          attempts: 1,
          startedAt: at,
          completedAt: later,
          cost: usd(0),
        },
      ],
    },
  },
  cancelWorkflowRun: {
    request: { reason: 'No longer needed' },
    data: {
      runId,
      status: 'CANCEL_REQUESTED',
      accepted: true,
      cancelRequestedAt: later,
      cancelReason: 'No longer needed',
      inFlightTaskMayComplete: true,
      retryAfterSeconds: 1,
    },
  },
}
