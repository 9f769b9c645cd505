// Random histories of a team: people invite, recover, connect apps, make keys and tokens, are
// demoted, disabled, enabled and removed, and change passwords. A model of a few lines says what
// must still work; everything else must be refused.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Role } from '#core/roles.ts'
import type { Db } from '#store/db.ts'
import { openApps } from './apps.ts'
import type { Browser } from './console.ts'
import { verified } from './setting.ts'
import { newAddress, newEmail, openTeam, password, type Shown, tokenOf } from './team.ts'

type Standing = 'on' | 'disabled' | 'removed'
type Member = {
  userId: string
  email: string
  password: string
  browser: Browser
  role: Role
  standing: Standing
}
type Kind = 'session' | 'key' | 'token' | 'app' | 'invitation' | 'recovery'
/** Something that lets somebody in. `of`: whose access it is; `by`: who made it. */
type Made = { kind: Kind; by: Member; of: Member; isLive: boolean; use(): Promise<unknown> }

const actions = [
  'invite',
  'accept',
  'recover',
  'makeRecovery',
  'makeKey',
  'mint',
  'connect',
  'signIn',
  'demote',
  'promote',
  'disable',
  'enable',
  'remove',
  'changePassword',
  'changePasswordAndRevoke',
] as const
export type Step = { action: (typeof actions)[number]; who: number; whom: number }

export const steps = (maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      action: fc.constantFrom(...actions),
      who: fc.nat({ max: 3 }),
      whom: fc.nat({ max: 9 }),
    }),
    { minLength: 5, maxLength },
  )

const isIn = ({ standing }: Member) => standing === 'on'
const isOwner = (member: Member) => isIn(member) && member.role === 'owner'

export async function liveThrough(db: Db, history: readonly Step[]): Promise<void> {
  const world = await openWorld(db)
  for (const step of history) {
    // Tokens are told apart by the millisecond; tries to sign in are limited by the minute.
    world.team.clock.at += 7_000
    await take(world, step)
  }
  // Links last, because using one changes what else works.
  const isLink = ({ kind }: Made) => kind === 'invitation' || kind === 'recovery'
  for (const made of world.made.filter((one) => !isLink(one))) await check(made)
  for (const link of world.made.filter(isLink)) await useLink(world, link)
}

async function openWorld(db: Db) {
  const team = await openTeam(db)
  const apps = openApps(db, team.clock, team)
  const members: Member[] = [
    {
      ...{ userId: team.ownerId, email: team.ownerEmail, password, browser: team.owner },
      ...{ role: 'owner', standing: 'on' },
    },
  ]
  const world = { team, apps, members, made: [] as Made[] }
  for (const role of ['owner', 'owner', 'editor'] as const) {
    const { browser, email, userId } = await team.join(role)
    members.push({ userId, email, password, browser, role, standing: 'on' })
  }
  return world
}
type World = Awaited<ReturnType<typeof openWorld>>

async function check({ kind, by, of, isLive, use }: Made): Promise<void> {
  // What belongs to somebody disabled is refused until they are enabled again.
  const mustWork = isLive && isIn(of) && isIn(by)
  const outcome = await use().then(
    () => true,
    (error) => {
      assert.ok(error.code, error)
      return false
    },
  )
  assert.equal(outcome, mustWork, `${kind} of ${of.email}, made by ${by.email}`)
}

/** Ends, in the model, what these kinds match. */
function end({ made }: World, kinds: readonly Kind[], matches: (made: Made) => boolean): void {
  for (const one of made) if (kinds.includes(one.kind) && matches(one)) one.isLive = false
}

const endAccess = (world: World, member: Member) =>
  end(world, ['session', 'token', 'app', 'recovery'], ({ of }) => of === member)
const endLinks = (world: World, member: Member) =>
  end(world, ['invitation', 'recovery'], ({ by }) => by === member)

/** A step that makes no sense now is left out. */
async function take(world: World, { action, who, whom }: Step): Promise<void> {
  const { members } = world
  const [one, other] = [members[who % members.length], members[whom % members.length]]
  if (!one || !other) return
  if (action === 'accept' || action === 'recover') {
    const kind = action === 'accept' ? 'invitation' : 'recovery'
    const links = world.made.filter((made) => made.kind === kind)
    const link = links[whom % Math.max(1, links.length)]
    if (link) await useLink(world, link)
    return
  }
  const isChange = ['demote', 'promote', 'disable', 'enable', 'remove'].includes(action)
  if (isChange) return change(world, action, one, other)
  if (!isIn(one)) return
  if (action.startsWith('changePassword')) {
    return changePassword(world, one, action === 'changePasswordAndRevoke')
  }
  return make(world, action, one, other)
}

async function useLink(world: World, link: Made): Promise<void> {
  const works = link.isLive && isIn(link.by) && isIn(link.of)
  await check(link)
  // One that was refused because its person is disabled may still be used later.
  if (!works) return
  if (link.kind === 'recovery') endAccess(world, link.of)
  link.isLive = false
}

async function change(world: World, action: Step['action'], by: Member, of: Member): Promise<void> {
  if (!isOwner(by) || by === of || of.standing === 'removed') return
  await beSignedIn(world, by)
  const params = { userId: of.userId }
  const update = (body: object) => by.browser.data('updateMember', { params, body })
  if (action === 'demote' || action === 'promote') {
    of.role = action === 'demote' ? 'editor' : 'owner'
    await update({ role: of.role })
    if (action === 'demote') endLinks(world, of)
    return
  }
  if (action === 'enable') {
    await update({ disabled: false })
    of.standing = 'on'
    return
  }
  if (action === 'disable') await update({ disabled: true })
  else await by.browser.data('removeMember', { params })
  of.standing = action === 'disable' ? 'disabled' : 'removed'
  endAccess(world, of)
  endLinks(world, of)
  if (action === 'remove') end(world, ['key'], (made) => made.of === of)
}

async function changePassword(world: World, one: Member, revokeKeys: boolean): Promise<void> {
  await beSignedIn(world, one)
  const newPassword = `${one.password}!`
  const body = { currentPassword: one.password, newPassword, revokeKeys }
  await one.browser.data('changePassword', { body, ipAddress: newAddress() })
  one.password = newPassword
  endAccess(world, one)
  if (revokeKeys) end(world, ['key'], ({ of }) => of === one)
}

async function beSignedIn({ team }: World, one: Member): Promise<void> {
  if ((await one.browser.data<Shown>('getSession')).session) return
  one.browser = team.browser()
  const body = { email: one.email, password: one.password }
  await one.browser.data('signIn', { body, ipAddress: newAddress() })
}

async function make(world: World, action: Step['action'], one: Member, other: Member) {
  const { team, apps, made } = world
  await beSignedIn(world, one)
  const add = (kind: Kind, of: Member, use: Made['use']) =>
    made.push({ kind, by: one, of, isLive: true, use })
  const { accountId, verifier } = team
  if (action === 'invite' && isOwner(one)) {
    const body = { email: newEmail(), role: 'owner' }
    const { link } = await one.browser.data<{ link: string }>('createInvitation', { body })
    const token = { token: tokenOf(link), password }
    add('invitation', one, () =>
      team.browser().data('acceptInvitation', { body: token, ipAddress: newAddress() }),
    )
  }
  if (action === 'makeRecovery' && isOwner(one) && other.standing !== 'removed') {
    const body = { userId: other.userId }
    const { link } = await one.browser.data<{ link: string }>('createRecoveryLink', { body })
    end(world, ['recovery'], ({ of }) => of === other)
    add('recovery', other, async () => {
      const token = { token: tokenOf(link), password: `${other.password}?` }
      await team.browser().data('recover', { body: token, ipAddress: newAddress() })
      other.password = token.password
    })
  }
  if (action === 'makeKey') {
    const { key } = await one.browser.data<{ key: string }>('createApiKey', { body: { name: 'k' } })
    add('key', one, () => verified(verifier, key))
  }
  if (action === 'mint') {
    const { accessToken } = await one.browser.data<{ accessToken: string }>('mintToken', {})
    add('token', one, () => verified(verifier, accessToken))
  }
  if (action === 'connect') {
    let app = await apps.connect({ accountId, userId: one.userId })
    add('app', one, async () => {
      app = { ...app, ...(await apps.refresh(app)) }
      return verified(verifier, app.access_token)
    })
  }
  if (action === 'signIn') {
    const browser = team.browser()
    const body = { email: one.email, password: one.password }
    await browser.data('signIn', { body, ipAddress: newAddress() })
    add('session', one, () => browser.data('listSessions'))
  }
}
