// `npm run test:console`: all journeys through the console, also the long ones, and every state that
// they reach is examined by axe and on a phone. `npm run test:console -- chat runs` chooses files.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { basename } from 'node:path'

const chosen = process.argv.slice(2)
const files = globSync('test/console/**/*.test.ts').filter(
  (path) => chosen.length === 0 || chosen.includes(basename(path, '.test.ts')),
)
if (files.length === 0) throw new Error('there is no such file in test/console')
const child = spawn(process.execPath, ['scripts/test.ts', ...files], {
  stdio: 'inherit',
  env: { ...process.env, ATELIER_TEST_VIEWS: 'all' },
})
const [code] = await once(child, 'exit')
process.exitCode = code ?? 1
