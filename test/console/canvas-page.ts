// The canvas as people use it: by pointer and by keyboard.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { ConsoleTest } from '../support/console-browser.ts'
import { P } from '../support/server.ts'

export type Graph = {
  nodes: { id: string; type: string; position: { x: number; y: number }; data: object }[]
  connections: object[]
}

export const graphArea = (page: Page) => page.getByRole('application', { name: 'Workflow graph' })

export async function blankCanvas(page: Page) {
  await page.getByRole('button', { name: 'Blank workflow' }).click()
  await graphArea(page).waitFor()
}

export const port = (page: Page, node: string, name: string) =>
  page.locator(`#node-${node} [data-handleid="${name}"]`)

/** Resolves when every node is inside the frame of the graph, some frames after the last change. */
export async function everyNodeInView(page: Page) {
  await page.evaluate('new Promise((done) => setTimeout(() => requestAnimationFrame(done), 0))')
  await page.waitForFunction(`(() => {
    const frame = document.querySelector('.react-flow').getBoundingClientRect()
    return [...document.querySelectorAll('.node-card')].every((card) => {
      const { left, right } = card.getBoundingClientRect()
      return left >= frame.left && right <= frame.right
    })
  })()`)
}

/** Drags a wire and lets it go; `hold` looks at the page before the drop. */
export async function dragWire(
  page: Page,
  from: [node: string, port: string],
  to: [node: string, port: string],
  hold?: () => Promise<void>,
) {
  const start = await reach(page, ...from)
  const end = await middle(page, ...to)
  await page.mouse.down()
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2, { steps: 2 })
  await page.mouse.move(end.x, end.y, { steps: 2 })
  await hold?.()
  await page.mouse.up()
}

/**
 * Moves the mouse over a port and says where that is. A graph that has just appeared is still fitted
 * into the window: a place that was read before that is another place afterwards.
 */
export async function reach(page: Page, node: string, name: string) {
  await port(page, node, name).hover()
  const at = await middle(page, node, name)
  await page.mouse.move(at.x, at.y)
  return at
}

async function middle(page: Page, node: string, name: string) {
  const box = await port(page, node, name).boundingBox()
  assert.ok(box, `port ${name} of ${node}`)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** The workflow of the address as the API gives it; a draft has a number once it is saved. */
export async function storedGraph(app: ConsoleTest, page: Page): Promise<Graph> {
  await page.waitForURL(/workflows\/\d+(\?|$)/)
  const id = /workflows\/(\d+)/.exec(page.url())?.[1]
  const { body } = await app.server.call({ path: `${P}/workflows/${id}` })
  return body.data.data
}

export async function addWorkflow(app: ConsoleTest, name: string, data: object): Promise<number> {
  const answer = await app.server.call({
    method: 'POST',
    path: `${P}/workflows`,
    json: { name, data },
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.id
}

/** Saved under a version number, as the page says itself. */
export const saved = (page: Page, version: number) =>
  page.getByRole('main').getByText(`Saved as version ${version}`, { exact: true }).waitFor()

const nodeCount = 200
const wireCount = 1000

/** Ten inputs, then merges of many earlier nodes: as much as a workflow may hold. */
export function largestGraph() {
  const nodes = Array.from({ length: nodeCount }, (_, i) => ({
    id: `n${i}`,
    type: i < 10 ? 'input.text' : 'flow.merge',
    position: { x: (i % 20) * 300, y: Math.floor(i / 20) * 140 },
    data: i < 10 ? { required: false } : { mode: 'list' },
  }))
  const connections: { source: string; target: string; targetHandle: string }[] = []
  for (let reach = 10; connections.length < wireCount; reach++) {
    for (let target = reach; target < nodeCount && connections.length < wireCount; target++) {
      connections.push({
        source: `n${target - reach}`,
        target: `n${target}`,
        targetHandle: 'in',
      })
    }
  }
  return { nodes, connections }
}

/** Resolves when the draft on the page is stored on the server. */
export const draftStored = (page: Page) =>
  page.waitForResponse(
    (response) =>
      response.url().includes('/drafts/') && response.request().method() === 'PUT' && response.ok(),
  )
