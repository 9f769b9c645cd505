import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConsoleTest, startConsole } from '../support/console-browser.ts'
import { addWorkflow, dragWire, graphArea, port, reach } from './canvas-page.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole()
})
after(() => app[Symbol.asyncDispose]())

const node = (id: string, type: string, at: [number, number], data: object = {}) => ({
  id,
  type,
  position: { x: at[0], y: at[1] },
  data,
})

/** A node with an output of each type on the left, and one with an input of each on the right. */
async function everyPort() {
  const kinds = ['text', 'number', 'boolean', 'image', 'video', 'json'] as const
  const called = await addWorkflow(app, 'Takes everything', {
    nodes: [
      ...kinds.map((kind, i) => node(`${kind}-in`, `input.${kind}`, [0, i * 100])),
      node('o', 'output', [400, 0]),
    ],
    connections: [{ source: 'text-in', target: 'o' }],
  })
  const transform = (type: string) => ({ expression: '$', outputType: type })
  return addWorkflow(app, 'Every port', {
    nodes: [
      ...kinds.map((kind, i) => node(kind, `input.${kind}`, [0, i * 110])),
      node('list', 'json.transform', [0, 660], { ...transform('list'), input: {} }),
      node('any', 'json.transform', [0, 770], { ...transform('any'), input: {} }),
      node('call', 'workflow.call', [600, 0], {
        workflowId: called,
        'text-in': 'x',
        'number-in': 1,
        'boolean-in': true,
        'image-in': 'https://example.com/a.png',
        'video-in': 'https://example.com/a.mp4',
        'json-in': {},
      }),
      node('map', 'flow.map', [600, 300], {
        apply: { type: 'text.template', data: { template: '{{item}}' } },
        items: [],
      }),
      node('out', 'output', [600, 450], { value: 1 }),
    ],
    connections: [],
  })
}

test('every port says beforehand what it takes, and a refused one refuses with a reason', async () => {
  const workflowId = await everyPort()
  await app.open(
    `/workflows/${workflowId}`,
    async (page) => {
      await graphArea(page).waitFor()
      const types = await page.evaluate(async () => {
        const answer = await fetch('/api/console/v1/node-types')
        return (await answer.json()).data as { accepts: Record<string, string[]> }
      })
      const sources = ['text', 'number', 'boolean', 'image', 'video', 'json', 'list', 'any']
      const targets = [
        ...['text', 'number', 'boolean', 'image', 'video', 'json'].map(
          (type) => [type, 'call', `${type}-in`] as const,
        ),
        ['list', 'map', 'items'] as const,
        ['any', 'out', 'value'] as const,
      ]
      await port(page, 'call', 'number-in').waitFor()
      for (const source of sources) {
        const from: [string, string] = [source, /list|any/.test(source) ? 'output' : 'value']
        // Which pair is refused, and why, is the rule of one function, tried with all pairs in
        // test/unit/console/connect-rules.test.ts. Here one of each source shows what comes of it.
        const refused = targets.find(([type]) => !types.accepts[type]?.includes(source))
        if (!refused) continue
        const [, target, name] = refused
        await dragWire(page, from, [target, name], async () => {
          for (const [type, other, otherPort] of targets) {
            const offer = await page
              .locator(`#node-${other} .port:has([data-handleid="${otherPort}"])`)
              .getAttribute('data-offer')
            const takes = types.accepts[type]?.includes(source)
            assert.equal(offer, takes ? 'takes' : 'refuses', `${source} into ${type}`)
          }
        })
        const why = page.locator(`#node-${target} .port:has([data-handleid="${name}"]) .port-why`)
        await why.waitFor()
        assert.match((await why.textContent()) ?? '', new RegExp(`^${source} cannot go into`))
      }
      // Nothing was connected by all of this, so there is nothing to undo.
      assert.ok(await page.getByRole('button', { name: 'Undo' }).isDisabled())
      await dragWire(page, ['image', 'value'], ['call', 'image-in'])
      await page.getByText('Draft saved').waitFor()
      assert.ok(await page.getByRole('button', { name: 'Undo' }).isEnabled())
    },
    { width: 1440, height: 1000 },
  )
})

test('a wire dropped on nothing offers what takes it, and a node dropped on a wire goes between', async () => {
  const workflowId = await addWorkflow(app, 'Short', {
    nodes: [node('in', 'input.text', [0, 0]), node('out', 'output', [700, 0])],
    connections: [{ source: 'in', target: 'out' }],
  })
  await app.open(`/workflows/${workflowId}`, async (page) => {
    await graphArea(page).waitFor()
    const start = await reach(page, 'in', 'value')
    await page.mouse.down()
    await page.mouse.move(start.x + 76, start.y + 186, { steps: 3 })
    await page.mouse.up()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: 'Nodes that take text' }).waitFor()
    assert.equal(await dialog.getByRole('option', { name: /^Number input/ }).count(), 0)
    await dialog.getByRole('option', { name: /^Generate text/ }).click()
    await page.locator('#node-generate-text').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor({ state: 'detached' })
    // The view returns when the settings close; a pointer waits until nothing moves.
    await page.locator('#node-generate-text').hover()
    const landed = await reach(page, 'generate-text', 'prompt')
    const origin = await reach(page, 'in', 'value')
    const off = [landed.x - origin.x - 76, landed.y - origin.y - 186]
    assert.ok(Math.hypot(...off) < 3, `the port is where the wire was dropped, off by ${off}`)
    const box = await page.locator('#node-generate-text').boundingBox()
    assert.ok(box)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2, box.y + 8, { steps: 3 })
    await page.mouse.up()
    assert.equal(await page.getByRole('dialog').count(), 0, 'a wire dropped on a node goes into it')
    const palette = page.getByRole('complementary', { name: 'Node types' })
    const end = await port(page, 'out', 'value').boundingBox()
    assert.ok(end)
    await palette.getByRole('button', { name: 'Transform' }).dragTo(graphArea(page), {
      targetPosition: await inside(page, {
        x: (start.x + end.x + end.width / 2) / 2,
        y: start.y,
      }),
    })
    await page.locator('#node-transform').waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'View JSON' }).click()
    const json = JSON.parse((await page.getByRole('region', { name: 'JSON' }).textContent()) ?? '')
    assert.deepEqual(json.data.connections, [
      { source: 'in', sourceHandle: 'value', target: 'generate-text', targetHandle: 'prompt' },
      { source: 'in', sourceHandle: 'value', target: 'generate-text', targetHandle: 'system' },
      { source: 'in', sourceHandle: 'value', target: 'transform', targetHandle: 'input' },
      { source: 'transform', sourceHandle: 'output', target: 'out', targetHandle: 'value' },
    ])
  })
})

async function inside(page: Parameters<typeof graphArea>[0], at: { x: number; y: number }) {
  const box = await graphArea(page).boundingBox()
  assert.ok(box)
  return { x: at.x - box.x, y: at.y - box.y }
}
