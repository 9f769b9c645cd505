import { Type } from '#core/schema.ts'
import { insertAuditEntries } from '#store/tables/audit-entries.ts'
import { deleteTasks, starTasks } from '#store/tables/task-marks.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, OneOf, Uuid } from '../../schemas.ts'
import { entryBy } from '../audit/audit-entry.ts'
import { defineConsole, requireSession } from '../context.ts'

export const bulkTasks = defineConsole({
  id: 'bulkTasks',
  route: 'POST /tasks/bulk',
  summary: 'Stars or deletes images and videos',
  description:
    'Deleting removes the prompts and the files at once; addresses of the files then answer 404, also in runs that used them. What was paid stays in the usage. Tasks that have not ended, or whose run has not, are left alone.',
  access: 'editor',
  body: NamedRecord('BulkTasks', {
    action: OneOf(['star', 'unstar', 'delete']),
    ids: Type.Array(Uuid('Identifier of a task.'), { minItems: 1, maxItems: 200 }),
  }),
  success: {
    200: {
      description: 'Done.',
      data: Closed({
        count: Type.Integer({ minimum: 0, description: 'With how many of them it was done.' }),
      }),
    },
  },
  audit: { byItself: ['media.deleted'] },
  repeatable: true,
  async handle(context, { body: { action, ids: given } }) {
    const { accountId } = requireSession(context)
    const { db, clock } = context.services
    const ids = given.map((id) => id.toLowerCase())
    const nowMs = clock.nowMs()
    if (action !== 'delete') {
      const count = await starTasks(db, accountId, ids, action === 'star' ? nowMs : null)
      return answer({ count })
    }
    const deleted = await db.transaction(async (tx) => {
      const done = await deleteTasks(tx, accountId, ids, nowMs)
      const entries = done.map((id) => entryBy(context, 'media.deleted', `task ${id}`))
      if (entries.length > 0) await insertAuditEntries(tx, entries)
      return done
    })
    return answer({ count: deleted.length })
  },
})
