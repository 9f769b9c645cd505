// Sample content for screenshots and demos: an account after its first week.
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { P, type TestServer } from '../test/support/server.ts'

export type Samples = {
  /** Saved twice, with a successful run. */
  workflowId: number
  runId: string
  /** Small enough to be readable in a screenshot; its run fails. */
  smallId: number
  failedRunId: string
  taskId: string
}

type Server = Pick<TestServer, 'call'>
type Template = { id: string; name: string; data: object; sampleInputs: object }

const prompts = [
  'A lighthouse on a cliff at dusk, warm light, calm sea',
  'Rolling green hills in spring, morning light',
  'Snowy mountains above a quiet lake',
  'Grand opening on Saturday',
  'A sailing boat at night under a full moon',
  'Autumn forest with a small cabin',
  'A city street in the rain, neon lights',
  'Desert dunes under a starry sky',
]

const questions = ['What is 12% of 250?', 'Summarise: the shop opens at nine and closes at six.']

const ran = [
  'translate-and-review',
  'meeting-notes',
  'product-photo-set',
  'article-to-social-posts',
]

/** Submits everything through the public API and waits until it has ended. */
export async function addSamples(server: Server): Promise<Samples> {
  for (const content of questions)
    await post(server, '/chat/completions', { model: 'demo-text', messages: [said(content)] })
  const tasks: string[] = []
  for (const prompt of prompts) {
    const body = { model: 'demo-image', messages: [said(prompt)] }
    tasks.push((await post(server, '/images/generations', body)).taskId)
  }
  const failed = await post(server, '/workflows', { name: 'Post to the shop', data: failing })
  const failedRun = await run(server, failed.id, { news: 'We open at nine from Monday on.' })
  const templates: Template[] = (await get(server, '/templates')).items
  let last = { workflowId: 0, runId: '' }
  for (const id of ran) {
    const template = templates.find((one) => one.id === id)
    if (!template) throw new Error(`there is no template ${id}`)
    const { name, data } = template
    const { id: workflowId } = await post(server, '/workflows', { name, data })
    const { runId } = await run(server, workflowId, template.sampleInputs)
    last = { workflowId, runId }
  }
  await secondVersion(server, last.workflowId)
  await askedRun(server, templates)
  const letter = await post(server, '/workflows', { name: 'Weekly letter', data: asking })
  for (const text of ['Dear readers, we open at nine.', 'Dear readers, we close at six.'])
    await post(server, `/workflows/${letter.id}/runs`, { inputs: { text } })
  for (const taskId of tasks) await ended(server, `/tasks/${taskId}`)
  const [taskId = ''] = tasks
  return { ...last, smallId: failed.id, failedRunId: failedRun.runId, taskId }
}

/** A run that waits for an approval. */
async function askedRun(server: Server, templates: readonly Template[]) {
  const template = templates.find((one) => one.id === 'approved-video')
  if (!template) throw new Error('there is no template that asks')
  const { name, data, sampleInputs: inputs } = template
  const { id } = await post(server, '/workflows', { name, data })
  const { runId } = await post(server, `/workflows/${id}/runs`, { inputs })
  while (!(await get(server, `/workflow-runs/${runId}`)).waitingFor) await setTimeout(250)
}

const said = (content: string) => ({ role: 'user', content })

/** The address does not exist, so the run fails at its third step. */
const failing = {
  nodes: [
    { id: 'news', type: 'input.text', position: { x: 0, y: 0 }, data: { label: 'News' } },
    {
      id: 'shorten',
      type: 'text.generate',
      position: { x: 320, y: 0 },
      data: { label: 'Shorten', model: 'demo-text' },
    },
    {
      id: 'send',
      type: 'http.request',
      position: { x: 640, y: 0 },
      data: { label: 'Send to the shop', method: 'POST', url: 'https://shop.invalid/news' },
    },
    { id: 'answer', type: 'output', position: { x: 960, y: 0 }, data: { label: 'Answer' } },
    {
      id: 'draw',
      type: 'image.generate',
      position: { x: 640, y: 220 },
      data: { label: 'Illustrate', model: 'demo-image' },
    },
    { id: 'picture', type: 'output', position: { x: 960, y: 220 }, data: { label: 'Picture' } },
  ],
  connections: [
    wire('news.value', 'shorten.prompt'),
    wire('shorten.text', 'send.body'),
    wire('send.body', 'answer.value'),
    wire('shorten.text', 'draw.prompt'),
    wire('draw.image', 'picture.value'),
  ],
}

function wire(from: string, to: string) {
  const [source, sourceHandle] = from.split('.')
  const [target, targetHandle] = to.split('.')
  return { source, sourceHandle, target, targetHandle }
}

/** Adds one node and changes another, so that there are two versions to compare. */
async function secondVersion(server: Server, workflowId: number) {
  const workflow = await get(server, `/workflows/${workflowId}`)
  const [first, ...others] = workflow.data.nodes
  const nodes = [
    { ...first, data: { ...first.data, maxLength: 40_000 } },
    ...others,
    {
      id: 'greeting',
      type: 'input.text',
      position: { x: first.position.x, y: first.position.y - 180 },
      data: { label: 'Greeting', required: false },
    },
  ]
  await answer(server, {
    method: 'PUT',
    path: `${P}/workflows/${workflowId}`,
    json: { name: workflow.name, data: { ...workflow.data, nodes } },
  })
}

/** Its runs wait for an answer, so that something is always under way. */
const asking = {
  nodes: [
    { id: 'text', type: 'input.text', position: { x: 0, y: 0 }, data: {} },
    { id: 'ask', type: 'wait.approval', position: { x: 320, y: 0 }, data: { title: 'Send it?' } },
    { id: 'out', type: 'output', position: { x: 640, y: 0 }, data: {} },
  ],
  connections: [wire('text.value', 'ask.value'), wire('ask.approved', 'out.value')],
}

/** Ten nodes, of which four call a model. */
export const letterAndPictures = {
  nodes: [
    at(0, 0.5, 'topic', 'input.text', { label: 'Topic', default: 'the harbour' }),
    at(1, 0, 'brief', 'text.template', { label: 'Brief', template: 'Write about {{topic}}.' }),
    at(1, 1, 'mood', 'text.template', { label: 'Mood', template: '{{topic}}, calm, at dusk' }),
    at(2, 0, 'draft', 'text.generate', { label: 'Draft', model: 'demo-text' }),
    at(2, 1, 'picture', 'image.generate', { label: 'Picture', model: 'demo-image' }),
    at(3, 0, 'polish', 'text.generate', { label: 'Polish', model: 'demo-text' }),
    at(3, 1, 'banner', 'image.generate', { label: 'Banner', model: 'demo-image' }),
    at(4, 0, 'letter', 'output', { label: 'Letter' }),
    at(4, 1, 'pictures', 'flow.merge', { label: 'Both', mode: 'list' }),
    at(5, 1, 'shown', 'output', { label: 'Pictures' }),
  ],
  connections: [
    wire('topic.value', 'brief.topic'),
    wire('topic.value', 'mood.topic'),
    wire('brief.text', 'draft.prompt'),
    wire('draft.text', 'polish.prompt'),
    wire('polish.text', 'letter.value'),
    wire('mood.text', 'picture.prompt'),
    wire('mood.text', 'banner.prompt'),
    wire('picture.image', 'pictures.in'),
    wire('banner.image', 'pictures.in'),
    wire('pictures.output', 'shown.value'),
  ],
}

function at(column: number, row: number, id: string, type: string, data: object) {
  return { id, type, position: { x: column * 280, y: row * 360 }, data }
}

export async function run(server: Server, workflowId: number, inputs: object) {
  const { runId } = await post(server, `/workflows/${workflowId}/runs`, { inputs })
  return ended(server, `/workflow-runs/${runId}`)
}

async function ended(server: Server, path: string) {
  for (;;) {
    const record = await get(server, path)
    if (!['QUEUED', 'RUNNING'].includes(record.status)) return record
    await setTimeout(250)
  }
}

export const post = (server: Server, path: string, json: object) =>
  answer(server, {
    method: 'POST',
    path: P + path,
    headers: { 'idempotency-key': randomUUID() },
    json,
  })
const get = (server: Server, path: string) => answer(server, { path: P + path })

async function answer(server: Server, call: Exclude<Parameters<Server['call']>[0], string>) {
  const { status, body, text } = await server.call(call)
  if (status >= 400) throw new Error(`${call.path}: ${text}`)
  return body.data
}
