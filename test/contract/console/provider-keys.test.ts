import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import pino from 'pino'
import { keyScopes } from '#core/scopes.ts'
import {
  addWorkflow,
  type Caller,
  ended,
  type GraphNode,
  graph,
  started,
  submit,
} from '../../journeys/runs/setting.ts'
import { consolePath, signUp } from '../../support/console.ts'
import { databases } from '../../support/databases.ts'
import { ownMigrations } from '../../support/migrated.ts'
import { startDouble } from '../../support/provider-doubles/double.ts'
import { wires } from '../../support/provider-doubles/wires.ts'
import {
  type Answer,
  type Body,
  type Call,
  P,
  startServer,
  type TestServer,
} from '../../support/server.ts'
import { refusedAs } from './setting.ts'
import { storedText } from './stored-text.ts'

// The doubles answer this key alone; the server has another one for OpenAI and none for fal.
const accountKey = 'acct-5d20c7e1f94b4a86-own1'
const serverKey = 'srv-9a1e33b07d524c68-srv1'
const wrongKey = 'acct-0000c7e1f94b4a86-bad1'
const openai = await startDouble(wires.openai, { key: accountKey })
const fal = await startDouble(wires.fal, { key: accountKey })
after(() => Promise.all([openai.close(), fal.close()]))

const text = 'openai/gpt-6-luna'
const picture = 'openai/gpt-image-2'
const video = 'fal/seedance-2.0-mini'

const logged: string[] = []
const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })

for (const database of databases) {
  describe(`provider keys of accounts (${database.name})`, () => {
    let server: TestServer
    let env: Record<string, string> = {}
    let key = ''
    let strangersKey = ''
    const closing: (() => Promise<unknown>)[] = []
    const restart = async () => {
      await server?.stop()
      server = await startServer(env, log)
    }
    before(async () => {
      const opened =
        database.name === 'postgres' ? await database.open({ migrations: ownMigrations }) : null
      if (opened) closing.push(() => opened.close())
      const DATA_DIR = await mkdtemp(join(tmpdir(), 'atelier-keys-'))
      closing.push(() => rm(DATA_DIR, { recursive: true, force: true }))
      env = {
        ...{ SIGN_UP: 'open', DATA_DIR, LEASE_SECONDS: '5' },
        MODELS_FILE: join(DATA_DIR, 'models.json'),
        DATABASE_URL: opened && 'url' in opened.location ? opened.location.url : '',
        ...{ OPENAI_API_KEY: serverKey, OPENAI_BASE_URL: openai.url, FAL_BASE_URL: fal.url },
      }
      const models = [{ id: 'fal/flux-schnell', enabled: false }]
      await writeFile(join(DATA_DIR, 'models.json'), JSON.stringify({ models }))
      await restart()
      closing.push(() => server.stop())
      key = await (await signUp(server)).newKey({ scopes: keyScopes })
      strangersKey = await (await signUp(server)).newKey({ scopes: keyScopes })
    })
    after(async () => {
      for (const close of closing.reverse()) await close()
    })
    beforeEach(() => {
      openai.reset()
      fal.reset()
    })

    const as = (key: () => string): Caller => ({
      call: (call) =>
        server.call({ ...(typeof call === 'string' ? { path: call } : call), key: key() }),
    })
    const caller = as(() => key)
    const develop = (path: string, call: Omit<Call, 'path'> = {}): Promise<Answer> =>
      caller.call({ ...call, path: consolePath + path })
    const dataOf = async (path: string, call: Omit<Call, 'path'> = {}): Promise<Body> => {
      const answer = await develop(path, call)
      assert.equal(answer.status, 200, answer.text)
      return answer.body.data
    }
    const stored = (name: string, content: object): Promise<Body> =>
      dataOf('/credentials', { method: 'POST', json: { name, kind: 'provider', ...content } })
    const replaced = (name: string, content: object): Promise<Body> =>
      dataOf(`/credentials/${name}`, { method: 'PUT', json: { kind: 'provider', ...content } })
    const deleted = (name: string) => dataOf(`/credentials/${name}`, { method: 'DELETE' })
    const node = (type: string, data: object): GraphNode => ({
      id: 'make',
      type: `${type}.generate`,
      data: { prompt: 'A lake', ...data },
    })
    const begun = async (data: object) => started(caller, await addWorkflow(caller, data))
    const ran = async (data: object): Promise<Body> => ended(caller, await begun(data))
    const callsOf = async (runId: string): Promise<Body[]> =>
      (await dataOf(`/calls?runId=${runId}`)).items
    const validated = async (data: object): Promise<Body> =>
      (await caller.call({ method: 'POST', path: `${P}/workflows/validate`, json: { data } })).body
        .data
    const keysSeen = (double: typeof openai) => [
      ...new Set(
        double.requests
          .filter(({ route }) => route !== 'file')
          .map(({ headers }) => headers.authorization),
      ),
    ]

    test('a key is stored for a provider that takes one, and is not shown again', async () => {
      const made = await stored('mine', { provider: 'openai', secret: accountKey })
      assert.deepEqual([made.kind, made.provider, made.hosts], ['provider', 'openai', []])
      assert.equal(made.lastChars, 'own1')
      await stored('film', { provider: 'fal', secret: accountKey })
      await stored('bad', { provider: 'openai', secret: wrongKey })
      const secret = 'never-to-be-repeated'
      for (const content of [
        { kind: 'provider', secret },
        { kind: 'provider', provider: 'nobody', secret },
        { kind: 'provider', provider: 'embedded', secret },
        { kind: 'provider', provider: 'openai', secret, hosts: ['a.example'] },
        { kind: 'provider', provider: 'openai', secret: `${secret} two` },
        { kind: 'bearer', provider: 'openai', secret },
      ]) {
        const json = { name: 'wrong', ...content }
        const answer = await develop('/credentials', { method: 'POST', json })
        refusedAs(answer, 400, 'INVALID_REQUEST')
        assert.ok(!answer.text.includes(secret), answer.text)
      }
    })

    test("text and pictures are made with the account's key, and never with the server's", async () => {
      for (const [data, count] of [
        [node('text', { model: text, credential: 'mine' }), 1],
        [node('image', { model: picture, credential: 'mine' }), 2],
      ] as const) {
        const { runId, status, nodeErrors } = await ran(graph([data]))
        assert.equal(status, 'COMPLETED', JSON.stringify(nodeErrors))
        assert.equal(openai.requests.length, count)
        const [call] = await callsOf(runId)
        assert.deepEqual(
          [call.provider, call.credential, call.outcome],
          ['openai', 'mine', 'SUCCEEDED'],
        )
        assert.ok(call.cost.amount > 0)
      }
      assert.deepEqual(keysSeen(openai), [`Bearer ${accountKey}`])
      const { items } = await dataOf('/credentials')
      const used = items.find(({ name }: Body) => name === 'mine')
      assert.ok(Date.parse(used.lastUsedAt) > 0)
    })

    test("a node that names none is made with the server's", async () => {
      const { runId, nodeErrors } = await ran(graph([node('text', { model: text })]))
      assert.deepEqual(keysSeen(openai), [`Bearer ${serverKey}`])
      assert.equal((await callsOf(runId))[0].credential, null)
      assert.doesNotMatch(nodeErrors[0].message, /credential/)
    })

    test('also for each item of a list and in a called workflow', async () => {
      const step = { type: 'text.generate', data: { model: text, credential: 'mine' } }
      const each = { id: 'each', type: 'flow.map', data: { items: ['a', 'b'], apply: step } }
      assert.equal((await ran(graph([each]))).status, 'COMPLETED')
      const inner = graph([node('text', { model: text, credential: 'mine' })])
      const workflowId = await addWorkflow(caller, inner)
      const call = { id: 'call', type: 'workflow.call', data: { workflowId } }
      assert.equal((await ran(graph([call]))).status, 'COMPLETED')
      assert.equal(openai.requests.length, 3)
      assert.deepEqual(keysSeen(openai), [`Bearer ${accountKey}`])
    })

    test('a provider that refuses the key is quoted with the name of the credential', async () => {
      const { nodeErrors } = await ran(graph([node('text', { model: text, credential: 'bad' })]))
      assert.equal(nodeErrors[0].code, 'PROVIDER_ERROR')
      assert.match(nodeErrors[0].message, /wrong key.*credential "bad"/)
      const made = await ran(graph([node('image', { model: picture, credential: 'bad' })]))
      assert.match(made.nodeErrors[0].message, /wrong key.*credential "bad"/)
    })

    test('a key that an answer or a refusal repeats is not recorded', async () => {
      const saying = { type: 'output_text', text: `You sent ${accountKey}`, annotations: [] }
      const message = { type: 'message', id: 'm', role: 'assistant', content: [saying] }
      const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
      const body = { id: 'r', object: 'response', status: 'completed', output: [message], usage }
      openai.script('chat', { do: 'say', status: 200, body })
      const data = graph([node('text', { model: text, credential: 'mine' })])
      const { outputs } = await ran(data)
      assert.equal(outputs.make, 'You sent [credential mine]')
      openai.script('chat', { do: 'refuse', status: 400, message: `No ${accountKey} here` })
      const { nodeErrors } = await ran(data)
      assert.match(nodeErrors[0].message, /No \[redacted\] here/)
    })

    test("one key's outages do not stop the calls with others", async () => {
      const data = (credential: string) => graph([node('text', { model: text, credential })])
      await stored('flaky', { provider: 'openai', secret: accountKey })
      const workflowId = await addWorkflow(caller, data('flaky'))
      openai.always('chat', { do: 'refuse', status: 500 })
      for (let i = 0; i < 5; i++) await ended(caller, await started(caller, workflowId))
      openai.reset()
      const { status, nodes } = await ran(data('mine'))
      assert.deepEqual([status, nodes[0].attempts], ['COMPLETED', 1])
    })

    test('a credential that can never be used there is an error, a missing one a warning', async () => {
      const json = { name: 'crm', kind: 'bearer', secret: 'abcdefgh', hosts: ['api.example.com'] }
      await dataOf('/credentials', { method: 'POST', json })
      const request = { url: 'https://api.openai.com/v1/files', credential: 'mine' }
      const wrong = [
        [node('text', { model: text, credential: 'crm' }), /"crm" is of kind bearer/],
        [node('text', { model: text, credential: 'film' }), /"film" is a key of fal.*openai/],
        [node('video', { model: video, credential: 'mine' }), /"mine" is a key of openai.*fal/],
        [{ id: 'make', type: 'http.request', data: request }, /"mine" is a key of openai/],
      ] as const
      for (const [data, message] of wrong) {
        const { valid, errors } = await validated(graph([data]))
        assert.equal(valid, false)
        assert.deepEqual(
          [errors[0].code, errors[0].path],
          ['INVALID_CONFIG', '/nodes/0/data/credential'],
        )
        assert.match(errors[0].message, message)
      }
      const missing = await validated(graph([node('text', { model: text, credential: 'later' })]))
      assert.equal(missing.valid, true)
      assert.ok(missing.warnings.some(({ code }: Body) => code === 'CREDENTIAL_NOT_FOUND'))
    })

    test('a model the server has no key for is there for those who have one', async () => {
      const codesOf = async (credential?: string) =>
        (await validated(graph([node('video', { model: video, credential })]))).warnings.map(
          ({ code }: Body) => code,
        )
      fal.plan('succeeded')
      assert.ok((await codesOf()).includes('MODEL_UNAVAILABLE'))
      assert.ok(!(await codesOf('film')).includes('MODEL_UNAVAILABLE'))
      const { status, outputs, nodeErrors } = await ran(
        graph([node('video', { model: video, credential: 'film' })]),
      )
      assert.equal(status, 'COMPLETED', JSON.stringify(nodeErrors))
      assert.equal(outputs.make.mimeType, 'video/mp4')
      assert.deepEqual(keysSeen(fal), [`Key ${accountKey}`])
    })

    test('such models are listed for those who have a key, unless the operator disabled them', async () => {
      const ids = (await dataOf('/key-models')).items.map(({ id }: Body) => id)
      assert.ok(ids.includes(video))
      assert.ok(!ids.includes('fal/flux-schnell'), 'disabled in the models file')
      // OpenAI's are in the public list, and there is no key for Gemini's.
      assert.ok(ids.every((id: string) => id.startsWith('fal/')))
      const disabled = node('image', { model: 'fal/flux-schnell', credential: 'film' })
      const { warnings } = await validated(graph([disabled]))
      assert.ok(warnings.some(({ code }: Body) => code === 'MODEL_UNAVAILABLE'))
      const submitted = await submit(caller, await addWorkflow(caller, graph([disabled])))
      refusedAs(submitted, 422, 'UNSUPPORTED_NODES')
      assert.equal(fal.requests.length, 0)
      const theirs = await as(() => strangersKey).call(`${consolePath}/key-models`)
      assert.deepEqual(theirs.body.data.items, [])
    })

    test('one that was made something else since is refused, at the latest by its node', async () => {
      await stored('turned', { provider: 'openai', secret: accountKey })
      const inner = await Promise.all(
        [text, picture].map((model) => {
          const type = model === text ? 'text' : 'image'
          return addWorkflow(caller, graph([node(type, { model, credential: 'turned' })]))
        }),
      )
      await replaced('turned', { provider: 'fal', secret: accountKey })
      const call = (workflowId: number) =>
        graph([{ id: 'call', type: 'workflow.call', data: { workflowId } }])
      for (const id of inner) {
        refusedAs(await submit(caller, id), 422, 'WORKFLOW_INVALID')
        const { nodeErrors } = await ran(call(id))
        assert.match(nodeErrors[0].message, /CREDENTIAL_NOT_ALLOWED: .*is a key of fal/)
      }
      await deleted('turned')
      for (const id of inner) {
        assert.match((await ran(call(id))).nodeErrors[0].message, /CREDENTIAL_NOT_FOUND: /)
      }
      assert.equal(openai.requests.length, 0)
    })

    test("another account's key is as good as none", async () => {
      const stranger = as(() => strangersKey)
      for (const data of [
        node('text', { model: text, credential: 'mine' }),
        node('image', { model: picture, credential: 'mine' }),
      ]) {
        const workflowId = await addWorkflow(stranger, graph([data]))
        const { nodeErrors } = await ended(stranger, await started(stranger, workflowId))
        assert.equal(nodeErrors[0].code, 'CREDENTIAL_NOT_FOUND')
      }
      assert.equal(openai.requests.length, 0)
    })

    /** A run whose video is being made, and goes on being made. */
    const filming = async (credential: string) => {
      fal.plan('running')
      const runId = await begun(graph([node('video', { model: video, credential })]))
      await fal.arrived('poll', 1)
      return runId
    }
    const finish = () => {
      for (const job of fal.jobs) job.plan = ['succeeded']
    }
    const lost = async (runId: string) => {
      const { nodeErrors } = await ended(caller, runId)
      const [call] = await callsOf(runId)
      assert.deepEqual([fal.counts.submit, call.outcome], [1, 'UNKNOWN'])
      return nodeErrors[0]
    }

    test('a job is followed with its key after a restart', async () => {
      const runId = await filming('film')
      await restart()
      finish()
      const { status, nodeErrors } = await ended(caller, runId)
      assert.equal(status, 'COMPLETED', JSON.stringify(nodeErrors))
      assert.equal(fal.counts.submit, 1)
      assert.deepEqual(keysSeen(fal), [`Key ${accountKey}`])
    })

    test('a job whose credential was deleted is not asked for, and not ordered again', async () => {
      await stored('gone', { provider: 'fal', secret: accountKey })
      const runId = await filming('gone')
      await deleted('gone')
      await stored('gone', { provider: 'fal', secret: accountKey })
      const { code, message } = await lost(runId)
      assert.equal(code, 'CREDENTIAL_NOT_FOUND')
      assert.match(message, /was deleted.*may have accepted and billed/)
    })

    test('a job that its new key does not know is lost, and not ordered again', async () => {
      await stored('renewed', { provider: 'fal', secret: accountKey })
      const runId = await filming('renewed')
      const headers = { 'retry-after-ms': '1' }
      fal.always('poll', { do: 'refuse', status: 403, message: 'not yours', headers })
      Object.assign(fal, { key: wrongKey })
      await replaced('renewed', { provider: 'fal', secret: wrongKey })
      const { code, message } = await lost(runId)
      Object.assign(fal, { key: accountKey })
      assert.equal(code, 'PROVIDER_ERROR')
      assert.match(message, /not yours.*credential "renewed"/)
      assert.ok(keysSeen(fal).includes(`Key ${wrongKey}`))
    })

    test('no key is readable in any record, in the database or in the log', async () => {
      const seen: string[] = [...logged]
      const { items } = (await caller.call(`${P}/workflows?size=200`)).body.data
      for (const { id } of items) {
        seen.push((await caller.call(`${P}/workflows/${id}`)).text)
        const runs = (await caller.call(`${P}/workflows/${id}/runs`)).body.data.items
        for (const { runId } of runs) {
          seen.push((await caller.call(`${P}/workflow-runs/${runId}`)).text)
          seen.push((await develop(`/calls?runId=${runId}`)).text)
        }
      }
      seen.push((await develop('/credentials')).text)
      seen.push(...(await storedText(server.dataDir, env.DATABASE_URL ?? '')))
      assert.ok(seen.some((one) => one.includes('[credential mine]')))
      for (const secret of [accountKey, wrongKey]) {
        for (const form of [secret, Buffer.from(secret).toString('hex')]) {
          const found = seen.find((one) => one.includes(form))
          assert.equal(found, undefined, found?.slice(0, 300) ?? form)
        }
      }
    })
  })
}
