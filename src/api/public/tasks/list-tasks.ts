import { listTasks as selectTasks } from '#store/tables/tasks.ts'
import { Named } from '../../named.ts'
import { answer } from '../../operation.ts'
import { defineOperation } from '../context.ts'
import { pageArguments, pageOf, pageQuery, readFrom, toPage } from '../list-page.ts'
import { Task, taskRecord } from './task-record.ts'

export const listTasks = defineOperation({
  id: 'listTasks',
  route: 'GET /tasks',
  summary: 'List recent generation tasks, newest first',
  scope: 'tasks:read',
  query: pageQuery(50),
  tool: {
    name: 'svc_list_tasks',
    description:
      'List recent image and video tasks, newest first. After a time-out of a submission look here for the taskId (same kind, model and promptPreview, createdAt not before the call) instead of submitting again.',
    arguments: pageArguments(50),
  },
  success: { 200: { description: 'A page of tasks', data: Named('TaskPage', pageOf(Task)) } },
  async handle({ services, principal }, { query }) {
    const from = readFrom(query, { defaultSize: 50, numbers: 1 })
    const { rows, ...position } = await selectTasks(services.db, principal.accountId, from)
    const nowMs = services.clock.nowMs()
    const items = rows.map((row) => taskRecord(row, nowMs, services.mediaUrls))
    return answer(toPage(items, from, position))
  },
})
