// npm run pictures: takes the screenshots of docs/console.md and docs/examples from a server with sample content of
// the demo provider. The limits below keep them small enough for the repository.
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startConsole } from '../test/support/console-browser.ts'
import { addSamples, letterAndPictures, post, run, type Samples } from './sample-content.ts'

const folder = 'docs/pictures'
const maxBytes = 70_000
const maxTotalBytes = 700_000

type Picture = {
  name: string
  path(samples: Samples): string
  theme?: 'dark'
  /** Taken at the width of a phone (380 px); otherwise as on a desktop. */
  isPhone?: true
  prepare?(page: Page): Promise<void>
}

const pictures: readonly Picture[] = [
  { name: 'overview', path: () => '/' },
  { name: 'playground', path: () => '/playground/chat', prepare: ask },
  { name: 'tasks', path: () => '/tasks' },
  { name: 'task', path: ({ taskId }) => `/tasks/${taskId}` },
  { name: 'templates', path: () => '/workflows/new' },
  { name: 'canvas', path: ({ smallId }) => `/workflows/${smallId}` },
  { name: 'compare', path: ({ workflowId }) => `/workflows/${workflowId}/compare?from=1&to=2` },
  { name: 'run', path: ({ runId }) => `/runs/${runId}`, prepare: showGraph },
  { name: 'failure-dark', path: ({ failedRunId }) => `/runs/${failedRunId}`, theme: 'dark' },
  { name: 'live', path: () => '/runs/live' },
  { name: 'usage', path: () => '/usage?measure=calls' },
  { name: 'overview-phone-dark', path: () => '/', theme: 'dark', isPhone: true },
  { name: 'weekly-digest', path: () => '/workflows/new', prepare: suggested('Weekly digest') },
  { name: 'approved-video', path: () => '/inbox', prepare: asked },
  {
    name: 'github-issue',
    path: () => '/workflows/new',
    prepare: suggested('GitHub issue to summary'),
  },
  {
    name: 'slack-question',
    path: () => '/workflows/new',
    prepare: (page) => used(page, 'Slack question to answer'),
  },
]

/** A template with its triggers beside the graph. */
async function used(page: Page, template: string) {
  await page.getByRole('button', { name: `Use ${template}` }).click()
  await page.getByRole('button', { name: 'Add this trigger' }).waitFor()
}

/** The form of the trigger that fits a template. */
function suggested(template: string) {
  return async (page: Page) => {
    await used(page, template)
    await page.getByRole('button', { name: 'Add this trigger' }).click()
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).waitFor()
  }
}

async function asked(page: Page) {
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
}

async function ask(page: Page) {
  await page.getByRole('textbox', { name: 'Your message' }).fill('What is 12% of 250?')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByText('12% of 250 = 30').first().waitFor()
}

/** Scrolls to the graph, with the beginning of the waterfall below it and the top bar above. */
async function showGraph(page: Page) {
  await page.getByRole('application', { name: 'Graph of the run' }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.evaluate(`(() => {
    const headings = [...document.querySelectorAll('h2')]
    const graph = headings.find(({ textContent }) => textContent.startsWith('Graph'))
    scrollBy(0, graph.getBoundingClientRect().top - 72)
  })()`)
}

async function take(page: Page, { name, prepare }: Picture) {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await prepare?.(page)
  await page.waitForLoadState('networkidle')
  await page.waitForFunction(`[...document.images].every(
    (image) => image.getBoundingClientRect().top > innerHeight || image.naturalWidth > 0,
  )`)
  // Opening a page focuses its heading, and the focus ring would only distract.
  await page.evaluate('document.activeElement?.blur()')
  const path = join(folder, `${name}.jpg`)
  for (const quality of [46, 40]) {
    await page.screenshot({ path, type: 'jpeg', quality })
    if ((await stat(path)).size <= maxBytes) return
  }
  throw new Error(`${path} is larger than ${maxBytes} bytes`)
}

/** What an edit of one node costs: needs models that have a price. */
async function takeReuse() {
  const models = [
    { id: 'demo-image', pricing: { perImage: 0.04 } },
    { id: 'demo-text', pricing: { inputPerMillionTokens: 30, outputPerMillionTokens: 60 } },
  ]
  const file = join(await mkdtemp(join(tmpdir(), 'atelier-pictures-')), 'models.json')
  await writeFile(file, JSON.stringify({ models }))
  await using priced = await startConsole({ MODELS_FILE: file })
  const json = { name: 'Letter and pictures', data: letterAndPictures }
  const { id } = await post(priced.server, '/workflows', json)
  const { runId } = await run(priced.server, id, { topic: 'the harbour' })
  const picture = { name: 'reuse-dark', path: () => '', prepare: editOne }
  await priced.open(`/workflows/${id}?run=${runId}`, (page) => take(page, picture), {
    ...{ theme: 'dark', width: 1520, height: 800 },
  })
}

async function editOne(page: Page) {
  await page.getByRole('article', { name: /^Polish/ }).click()
  await page.getByLabel('Longest answer').fill('60')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Next run: reused').nth(2).waitFor()
}

await using app = await startConsole()
const samples = await addSamples(app.server)
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
await takeReuse()
for (const picture of pictures) {
  const { theme = 'light', isPhone } = picture
  const size = isPhone ? { width: 380, height: 720 } : { width: 1120, height: 700 }
  await app.open(picture.path(samples), (page) => take(page, picture), { theme, ...size })
}
const sizes = await Promise.all(
  (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size),
)
const total = sizes.reduce((sum, size) => sum + size, 0)
if (total > maxTotalBytes) throw new Error(`${folder} holds ${total} bytes`)
console.log(`${sizes.length} pictures, ${Math.round(total / 1000)} kB, in ${folder}`)
