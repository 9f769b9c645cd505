// A server with one account whose webhooks are sent to, on each database.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe } from 'node:test'
import { consolePath, type Person, personOf, signUp } from '../../support/console.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { type Answer, type Body, P, startServer, type TestServer } from '../../support/server.ts'
import { addWorkflow, type Caller, graph } from '../runs/setting.ts'

export const secret = 'a-secret-that-only-the-sender-has'

export const echo = graph(
  [
    { id: 'title', type: 'input.text', data: { required: true } },
    { id: 'out', type: 'output' },
  ],
  ['title -> out'],
)

/** Set before each suite. */
export type Hooks = {
  server: TestServer
  person: Person
  api: Caller
  /** Of the workflow that gives back its title. */
  workflowId: number
  at(workflowId?: number): string
  /** A new trigger, with the path of its address. */
  hook(settings?: object, workflowId?: number): Promise<Body>
  send(path: string, json: unknown, headers?: Record<string, string>): Promise<Answer>
  firings(triggerId: string, workflowId?: number): Promise<Body[]>
}

/** Runs the suite on every database; `on` is filled in before its first test. */
export function onEachDatabase(
  title: string,
  env: Record<string, string>,
  suite: (on: Hooks) => void,
) {
  for (const { name, open } of databases) {
    describe(`${title} (${name})`, () => {
      const on = {} as Hooks
      let opened: TestDatabase | undefined
      before(async () => {
        opened = name === 'postgres' ? await open() : undefined
        const url = opened && 'url' in opened.location ? opened.location.url : undefined
        const server = await startServer({
          ...{ SIGN_UP: 'open', RATE_LIMIT_HOOK: '0', ...env },
          ...(url === undefined ? {} : { DATABASE_URL: url }),
        })
        const person = await signUp(server)
        const json = { name: 'sender', kind: 'webhook', secret }
        const stored = await person.call({
          method: 'POST',
          path: `${consolePath}/credentials`,
          json,
        })
        assert.equal(stored.status, 200, stored.text)
        Object.assign(on, await hooksOf(server, person))
      })
      after(async () => {
        await on.server.stop()
        await opened?.close()
      })
      suite(on)
    })
  }
}

export const callerOf = (server: TestServer, key: string): Caller => ({
  call: (call) => server.call(typeof call === 'string' ? { path: call, key } : { key, ...call }),
})

/** Of one person, who makes triggers with a key of theirs. */
export async function hooksOf(server: TestServer, person: Person): Promise<Hooks> {
  const api = callerOf(server, await person.newKey())
  const own = await addWorkflow(api, echo)
  const at = (id = own) => `${P}/workflows/${id}/triggers`
  return {
    ...{ server, person, api, workflowId: own, at },
    async hook(settings = {}, id) {
      const json = { name: 'hook', kind: 'WEBHOOK', ...settings }
      const { status, body, text } = await api.call({ method: 'POST', path: at(id), json })
      assert.equal(status, 200, text)
      return { ...body.data, path: new URL(body.data.url).pathname }
    },
    send: (path, json, headers = {}) =>
      server.call({
        ...{ method: 'POST', path, key: null },
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof json === 'string' ? json : JSON.stringify(json),
      }),
    firings: async (triggerId, id) =>
      (await api.call(`${at(id)}/${triggerId}/firings`)).body.data.items,
  }
}

/** An editor of the same account. */
export async function newEditor({ server, person }: Hooks): Promise<Person & { userId: string }> {
  const email = `${randomUUID()}@example.com`
  const json = { email, role: 'editor' }
  const made = await person.call({ method: 'POST', path: `${consolePath}/invitations`, json })
  const token = new URLSearchParams(new URL(made.body.data.link).hash.slice(1)).get('token')
  const password = 'correct horse battery'
  const joined = await server.call({
    ...{ method: 'POST', path: `${consolePath}/invitations/accept`, key: null },
    headers: { origin: server.url },
    json: { token, password },
  })
  assert.equal(joined.status, 200, joined.text)
  return { ...personOf(server, joined, { email, password }), userId: joined.body.data.user.id }
}
