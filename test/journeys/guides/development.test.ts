import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../support/free-port.ts'
import { newFolder } from '../backup/setting.ts'

const script = fileURLToPath(new URL('../../../scripts/dev.ts', import.meta.url))

test('the development server draws the console from its source, before a working API', async (t) => {
  const [port, pagePort] = [await freePort(), await freePort()]
  const env = { PORT: `${port}`, CONSOLE_PORT: `${pagePort}`, DATA_DIR: await newFolder(t) }
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env.PATH, ...env },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const at = (path: string) => fetch(`http://127.0.0.1:${pagePort}${path}`)
  const isReady = () =>
    at('/healthz').then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) await setTimeout(100)
  assert.match(await (await at('/console/')).text(), /@vite\/client.*src\/main\.tsx/s)
  assert.match(await (await at('/console/src/ui/badge.tsx')).text(), /import\.meta\.hot/)
  assert.equal((await at('/api/ai-tools/v1/models')).status, 401)
})
