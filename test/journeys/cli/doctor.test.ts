import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { dispatched, newFolder, openSetting } from './setting.ts'

type Finding = { check: string; level: string; message: string; advice?: string }

async function examine(env: Record<string, string>) {
  const { code, stdout, stderr } = await dispatched(['doctor', '--json'], { env })
  assert.equal(stderr, '')
  const { healthy, findings } = JSON.parse(stdout) as { healthy: boolean; findings: Finding[] }
  assert.equal(code, healthy ? 0 : 1)
  for (const { level, advice } of findings) assert.equal(level === 'ok', advice === undefined)
  const about = (check: string) => findings.filter((finding) => finding.check === check)
  return { healthy, findings, about, level: (check: string) => about(check)[0]?.level }
}

/** Providers that know one key. */
async function openProviders(t: TestContext) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const { headers, method, url } = request
    seen.push(`${method} ${url}`)
    const key = headers.authorization ?? headers['x-api-key'] ?? headers['x-goog-api-key']
    const isFal = url?.startsWith('/fal') === true
    response.writeHead(String(key).includes('right') ? (isFal ? 404 : 200) : 401).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, seen }
}

test('a running server in good order is found in good order', async (t) => {
  const { env, cli, server } = await openSetting(t)
  const { healthy, findings, level } = await examine(env)
  assert.ok(healthy)
  const checks = findings.map(({ check }) => check)
  assert.deepEqual(checks, [
    'node',
    'configuration',
    'data',
    'database',
    'providers',
    'outbound',
    'server',
    'key',
  ])
  assert.equal(level('providers'), 'warn')
  const text = await cli(['doctor'])
  assert.equal(text.code, 0)
  assert.match(text.stdout, /^ok {4}node/)
  assert.match(text.stdout, /\nok {4}database +SQLite .*: set up\n/)
  assert.match(text.stdout, /\nwarn {2}providers .*\n +For real models set one of OPENAI_API_KEY/)
  assert.ok(text.stdout.endsWith(`owner.key is accepted; 4 models\n`), text.stdout)
  assert.ok(!text.stdout.includes(server.ownerKey))
})

test('before the first start nothing is wrong, and the next step is shown', async (t) => {
  const DATA_DIR = join(await newFolder(t), 'data')
  const { healthy, about } = await examine({ DATA_DIR, ATELIER_URL: 'http://127.0.0.1:9' })
  assert.ok(healthy)
  assert.match(about('data')[0]?.message ?? '', /will be created at the first start/)
  assert.match(about('server')[0]?.advice ?? '', /atelier start/)
})

test('each bad variable is named, without its secret', async (t) => {
  const env = { DATA_DIR: await newFolder(t), PORT: 'many', SECRET_KEY: 'too-short-secret' }
  const { healthy, about } = await examine({ ...env, ATELIER_URL: 'http://127.0.0.1:9' })
  assert.ok(!healthy)
  const messages = about('configuration').map(({ message }) => message)
  assert.equal(messages.length, 2)
  assert.match(messages[0] ?? '', /^PORT must be a whole number/)
  assert.match(messages[1] ?? '', /^SECRET_KEY must be base64/)
  assert.ok(!messages.join().includes('too-short-secret'))
})

test('a proxy that is not trusted is told of, because its callers share the limits of one', async (t) => {
  const env = { DATA_DIR: await newFolder(t), ATELIER_URL: 'http://127.0.0.1:9' }
  const BASE_URL = 'https://atelier.example'
  const { about } = await examine({ ...env, BASE_URL })
  assert.equal(about('configuration')[0]?.level, 'warn')
  assert.match(about('configuration')[0]?.message ?? '', /TRUSTED_PROXIES is not set/)
  const { level } = await examine({ ...env, BASE_URL, TRUSTED_PROXIES: '127.0.0.1' })
  assert.equal(level('configuration'), 'ok')
})

test('a models file that cannot be read is reported with the position of the error', async (t) => {
  const DATA_DIR = await newFolder(t)
  const MODELS_FILE = join(DATA_DIR, 'models.json')
  await writeFile(MODELS_FILE, '{"models":[{"id":"x","pricee":1}]}')
  const { about } = await examine({ DATA_DIR, MODELS_FILE, ATELIER_URL: 'http://127.0.0.1:9' })
  assert.equal(about('configuration')[0]?.level, 'fail')
  assert.match(about('configuration')[0]?.message ?? '', /MODELS_FILE .*models\.json: .*pricee/)
})

test('providers are asked whether they accept the key, with reads only', async (t) => {
  const { url, seen } = await openProviders(t)
  const DATA_DIR = await newFolder(t)
  const MODELS_FILE = join(DATA_DIR, 'models.json')
  const endpoints = [{ name: 'house', baseUrl: `${url}/v1`, apiKeyVariable: 'HOUSE_KEY' }]
  await writeFile(MODELS_FILE, JSON.stringify({ endpoints }))
  const { about, level, findings } = await examine({
    DATA_DIR,
    MODELS_FILE,
    HOUSE_KEY: 'right-house',
    ATELIER_URL: 'http://127.0.0.1:9',
    OPENAI_API_KEY: 'right-openai',
    OPENAI_BASE_URL: `${url}/v1`,
    ANTHROPIC_API_KEY: 'wrong-anthropic',
    ANTHROPIC_BASE_URL: url,
    FAL_KEY: 'right-fal',
    FAL_BASE_URL: url,
    REPLICATE_API_TOKEN: 'right-replicate',
    REPLICATE_BASE_URL: 'http://127.0.0.1:9',
  })
  assert.equal(level('provider openai'), 'ok')
  assert.equal(level('provider house'), 'ok')
  assert.equal(level('provider fal'), 'ok')
  assert.equal(level('provider anthropic'), 'fail')
  assert.equal(about('provider anthropic')[0]?.advice, 'Check ANTHROPIC_API_KEY.')
  assert.match(about('provider replicate')[0]?.message ?? '', /cannot be reached/)
  assert.equal(about('providers')[0]?.message, 'not set: GEMINI_API_KEY')
  assert.ok(seen.length > 0 && seen.every((call) => call.startsWith('GET ')))
  assert.doesNotMatch(JSON.stringify(findings), /(right|wrong)-/)
})

test('an outbound policy that opens the metadata address fails, a narrow one warns', async (t) => {
  const env = { DATA_DIR: await newFolder(t), ATELIER_URL: 'http://127.0.0.1:9' }
  assert.equal((await examine(env)).level('outbound'), 'ok')
  const wide = await examine({ ...env, OUTBOUND_ALLOW: '169.254.0.0/16' })
  assert.equal(wide.level('outbound'), 'fail')
  const narrow = await examine({ ...env, OUTBOUND_ALLOW: '127.0.0.1/32' })
  assert.equal(narrow.level('outbound'), 'warn')
})

test('a key file that others can read, and a file that is not a database, are found', async (t) => {
  const DATA_DIR = await newFolder(t)
  await writeFile(join(DATA_DIR, 'owner.key'), 'sk_x')
  await chmod(join(DATA_DIR, 'owner.key'), 0o644)
  await writeFile(join(DATA_DIR, 'atelier.db'), 'x'.repeat(5000))
  const { about, level } = await examine({ DATA_DIR, ATELIER_URL: 'http://127.0.0.1:9' })
  assert.deepEqual(
    about('data').map((finding) => finding.level),
    ['ok', 'warn'],
  )
  assert.match(about('data')[1]?.advice ?? '', /^chmod 600 .*owner\.key$/)
  assert.equal(level('database'), 'fail')
})

test('a PostgreSQL that nobody has used yet is in good order', async (t) => {
  const opened = await databases.find(({ name }) => name === 'postgres')?.open()
  if (!opened || !('url' in opened.location)) throw new Error('there is no PostgreSQL')
  t.after(() => opened.close())
  const env = { DATA_DIR: await newFolder(t), ATELIER_URL: 'http://127.0.0.1:9' }
  const { about } = await examine({ ...env, DATABASE_URL: opened.location.url })
  assert.equal(about('database')[0]?.level, 'ok')
  assert.match(
    about('database')[0]?.message ?? '',
    /: empty; tables are created at the first start$/,
  )
})

test('a missing PostgreSQL is reported within seconds, without its password', async (t) => {
  const env = { DATA_DIR: await newFolder(t), ATELIER_URL: 'http://127.0.0.1:9' }
  const DATABASE_URL = 'postgres://me:hidden-word@127.0.0.1:9/atelier'
  const { level, findings } = await examine({ ...env, DATABASE_URL })
  assert.equal(level('database'), 'fail')
  assert.doesNotMatch(JSON.stringify(findings), /hidden-word/)
})

test('for a server elsewhere only the connection is checked', async () => {
  const env = { ATELIER_URL: 'http://atelier.invalid', PORT: 'many' }
  const { healthy, about, level } = await examine(env)
  assert.ok(!healthy)
  assert.equal(level('connection'), 'warn')
  assert.equal(level('server'), 'fail')
  assert.equal(about('data').length, 0)
})
