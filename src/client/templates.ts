import { type CallOptions, type Send, safe } from './transport.ts'
import type { WorkflowTemplateList } from './workflow-records.ts'

export function createTemplates(send: Send) {
  return {
    /** Lists ready-made workflows. Pass `name` and `data` of one to `workflows.create`. */
    async list(options?: CallOptions): Promise<WorkflowTemplateList> {
      const call = { method: 'GET', path: '/templates', safety: safe } as const
      return (await send(call, options)).data as WorkflowTemplateList
    },
  }
}
