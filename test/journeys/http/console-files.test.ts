import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let folder: string
before(async () => {
  server = await startServer()
  folder = await mkdtemp(join(tmpdir(), 'atelier-console-'))
  await mkdir(join(folder, 'assets'))
  for (const [name, text] of [
    ['index.html', '<!doctype html><title>console</title>'],
    ['assets/index-abc.js', 'export {}'],
  ] as const) {
    await writeFile(join(folder, name), text)
    await writeFile(join(folder, `${name}.br`), brotliCompressSync(text))
    await writeFile(join(folder, `${name}.gz`), gzipSync(text))
  }
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const get = (path: string, headers: Record<string, string> = {}) =>
  server.call({ path, key: null, headers })
const files = () => server.running.consoleFiles ?? assert.fail('this process serves')

test('the root leads to the console, and each of console and reference to the other', async () => {
  const root = await get('/')
  assert.equal(root.status, 302)
  assert.equal(root.headers.location, '/console/')
  assert.equal((await get('/console')).headers.location, '/console/')
  assert.match((await get('/docs')).text, /href="\/console\/"/)
})

test('while the console is being built its address says so and reloads; the API answers', async () => {
  files().building()
  const page = await get('/console/workflows')
  assert.equal(page.status, 503)
  assert.equal(page.headers['retry-after'], '2')
  assert.match(page.text, /http-equiv="refresh" content="2"/)
  assert.match(page.text, /href="\/docs"/)
  assert.equal((await get('/readyz')).status, 200)
})

test('a failed build is reported, and the page does not reload forever', async () => {
  files().failed()
  const page = await get('/console/')
  assert.equal(page.status, 503)
  assert.doesNotMatch(page.text, /http-equiv="refresh"/)
  assert.match(page.text, /npm run build:console/)
})

test('every screen is the same page, never cached, under the exact policy', async () => {
  await files().load(folder)
  for (const path of ['/console/', '/console/workflows/7', '/console/developer/keys?new=1']) {
    const page = await get(path)
    assert.equal(page.status, 200)
    assert.match(page.text, /<title>console/)
    assert.equal(page.headers['cache-control'], 'no-cache')
    assert.equal(
      page.headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    )
  }
})

test('files are immutable and come compressed as the browser can take them', async () => {
  await files().load(folder)
  for (const [accepted, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, identity', undefined],
    ['', undefined],
  ] as const) {
    const file = await get('/console/assets/index-abc.js', { 'accept-encoding': accepted })
    assert.equal(file.headers['content-encoding'], encoding, accepted)
    assert.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.match(String(file.headers['content-type']), /^text\/javascript/)
  }
  const missing = await get('/console/assets/gone.js')
  assert.equal(missing.body.error.code, 'ROUTE_NOT_FOUND')
  const climbing = await get('/console/assets/..%2f..%2fpackage.json')
  assert.equal(climbing.status, 404)
})

test('for an unknown address a person gets a page, a program JSON', async () => {
  const page = await get('/nothing-here', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
  assert.equal(page.status, 404)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  assert.match(page.text, /href="\/console\/"/)
  assert.match(page.text, new RegExp(String(page.headers['x-request-id'])))
  assert.equal((await get('/nothing-here')).body.error.code, 'ROUTE_NOT_FOUND')
  const api = await get('/api/ai-tools/v1/nothing', { accept: 'text/html' })
  assert.equal(api.body.error.code, 'ROUTE_NOT_FOUND')
})

test('there is a favicon', async () => {
  for (const path of ['/favicon.svg', '/favicon.ico'])
    assert.match(String((await get(path)).headers['content-type']), /^image\/svg/)
})
