// Saves a version. Somebody else's version is never overwritten: a conflict with both sides is
// returned instead, and only a person's choice resolves it.
import { type ApiFailure, toApiFailure } from '#console/api/api-failure.ts'
import type { Workflow } from '#console/api/types.ts'
import { createWorkflow, readWorkflow, updateWorkflow } from './calls.ts'
import { type Doc, emptyGraph, readGraph } from './graph.ts'
import type { Merge, Side } from './merge.ts'
import type { Session } from './session.ts'

export type Conflict = { readonly theirs: Workflow; readonly merge: Merge; readonly mine: Doc }

export type SaveOutcome =
  | { readonly kind: 'saved'; readonly workflow: Workflow }
  | { readonly kind: 'conflict'; readonly conflict: Conflict }
  | { readonly kind: 'refused'; readonly failure: ApiFailure }

export async function save(session: Session): Promise<SaveOutcome> {
  const { doc } = session.store.getState().history
  const { workflowId, version } = session.base
  try {
    const workflow =
      workflowId === null || version === null
        ? await createWorkflow(doc)
        : await updateWorkflow(workflowId, version, doc)
    await session.saved(workflow.id, workflow.version, doc)
    return { kind: 'saved', workflow }
  } catch (error) {
    const failure = toApiFailure(error)
    if (failure.status === 412 && workflowId !== null) {
      return { kind: 'conflict', conflict: await compare(session, workflowId, doc) }
    }
    return { kind: 'refused', failure }
  }
}

async function compare(session: Session, workflowId: number, mine: Doc): Promise<Conflict> {
  const [theirs, { mergeGraphs }] = await Promise.all([
    readWorkflow(workflowId),
    import('./merge.ts'),
  ])
  const merge = mergeGraphs({
    // If the common version is missing, the person is asked about every node that differs.
    base: session.base.doc?.graph ?? emptyGraph,
    mine: mine.graph,
    theirs: readGraph(theirs.data) ?? emptyGraph,
  })
  return { theirs, merge, mine }
}

/** The choices become one undo step on top of the version that was saved first. */
export async function resolve(
  session: Session,
  { theirs, merge, mine }: Conflict,
  choices: ReadonlyMap<string, Side>,
): Promise<SaveOutcome> {
  const isRenamed = mine.name !== session.base.doc?.name
  const merged = { name: isRenamed ? mine.name : theirs.name, graph: merge.resolve(choices) }
  session.rebase(theirs.id, theirs.version, {
    name: theirs.name,
    graph: readGraph(theirs.data) ?? emptyGraph,
  })
  session.store.getState().edit({ label: `Merge with version ${theirs.version}` }, () => merged)
  return save(session)
}
