import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findKey, readSettings, requireKey } from '../../../src/cli/settings.ts'
import { exits } from '../../../src/cli/terminal/failure.ts'

test('without variables the server is the one npm start serves', () => {
  const settings = readSettings({})
  assert.equal(settings.url, 'http://127.0.0.1:8787')
  assert.ok(settings.isLoopback)
  const project = new URL('../../../data', import.meta.url).pathname
  assert.equal(settings.dataDir, project)
})

test('only addresses of this machine are this machine', () => {
  const here = ['http://127.0.0.1', 'http://127.9.9.9:1', 'http://localhost:1', 'http://[::1]:1']
  const there = ['http://10.0.0.1', 'http://localhost.example', 'http://127.0.0.1.example']
  for (const ATELIER_URL of here) assert.ok(readSettings({ ATELIER_URL }).isLoopback, ATELIER_URL)
  for (const ATELIER_URL of there) assert.ok(!readSettings({ ATELIER_URL }).isLoopback, ATELIER_URL)
})

test('the key file of a local server is used for this machine alone', (t) => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'atelier-settings-'))
  t.after(() => rmSync(DATA_DIR, { recursive: true }))
  writeFileSync(join(DATA_DIR, 'owner.key'), 'sk_file\n')
  assert.equal(findKey(readSettings({ DATA_DIR }))?.key, 'sk_file')
  assert.equal(findKey(readSettings({ DATA_DIR, ATELIER_API_KEY: 'sk_given' }))?.key, 'sk_given')
  const remote = readSettings({ DATA_DIR, ATELIER_URL: 'https://atelier.example.com' })
  assert.equal(findKey(remote), null)
  assert.throws(() => requireKey(remote), { exitCode: exits.unauthorised })
  chmodSync(join(DATA_DIR, 'owner.key'), 0o600)
})

test('a key that could not be sent is refused without being shown', () => {
  const settings = readSettings({ ATELIER_API_KEY: 'sk_one\nsk_two' })
  assert.throws(
    () => requireKey(settings),
    (error: Error) => !error.message.includes('sk_'),
  )
})
