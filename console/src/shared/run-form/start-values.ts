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
  return { schema, ...(await readValues(workflowId)) }
}

/** Values to begin with: those of the last run, or else of the template. */
export async function readValues(workflowId: number): Promise<Omit<StartValues, 'schema'>> {
  const before = await lastInputs(workflowId).catch(() => null)
  if (before) return { from: 'last run', values: before }
  const sample = await sampleInputs(workflowId).catch(() => null)
  return sample ? { from: 'sample', values: sample } : { from: null, values: {} }
}

export const inputsOf = async (runId: string) =>
  (await consoleCall('GET /runs/{runId}/view', { params: { runId } })).inputs ?? {}

async function lastInputs(workflowId: number) {
  const [run] = await readPages(
    (cursor) =>
      consoleCall('GET /runs', { query: { workflowId, size: 1, ...(cursor && { cursor }) } }),
    { enough: 1, mostPages: 5 },
  )
  if (!run) return null
  return inputsOf(run.runId)
}

/** A workflow made from a template keeps the template's name, by which its samples are found. */
export async function sampleInputs(workflowId: number) {
  const [{ name }, { items }] = await Promise.all([
    publicCall<Workflow>(`/workflows/${workflowId}`),
    consoleCall('GET /templates'),
  ])
  return items.find((template) => template.name === name)?.sampleInputs ?? null
}
