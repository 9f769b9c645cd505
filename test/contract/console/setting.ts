// A whole server on each database, with two people who know nothing of each other.
import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import type { Logger } from '../../../src/operate/log.ts'
import { consolePath, type Person, signUp } from '../../support/console.ts'
import { databases } from '../../support/databases.ts'
import { ownMigrations } from '../../support/migrated.ts'
import { type Answer, type Call, P, startServer, type TestServer } from '../../support/server.ts'

export type Console = {
  server: TestServer
  /** Empty on SQLite. */
  databaseUrl: string
  owner: Person
  stranger: Person
  /** The public API with a key of the owner. */
  api(call: Call | string): Promise<Answer>
}

/** Opens the describe block of each database; `on` is filled before its first test. */
export function onBothDatabases(
  name: string,
  suite: (on: Console) => void,
  env: Record<string, string> = {},
  log?: Logger,
) {
  for (const database of databases) {
    describe(`${name} (${database.name})`, () => {
      const on = {} as Console
      let close = async () => {}
      before(async () => {
        const opened =
          database.name === 'postgres' ? await database.open({ migrations: ownMigrations }) : null
        const url = opened && 'url' in opened.location ? opened.location.url : ''
        const server = await startServer({ SIGN_UP: 'open', DATABASE_URL: url, ...env }, log)
        close = async () => {
          await server.stop()
          await opened?.close()
        }
        const [owner, stranger] = [await signUp(server), await signUp(server)]
        const key = await owner.newKey({ name: 'builder' })
        Object.assign(on, {
          server,
          databaseUrl: url,
          owner,
          stranger,
          api: (call: Call | string) =>
            server.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
        })
      })
      after(() => close())
      suite(on)
    })
  }
}

type Asked = Omit<Call, 'path'>

export const at = (person: Person, path: string, call: Asked = {}): Promise<Answer> =>
  person.call({ ...call, path: consolePath + path })

/** The data of a call that must succeed. */
export async function dataOf(person: Person, path: string, call: Asked = {}) {
  const answer = await at(person, path, call)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

export const refusedAs = (answer: Answer, status: number, code: string) =>
  assert.deepEqual([answer.status, answer.body?.error?.code], [status, code], answer.text)

export async function addWorkflow(on: Console, data: object, name = 'w'): Promise<number> {
  const answer = await on.api({ method: 'POST', path: `${P}/workflows`, json: { name, data } })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.id
}
