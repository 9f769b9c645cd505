// `npm run test:screens`: every screen and dialog in both themes, at every width and at 200 % zoom,
// with axe at every level and nothing wider than the window. `npm run test:screens -- live "new key"`
// chooses; ATELIER_SCREENSHOTS names a folder for pictures of all of them.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { addSamples } from '../../scripts/sample-content.ts'
import { startConsole } from '../support/console-browser.ts'
import { checkScreen, sizes, type Theme } from './check-screen.ts'
import { addScreenContent } from './screen-content.ts'
import { screens } from './screens.ts'

const chosen = process.argv.slice(2)
const folder = process.env.ATELIER_SCREENSHOTS
if (folder) mkdirSync(folder, { recursive: true })
const shot = folder ? (name: string) => join(folder, `${name.replaceAll(' ', '-')}.png`) : undefined

await using app = await startConsole()
const samples = await addScreenContent(app, await addSamples(app.server))
const problems: string[] = []
let checked = 0
for (const screen of screens) {
  if (chosen.length > 0 && !chosen.includes(screen.name)) continue
  for (const theme of ['light', 'dark'] as Theme[]) {
    const found = await checkScreen(app, samples, screen, theme, shot).catch((error: Error) => [
      `${screen.name}, ${theme}: ${error.message}`,
    ])
    checked += Object.keys(sizes).length
    for (const problem of found) console.log(`✖ ${problem}`)
    if (found.length === 0) console.log(`✔ ${screen.name}, ${theme}`)
    problems.push(...found)
  }
}
console.log(`${checked} views, ${problems.length} findings`)
process.exitCode = problems.length > 0 ? 1 : 0
