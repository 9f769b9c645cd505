import { Failure } from '#core/errors.ts'
import { isRecord } from '#core/record.ts'
import { Type } from '#core/schema.ts'
import { answer } from '../../operation.ts'
import { acceptGraph, checkRunnable } from '../../public/runs/accepted-graph.ts'
import { mapHook } from '../../public/triggers/hook-request.ts'
import { takenInputs } from '../../public/triggers/start-run.ts'
import { requireWorkflow } from '../../public/workflows/examine-graph.ts'
import { Closed, NamedRecord, Nullable, WorkflowId } from '../../schemas.ts'
import { asApiCaller, defineConsole } from '../context.ts'

export const tryTrigger = defineConsole({
  id: 'tryTrigger',
  route: 'POST /workflows/{workflowId}/triggers/try',
  summary: 'Maps a sample of a webhook to inputs, and checks them; never starts a run',
  access: 'viewer',
  params: Closed({ workflowId: WorkflowId }),
  bodyLimitBytes: 1024 * 1024,
  body: Closed({
    mapping: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
    inputs: Type.Optional(Type.Object({}, { description: 'As the trigger has them.' })),
    sample: Closed({
      body: Type.Unknown(),
      headers: Type.Optional(Type.Object({})),
      query: Type.Optional(Type.Object({})),
    }),
  }),
  success: {
    200: {
      description: 'The inputs, and what is wrong with them',
      data: NamedRecord('TriedTrigger', {
        inputs: Nullable(Type.Object({})),
        problem: Nullable(Type.String({ description: 'Null if a run would start.' })),
      }),
    },
  },
  errors: ['WORKFLOW_NOT_FOUND'],
  repeatable: true,
  isReadOnly: true,
  async handle(developer, { params: { workflowId }, body }) {
    const context = asApiCaller(developer)
    const { accountId } = context.principal
    const workflow = await requireWorkflow(context, workflowId)
    const { sample, mapping, inputs: fixed = {} } = body
    const settings = { ...(mapping ? { mapping } : {}), inputs: fixed as Record<string, unknown> }
    const lower = Object.entries(sample.headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ])
    const input = {
      body: sample.body,
      headers: Object.fromEntries(lower),
      query: { ...sample.query },
    }
    let inputs: Record<string, unknown> | null = null
    try {
      const mapped = await mapHook(context.services, { accountId, settings }, input)
      const graph = await acceptGraph(context, workflow)
      inputs = takenInputs(graph, settings, mapped)
      await checkRunnable(context, graph, inputs)
      return answer({ inputs, problem: null })
    } catch (error) {
      if (!(error instanceof Failure) || error.status >= 500) throw error
      return answer({ inputs: isRecord(inputs) ? inputs : null, problem: error.message })
    }
  },
})
