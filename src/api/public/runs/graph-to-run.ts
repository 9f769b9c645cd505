import { Failure } from '#core/errors.ts'
import type { Static } from '#core/schema.ts'
import type { RunPart } from '#graph/plan/part.ts'
import { keepDraftGraph } from '#store/tables/draft-graphs.ts'
import { type DraftRow, findDraft } from '#store/tables/drafts.ts'
import type { WorkflowHead } from '#store/tables/runs.ts'
import type { GraphData } from '#store/tables/workflows.ts'
import type { Context } from '../context.ts'
import { acceptGraph, compileGraph } from './accepted-graph.ts'
import type { RunInput } from './run-record.ts'
import type { CompiledInputs } from './run-services.ts'

export type GraphToRun = {
  graph: CompiledInputs
  /** What the run says it ran; of a draft, the version that it is based on. */
  version: number
  /** Keeps the graph for the run and returns its number. Called once nothing else refuses the run. */
  pin(): Promise<number>
}

/** The graph that a submission asks for: the saved one, or a draft of it. */
export async function graphToRun(
  context: Context,
  workflow: WorkflowHead,
  { draft, ...part }: Pick<Static<typeof RunInput>, 'draft' | 'targets' | 'pins' | 'fresh'>,
): Promise<GraphToRun> {
  if (draft) return graphOfDraft(context, workflow, draft, part)
  const graph = await acceptGraph(context, workflow, part)
  return { graph, version: workflow.version, pin: async () => workflow.data_version }
}

async function graphOfDraft(
  context: Context,
  workflow: WorkflowHead,
  draft: NamedDraft,
  part: RunPart,
): Promise<GraphToRun> {
  const { db, clock } = context.services
  const { accountId, userId, keyId } = context.principal
  const row = await requireDraft(context, workflow.id, draft)
  const graph = await compileGraph(context, workflow.id, row.data.value, part)
  return {
    graph,
    version: row.base_version ?? workflow.version,
    async pin() {
      // It was found valid, so it has the form of a graph.
      const { nodes, connections } = row.data.value as GraphData
      const number = await keepDraftGraph(db, {
        ...{ accountId, workflowId: workflow.id, data: row.data.text, nowMs: clock.nowMs() },
        ...{ nodeCount: nodes.length, connectionCount: connections.length },
        author: { userId, keyId },
      })
      if (number === undefined) throw new Failure('WORKFLOW_NOT_FOUND')
      return number
    },
  }
}

type NamedDraft = { draftId: string; revision: number }

/** The draft of this workflow that is meant, at the revision that is meant. */
export async function requireDraft(
  { services, principal }: Context,
  workflowId: number,
  { draftId, revision }: NamedDraft,
) {
  const row = await findDraft(services.db, principal.accountId, draftId.toLowerCase())
  if (row?.workflow_id !== workflowId) throw new Failure('DRAFT_NOT_FOUND')
  assertRevision(row, revision)
  return row
}

function assertRevision(row: DraftRow, revision: number): void {
  if (row.revision === revision) return
  throw new Failure('PRECONDITION_FAILED', { details: { currentRevision: row.revision } })
}
