import { listWorkflows as selectWorkflows } from '#store/tables/workflows.ts'
import { Named } from '../../named.ts'
import { answer } from '../../operation.ts'
import { Closed } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { pageOf, pageQuery, readFrom, toPage } from '../list-page.ts'
import { toSummary, WorkflowSummary } from './workflow-record.ts'

export const listWorkflows = defineOperation({
  id: 'listWorkflows',
  route: 'GET /workflows',
  summary: 'List the workflows of the account, newest first',
  scope: 'workflows:read',
  query: pageQuery(200),
  tool: {
    name: 'svc_list_workflows',
    description:
      'List the workflows of the account, newest first, without their graphs. Start here to find the workflowId the other workflow tools need.',
    arguments: Closed({}),
  },
  success: {
    200: {
      description: 'A page of workflows',
      data: Named('WorkflowPage', pageOf(WorkflowSummary)),
    },
  },
  async handle({ services, principal }, { query }) {
    const from = readFrom(query, { defaultSize: 200, numbers: 2 })
    const { rows, ...position } = await selectWorkflows(services.db, principal.accountId, from)
    return answer(toPage(rows.map(toSummary), from, position))
  },
})
