import { randomBytes } from 'node:crypto'
import { uuidV7 } from '#core/ids.ts'
import type { Role } from '#core/roles.ts'
import type { Db } from '#store/db.ts'
import { insertUser } from '#store/tables/users.ts'
import { openConsole } from './console.ts'
import { handClock } from './setting.ts'

export const password = 'correct horse battery'
export const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`
/** A different one each time, so that no address comes to the limit of sign-ins. */
export const newAddress = () => `2001:db8:${randomBytes(2).toString('hex')}::1`

/** An account with an owner, and a way for others to join it. */
export async function openTeam(db: Db, options: Parameters<typeof openConsole>[2] = {}) {
  const clock = handClock()
  const opened = await openConsole(db, clock, options)
  const owner = opened.browser()
  const email = newEmail()
  await owner.data('signUp', { body: { email, password }, ipAddress: newAddress() })
  const { id: accountId } = await owner.data<{ id: string }>('getAccount')

  async function join(role: Role) {
    const member = { id: uuidV7(clock.at), email: newEmail(), role }
    const passwordHash = await opened.services.passwords.hash(password)
    const stored = { ...member, accountId, passwordHash, oidc: null, nowMs: clock.at }
    await db.transaction((tx) => insertUser(tx, stored))
    const browser = opened.browser()
    const body = { email: member.email, password }
    await browser.data('signIn', { body, ipAddress: newAddress() })
    return { browser, email: member.email, userId: member.id }
  }

  return { ...opened, clock, accountId, owner, ownerEmail: email, join }
}
