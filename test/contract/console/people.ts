import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { databases } from '../../support/databases.ts'
import { type Call, openConsole } from '../auth/console.ts'
import { handClock } from '../auth/setting.ts'

export const migrations = fileURLToPath(new URL('../../../src/store/migrations', import.meta.url))

export type List<T> = { items: T[]; next: string | null }

/** A migrated database and two signed-in people with accounts of their own. */
export async function openPeople(
  open: (typeof databases)[number]['open'],
  { nowMs, ...options }: Parameters<typeof openConsole>[2] & { nowMs?: number } = {},
) {
  const opened = await open({ migrations })
  const clock = handClock()
  clock.at = nowMs ?? clock.at
  const { browser, verifier, services } = await openConsole(opened.db, clock, options)
  const person = async () => {
    const own = browser()
    const email = `${randomBytes(8).toString('hex')}@example.com`
    const signedIn = await own.data<{ account: { id: string } }>('signUp', {
      body: { email, password: 'correct horse battery' },
    })
    /** Every item of a list, read answer by answer. */
    const all = async <T>(operation: string, query: Record<string, string>): Promise<T[]> => {
      const items: T[] = []
      let cursor: string | null = null
      do {
        const page: List<T> = await own.data(operation, {
          query: { ...query, ...(cursor === null ? {} : { cursor }) },
        })
        items.push(...page.items)
        cursor = page.next
      } while (cursor !== null)
      return items
    }
    return { ...own, accountId: signedIn.account.id, all }
  }
  return {
    db: opened.db,
    clock,
    verifier,
    services,
    nobody: browser(),
    me: await person(),
    stranger: await person(),
    [Symbol.asyncDispose]: opened.close,
  }
}

export type People = Awaited<ReturnType<typeof openPeople>>
export type Someone = People['me']

/** The code of a refusal and where it points. */
export async function refusedAt(someone: Someone, operation: string, call: Call) {
  const { status, code, details } = await someone.refusal(operation, call)
  const issues = (details?.issues ?? []) as { path: string }[]
  return [status, code, issues[0]?.path]
}

/** One character changed. */
export const tampered = (cursor: string) =>
  `${cursor.slice(0, 20)}${cursor[20] === 'A' ? 'B' : 'A'}${cursor.slice(21)}`
