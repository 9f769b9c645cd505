// Opens a workflow: the saved version and a draft of it, from the server or from this browser; the
// newest draft unless one is named. A draft without a workflow is opened by its own id.

import type { Draft } from '#console/api/types.ts'
import { newId } from '#console/lib/ids.ts'
import { placed } from './arrange.ts'
import { listDrafts, readDraft, readVersion, readWorkflow } from './calls.ts'
import { sameJson } from './equal.ts'
import { type Doc, emptyGraph, type Graph, readGraph } from './graph.ts'
import { type LocalDraft, localDrafts } from './local-drafts.ts'
import { createPortsOf, type NodeTypes, withWiredPorts } from './node-types.ts'
import type { Opened } from './session.ts'
import type { PinnedRuns } from './stored-draft.ts'

type AnyDraft = {
  draftId: string
  revision: number | null
  updatedAt: string
  baseVersion: number | null
  name: string
  data: unknown
  pins: PinnedRuns
}

export type OpenedWorkflow = Omit<Opened, 'isReadOnly'> & {
  /** When the draft on screen was stored; null if the saved version is shown. */
  readonly draftFrom: string | null
  /** A version that was saved after the draft on screen was started; null if there is none. */
  readonly newerVersion: number | null
  /** Drafts that are not shown, newest first. */
  readonly otherDrafts: readonly KnownDraft[]
}

export type KnownDraft = { readonly draftId: string; readonly updatedAt: string }

export async function openWorkflow(
  workflowId: number,
  types: NodeTypes,
  choice: 'no draft' | { draftId: string | undefined },
): Promise<OpenedWorkflow> {
  const [workflow, drafts] = await Promise.all([readWorkflow(workflowId), draftsOf(workflowId)])
  const chosen =
    choice === 'no draft'
      ? undefined
      : (drafts.find(({ draftId }) => draftId === choice.draftId) ?? drafts[0])
  const draft = chosen ? await chosen.read() : null
  const version = draft?.baseVersion ?? workflow.version
  const saved = await docOf(workflow, version, types)
  const doc = draft
    ? toDoc(draft.name, draft.data, types)
    : (saved ?? { name: workflow.name, graph: emptyGraph })
  // Only results are pinned: what is on the screen is the saved version.
  const isUnchanged = saved !== null && sameJson(doc, saved)
  return {
    workflowId,
    version,
    saved,
    doc: isUnchanged ? saved : doc,
    draft: { id: draft?.draftId ?? newId(), revision: draft?.revision ?? null },
    pins: draft?.pins ?? {},
    draftFrom: draft && !isUnchanged ? draft.updatedAt : null,
    newerVersion: draft && version < workflow.version ? workflow.version : null,
    otherDrafts: drafts.filter((one) => one !== chosen),
  }
}

/** The document that the draft started from; null if that version is no longer stored. */
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
    pins: draft?.pins ?? {},
    draftFrom: draft?.updatedAt ?? null,
    newerVersion: null,
    otherDrafts: [],
  }
}

type FoundDraft = KnownDraft & { read(): Promise<AnyDraft> }

/** Newest first. If both the server and this browser have a draft, the later one counts. */
async function draftsOf(workflowId: number): Promise<FoundDraft[]> {
  const [kept, here] = await Promise.all([listDrafts(), localDrafts.all()])
  const found = new Map<string, FoundDraft>()
  const onServer = kept.items.filter((draft) => draft.workflowId === workflowId)
  for (const { draftId, updatedAt } of onServer) {
    const read = async () => fromServer(await readDraft(draftId))
    found.set(draftId, { draftId, updatedAt, read })
  }
  for (const local of here.filter((draft) => draft.workflowId === workflowId)) {
    const { draftId, updatedAt } = local
    if ((found.get(draftId)?.updatedAt ?? '') >= updatedAt) continue
    const revision = onServer.find((draft) => draft.draftId === draftId)?.revision ?? null
    found.set(draftId, { draftId, updatedAt, read: async () => fromHere(local, revision) })
  }
  return [...found.values()].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt))
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
  pins: draft.pins ?? {},
})

export function toDoc(name: string, data: unknown, types: NodeTypes): Doc {
  const graph: Graph = readGraph(data) ?? emptyGraph
  return { name, graph: placed(graph, withWiredPorts(graph, createPortsOf(types, {}))) }
}
