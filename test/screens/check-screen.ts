import {
  accessibilityFindings,
  type ConsolePage,
  type ConsoleTest,
  overflowOf,
} from '../support/console-browser.ts'
import type { Screen } from './screen.ts'
import type { ScreenSamples } from './screen-content.ts'

export type Theme = 'light' | 'dark'
/** In CSS pixels: a window of 1,440 at 200 % is one of 720. */
export const sizes: Record<string, { width: number; height: number }> = {
  '1440': { width: 1_440, height: 900 },
  '3840': { width: 3_840, height: 2_160 },
  '1024': { width: 1_024, height: 768 },
  '200%': { width: 720, height: 450 },
  '380': { width: 380, height: 800 },
}

/** What is wrong with a screen in one theme, at every size. It is opened once, and then resized. */
export async function checkScreen(
  app: ConsoleTest,
  samples: ScreenSamples,
  screen: Screen,
  theme: Theme,
  shot?: (name: string) => string,
): Promise<string[]> {
  const problems: string[] = []
  const { name, path, prepare, signedIn = true, expected } = screen
  const look = async (page: ConsolePage, size: string) => {
    const overflow = await overflowOf(page)
    if (overflow > 0) problems.push(`${name}, ${theme}, ${size}: ${overflow} px too wide`)
    for (const { id, at } of await accessibilityFindings(page))
      problems.push(`${name}, ${theme}, ${size}: ${id} ${at.join('; ')}`)
    if (shot) await page.screenshot({ path: shot(`${name} ${theme} ${size}`) })
  }
  await app.open(
    path(samples),
    async (page) => {
      if (expected) page.expected.push(expected)
      // An open dialog hides the page from assistive technology, but not from us.
      await page.locator('h1').first().waitFor()
      await page.waitForLoadState('networkidle')
      await prepare?.(page)
      for (const [size, viewport] of Object.entries(sizes)) {
        await page.setViewportSize(viewport)
        await settle(page)
        await look(page, size)
      }
    },
    { ...sizes['1440'], theme, signedIn },
  )
  return problems
}

/** What follows the width by script, and popups on their way, arrive within some frames. */
const settle = (page: ConsolePage) =>
  page.evaluate(`new Promise((done) => {
    const next = (left) => left === 0 ? done() : requestAnimationFrame(() => next(left - 1))
    next(12)
  })`)
