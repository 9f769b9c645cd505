import { randomBytes } from 'node:crypto'
import type { Role } from '#core/roles.ts'
import type { Db } from '#store/db.ts'
import { openConsole } from './console.ts'
import { type HandClock, handClock } from './setting.ts'

export const password = 'correct horse battery'
export const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`
/** A different one each time, so that no address comes to the limit of sign-ins. */
export const newAddress = () => `2001:db8:${randomBytes(2).toString('hex')}::1`

export const tokenOf = (link: string): string => link.split('#token=')[1] ?? ''
export type Shown = { session: { user: { id: string }; account: { id: string } } | null }

/** An account with an owner, and a way for others to join it. */
export async function openTeam(
  db: Db,
  {
    clock = handClock(),
    ...options
  }: Parameters<typeof openConsole>[2] & { clock?: HandClock } = {},
) {
  const opened = await openConsole(db, clock, options)
  const owner = opened.browser()
  const email = newEmail()
  await owner.data('signUp', { body: { email, password }, ipAddress: newAddress() })
  const { session } = await owner.data<Shown>('getSession')
  const [ownerId, accountId] = [session?.user.id ?? '', session?.account.id ?? '']

  const invite = (body: { email: string; role: Role }) =>
    owner.data<{ id: string; link: string; email: string }>('createInvitation', { body })

  /** Through an invitation, as everybody does. */
  async function join(role: Role) {
    // Lists are in the order in which people came.
    clock.at++
    const { link, email } = await invite({ email: newEmail(), role })
    const browser = opened.browser()
    const body = { token: tokenOf(link), password }
    const { user } = await browser.data<{ user: { id: string } }>('acceptInvitation', {
      body,
      ipAddress: newAddress(),
    })
    return { browser, email, userId: user.id }
  }

  return { ...opened, clock, accountId, owner, ownerEmail: email, ownerId, invite, join }
}
