import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { type Role, roles } from '#core/roles.ts'
import { type Static, Type } from '#core/schema.ts'
import type { Tx } from '#store/db.ts'
import {
  countOtherOwners,
  listMembers as listStored,
  type Member,
  readMember,
  removeMember as removeStored,
  updateMember as updateStored,
} from '#store/tables/members.ts'
import { deleteSecondFactor } from '#store/tables/second-factors.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, Nullable, OneOf, Timestamp, Uuid } from '../../schemas.ts'
import { type ConsoleContext, defineConsole, requireSession } from '../context.ts'
import { lockAsOwner } from './inviter.ts'

export const MemberRecord = NamedRecord('Member', {
  userId: Uuid('Identifier of the person.'),
  email: Nullable(Type.String()),
  name: Type.String({
    description: 'Their name at the OpenID provider, otherwise their e-mail.',
  }),
  role: OneOf(roles),
  disabled: Type.Boolean({ description: 'True if they may not use the account at present.' }),
  hasPassword: Type.Boolean({ description: 'False if they sign in with OpenID only.' }),
  twoStep: Type.Boolean({ description: 'True if signing in also asks them for a code.' }),
  liveKeys: Type.Integer({
    minimum: 0,
    description: 'How many keys they created that still work.',
  }),
  createdAt: Timestamp,
  lastSeenAt: Nullable(Timestamp),
})

/** How the audit log names them: by what does not change, if there is any. */
const addressOf = ({ email, name, userId }: Member): string => email ?? name ?? userId

const toRecord = (member: Member): Static<typeof MemberRecord> => ({
  userId: member.userId,
  email: member.email,
  name: member.name ?? addressOf(member),
  role: member.role,
  disabled: member.disabledAtMs !== null,
  hasPassword: member.hasPassword,
  twoStep: member.hasTwoStep,
  liveKeys: member.liveKeys,
  createdAt: toRfc3339(member.createdAtMs),
  lastSeenAt: member.lastSeenAtMs === null ? null : toRfc3339(member.lastSeenAtMs),
})

export const noSuchMember = () =>
  new Failure('RECORD_NOT_FOUND', { message: 'This account has no such member.' })

const params = Type.Object({ userId: Uuid('Identifier of the person.') })

export const listMembers = defineConsole({
  id: 'listMembers',
  route: 'GET /members',
  summary: 'Lists the people of the account and their roles',
  access: 'viewer',
  success: {
    200: { description: 'The members.', data: Closed({ items: Type.Array(MemberRecord) }) },
  },
  async handle(context) {
    const { accountId } = requireSession(context)
    const { db, clock } = context.services
    const members = await listStored(db, { accountId, nowMs: clock.nowMs() })
    return answer({ items: members.map(toRecord) })
  },
})

/**
 * Changes a member under the lock of their account, in which an owner who is being removed is one
 * no more, then drops the account's credentials from the
 * cache of this process; those of other processes expire within 5 s.
 */
async function changeMember(
  context: ConsoleContext,
  userId: string,
  change: (tx: Tx, member: Member) => Promise<void>,
): Promise<{ member: Member; changed: Member | null }> {
  const caller = requireSession(context)
  const { accountId } = caller
  const { db, clock, verifier } = context.services
  const at = { accountId, userId, nowMs: clock.nowMs() }
  const outcome = await db.transaction(async (tx) => {
    await lockAsOwner(tx, caller)
    const member = await readMember(tx, at)
    if (!member) throw noSuchMember()
    await change(tx, member)
    return { member, changed: await readMember(tx, at) }
  })
  verifier.forgetAccount(accountId)
  return outcome
}

/** Refuses a change that would leave the account without an owner who can sign in. */
async function requireOtherOwner(
  context: ConsoleContext,
  tx: Tx,
  { userId, role, disabledAtMs }: Member,
): Promise<void> {
  if (role !== 'owner' || disabledAtMs !== null) return
  const { accountId } = requireSession(context)
  if ((await countOtherOwners(tx, { accountId, userId })) === 0) throw new Failure('LAST_OWNER')
}

/** `ada@example.com: viewer -> editor, disabled`. */
function changeText(before: Member, after: { role: Role; disabled: boolean }): string {
  const wasDisabled = before.disabledAtMs !== null
  const changes = [
    before.role === after.role ? before.role : `${before.role} -> ${after.role}`,
    ...(wasDisabled === after.disabled ? [] : [after.disabled ? 'disabled' : 'enabled']),
  ]
  return `${addressOf(before)}: ${changes.join(', ')}`
}

export const updateMember = defineConsole({
  id: 'updateMember',
  route: 'PUT /members/{userId}',
  summary: 'Changes the role of a member, or disables them; takes effect within 5 seconds',
  description:
    'A disabled member is signed out and cannot sign in; the keys and tokens they created are refused until they are enabled again. What is left out stays as it is.',
  access: 'owner',
  params,
  body: Closed({
    role: Type.Optional(OneOf(roles)),
    disabled: Type.Optional(Type.Boolean()),
  }),
  success: { 200: { description: 'The changed member.', data: MemberRecord } },
  errors: ['RECORD_NOT_FOUND', 'LAST_OWNER'],
  audit: {
    action: 'member.changed',
    target: ({ params }) => params.userId,
  },
  repeatable: true,
  async handle(context, { params: { userId }, body }) {
    const { accountId } = requireSession(context)
    const nowMs = context.services.clock.nowMs()
    const { changed } = await changeMember(context, userId, async (tx, member) => {
      const role = body.role ?? member.role
      const disabled = body.disabled ?? member.disabledAtMs !== null
      if (role !== 'owner' || disabled) await requireOtherOwner(context, tx, member)
      const disabledAtMs = disabled ? (member.disabledAtMs ?? nowMs) : null
      await updateStored(tx, { accountId, userId }, { role, disabledAtMs })
      context.describe?.(changeText(member, { role, disabled }))
    })
    if (!changed) throw noSuchMember()
    return answer(toRecord(changed))
  },
})

export const removeMember = defineConsole({
  id: 'removeMember',
  route: 'DELETE /members/{userId}',
  summary: 'Removes a member and revokes the keys they created; takes effect within 5 seconds',
  description: 'Their e-mail can be invited again. What they created stays in the account.',
  access: 'owner',
  params,
  success: { 200: { description: 'The member as they were.', data: MemberRecord } },
  errors: ['RECORD_NOT_FOUND', 'LAST_OWNER'],
  audit: { action: 'member.removed', target: ({ params }) => params.userId },
  repeatable: false,
  async handle(context, { params: { userId } }) {
    const { accountId } = requireSession(context)
    const nowMs = context.services.clock.nowMs()
    const { member } = await changeMember(context, userId, async (tx, known) => {
      await requireOtherOwner(context, tx, known)
      await removeStored(tx, { accountId, userId, nowMs })
      context.describe?.(`${addressOf(known)}, ${known.role}, ${known.liveKeys} keys revoked`)
    })
    return answer(toRecord(member))
  },
})

export const resetMemberTwoStep = defineConsole({
  id: 'resetMemberTwoStep',
  route: 'DELETE /members/{userId}/two-step',
  summary: 'Turns off the two-step sign-in of a member who lost their authenticator',
  access: 'owner',
  params,
  success: { 200: { description: 'The changed member.', data: MemberRecord } },
  errors: ['RECORD_NOT_FOUND'],
  audit: { action: 'member.two-step-reset', target: ({ params }) => params.userId },
  repeatable: true,
  async handle(context, { params: { userId } }) {
    const { changed } = await changeMember(context, userId, (tx, member) => {
      context.describe?.(addressOf(member))
      return deleteSecondFactor(tx, userId)
    })
    if (!changed) throw noSuchMember()
    return answer(toRecord(changed))
  },
})
