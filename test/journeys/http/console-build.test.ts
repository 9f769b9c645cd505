import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { buildConsole } from '../../../scripts/build-console.ts'
import { startServerProcess } from '../../support/server-process.ts'

test('a started server serves the console that belongs to its sources', async () => {
  await buildConsole()
  const dataDir = await mkdtemp(join(tmpdir(), 'atelier-build-'))
  const server = await startServerProcess({ DATA_DIR: dataDir, CONSOLE: 'on' })
  try {
    let page = await server.call({ path: '/console/', key: null })
    while (page.status === 503) {
      await pause(50)
      page = await server.call({ path: '/console/', key: null })
    }
    assert.match(page.text, /<script type="module"[^>]* src="\/console\/assets\/index-/)
    const [, theme = ''] = /<script src="(\/console\/assets\/theme-[^"]+)">/.exec(page.text) ?? []
    assert.match((await server.call({ path: theme, key: null })).text, /atelier:theme/)
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('concurrent builds share one', async () => {
  const folders = await Promise.all([buildConsole(), buildConsole()])
  assert.equal(folders[0], folders[1])
})
