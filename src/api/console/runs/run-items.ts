import { Type } from '#core/schema.ts'
import { itemsQuery, RunItemPage, showItems } from '../../public/runs/list-workflow-run-items.ts'
import { Uuid } from '../../schemas.ts'
import { asApiCaller, defineConsole } from '../context.ts'

export const listRunItems = defineConsole({
  id: 'listRunItems',
  route: 'GET /runs/{runId}/items',
  summary: 'Lists the items of a list in a run, or the passes of a loop',
  access: 'viewer',
  params: Type.Object({ runId: Uuid('Identifier of the run.') }),
  query: itemsQuery,
  success: { 200: { description: 'A page of items.', data: RunItemPage } },
  errors: ['RUN_NOT_FOUND', 'NODE_NOT_FOUND'],
  handle: (developer, { params: { runId }, query }) =>
    showItems(asApiCaller(developer), runId, query),
})
