import { toRfc3339 } from '#core/clock.ts'
import { money } from '#core/money.ts'
import { type Static, Type } from '#core/schema.ts'
import { type Answerer, readAnswerer } from '#core/wait-answers.ts'
import type { WaitAnswer } from '#core/wait-facts.ts'
import type { KnownWait } from '#store/tables/wait-answers.ts'
import { Named } from '../../named.ts'
import {
  Closed,
  Money,
  NamedRecord,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
  WorkflowId,
} from '../../schemas.ts'

const AnyValue = Type.Unsafe<unknown>({ description: 'Any JSON value.' })

export const GivenBy = NamedRecord('WaitAnswerer', {
  kind: OneOf(
    ['person', 'key', 'token', 'link', 'sender'],
    'link: the page for people without an account. sender: a machine that sent a callback.',
  ),
  id: Nullable(Type.String({ description: 'Of the person or the key.' })),
  name: Nullable(Type.String({ description: 'An e-mail address, or the name of the key.' })),
})

export const Decision = OneOf(['approve', 'reject'])

export const WaitAnswerRecord = NamedRecord('WaitAnswer', {
  decision: Type.Optional(Decision),
  response: Type.Optional(AnyValue),
  value: Type.Optional({ ...AnyValue, description: 'What replaced the value.' }),
  comment: Type.Optional(Type.String()),
  by: GivenBy,
  at: Timestamp,
  from: Nullable(Type.String({ description: 'The address that the answer came from.' })),
})

const head = {
  waitId: Uuid('Identifier of the wait.'),
  runId: Uuid('The run that waits.'),
  workflowId: WorkflowId,
  workflowName: Type.String(),
  nodeId: Type.String({ description: 'The node that waits.' }),
  path: Type.String({ description: 'Its position in the run: node, item, called workflow.' }),
  kind: OneOf(['DELAY', 'APPROVAL', 'CALLBACK']),
  status: Named('WaitStatus', OneOf(['OPEN', 'ANSWERED', 'PASSED', 'EXPIRED', 'CANCELLED'])),
  title: Type.String(),
  description: Nullable(Type.String()),
  since: Timestamp,
  expiresAt: Timestamp,
  mayAnswer: Type.Boolean({ description: 'Whether you are one of those who may decide.' }),
  cost: { ...Money, description: 'Of the run so far.' },
  url: Type.Optional(
    Type.String({
      description:
        'The page or address by which somebody without an account answers; only for those who may answer.',
    }),
  ),
}
export const WaitHead = NamedRecord('WaitSummary', head)
export const Wait = NamedRecord('Wait', {
  ...head,
  value: { ...AnyValue, description: 'What the node received and passes on.' },
  form: Nullable(Type.Object({}, { description: 'JSON Schema of `response`.' })),
  mayEdit: Type.Boolean({ description: 'Whether the answer may replace the value.' }),
  approvers: Type.Array(Type.String(), { description: 'E-mail addresses; empty: every editor.' }),
  fourEyes: Type.Boolean({ description: 'Whoever started the run may not answer.' }),
  answer: Nullable(WaitAnswerRecord),
})

export const AnsweredWait = NamedRecord('AnsweredWait', {
  waitId: head.waitId,
  runId: head.runId,
  status: head.status,
  answer: WaitAnswerRecord,
  idempotentReplay: Type.Boolean({ description: 'True if you had sent this answer before.' }),
})

export const AnswerInput = NamedRecord('WaitAnswerInput', {
  decision: Decision,
  response: Type.Optional(
    Type.Object({}, { description: 'What the form asks for. May be left out to reject.' }),
  ),
  value: Type.Optional({
    ...AnyValue,
    description: 'Replaces the value, if the node allows that.',
  }),
  comment: Type.Optional(Type.String({ maxLength: 2000 })),
})

export const waitParams = Closed({ runId: head.runId, waitId: head.waitId })

/** Without the number of the call in its node. */
export const shownPath = (path: string): string => path.replace(/#\d+$/, '')

export const toHead = (
  row: KnownWait,
  { mayAnswer, url }: { mayAnswer: boolean; url: string | null },
): Static<typeof WaitHead> => ({
  waitId: row.id,
  runId: row.run_id,
  workflowId: row.workflow_id,
  workflowName: row.workflow_name,
  nodeId: row.node_id,
  path: shownPath(row.path),
  kind: row.kind,
  status: row.status,
  title: row.title,
  description: row.details.description ?? null,
  since: toRfc3339(row.created_at),
  expiresAt: toRfc3339(row.expires_at),
  mayAnswer,
  cost: money(row.cost_micros),
  ...(url === null ? {} : { url }),
})

/** The identifiers whose names `toAnswer` shows. */
export const answererIds = (row: Pick<KnownWait, 'answered_by'>): string[] => {
  const { id } = answererOf(row)
  return id === null ? [] : [id]
}

const answererOf = ({ answered_by }: Pick<KnownWait, 'answered_by'>): Answerer =>
  readAnswerer(answered_by ?? 'sender')

export function toAnswer(
  row: Pick<KnownWait, 'answered_by' | 'answered_at' | 'answered_from' | 'expires_at'>,
  answer: WaitAnswer,
  names: ReadonlyMap<string, string>,
): Static<typeof WaitAnswerRecord> {
  const { kind, id } = answererOf(row)
  return {
    ...answer,
    by: { kind, id, name: id === null ? null : (names.get(id) ?? null) },
    at: toRfc3339(row.answered_at ?? row.expires_at),
    from: row.answered_from,
  }
}
