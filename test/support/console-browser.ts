// The console in a real Chromium, with a real server on the demo provider. Each test file has a
// server of its own; the files of a process share the browser, but neither cookies nor storage. A
// test fails on any console error, violation of the content security policy or request to another
// host.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { buildConsole } from '../../scripts/build-console.ts'
import { shareBrowser } from './browser.ts'
import { consolePath } from './console.ts'
import { withContext } from './kept-contexts.ts'
import { startServer, type TestServer } from './server.ts'

export const owner = { email: 'owner@example.com', password: 'a long enough password' }

export type ConsolePage = Page & {
  /** Problems this page may cause on purpose: `page.expected.push(/503/)`. */
  expected: RegExp[]
}

export type OpenOptions = {
  width?: number
  height?: number
  theme?: 'light' | 'dark'
  /** False for a browser that never signed in. */
  signedIn?: boolean
  /** The client's IP address, for a server that trusts 127.0.0.1 as its proxy. */
  address?: string
}

export type ConsoleTest = AsyncDisposable & {
  server: TestServer
  /**
   * Opens a path of the console, such as `/workflows`, in a separate browser context. The page is
   * checked and closed after `use`.
   */
  open<T>(path: string, use: (page: ConsolePage) => Promise<T>, options?: OpenOptions): Promise<T>
  /** A second tab beside `page`, with the same cookies, checked like the first. */
  tab(page: ConsolePage, path: string): Promise<ConsolePage>
}

/** Starts a server and a browser. The owner has a password, unless `owner` is `new`. */
export async function startConsole(
  env: Record<string, string> = {},
  options: { owner?: 'new' | 'ready' } = {},
): Promise<ConsoleTest> {
  const folder = await buildConsole()
  const server = await startServer(env)
  await server.running.consoleFiles?.load(folder)
  const session = options.owner === 'new' ? '' : await setPassword(server)
  const sharing = await shareBrowser()
  const watched = new WeakMap<Page, string[]>()
  const watch = (page: Page): ConsolePage => {
    watched.set(page, watchProblems(page, server.url))
    // A wait ends as soon as its state is reached. The limit is for the busiest machine.
    page.setDefaultTimeout(120_000)
    return Object.assign(page, { expected: [] as RegExp[] })
  }
  const check = (context: BrowserContext) => {
    for (const page of context.pages()) {
      const { expected = [] } = page as Partial<ConsolePage>
      const problems = (watched.get(page) ?? []).filter(
        (problem) => !expected.some((pattern) => pattern.test(problem)),
      )
      assert.deepEqual(problems, [], `problems on ${page.url()}`)
    }
  }
  return {
    server,
    open: (path, use, options = {}) =>
      withContext(sharing.browser, contextOptions(options), server.url, async (context) => {
        try {
          if (options.signedIn !== false)
            await context.addCookies([{ name: 'session', value: session, url: server.url }])
          await context.setExtraHTTPHeaders(headersOf(options))
          const page = watch(await context.newPage())
          await page.goto(`${server.url}/console${path}`)
          const result = await use(page)
          check(context)
          return result
        } catch (error) {
          await tellWhatIsShown(context)
          throw error
        }
      }),
    async tab(page, path) {
      const other = watch(await page.context().newPage())
      await other.goto(`${server.url}/console${path}`)
      return other
    },
    async [Symbol.asyncDispose]() {
      await sharing[Symbol.asyncDispose]()
      await server.stop()
    },
  }
}

/** A failure on a busy machine is rarely seen twice: what was on the pages is told at once. */
async function tellWhatIsShown(context: BrowserContext) {
  for (const page of context.pages()) {
    const shown = await page.locator('body').ariaSnapshot({ timeout: 10_000 }).catch(String)
    console.error(`On ${page.url()} at the failure:\n${shown}`)
  }
}

function contextOptions(options: OpenOptions): BrowserContextOptions {
  const { width = 1280, height = 800, theme } = options
  return {
    viewport: { width, height },
    locale: 'en-GB',
    timezoneId: 'UTC',
    colorScheme: theme ?? 'light',
    reducedMotion: 'reduce',
  }
}

const headersOf = ({ address }: OpenOptions): Record<string, string> =>
  address === undefined ? {} : { 'x-forwarded-for': address }

/** Sets the owner's password with the one-time link. Returns the value of the session cookie. */
async function setPassword(server: TestServer): Promise<string> {
  const token = new URL(server.running.setupLink ?? '').hash.slice('#token='.length)
  const answer = await server.call({
    method: 'POST',
    path: `${consolePath}/set-up`,
    key: null,
    headers: { origin: server.url },
    json: { token, ...owner },
  })
  assert.equal(answer.status, 200, answer.text)
  return /session=([^;]+)/.exec(String(answer.headers['set-cookie']))?.[1] ?? ''
}

function watchProblems(page: Page, origin: string): string[] {
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      problems.push(`${message.type()}: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => problems.push(`thrown: ${error.stack ?? error.message}`))
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (asked !== origin && !/^(data|blob):$/.test(protocol))
      problems.push(`foreign request: ${request.url()}`)
  })
  return problems
}

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

export type Finding = { id: string; help: string; at: string[] }

type AxeOptions = { selectors: boolean; rules?: Record<string, { enabled: boolean }> }

async function runAxe(page: Page, options: AxeOptions) {
  // Style sheets are asked for again only for rules that are not in use.
  const all = JSON.stringify({ ...options, resultTypes: ['violations'], preload: false })
  // Base UI's guards take the focus only to pass it on, which axe cannot see.
  const run = `axe.run({ exclude: ["[data-base-ui-focus-guard]"] }, ${all})`
  return ((await page.evaluate(run)) as AxeResults).violations
}

/** axe is injected from outside, so the page's policy is kept. */
export async function accessibilityFindings(
  page: Page,
  rules: NonNullable<AxeOptions['rules']> = {},
): Promise<Finding[]> {
  // Not before anything is drawn: a page without these never passes.
  for (const part of ['main', 'h1, [role=heading][aria-level="1"]'])
    await page.locator(part).first().waitFor({ state: 'attached' })
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axeSource)
  // Saying where each element is takes a third of the time, and is needed only for findings.
  const findings = (await runAxe(page, { selectors: false, rules })).length
  const violations = findings === 0 ? [] : await runAxe(page, { selectors: true, rules })
  return violations.map(({ id, help, nodes }) => ({
    id,
    help,
    at: nodes.slice(0, 5).map(({ target, failureSummary }) => `${target}: ${failureSummary}`),
  }))
}

const examined = new Set<string>()

/**
 * Both checks are made of each screen once per process, because they would take a third of the time
 * of all journeys. If files are chosen, as by `npm run test:console`, every state is examined.
 */
function isNew(check: string, page: Page): boolean {
  if (process.env.ATELIER_TEST_VIEWS === 'all') return true
  const screen = new URL(page.url()).pathname.replace(/[\da-f]{8}-[\da-f-]{27}|\d+/g, '')
  const before = examined.size
  return examined.add(`${check} ${screen}`).size > before
}

/**
 * Fails on any finding, whatever its level. Contrast takes more than half of axe's time; it follows
 * from the tokens (contrast.test.ts), and `npm run test:screens` measures it on every screen in both
 * themes.
 */
export async function assertAccessible(page: Page): Promise<void> {
  if (!isNew('accessible', page)) return
  const found = await accessibilityFindings(page, { 'color-contrast': { enabled: false } })
  assert.deepEqual(found, [], `accessibility of ${page.url()}`)
}

export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
const nextFrame = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')

/** Fails if anything is wider than the screen. Restores the previous size. */
export async function assertFitsPhone(page: Page, width = 380): Promise<void> {
  if (!isNew(`fits ${width}`, page)) return
  const before = page.viewportSize()
  if (before?.width !== width) await page.setViewportSize({ width, height: 800 })
  // Elements that follow the width by script do so within some frames, and may overflow until then.
  // What still overflows after 60 frames is reported below.
  await nextFrame(page)
  for (let frame = 0; frame < 60 && (await overflowOf(page)) > 0; frame++) await nextFrame(page)
  const tooWide = await page.evaluate(`(() => {
    const limit = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth <= limit) return []
    const scrolls = (element) => {
      for (let up = element; up; up = up.parentElement) {
        if (up !== document.documentElement && up !== document.body && /auto|scroll|hidden|clip/.test(getComputedStyle(up).overflowX)) return true
      }
      return false
    }
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > limit + 1 && !scrolls(element))
      .slice(0, 5)
      .map((element) => element.outerHTML.slice(0, 160))
  })()`)
  const overflow = await overflowOf(page)
  if (before && before.width !== width) await page.setViewportSize(before)
  assert.deepEqual({ overflow, tooWide }, { overflow: 0, tooWide: [] }, `width of ${page.url()}`)
}

/**
 * For pictures that people look at all combinations, and for the test itself the two that differ
 * most: `npm run test:screens` has every screen in all of them.
 */
export const views = (widths: readonly number[]) =>
  (['light', 'dark'] as const).flatMap((theme) => {
    const [most, least] = [Math.max(...widths), Math.min(...widths)]
    const own = process.env.ATELIER_SCREENSHOTS ? widths : [theme === 'dark' ? least : most]
    return own.map((width) => ({ theme, width }))
  })

/** Both checks that every screen must pass. */
export async function assertSound(page: Page): Promise<void> {
  await assertAccessible(page)
  await assertFitsPhone(page)
}

/** Saves a screenshot for people to look at, but only if ATELIER_SCREENSHOTS names a folder. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.ATELIER_SCREENSHOTS
  if (!folder) return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
