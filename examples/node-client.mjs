// A tour of the client: list, chat, an image that is waited for, a workflow run with progress.
import { AtelierError, createClient } from 'atelier/client'

const client = createClient({
  baseUrl: process.env.ATELIER_URL ?? 'http://127.0.0.1:8787',
  apiKey: process.env.ATELIER_API_KEY ?? '',
  signal: AbortSignal.timeout(300_000),
})

const shortVersion = {
  nodes: [
    { id: 'article', type: 'input.text', data: { label: 'Article' } },
    { id: 'ask', type: 'text.template', data: { template: 'Summarise in one sentence: {{text}}' } },
    { id: 'write', type: 'text.generate', data: { model: 'demo-text' } },
    { id: 'summary', type: 'output', data: {} },
  ],
  connections: [
    { source: 'article', target: 'ask', targetHandle: 'text' },
    { source: 'ask', target: 'write', targetHandle: 'prompt' },
    { source: 'write', target: 'summary' },
  ],
}

const article =
  'Atelier is a self-hosted server. People and agents generate text, images and video through it. It stores what was asked before it answers, so nothing is lost when a process dies.'

async function chat() {
  const { items } = await client.models.list()
  console.log('models:', items.map(({ id, kind }) => `${id} (${kind})`).join(', '))
  const { content, usage } = await client.chat.create({
    model: 'demo-text',
    messages: [{ role: 'user', content: 'What is 12% of 250?' }],
  })
  console.log(`chat: ${content} [${usage.totalTokens} tokens]`)
}

async function image() {
  const { taskId } = await client.images.generate({
    model: 'demo-image',
    messages: [{ role: 'user', content: 'A red boat on a quiet lake' }],
    imageAspectRatio: '16:9',
  })
  const task = await client.tasks.wait(taskId, {
    onProgress: ({ status }) => console.log('image:', status),
  })
  const [picture] = task.imageContent ?? []
  if (!picture) throw new Error(task.error?.message ?? `the task is ${task.status}`)
  console.log(`image: ${picture.width}x${picture.height} ${picture.mimeType} at ${picture.url}`)
}

async function run() {
  const workflow = await client.workflows.create({ name: 'Short version', data: shortVersion })
  const input = {
    inputs: { article },
    // Told there when it ends, too: see webhook-receiver.mjs.
    ...(process.env.CALLBACK_URL ? { callbackUrl: process.env.CALLBACK_URL } : {}),
  }
  const { estimatedCost, currency } = await client.workflows.estimate(workflow.id, input)
  console.log(`workflow ${workflow.id}: about ${estimatedCost} ${currency} a run`)
  const ended = await client.runs.submitAndWait(workflow.id, input, {
    onProgress: ({ status, progress }) =>
      console.log(`run: ${status}, ${progress.completed} of ${progress.total} nodes`),
  })
  if (ended.status !== 'COMPLETED') throw new Error(ended.nodeErrors[0]?.message ?? ended.status)
  console.log('summary:', ended.outputs?.summary)
  await client.workflows.delete(workflow.id)
}

try {
  await chat()
  await image()
  await run()
} catch (error) {
  if (!(error instanceof AtelierError)) throw error
  console.error(`${error.code}: ${error.message} [request ${error.requestId}]`)
  process.exitCode = 1
}
