import { consoleCall } from '#console/api/console-api.ts'
import { publicCall } from '#console/api/public-api.ts'
import { readPages } from '#console/api/read-pages.ts'
import type { Workflow, WorkflowSchema } from '#console/api/types.ts'
import type { InputsSchema } from './inputs.ts'

export type StartValues = {
  readonly schema: InputsSchema
  readonly from: 'last run' | 'sample' | null
  readonly values: Readonly<Record<string, unknown>>
}

/** What the form opens with. The values only save typing: without them it opens empty. */
export async function readStart(
  workflowId: number,
  inputs: Readonly<Record<string, unknown>> | undefined,
): Promise<StartValues> {
  const { inputSchema } = await publicCall<WorkflowSchema>(`/workflows/${workflowId}/schema`)
  const schema = inputSchema as InputsSchema
  if (inputs) return { schema, from: null, values: inputs }
  const before = await lastInputs(workflowId).catch(() => null)
  if (before) return { schema, from: 'last run', values: before }
  const sample = await sampleInputs(workflowId).catch(() => null)
  return sample ? { schema, from: 'sample', values: sample } : { schema, from: null, values: {} }
}

async function lastInputs(workflowId: number) {
  const [run] = await readPages(
    (cursor) =>
      consoleCall('GET /runs', { query: { workflowId, size: 1, ...(cursor && { cursor }) } }),
    { enough: 1, mostPages: 5 },
  )
  if (!run) return null
  const view = await consoleCall('GET /runs/{runId}/view', { params: { runId: run.runId } })
  return view.inputs ?? null
}

/** A workflow made from a template keeps the template's name, by which its samples are found. */
async function sampleInputs(workflowId: number) {
  const [{ name }, { items }] = await Promise.all([
    publicCall<Workflow>(`/workflows/${workflowId}`),
    consoleCall('GET /templates'),
  ])
  return items.find((template) => template.name === name)?.sampleInputs ?? null
}
