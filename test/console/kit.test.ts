import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  accessibilityFindings,
  assertAccessible,
  assertSound,
  type ConsoleTest,
  screenshot,
  startConsole,
} from '../support/console-browser.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole()
})
after(() => app[Symbol.asyncDispose]())

for (const theme of ['light', 'dark'] as const) {
  test(`every component is legible and reachable in ${theme}`, () =>
    app.open(
      '/kit',
      async (page) => {
        await page.getByRole('heading', { name: 'Charts' }).waitFor()
        await assertSound(page)
        // At every level; `npm run test:screens` looks at every screen so.
        assert.deepEqual(await accessibilityFindings(page), [])
        await screenshot(page, `kit-${theme}-1280`)
      },
      { theme },
    ))
}

test('what floats opens, is legible, closes with Escape and returns the focus', () =>
  app.open('/kit', async (page) => {
    for (const [button, role] of [
      ['Open dialog', 'dialog'],
      ['Open menu', 'menu'],
      ['Open popover', 'dialog'],
    ] as const) {
      const trigger = page.getByRole('button', { name: button })
      await trigger.click()
      await page.getByRole(role).waitFor()
      await assertAccessible(page)
      await page.keyboard.press('Escape')
      await page.getByRole(role).waitFor({ state: 'detached' })
      await page.waitForFunction((name) => document.activeElement?.textContent === name, button)
    }
  }))
