// The operator's endpoints are asked for their models in the console, and what they have is added.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Body, P, startServer } from '../../support/server.ts'
import { eventually } from '../generation/setting.ts'

const area = '/api/console/v1'

/** Lists models to whoever has the key, and counts those that it was asked by. */
async function openModels(t: TestContext, ids: string[]) {
  const seen: string[] = []
  const server = createServer(({ url = '', headers }, response) => {
    const isAllowed = headers.authorization === 'Bearer right'
    if (url === '/v1/models') seen.push(String(headers.authorization))
    const data = ids.map((id) => ({ id, max_model_len: 4096 }))
    const isFound = url === '/v1/models' && isAllowed
    response.writeHead(isFound ? 200 : 404).end(JSON.stringify(isFound ? { data } : {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { seen, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

async function signedIn(server: Awaited<ReturnType<typeof startServer>>, isOperator: boolean) {
  const headers: Record<string, string> = { origin: server.url }
  const person = { email: `${isOperator}@example.com`, password: 'correct horse battery' }
  const token = server.running.setupLink?.split('#token=')[1]
  const call = (method: string, path: string, json?: unknown) =>
    server.call({ method, path: area + path, json, key: null, headers })
  const entered = isOperator
    ? await call('POST', '/set-up', { token, ...person })
    : await call('POST', '/sign-up', person)
  assert.equal(entered.status, 200, entered.text)
  headers.cookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
  return call
}

test('operators see what their endpoints have, and add it to MODELS_FILE', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'atelier-discovery-'))
  const MODELS_FILE = join(folder.path, 'models.json')
  const { baseUrl, seen } = await openModels(t, ['tiny', 'small', 'old'])
  const file = {
    endpoints: [
      { name: 'shed', baseUrl, apiKeyVariable: 'SHED_KEY' },
      { name: 'gone', baseUrl: 'http://127.0.0.1:9/v1' },
      { name: 'cloud', type: 'azure', baseUrl: 'https://acme.openai.azure.com', apiKey: 'k' },
    ],
    models: [
      { id: 'old', provider: 'shed', kind: 'TEXT' },
      { id: 'shed/away', provider: 'shed', kind: 'TEXT' },
    ],
  }
  await writeFile(MODELS_FILE, JSON.stringify(file))
  await using server = await startServer({ MODELS_FILE, SHED_KEY: 'right', SIGN_UP: 'open' })
  const operator = await signedIn(server, true)
  const other = await signedIn(server, false)
  const taking = { endpoint: 'shed', ids: ['shed/tiny', 'shed/unheard-of'], free: true }
  for (const [method, json] of [['GET'], ['POST', taking]] as const) {
    const { status, body } = await other(method, '/server/discovery', json)
    assert.deepEqual([status, body.error.code], [403, 'INSUFFICIENT_ROLE'])
  }
  assert.deepEqual(seen, [])

  const { items } = (await operator('GET', '/server/discovery')).body.data
  const [shed, gone] = items
  assert.deepEqual(
    items.map(({ name, added, known, gone }: Body) => [
      name,
      added.map(({ id, maxInputTokens }: Body) => [id, maxInputTokens]),
      ...[known, gone],
    ]),
    [
      ['shed', [...[['shed/tiny', 4096]], ['shed/small', 4096]], 1, ['shed/away']],
      ['gone', [], 0, []],
    ],
  )
  assert.equal(shed.problem, null)
  assert.match(gone.problem, /127\.0\.0\.1:9 cannot be reached/)
  assert.deepEqual(JSON.parse(await readFile(MODELS_FILE, 'utf8')), file)

  const taken = await operator('POST', '/server/discovery', taking)
  assert.deepEqual([taken.status, taken.body.data], [200, { added: 1 }], taken.text)
  const written = JSON.parse(await readFile(MODELS_FILE, 'utf8'))
  assert.deepEqual(written.endpoints, file.endpoints)
  assert.deepEqual(
    written.models.map(({ id }: Body) => id),
    ['old', 'shed/away', 'shed/tiny'],
  )
  assert.equal((await readdir(folder.path)).length, 2, 'the file before is kept')
  await eventually(
    async () => (await server.call(`${P}/models`)).body.data.items.map(({ id }: Body) => id),
    (ids) => ids.includes('shed/tiny'),
  )
  const audit = await operator('GET', '/audit?action=models.added')
  assert.deepEqual(
    audit.body.data.items.map(({ target }: Body) => target),
    ['shed: shed/tiny, shed/unheard-of'],
  )

  // An address that is not in the file is not asked, whoever names it.
  const elsewhere = { ...taking, endpoint: baseUrl }
  const refused = await operator('POST', '/server/discovery', elsewhere)
  assert.deepEqual([refused.status, refused.body.error.code], [404, 'RECORD_NOT_FOUND'])
})
