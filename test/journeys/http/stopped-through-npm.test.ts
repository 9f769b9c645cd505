import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

it('a server whose npm is asked to stop stops cleanly', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'atelier-npm-'))
  // As npm starts it: through a shell that does not pass signals on.
  const shell = spawn('sh', ['-c', `"${process.execPath}" bin/atelier.mjs start; true`], {
    cwd: root,
    env: {
      ...process.env,
      npm_lifecycle_event: 'start',
      DATA_DIR: folder.path,
      PORT: '0',
      CONSOLE: 'off',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const said: string[] = []
  for await (const line of createInterface({ input: shell.stdout })) {
    said.push(line)
    if (line.includes('Atelier is ready')) shell.kill('SIGTERM')
  }
  assert.match(said.at(-1) ?? '', /"msg":"stopped"/)
})
