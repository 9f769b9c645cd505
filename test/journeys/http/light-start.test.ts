import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startServerProcess } from '../../support/server-process.ts'

const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

/** Writes the addresses of all modules that were loaded, Node's own too, once the process ends. */
const listing = `data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  process.on('exit', () =>
    writeFileSync(process.env.LOADED, [...loaded, ...process.moduleLoadList].join('\\n')),
  )
`)}`

test('an unused server has loaded nothing that only some need', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'atelier-light-'))
  // The first start makes what a later one finds, such as the key that signs tokens.
  const first = await startServerProcess({ DATA_DIR: folder.path })
  await first.stop()
  const LOADED = join(folder.path, 'loaded.txt')
  const child = spawn(process.execPath, ['--import', listing, main], {
    env: {
      ...{ PATH: process.env.PATH, DATA_DIR: folder.path, PORT: '0', LOADED },
      ...{ CONSOLE: 'off', DRAIN_SECONDS: '0' },
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('Atelier is ready')) child.kill('SIGTERM')
  }
  const loaded = (await readFile(LOADED, 'utf8')).split('\n')
  assert.ok(loaded.some((url) => url.includes('/node_modules/fastify/')))
  const heavy =
    /internal\/deps\/undici|\/node_modules\/(@aws-sdk|@modelcontextprotocol|@pydantic|@resvg|ajv|@fastify\/(ajv|fast-json-stringify)-compiler|fflate|gpt-tokenizer|h264-mp4-encoder|jose|jsonata|mediabunny|postgres|prom-client|typebox|undici|zod)\/|\/src\/providers\/(anthropic|fal|gemini|openai|replicate|demo\/(art|video))\/|\/src\/(agents\/(?!agent-routes|mcp\/mcp-route)|compat\/openai\/openai|compat\/anthropic\/anthropic|http\/openapi\/openapi\.ts)|\/(nodes|reference|setup)-page\.ts|\/text\/generate\.ts|\/src\/store\/postgres\//
  assert.deepEqual(
    loaded.filter((url) => heavy.test(url)),
    [],
  )
})
