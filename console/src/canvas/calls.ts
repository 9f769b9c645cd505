// Every call that the canvas makes, with its address and shape, in one place.
import { ApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { publicCall } from '#console/api/public-api.ts'
import type {
  CheckedWorkflow,
  ConsoleCalls,
  Model,
  RunSummary,
  Workflow,
} from '#console/api/types.ts'
import type { Doc, Graph } from './graph.ts'
import type { NodeTypes } from './node-types.ts'
import type { DraftBody, ServerDrafts } from './stored-draft.ts'

type Items<T> = { items: T[] }
type CheckBody = ConsoleCalls['checkWorkflow']['body']

export const readNodeTypes = async (): Promise<NodeTypes> => consoleCall('GET /node-types')

/** The server's models come first: a new node starts with the first that fits. */
export async function readModels(): Promise<Model[]> {
  const [{ items }, own] = await Promise.all([
    publicCall<Items<Model>>('/models'),
    consoleCall('GET /key-models'),
  ])
  return [...items, ...own.items]
}

export const readTemplates = async () => consoleCall('GET /templates')

export const checkGraph = (
  body: {
    workflowId?: number
    data: Graph
    inputs?: Record<string, unknown>
    reuse?: 'none' | 'exact'
    targets?: string[]
  },
  signal?: AbortSignal,
): Promise<CheckedWorkflow> =>
  consoleCall('POST /workflows/check', { body: body as CheckBody, ...(signal ? { signal } : {}) })

export const readWorkflow = (id: number) => publicCall<Workflow>(`/workflows/${id}`)

export const createWorkflow = ({ name, graph }: Doc) =>
  publicCall<Workflow>('/workflows', { method: 'POST', body: { name, data: graph } })

/** `version` is the one the edit started from: 412 if someone has saved since. */
export const updateWorkflow = (id: number, version: number, { name, graph }: Doc) =>
  publicCall<Workflow>(`/workflows/${id}`, {
    method: 'PUT',
    body: { name, data: graph },
    headers: { 'if-match': `"v${version}"` },
  })

export const deleteWorkflow = (id: number) =>
  publicCall<unknown>(`/workflows/${id}`, { method: 'DELETE' })

export const listRuns = (workflowId: number) =>
  publicCall<Items<RunSummary>>(`/workflows/${workflowId}/runs`, { query: { size: 1 } })

export type RunNodeValues = {
  inputs: Record<string, unknown> | null
  outputs: Record<string, unknown> | null
}

export const readRunNode = (runId: string, nodeId: string) =>
  publicCall<RunNodeValues>(`/workflow-runs/${runId}/nodes/${nodeId}`)

/** The nodes that a run has: what was added to the graph since is not asked for. */
export async function readNodesOfRun(runId: string): Promise<ReadonlySet<string>> {
  const { nodes } = await consoleCall('GET /runs/{runId}/view', { params: { runId }, query: {} })
  return new Set(nodes.map(({ nodeId }) => nodeId))
}

export const listVersions = (workflowId: number) =>
  consoleCall('GET /workflows/{workflowId}/versions', { params: { workflowId } })

export const readVersion = (workflowId: number, version: number) =>
  consoleCall('GET /workflows/{workflowId}/versions/{version}', {
    params: { workflowId, version },
  })

export const noteVersion = (workflowId: number, version: number, note: string | null) =>
  consoleCall('PUT /workflows/{workflowId}/versions/{version}', {
    params: { workflowId, version },
    body: { note },
  })

export const listDrafts = () => consoleCall('GET /drafts')

export const readDraft = (draftId: string) =>
  consoleCall('GET /drafts/{draftId}', { params: { draftId } })

export const deleteDraft = (draftId: string) =>
  consoleCall('DELETE /drafts/{draftId}', { params: { draftId } })

export const uploadMedia = (file: Blob) => consoleCall('POST /uploads', { body: file })

const untitled = 'Untitled workflow'

export const putDraft = (
  draftId: string,
  { data, pins, ...body }: DraftBody,
  condition: Record<string, string>,
) =>
  consoleCall('PUT /drafts/{draftId}', {
    params: { draftId },
    body: {
      ...body,
      ...(pins ? { pins: { ...pins } } : {}),
      data: data as Record<string, unknown>,
      name: body.name.trim() || untitled,
    },
    headers: condition,
  })

export const serverDrafts: ServerDrafts = {
  async put(id, body, revision) {
    const condition: Record<string, string> =
      revision === null ? { 'if-none-match': '*' } : { 'if-match': `"v${revision}"` }
    try {
      return (await putDraft(id, body, condition)).revision
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 412) return 'taken'
      throw error
    }
  },
  remove: async (id) => void (await deleteDraft(id)),
}
