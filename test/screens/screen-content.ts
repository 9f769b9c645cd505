// What screens need besides the sample content: long lists, long names, and one of everything that a
// dialog can be about.
import type { Samples } from '../../scripts/sample-content.ts'
import { consolePath, personOf } from '../support/console.ts'
import { type ConsoleTest, owner } from '../support/console-browser.ts'
import { P } from '../support/server.ts'

export type ScreenSamples = Samples & {
  /** With groups, notes, a muted and a bypassed node. */
  drawnId: number
  /** Asks for a picture. */
  pictureId: number
}

export async function addScreenContent(
  { server }: ConsoleTest,
  samples: Samples,
): Promise<ScreenSamples> {
  const signedIn = await server.call({
    ...{ method: 'POST', path: `${consolePath}/sign-in`, key: null, json: owner },
    headers: { origin: server.url },
  })
  const person = personOf(server, signedIn, owner)
  const ask = async (method: string, path: string, json: object) => {
    const isPublic = path.startsWith(P)
    const call = { method, path: isPublic ? path : consolePath + path, json }
    const answer = await (isPublic ? server.call(call) : person.call(call))
    if (answer.status >= 400) throw new Error(`${path}: ${answer.text}`)
    return answer.body.data
  }
  const models = ['demo-text', 'demo-image']
  for (let i = 1; i <= 30; i++) {
    const name = `${i}-answers-of-the-customer-service-in-the-languages-of-the-eu`.slice(0, 64)
    const candidates = [{ model: models[0], ...(i % 3 === 0 ? { weight: 3 } : {}) }]
    await ask('PUT', `/routes/${name}`, {
      candidates,
      ...(i % 2 === 0 ? { description: `Used by team ${i}, by day and by night.` } : {}),
    })
  }
  const budgets = [
    { scope: 'account', period: 'month', limit: 250 },
    { scope: 'account', period: 'day', limit: 25 },
    { scope: 'tag', target: 'newsletter-of-the-northern-region', period: 'month', limit: 12.5 },
    { scope: 'workflow', target: String(samples.workflowId), period: 'day', limit: 0 },
  ]
  for (const budget of budgets) await ask('PUT', '/budgets', budget)
  const until = new Date(Date.now() + 3_600_000).toISOString()
  const raise = { scope: 'account', period: 'day', amount: 10, until }
  await ask('PUT', '/budgets/raise', raise)
  const hosts = ['api.example.com']
  const credential = { name: 'shop-of-the-northern-region', kind: 'bearer', secret: 's'.repeat(20) }
  await ask('POST', '/credentials', { ...credential, hosts })
  await ask('POST', '/invitations', { email: 'bea@example.com', role: 'editor' })
  const triggers = `${P}/workflows/${samples.smallId}/triggers`
  await ask('POST', triggers, {
    name: 'Every Monday, before anybody is in',
    kind: 'SCHEDULE',
    cron: '0 7 * * 1',
    inputs: { news: 'We are open.' },
  })
  await ask('POST', triggers, {
    name: 'From the shop',
    kind: 'WEBHOOK',
    mapping: '{ "news": body }',
  })
  const drawn = await ask('POST', `${P}/workflows`, { name: 'Drawn', data: drawing })
  const picture = await ask('POST', `${P}/workflows`, { name: 'Describe', data: describing })
  return { ...samples, drawnId: drawn.id, pictureId: picture.id }
}

const text = (id: string, x: number, y: number, more: object = {}) => ({
  id,
  type: 'text.generate',
  position: { x, y },
  data: { model: 'demo-text', label: `Write ${id}` },
  ...more,
})

const drawing = {
  nodes: [
    { id: 'topic', type: 'input.text', position: { x: 0, y: 100 }, data: { label: 'Topic' } },
    text('short', 360, 0),
    text('long', 360, 260, { mode: 'mute' }),
    text('polish', 720, 0, { mode: 'bypass' }),
    { id: 'out', type: 'output', position: { x: 1_080, y: 0 }, data: { label: 'Answer' } },
  ],
  connections: [
    { source: 'topic', target: 'short', targetHandle: 'prompt' },
    { source: 'topic', target: 'long', targetHandle: 'prompt' },
    { source: 'short', target: 'polish', targetHandle: 'prompt' },
    { source: 'polish', target: 'out' },
  ],
  groups: [{ id: 'drafts', title: 'Two drafts of different length', nodes: ['short', 'long'] }],
  notes: [
    {
      id: 'why',
      text: 'The long one is muted until Bea has read it. Ask her before you change the model.',
      position: { x: 720, y: 300 },
    },
  ],
}

const describing = {
  nodes: [
    { id: 'picture', type: 'input.image', position: { x: 0, y: 0 }, data: { label: 'Picture' } },
    { id: 'out', type: 'output', position: { x: 360, y: 0 }, data: {} },
  ],
  connections: [{ source: 'picture', target: 'out' }],
}
