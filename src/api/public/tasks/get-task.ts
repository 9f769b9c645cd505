import { Failure } from '#core/errors.ts'
import { findTask } from '#store/tables/tasks.ts'
import { answer } from '../../operation.ts'
import { Closed, retryAfterHeader, Uuid } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { Task, taskRecord } from './task-record.ts'

export const getTask = defineOperation({
  id: 'getTask',
  route: 'GET /tasks/{taskId}',
  summary: 'Read the status and result of a generation task',
  scope: 'tasks:read',
  params: Closed({ taskId: Uuid('Identifier of the task.') }),
  tool: {
    name: 'svc_get_task',
    reads: 'task',
    description:
      'Read a generation task. Wait retryAfterSeconds between calls until status is COMPLETED (read imageContent or videoContent), FAILED (read error) or CANCELLED. Reading is free and may be repeated.',
  },
  success: { 200: { description: 'The task', data: Task, headers: retryAfterHeader } },
  errors: ['TASK_NOT_FOUND'],
  async handle({ services, principal }, { params }) {
    const row = await findTask(services.db, principal.accountId, params.taskId)
    if (!row) throw new Failure('TASK_NOT_FOUND')
    // Callers act on an end, and an end never changes.
    if (row.completed_at !== null) await services.db.synced()
    const task = taskRecord(row, services.clock.nowMs(), services.mediaUrls)
    return answer(task, { headers: { 'Retry-After': String(task.retryAfterSeconds) } })
  },
})
