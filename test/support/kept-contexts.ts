// Browser contexts that pages of several tests have one after another. The process that draws a
// page lives as long as its context has one, and in a process that has already compiled the console
// a page opens, and axe examines it, for half of the processor time.
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  CDPSession,
  Page,
} from 'playwright-core'

type Kept = { context: BrowserContext; keeper: Page; session: CDPSession }

/** By browser and by options, which a context cannot change. */
const waiting = new WeakMap<Browser, Map<string, Kept[]>>()

/**
 * Hands `use` a context without cookies, permissions, cached files, pages, or storage of the server
 * at `origin`. Beside its pages the context has the keeper. If `use` fails, the context is closed.
 */
export async function withContext<T>(
  browser: Browser,
  options: BrowserContextOptions,
  origin: string,
  use: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  const byOptions = waiting.get(browser) ?? new Map<string, Kept[]>()
  waiting.set(browser, byOptions)
  const key = JSON.stringify(options)
  const kept = byOptions.get(key)?.pop() ?? (await newKept(browser, options))
  const { context, keeper, session } = kept
  try {
    if (new URL(keeper.url()).origin !== origin) await keeper.goto(`${origin}/healthz`)
    const result = await use(context)
    await Promise.all(context.pages().map((page) => (page === keeper ? undefined : page.close())))
    await context.clearCookies()
    await context.clearPermissions()
    // Conversations and drafts, too.
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
    await session.send('Network.clearBrowserCache')
    byOptions.set(key, [...(byOptions.get(key) ?? []), kept])
    return result
  } catch (error) {
    await context.close()
    throw error
  }
}

async function newKept(browser: Browser, options: BrowserContextOptions): Promise<Kept> {
  const context = await browser.newContext(options)
  const keeper = await context.newPage()
  return { context, keeper, session: await context.newCDPSession(keeper) }
}
