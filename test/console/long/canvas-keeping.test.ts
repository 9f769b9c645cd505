import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  assertSound,
  type ConsoleTest,
  screenshot,
  startConsole,
} from '../../support/console-browser.ts'
import { P } from '../../support/server.ts'
import {
  addWorkflow,
  blankCanvas,
  draftStored,
  graphArea,
  saved,
  storedGraph,
} from '../canvas-page.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole()
})
after(() => app[Symbol.asyncDispose]())

const node = (id: string, type: string, x: number, data: object = {}) => ({
  id,
  type,
  position: { x, y: 0 },
  data,
})
const chain = {
  nodes: [
    node('in', 'input.text', 0),
    node('shape', 'text.template', 320, { label: 'Shape', template: 'Say {{input}}' }),
    node('out', 'output', 640),
  ],
  connections: [
    { source: 'in', target: 'shape', targetHandle: 'input' },
    { source: 'shape', target: 'out' },
  ],
}

test('a half-built graph survives a killed tab, and is found in the list', () =>
  app.open('/workflows/new', async (page) => {
    await blankCanvas(page)
    await page.getByLabel('Name of the workflow').fill('Half built')
    const palette = page.getByRole('complementary', { name: 'Node types' })
    await palette.getByRole('button', { name: 'Generate text' }).click()
    // An earlier save may already have been confirmed on the page.
    const saved = page.waitForResponse(
      (response) =>
        response.url().includes('/drafts/') &&
        (response.request().postData() ?? '').includes('"output"'),
    )
    await palette.getByRole('button', { name: 'Output' }).click()
    await saved
    await page.getByText('Draft saved').waitFor()
    const other = await app.tab(page, '/workflows')
    await page.close({ runBeforeUnload: false })
    await assertSound(other)
    await other.getByRole('link', { name: 'Half built' }).click()
    await other.locator('#node-generate-text').waitFor()
    await other.locator('#node-output').waitFor()
    // It is not valid yet, and says so at its node and in the list.
    await other.getByText('1 problem', { exact: true }).first().waitFor()
    await other.keyboard.press('F8')
    await other.getByRole('complementary', { name: 'Inspector' }).waitFor()
    await assertSound(other)
  }))

test('without the server a draft is kept in the browser, and sent when it is back', () =>
  app.open('/workflows/new', async (page) => {
    page.expected.push(/Failed to load resource|ERR_FAILED|ERR_INTERNET/)
    await blankCanvas(page)
    await page.route('**/api/console/v1/drafts/**', (route) => route.abort())
    const palette = page.getByRole('complementary', { name: 'Node types' })
    await palette.getByRole('button', { name: 'Number input' }).click()
    await page.getByText('Draft saved in this browser').waitFor()
    const address = page.url()
    await page.unroute('**/api/console/v1/drafts/**')
    const other = await app.tab(page, new URL(address).pathname.replace('/console', ''))
    await page.close({ runBeforeUnload: false })
    await other.locator('#node-number').waitFor()
  }))

test('a draft that is older than the workflow says so; an estimate is never that of before', async () => {
  const workflowId = await addWorkflow(app, 'Overtaken', chain)
  await app.open(`/workflows/${workflowId}?node=in`, async (page) => {
    const amount = page.getByRole('button', { name: /^Estimate/ })
    await amount.waitFor()
    let release = () => {}
    const held = new Promise<void>((done) => {
      release = done
    })
    await page.route('**/api/console/v1/workflows/check', async (route) => {
      await held
      await route.continue()
    })
    await page.getByRole('complementary', { name: 'Inspector' }).getByLabel('Name').fill('Mine')
    await page.getByText('Estimating…').waitFor()
    assert.equal(await amount.count(), 0)
    release()
    await amount.waitFor()
    await page.getByText('Draft saved', { exact: true }).first().waitFor()
    const [first, , last] = chain.nodes
    const louder = node('shape', 'text.template', 320, { template: 'Shout {{input}}' })
    const json = { data: { ...chain, nodes: [first, louder, last] } }
    const put = await app.server.call({ method: 'PUT', path: `${P}/workflows/${workflowId}`, json })
    assert.equal(put.status, 200, put.text)
    await page.reload()
    await page.getByText('This draft is older than the workflow').waitFor()
    await page.getByText(/started from version 1; version 2 has been saved since/).waitFor()
    await assertSound(page)
    await page.getByRole('link', { name: 'See what changed' }).click()
    await page.waitForURL(/compare\?from=1&to=2/)
  })
})

test('two tabs that save keep both changes', async () => {
  const workflowId = await addWorkflow(app, 'Shared', chain)
  await app.open(`/workflows/${workflowId}`, async (first) => {
    first.expected.push(/412/)
    await first.locator('#node-in').waitFor()
    const second = await app.tab(first, `/workflows/${workflowId}`)
    second.expected.push(/412/)
    await second.locator('#node-in').waitFor()

    await first.locator('#node-in .node-title').click()
    await first.getByRole('complementary', { name: 'Inspector' }).getByLabel('Name').fill('First')
    await first.getByRole('button', { name: 'Save' }).click()
    await saved(first, 2)

    await second.locator('#node-out .node-title').click()
    await second.getByRole('complementary', { name: 'Inspector' }).getByLabel('Name').fill('Second')
    await second.getByRole('button', { name: 'Save' }).click()
    await second.getByRole('dialog').getByText('Both can be kept').waitFor()
    await assertSound(second)
    await second.getByRole('button', { name: 'Keep both' }).click()
    await saved(second, 3)
    const labels = (await storedGraph(app, second)).nodes.map(
      ({ data }) => (data as { label?: string }).label,
    )
    assert.deepEqual(labels, ['First', 'Shape', 'Second'])

    // The same node on both sides: only a choice goes on.
    await first.locator('#node-shape .node-title').click()
    await first.getByRole('complementary', { name: 'Inspector' }).getByLabel('Name').fill('Mine')
    await second.locator('#node-shape .node-title').click()
    await second.getByRole('complementary', { name: 'Inspector' }).getByLabel('Name').fill('Theirs')
    await second.getByRole('button', { name: 'Save' }).click()
    await saved(second, 4)
    await first.getByRole('button', { name: 'Save' }).click()
    const choose = first.getByRole('button', { name: 'Save my choices' })
    assert.ok(await choose.isDisabled())
    await assertSound(first)
    await first.getByRole('radio', { name: /^Mine/ }).check()
    await choose.click()
    await saved(first, 5)
    const after = await storedGraph(app, first)
    assert.deepEqual(
      after.nodes.map(({ data }) => (data as { label?: string }).label),
      ['First', 'Mine', 'Second'],
    )
  })
})

test('twelve nodes pasted into another tab are one undo', async () => {
  const nodes = Array.from({ length: 12 }, (_, i) => node(`n${i}`, 'input.text', i * 260))
  const workflowId = await addWorkflow(app, 'Twelve', { nodes, connections: [] })
  await app.open(`/workflows/${workflowId}`, async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await graphArea(page).focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+c')
    const other = await app.tab(page, '/workflows/new')
    await blankCanvas(other)
    await graphArea(other).focus()
    await other.keyboard.press('Control+v')
    await other.locator('#node-n11').waitFor()
    assert.equal(await other.locator('.node-card').count(), 12)
    await other.keyboard.press('Control+z')
    await other.locator('.node-card').first().waitFor({ state: 'detached' })
    assert.equal(await other.locator('.node-card').count(), 0)
    await other.keyboard.press('Shift+Control+z')
    await other.locator('#node-n11').waitFor()
  })
})

test('versions show author, note and what differs, and an old one can be restored', async () => {
  const workflowId = await addWorkflow(app, 'Versioned', chain)
  await app.open(`/workflows/${workflowId}`, async (page) => {
    await page.locator('#node-shape .node-title').click()
    const inspector = page.getByRole('complementary', { name: 'Inspector' })
    await inspector.getByLabel('Name').fill('Reshaped')
    await page.keyboard.press('Control+s')
    await saved(page, 2)
    await page.getByRole('button', { name: 'Versions' }).click()
    const panel = page.getByRole('complementary', { name: 'Versions' })
    await panel.getByRole('button', { name: /^Version 1/ }).click()
    await panel.getByRole('insertion').getByText('Reshaped').waitFor()
    const note = panel.getByLabel('Note on version 1')
    await note.fill('As it began')
    await note.press('Enter')
    await panel.getByRole('button', { name: /As it began/ }).waitFor()
    await assertSound(page)
    await panel.getByRole('link', { name: 'Compare side by side' }).click()
    await page.getByRole('heading', { name: 'Compare versions' }).waitFor()
    await page.getByText('Reshaped').first().waitFor()
    await assertSound(page)
    await page.goBack()
    await panel.getByRole('button', { name: /^Version 1/ }).click()
    await panel.getByRole('button', { name: 'Restore' }).click()
    await saved(page, 3)
    assert.deepEqual((await storedGraph(app, page)).nodes[1]?.data, chain.nodes[1]?.data)
    await graphArea(page).focus()
    await page.keyboard.press('Control+z')
    await page.locator('#node-shape').getByText('Reshaped').waitFor()
  })
})

test('what is pinned in one browser is pinned in others, also if nothing else is unsaved', async () => {
  const workflowId = await addWorkflow(app, 'Pinned', chain)
  const { body } = await app.server.call({
    method: 'POST',
    path: `${P}/workflows/${workflowId}/runs`,
    headers: { 'idempotency-key': 'pinned' },
    json: { inputs: { in: 'boats' } },
  })
  await app.open(`/workflows/${workflowId}?run=${body.data.runId}`, async (page) => {
    await page.locator('#node-shape').getByText('Say boats').first().waitFor()
    await page
      .locator('#node-shape')
      .getByRole('button', { name: /^Show the result/ })
      .click()
    const result = page.getByRole('region', { name: 'Result' })
    const pin = result.getByRole('button', { name: 'Pin', exact: true })
    await Promise.all([draftStored(page), pin.click()])
    await page.getByText('Saved as version 1').waitFor()
  })
  await app.open(`/workflows/${workflowId}`, async (page) => {
    const runs = page.getByRole('region', { name: 'Runs' })
    await runs.getByText('1 pinned').waitFor()
    await page.locator('#node-shape').getByText('Say boats').first().waitFor()
    await page.getByText('Saved as version 1').waitFor()
    assert.equal(await page.getByText('The draft was saved').count(), 0)

    // Pinned when pins were kept in the browser, and its run is deleted by now.
    page.expected.push(/404/)
    await page.evaluate(async (id) => {
      const answer = await fetch('/api/console/v1/session')
      const { account, user } = (await answer.json()).data.session
      const name = `atelier.kept.pins.${account.id}.${user.id}.${id}`
      const pins = { out: { runId: '01890a5d-ac96-774b-bcce-b302099a8057', outputs: [] } }
      for (const store of [sessionStorage, localStorage]) store.setItem(name, JSON.stringify(pins))
    }, workflowId)
    await Promise.all([draftStored(page), page.reload()])
    await runs.getByText('2 pinned').waitFor()
    await page.locator('#node-out').getByText('Pinned run is gone').waitFor()
    await assertSound(page)
    await screenshot(page, 'canvas-pins')
    await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'DELETE'),
      runs.getByRole('button', { name: 'Unpin all' }).click(),
    ])
  })
  await app.open(`/workflows/${workflowId}`, async (page) => {
    const runs = page.getByRole('region', { name: 'Runs' })
    await runs.getByRole('listitem').first().waitFor()
    assert.equal(await runs.getByText('pinned').count(), 0)
  })
})
