import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { addWorkflow, graph, started, until } from '../journeys/runs/setting.ts'
import { consolePath, personOf } from '../support/console.ts'
import {
  assertSound,
  type ConsolePage,
  type ConsoleTest,
  type OpenOptions,
  owner,
  screenshot,
  startConsole,
  views,
} from '../support/console-browser.ts'
import { P } from '../support/server.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole()
})
after(() => app[Symbol.asyncDispose]())

const form = {
  type: 'object',
  additionalProperties: false,
  properties: {
    channel: { type: 'string', enum: ['Blog', 'Newsletter'], title: 'Where to' },
    words: { type: 'integer', minimum: 1, title: 'How many words' },
  },
  required: ['channel'],
}

const approval = (title: string, data: object = {}) =>
  graph(
    [
      { id: 'draft', type: 'input.text' },
      { id: 'ask', type: 'wait.approval', data: { title, ...data } },
      { id: 'out', type: 'output' },
    ],
    ['draft -> ask.value', 'ask.approved -> out'],
  )

async function waiting(title: string, data: object = {}) {
  const id = await addWorkflow(app.server, approval(title, data), 'Weekly letter')
  const inputs = { draft: 'Dear readers,\n\nthis week three things happened.' }
  const runId = await started(app.server, id, { inputs })
  await until(app.server, runId, ({ nodes }) => nodes[1].status === 'WAITING')
  return runId
}

test('an inbox without anything says so', async () => {
  await app.open('/inbox', async (page) => {
    await page.getByRole('heading', { name: 'Nothing waits for you.' }).waitFor()
    await assertSound(page)
    await screenshot(page, 'inbox-empty')
  })
})

test('what waits is counted, shown with its subject, and answered by keys alone', async () => {
  const first = await waiting('Send the letter?', {
    form,
    description: 'Read it as a reader would.',
  })
  const second = await waiting('Publish the picture?')
  await app.open('/', async (page) => {
    const link = page.getByRole('link', { name: /^Inbox/ })
    await link.getByText('2', { exact: false }).first().waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByRole('heading', { level: 2, name: 'Send the letter?' }).waitFor()
    await page.getByText('this week three things happened').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.getByRole('heading', { level: 2, name: 'Publish the picture?' }).waitFor()
    await page.keyboard.press('k')
    await page.getByRole('heading', { level: 2, name: 'Send the letter?' }).waitFor()
    await assertSound(page)
    await page.keyboard.press('a')
    await page.keyboard.press('Enter')
    await page.getByText('Fill this in.').waitFor()
    await page.getByRole('combobox', { name: /Where to/ }).click()
    await page.getByRole('option', { name: 'Blog' }).click()
    await page.getByRole('textbox', { name: 'Comment' }).fill('Well done')
    await page.getByRole('button', { name: 'Approve' }).focus()
    await page.keyboard.press('Enter')
    // The next one opens by itself.
    await page.getByRole('heading', { level: 2, name: 'Publish the picture?' }).waitFor()
    await page.getByRole('button', { name: 'Reject' }).waitFor()
    await page.keyboard.press('r')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Nothing waits for you.' }).waitFor()
    await page.getByText('You rejected this', { exact: true }).first().waitFor()
    // The message goes; this stays.
    await page.getByRole('link', { name: 'Show its result' }).click()
    await page.waitForURL(`**/runs/${second}`)
  })
  const done = await until(app.server, first, (run) => run.completedAt !== null)
  assert.deepEqual(done.outputs, { out: 'Dear readers,\n\nthis week three things happened.' })
  await app.open(`/runs/${first}`, async (page) => {
    await page.getByText('Well done').waitFor()
    await page.getByText('owner@example.com approved this').waitFor()
    await assertSound(page)
  })
  await until(app.server, second, (run) => run.completedAt !== null)
  await app.open(`/runs/${second}`, async (page) => {
    await page.getByRole('article', { name: /, Rejected$/ }).waitFor()
    await screenshot(page, 'run-rejected')
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('not here'))
    })
    await page.getByRole('button', { name: 'Copy as code' }).click()
    await page.getByRole('menuitem', { name: 'Copy as curl' }).click()
    await page
      .getByRole('dialog', { name: 'Copy as curl' })
      .getByText(/^curl -s/)
      .waitFor()
    await assertSound(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await screenshot(page, 'copy-by-hand-dark')
  })
})

test('an answer that comes second says who was first, and when', async () => {
  const runId = await waiting('Only one of us')
  await app.open('/inbox', async (page) => {
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    // As another person's browser would, of which this page knows nothing.
    await page.evaluate(async (id) => {
      const list = await (await fetch('/api/console/v1/waits?mine=true')).json()
      const wait = list.data.items.find(({ runId }: { runId: string }) => runId === id)
      await fetch(`/api/console/v1/runs/${id}/waits/${wait.waitId}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"decision":"approve"}',
      })
    }, runId)
    page.expected.push(/409/)
    await page.getByRole('button', { name: 'Reject' }).click()
    await page.getByText(/owner@example\.com approved this at \d/).waitFor()
  })
})

test('a run that waits says so first, and leads to the answer', async () => {
  const runId = await waiting('Go on?')
  await app.open(`/runs/${runId}`, async (page) => {
    await page.getByText(/Waiting for approval since .*: Go on\?/).waitFor()
    await page.getByText('Waiting for approval', { exact: true }).first().waitFor()
    await assertSound(page)
    await screenshot(page, 'run-waiting')
    await page.getByRole('link', { name: 'Answer' }).click()
    await page.getByRole('heading', { level: 2, name: 'Go on?' }).waitFor()
  })
  for (const { theme, width } of views([380, 1024, 1440])) {
    await app.open(
      '/inbox',
      async (page) => {
        await page.getByText('Go on?').first().waitFor()
        await assertSound(page)
        await screenshot(page, `inbox-${theme}-${width}`)
        if (width > 380) return
        await page.getByRole('button', { name: /Go on\?/ }).click()
        await page.getByRole('button', { name: 'Approve' }).waitFor()
        await assertSound(page)
        await screenshot(page, `inbox-subject-${theme}-${width}`)
        await page.getByRole('button', { name: 'Back to the list' }).click()
        await page.getByRole('button', { name: /Go on\?/ }).waitFor()
      },
      { theme, width },
    )
  }
})

test('runs that sleep are called waiting wherever they are listed, and are found by it', async () => {
  const runId = await waiting('Send it on Monday?')
  const later = graph(
    [
      { id: 'draft', type: 'input.text', data: { label: 'Topic', default: 'Tides' } },
      { id: 'pause', type: 'wait.delay', data: { seconds: 86_400 } },
      { id: 'out', type: 'output' },
    ],
    ['draft -> pause', 'pause -> out'],
  )
  const workflowId = await addWorkflow(app.server, later, 'Tomorrow')
  const sleepsUntil = await started(app.server, workflowId, { inputs: {} })
  for (const { theme, width } of views([380, 1440])) {
    await app.open(
      '/runs?status=WAITING',
      async (page) => {
        const asked = page.getByRole('row', { name: /Send it on Monday\?/ })
        await asked.getByText('Waiting for approval', { exact: true }).waitFor()
        const delayed = page.getByRole('row', { name: /Tomorrow/ })
        await delayed.getByText('Waiting for its time', { exact: true }).waitFor()
        await delayed
          .getByText('Goes on in 1 day')
          .or(delayed.getByText(/in 2\d hours/))
          .waitFor()
        await assertSound(page)
        await screenshot(page, `runs-waiting-${theme}-${width}`)
      },
      { theme, width },
    )
  }
  await app.open('/workflows?q=Tomorrow', async (page) => {
    await page
      .getByRole('row', { name: /Tomorrow/ })
      .getByText('Waiting', { exact: true })
      .waitFor()
    await page.goto(`${app.server.url}/console/`)
    await page.getByText('Waiting for its time').first().waitFor()
    await page.goto(`${app.server.url}/console/runs/${sleepsUntil}`)
    const topic = page.getByRole('region', { name: 'Topic' })
    await topic.getByText('Tides').waitFor()
    await topic.getByText('default').waitFor()
    await assertSound(page)
    await screenshot(page, 'run-default-input')
    await page.goto(`${app.server.url}/console/runs/${runId}`)
    await page
      .getByRole('region', { name: 'Draft' })
      .or(page.getByText('Dear readers'))
      .first()
      .waitFor()
    assert.equal(await page.getByText('default', { exact: true }).count(), 0)
  })
})

test('a rejection is seen in the list of runs, in the strip and beside the graph', async () => {
  const runId = await waiting('Send the bad one?')
  await app.open(`/runs/${runId}`, async (page) => {
    await page.getByRole('link', { name: 'Answer' }).click()
    await page.getByRole('heading', { level: 2, name: 'Send the bad one?' }).waitFor()
    await page.getByRole('button', { name: 'Reject' }).click()
    await until(app.server, runId, ({ status }) => status === 'COMPLETED')
    await page.goto(`${app.server.url}/console/runs?q=${runId}`)
    const row = page.getByRole('row', { name: /Weekly letter/ })
    await row.getByText('Rejected').waitFor()
    await row.getByText(/^(Key|owner@)/).waitFor()
    await assertSound(page)
    await screenshot(page, 'runs-rejected')
    await row.getByRole('link').first().click()
    await page.getByText('Started by').waitFor()
    await screenshot(page, 'run-started-by')
    await page.getByRole('link', { name: /^version/ }).click()
    // The link keeps the run: its results stand on the nodes.
    await page.getByRole('button', { name: 'Completed, rejected', pressed: true }).waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const panel = page.getByRole('region', { name: 'The shown run' })
    await panel.getByText('Rejected', { exact: true }).waitFor()
    await panel.getByText(/Send the bad one\?: rejected by owner@/).waitFor()
    await assertSound(page)
    await screenshot(page, 'canvas-rejected')
  })
})

/** The page of a link, in a browser that has never been here. */
async function openLink(
  path: string,
  use: (page: ConsolePage) => Promise<void>,
  options: OpenOptions = {},
) {
  const visit = async (page: ConsolePage) => {
    page.expected.push(/status of 4(04|10)/)
    await page.goto(`${app.server.url}${path}`)
    await use(page)
    await assertSound(page)
  }
  await app.open('/sign-in', visit, { ...options, signedIn: false })
}

/** The address is shown to keys that may answer. */
async function answeringKey(): Promise<string> {
  const answer = await app.server.call({
    method: 'POST',
    path: `${consolePath}/sign-in`,
    key: null,
    headers: { origin: app.server.url },
    json: owner,
  })
  const me = personOf(app.server, answer, owner)
  return me.newKey({ scopes: ['runs:read', 'waits:answer'] })
}

const linkOf = async (runId: string, key: string): Promise<string> => {
  const run = await app.server.call({ path: `${P}/workflow-runs/${runId}`, key })
  return new URL(run.body.data.waitingFor[0].url).pathname
}

/** As if the time to answer had passed. */
function expire(runId: string) {
  using file = new DatabaseSync(join(app.server.dataDir, 'atelier.db'), { timeout: 30_000 })
  const change = file.prepare('update waits set expires_at = ? where run_id = ?')
  assert.equal(change.run(Date.now() - 1, runId).changes, 1)
}

test('a link is answered without an account, once; others say what became of it', async () => {
  const runId = await waiting('Print it?', { link: true, form })
  const key = await answeringKey()
  const path = await linkOf(runId, key)
  const phone = { width: 380, theme: 'dark' } as const
  await openLink(
    path,
    async (page) => {
      await page.getByRole('heading', { name: 'Print it?' }).waitFor()
      await page.getByText('this week three things happened').waitFor()
      await assertSound(page)
      await screenshot(page, 'link-page-phone-dark')
      await page.getByLabel('Where to').selectOption('Blog')
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    },
    phone,
  )
  await until(app.server, runId, ({ status }) => status === 'COMPLETED')
  const says = (address: string, title: string) =>
    openLink(address, (page) => page.getByRole('heading', { name: title }).waitFor())
  await says(path, 'This has been answered')
  await says(`${path.slice(0, -4)}AAAA`, 'This link is not known')

  const rejected = await waiting('Print that?', { link: true })
  await openLink(await linkOf(rejected, key), async (page) => {
    await page.getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  })
  const run = await until(app.server, rejected, ({ status }) => status === 'COMPLETED')
  assert.deepEqual(run.outputs, {})

  const late = await waiting('Too late?', { link: true })
  const lateLink = await linkOf(late, key)
  await app.server.call({
    method: 'POST',
    path: `${P}/workflow-runs/${late}/cancel`,
    json: {},
  })
  await until(app.server, late, ({ status }) => status === 'CANCELLED')
  await says(lateLink, 'No answer is needed any more')

  const short = await waiting('Still open?', { link: true })
  const shortLink = await linkOf(short, key)
  // Somebody has the page open while its time passes.
  await openLink(shortLink, async (page) => {
    await page.getByRole('heading', { name: 'Still open?' }).waitFor()
    expire(short)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'This has expired' }).waitFor()
  })
  await says(shortLink, 'This has expired')
})
