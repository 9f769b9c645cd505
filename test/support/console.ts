import { randomBytes } from 'node:crypto'
import type { Answer, Call, TestServer } from './server.ts'

export const consolePath = '/api/console/v1'

export type Person = {
  email: string
  password: string
  accountId: string
  /** Calls the console API with this person's session, as our own page would. */
  call(call: Call): Promise<Answer>
  /** A new API key of this person's account. */
  newKey(settings?: object): Promise<string>
}

type Called = Pick<TestServer, 'call' | 'url'>

/** A new person with a new account. Needs SIGN_UP=open. */
export async function signUp(server: Called): Promise<Person> {
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const password = 'correct horse battery'
  const answer = await server.call({
    method: 'POST',
    path: `${consolePath}/sign-up`,
    key: null,
    headers: { origin: server.url },
    json: { email, password },
  })
  if (answer.status !== 200) throw new Error(`sign-up: ${answer.text}`)
  return personOf(server, answer, { email, password })
}

/** The person whose session is in the answer of a sign-in, sign-up or set-up. */
export function personOf(
  server: Called,
  signedIn: Answer,
  known: { email: string; password: string },
): Person {
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
  const call = (call: Call) =>
    server.call({ ...call, key: null, headers: { cookie, origin: server.url, ...call.headers } })
  return {
    ...known,
    accountId: signedIn.body.data.account.id,
    call,
    async newKey(settings = {}) {
      const answer = await call({
        method: 'POST',
        path: `${consolePath}/api-keys`,
        json: { name: 'test', ...settings },
      })
      if (answer.status !== 200) throw new Error(`new key: ${answer.text}`)
      return answer.body.data.key
    },
  }
}
