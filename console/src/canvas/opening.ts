// Opening a workflow: the saved version, and the newest draft of it, from the server or from this
// browser. A draft without a workflow is opened by its own id.

import type { Draft } from '#console/api/types.ts'
import { newId } from '#console/lib/ids.ts'
import { placed } from './actions.ts'
import { listDrafts, readDraft, readVersion, readWorkflow } from './calls.ts'
import { type Doc, emptyGraph, type Graph, readGraph } from './graph.ts'
import { type LocalDraft, localDrafts } from './local-drafts.ts'
import { createPortsOf, type NodeTypes, withWiredPorts } from './node-types.ts'
import type { Opened } from './session.ts'

type AnyDraft = {
  draftId: string
  revision: number | null
  updatedAt: string
  baseVersion: number | null
  name: string
  data: unknown
}

export type OpenedWorkflow = Opened & {
  /** When the draft that is shown was kept, or null if the saved version is shown. */
  readonly draftFrom: string | null
}

export async function openWorkflow(
  workflowId: number,
  types: NodeTypes,
  choice: { ignoreDrafts: boolean },
): Promise<OpenedWorkflow> {
  const workflow = await readWorkflow(workflowId)
  const draft = choice.ignoreDrafts ? null : await newestDraft(workflowId)
  const version = draft?.baseVersion ?? workflow.version
  const saved = await docOf(workflow, version, types)
  return {
    workflowId,
    version,
    saved,
    doc: draft
      ? toDoc(draft.name, draft.data, types)
      : (saved ?? { name: workflow.name, graph: emptyGraph }),
    draft: { id: draft?.draftId ?? newId(), revision: draft?.revision ?? null },
    draftFrom: draft?.updatedAt ?? null,
  }
}

/** What the draft began with; null if that version is no longer kept. */
async function docOf(
  workflow: { id: number; name: string; version: number; data: unknown },
  version: number,
  types: NodeTypes,
): Promise<Doc | null> {
  if (version === workflow.version) return toDoc(workflow.name, workflow.data, types)
  const old = await readVersion(workflow.id, version).catch(() => null)
  return old && toDoc(workflow.name, old.data, types)
}

export async function openDraft(draftId: string, types: NodeTypes): Promise<OpenedWorkflow> {
  const local = (await localDrafts.all()).find((draft) => draft.draftId === draftId)
  const kept = await readDraft(draftId).catch((error: unknown) => {
    if (local) return null
    throw error
  })
  const draft = newer(kept && fromServer(kept), local && fromHere(local, kept?.revision ?? null))
  return {
    workflowId: null,
    version: null,
    saved: null,
    doc: toDoc(draft?.name ?? '', draft?.data ?? emptyGraph, types),
    draft: { id: draftId, revision: kept?.revision ?? null },
    draftFrom: draft?.updatedAt ?? null,
  }
}

async function newestDraft(workflowId: number): Promise<AnyDraft | null> {
  const [kept, here] = await Promise.all([
    listDrafts().then(({ items }) => items.find((draft) => draft.workflowId === workflowId)),
    localDrafts.all().then((all) => all.filter((draft) => draft.workflowId === workflowId)),
  ])
  const onServer = kept ? fromServer(await readDraft(kept.draftId)) : null
  const [local] = here.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt))
  const revision = local?.draftId === kept?.draftId ? (kept?.revision ?? null) : null
  return newer(onServer, local && fromHere(local, revision))
}

const newer = (a: AnyDraft | null, b: AnyDraft | undefined): AnyDraft | null =>
  !b ? a : !a || b.updatedAt > a.updatedAt ? b : a

const fromServer = (draft: Draft): AnyDraft => draft

const fromHere = (draft: LocalDraft, revision: number | null): AnyDraft => ({
  draftId: draft.draftId,
  revision,
  updatedAt: draft.updatedAt,
  baseVersion: draft.baseVersion ?? null,
  name: draft.name,
  data: draft.data,
})

export function toDoc(name: string, data: unknown, types: NodeTypes): Doc {
  const graph: Graph = readGraph(data) ?? emptyGraph
  return { name, graph: placed(graph, withWiredPorts(graph, createPortsOf(types, {}))) }
}
