import { toRfc3339 } from '#core/clock.ts'
import { money } from '#core/money.ts'
import { retryAfterSeconds } from '#core/poll-advice.ts'
import { type Static, Type } from '#core/schema.ts'
import type { MediaRecord } from '#store/tables/media.ts'
import type { ListedTask } from '#store/tables/tasks.ts'
import { Named } from '../../named.ts'
import {
  Closed,
  Media,
  Money,
  NamedRecord,
  Nullable,
  OneOf,
  RetryAfter,
  Timestamp,
  Uuid,
} from '../../schemas.ts'
import { WaitReason, waitReasonOf } from '../wait-reason.ts'

export const taskStatuses = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const

export const Ignored = Type.Array(Type.String(), {
  description:
    'The names of parameters that were given but do not reach the model; absent if none.',
})

export const Task = NamedRecord('Task', {
  taskId: Uuid('Identifier of the task.'),
  kind: OneOf(['IMAGE', 'VIDEO']),
  status: Named('TaskStatus', OneOf(taskStatuses)),
  model: Type.String(),
  promptPreview: Type.String({ maxLength: 200 }),
  source: OneOf(['DIRECT', 'WORKFLOW']),
  runId: Type.Optional(Uuid('The run that created the task.')),
  nodeId: Type.Optional(Type.String()),
  createdAt: Timestamp,
  startedAt: Nullable(Timestamp),
  completedAt: Nullable(Timestamp),
  imageContent: Type.Optional(Type.Array(Media)),
  videoContent: Type.Optional(Type.Array(Media)),
  error: Nullable(
    Closed({ code: Type.String(), message: Type.String(), retryable: Type.Boolean() }),
  ),
  cost: Nullable(Money),
  ignored: Type.Optional(Ignored),
  waitReason: Type.Optional(WaitReason),
  retryAfterSeconds: RetryAfter,
})

export type MediaUrls = (media: readonly MediaRecord[]) => Static<typeof Media>[]

export function taskRecord(
  row: ListedTask,
  nowMs: number,
  mediaUrls: MediaUrls,
): Static<typeof Task> {
  const isTerminal = row.completed_at !== null
  const content = row.media === null ? undefined : mediaUrls(row.media)
  return {
    taskId: row.id,
    kind: row.kind,
    status: row.status,
    model: row.model,
    promptPreview: row.prompt_preview,
    source: row.source,
    ...(row.run_id ? { runId: row.run_id } : {}),
    ...(row.node_id ? { nodeId: row.node_id } : {}),
    createdAt: toRfc3339(row.created_at),
    startedAt: row.started_at === null ? null : toRfc3339(row.started_at),
    completedAt: row.completed_at === null ? null : toRfc3339(row.completed_at),
    ...(content && row.kind === 'IMAGE' ? { imageContent: content } : {}),
    ...(content && row.kind === 'VIDEO' ? { videoContent: content } : {}),
    error: row.error,
    cost: row.cost_micros === null ? null : money(row.cost_micros),
    ...(row.ignored ? { ignored: [...row.ignored] } : {}),
    // Once somebody works on it again, or it has ended, it does not wait.
    ...(row.delayed && row.owner === null && !isTerminal
      ? { waitReason: waitReasonOf(row.delayed) }
      : {}),
    retryAfterSeconds: retryAfterSeconds(nowMs - row.created_at, { isTerminal }),
  }
}
