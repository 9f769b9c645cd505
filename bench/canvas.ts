// What a browser computes for the largest graph that a workflow may hold: to open it, to select all
// of it, and for each step of a drag. In processor time of the page, which other programs on the
// machine hardly change.
import type { CDPSession } from 'playwright-core'
import { addWorkflow, graphArea, largestGraph } from '../test/console/canvas-page.ts'
import {
  type ConsolePage,
  type ConsoleTest,
  startConsole,
} from '../test/support/console-browser.ts'
import type { Effort, Row } from './report.ts'

const dragSteps = 40
const rounds = 5

type Times = Record<'open' | 'selectAll' | 'dragStep' | 'dragAllStep', number>

export async function benchCanvas(_dataDir: string, effort: Effort): Promise<Row[]> {
  await using app = await startConsole()
  const measured: Times[] = []
  for (let round = 0; round < (effort === 'quick' ? 1 : rounds); round++) {
    // Another workflow each time: a drag leaves a draft, in which the node may lie below another.
    const id = await addWorkflow(app, `Largest ${round}`, largestGraph())
    measured.push(await measure(app, id))
  }
  const row = (name: string, of: keyof Times, goalMs: number | null): Row => {
    const ms = Math.min(...measured.map((times) => times[of]))
    return {
      name: `canvas of 200 nodes, 1,000 connections: ${name}`,
      value: `${ms.toFixed(1)} ms`,
      limit: '',
      ratio: null,
      goal: goalMs === null ? '' : `≤ ${goalMs} ms`,
      isMet: goalMs === null ? null : ms <= goalMs,
    }
  }
  return [
    row('all to open it', 'open', 1_500),
    row('script and layout to select all', 'selectAll', 120),
    row('script of one step of a drag', 'dragStep', 20),
    row('script of one step, all nodes dragged', 'dragAllStep', null),
  ]
}

const measure = (app: ConsoleTest, id: number): Promise<Times> =>
  app.open('/sign-in', async (page) => {
    const devTools = await page.context().newCDPSession(page)
    await devTools.send('Performance.enable', { timeDomain: 'threadTicks' })
    const open = await spent(devTools, ['TaskDuration'], async () => {
      await page.goto(`${app.server.url}/console/workflows/${id}`)
      await page.locator('#node-n199').waitFor()
      await shown(page)
    })
    await page
      .getByText(/^(No problems|[0-9]+ (problem|warning))/)
      .first()
      .waitFor()
    await graphArea(page).focus()
    const dragStep = await dragStepMs(page, devTools)
    const shows = ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration']
    const selectAll = await spent(devTools, shows, async () => {
      await page.keyboard.press('Control+a')
      await page.locator('.react-flow__node.selected').nth(199).waitFor({ state: 'attached' })
      await page.getByRole('heading', { name: '200 nodes' }).waitFor()
      await shown(page)
    })
    return { open, selectAll, dragStep, dragAllStep: await dragStepMs(page, devTools) }
  })

async function dragStepMs(page: ConsolePage, devTools: CDPSession): Promise<number> {
  const box = await restingBox(page)
  const from = { x: box.x + box.width / 2, y: box.y + box.height / 4 }
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + 8, from.y + 8)
  await page.locator('.react-flow__node.dragging').first().waitFor({ state: 'attached' })
  await shown(page)
  const ms = await spent(devTools, ['ScriptDuration'], async () => {
    for (let step = 1; step <= dragSteps; step++) {
      await page.mouse.move(from.x + 8 + step * 2, from.y + 8 + step)
      await shown(page)
    }
  })
  await page.mouse.move(from.x, from.y)
  await page.mouse.up()
  await shown(page)
  return ms / dragSteps
}

/** What the page computed while `act` ran, in milliseconds of processor time. */
async function spent(
  devTools: CDPSession,
  kinds: readonly string[],
  act: () => Promise<void>,
): Promise<number> {
  const read = async () => {
    const { metrics } = await devTools.send('Performance.getMetrics')
    const values = metrics.filter(({ name }) => kinds.includes(name)).map(({ value }) => value)
    return values.reduce((sum, value) => sum + value, 0) * 1_000
  }
  const before = await read()
  await act()
  return (await read()) - before
}

/** After the next frame has been painted. */
const shown = (page: ConsolePage) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')

/** Where a node in the middle is: a panel that opens moves the view. */
async function restingBox(page: ConsolePage) {
  for (let last = ''; ; ) {
    const box = await page.locator('#node-n110').boundingBox()
    if (box && JSON.stringify(box) === last) return box
    last = JSON.stringify(box)
    await shown(page)
  }
}
