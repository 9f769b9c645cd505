import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import { deleteOtherSessions, deleteSessionById, sessionId } from '#store/tables/sessions.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, Nullable, Timestamp } from '../../schemas.ts'
import { defineConsole, requireSession } from '../context.ts'

const SessionId = Type.String({ pattern: '^[A-Za-z0-9_-]{16}$' })

const SessionRecord = NamedRecord('SessionOfMine', {
  id: SessionId,
  createdAt: Timestamp,
  lastSeenAt: { ...Timestamp, description: 'To the minute.' },
  ipAddress: Nullable(Type.String({ description: 'Where it was started.' })),
  device: Nullable(Type.String({ description: 'Such as “Firefox on Linux”.' })),
  current: Type.Boolean({ description: 'True for the session of this request.' }),
})

export const listSessions = defineConsole({
  id: 'listSessions',
  route: 'GET /sessions',
  summary: 'Lists where you are signed in',
  access: 'viewer',
  success: {
    200: {
      description: 'Your sessions, used last first.',
      data: Closed({ items: Type.Array(SessionRecord) }),
    },
  },
  async handle(context) {
    const { userId, tokenHash } = requireSession(context)
    const sessions = await context.services.sessions.list(userId)
    const items = sessions.map(({ id, createdAtMs, lastSeenAtMs, ipAddress, userAgent }) => ({
      id,
      createdAt: toRfc3339(createdAtMs),
      lastSeenAt: toRfc3339(lastSeenAtMs),
      ipAddress,
      device: userAgent,
      current: id === sessionId(tokenHash),
    }))
    return answer({ items })
  },
})

export const endSession = defineConsole({
  id: 'endSession',
  route: 'DELETE /sessions/{sessionId}',
  summary: 'Signs you out in one place',
  access: 'viewer',
  params: Type.Object({ sessionId: SessionId }),
  success: { 200: { description: 'Ended.', data: Closed({}) } },
  errors: ['RECORD_NOT_FOUND'],
  audit: { action: 'session.ended', target: ({ params }) => `session ${params.sessionId}` },
  repeatable: true,
  async handle(context, { params }) {
    const { userId } = requireSession(context)
    if (!(await deleteSessionById(context.services.db, userId, params.sessionId))) {
      throw new Failure('RECORD_NOT_FOUND', { message: 'You have no such session.' })
    }
    return answer({})
  },
})

export const endOtherSessions = defineConsole({
  id: 'endOtherSessions',
  route: 'DELETE /sessions',
  summary: 'Signs you out everywhere else',
  access: 'viewer',
  success: { 200: { description: 'Ended.', data: Closed({}) } },
  audit: { action: 'session.ended', target: () => 'all other sessions' },
  repeatable: true,
  async handle(context) {
    const { userId, tokenHash } = requireSession(context)
    await deleteOtherSessions(context.services.db, userId, tokenHash)
    return answer({})
  },
})
