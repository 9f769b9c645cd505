import { randomToken } from '#auth/random.ts'
import { hashToken } from '#auth/token-hash.ts'
import { toRfc3339 } from '#core/clock.ts'
import { Failure, invalid } from '#core/errors.ts'
import { uuidV7 } from '#core/ids.ts'
import { roles } from '#core/roles.ts'
import { type Static, Type } from '#core/schema.ts'
import {
  deleteInvitation,
  type Invitation,
  listInvitations as listOpen,
  putInvitation,
} from '#store/tables/invitations.ts'
import { findUserByEmail } from '#store/tables/users.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, OneOf, Timestamp, Uuid } from '../../schemas.ts'
import { defineConsole, requireSession } from '../context.ts'
import { Email, toStoredEmail } from '../fields.ts'
import { lockAsOwner } from './inviter.ts'

const validMs = 7 * 24 * 3_600_000
const maxOpen = 50

const fields = {
  id: Uuid('Identifier of the invitation.'),
  email: Type.String(),
  role: OneOf(roles),
  createdAt: Timestamp,
  expiresAt: Timestamp,
}
const InvitationRecord = NamedRecord('Invitation', fields)

const toRecord = (invitation: Invitation): Static<typeof InvitationRecord> => ({
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  createdAt: toRfc3339(invitation.createdAtMs),
  expiresAt: toRfc3339(invitation.expiresAtMs),
})

const isMember = () =>
  invalid(
    'INVALID_REQUEST',
    [{ path: '/email', rule: 'unique', message: 'is taken' }],
    'Somebody on this server signs in with this e-mail already.',
  )

export const createInvitation = defineConsole({
  id: 'createInvitation',
  route: 'POST /invitations',
  summary: 'Makes a link with which a person joins the account, and shows it once',
  description:
    'The link works once, for 7 days. Send it to the person yourself; the server sends no mail. A new invitation of the same e-mail replaces the previous one. It ends with your right to invite: if you are removed, disabled or no longer an owner.',
  access: 'owner',
  body: Closed({ email: Email, role: OneOf(roles) }),
  success: {
    200: {
      description: 'The invitation.',
      data: NamedRecord('NewInvitation', {
        ...fields,
        link: Type.String({ description: 'To be passed on; shown only once.' }),
      }),
    },
  },
  errors: ['QUOTA_EXCEEDED'],
  audit: { action: 'invitation.created', target: ({ body }) => `${body.email} ${body.role}` },
  repeatable: false,
  ifUnknown: 'Invite the person again: that replaces a link you were not shown.',
  async handle(context, { body }) {
    const { accountId, userId } = requireSession(context)
    const { db, clock, random, baseUrl } = context.services
    const nowMs = clock.nowMs()
    const token = randomToken(random)
    const invitation = {
      id: uuidV7(nowMs),
      accountId,
      email: toStoredEmail(body.email),
      role: body.role,
      invitedBy: userId,
      createdAtMs: nowMs,
      expiresAtMs: nowMs + validMs,
    }
    if (await findUserByEmail(db, invitation.email)) throw isMember()
    const hadRoom = await db.transaction(async (tx) => {
      await lockAsOwner(tx, { accountId, userId })
      return putInvitation(tx, { ...invitation, tokenHash: hashToken(token) }, { maxOpen })
    })
    if (!hadRoom) {
      throw new Failure('QUOTA_EXCEEDED', {
        message: `An account has at most ${maxOpen} open invitations. Withdraw one first.`,
        retryable: false,
      })
    }
    // A fragment appears in no server log and in no Referer header.
    return answer({ ...toRecord(invitation), link: `${baseUrl}/console/join#token=${token}` })
  },
})

export const listInvitations = defineConsole({
  id: 'listInvitations',
  route: 'GET /invitations',
  summary: 'Lists the invitations that nobody has used yet',
  access: 'owner',
  success: {
    200: {
      description: 'The open invitations.',
      data: Closed({ items: Type.Array(InvitationRecord) }),
    },
  },
  async handle(context) {
    const { accountId } = requireSession(context)
    const { db, clock } = context.services
    return answer({ items: (await listOpen(db, accountId, clock.nowMs())).map(toRecord) })
  },
})

export const withdrawInvitation = defineConsole({
  id: 'withdrawInvitation',
  route: 'DELETE /invitations/{invitationId}',
  summary: 'Withdraws an invitation; its link stops working',
  access: 'owner',
  params: Type.Object({ invitationId: Uuid('Identifier of the invitation.') }),
  success: { 200: { description: 'Withdrawn.', data: Closed({}) } },
  errors: ['RECORD_NOT_FOUND'],
  audit: { action: 'invitation.withdrawn', target: ({ params }) => params.invitationId },
  repeatable: true,
  async handle(context, { params }) {
    const { accountId } = requireSession(context)
    await context.services.db.transaction(async (tx) => {
      const withdrawn = await deleteInvitation(tx, accountId, params.invitationId)
      if (!withdrawn) {
        throw new Failure('RECORD_NOT_FOUND', { message: 'There is no such open invitation.' })
      }
      context.describe?.(`${withdrawn.email} ${withdrawn.role}`)
    })
    return answer({})
  },
})
