// One open workflow: the document, the server's view of it, and its draft. Connects the pure parts
// with the calls; React only shows what the two stores hold.

import { unreachable } from '#console/api/api-failure.ts'
import type { Model } from '#console/api/types.ts'
import { announce } from '#console/lib/announce.ts'
import { newId } from '#console/lib/ids.ts'
import { checkGraph, serverDrafts } from './calls.ts'
import { createChecker } from './check.ts'
import { createDraftKeeper } from './draft-keeper.ts'
import type { Doc } from './graph.ts'
import { localDrafts } from './local-drafts.ts'
import { madeIn } from './made.ts'
import type { NodeTypes } from './node-types.ts'
import { createShownRuns } from './run/shown-run.ts'
import { type CanvasStore, createCanvasStore } from './store.ts'
import type { DraftBody, PinnedRuns } from './stored-draft.ts'
import { createViewStore, showCheck, showWires, type ViewStore } from './view-store.ts'

export type Opened = {
  readonly workflowId: number | null
  /** The version that the document started from. */
  readonly version: number | null
  /** The document in that version; null if it was never saved. */
  readonly saved: Doc | null
  /** The document being edited: the draft, if there is one. */
  readonly doc: Doc
  readonly draft: { readonly id: string; readonly revision: number | null }
  readonly pins: PinnedRuns
  /** For people who may view but not change it: no draft is stored either. */
  readonly isReadOnly: boolean
}

const timers = {
  set: (run: () => void, ms: number) => window.setTimeout(run, ms),
  clear: (timer: number) => window.clearTimeout(timer),
}

export function createSession(opened: Opened, types: NodeTypes, models: readonly Model[]) {
  const { isReadOnly } = opened
  const store = createCanvasStore(opened.doc, opened.saved, () => performance.now(), { isReadOnly })
  const view = createViewStore(types, models)
  let base = { workflowId: opened.workflowId, version: opened.version, doc: opened.saved }
  const checker = openChecker(view, () => base)
  const keeper = createDraftKeeper({
    ...opened.draft,
    server: serverDrafts,
    local: localDrafts,
    newId,
    onState: (draft) => view.setState({ draft }),
    timers,
  })
  const stop = store.subscribe(({ history: { doc } }, before) => {
    if (doc === before.history.doc) return
    if (doc.graph.connections !== before.history.doc.graph.connections) showWires(view, doc.graph)
    if (!view.getState().isChecking) view.setState({ isChecking: true, foreseen: null })
    checker.changed(doc)
    void keepDraft()
  })
  const shown = createShownRuns(opened.pins)
  const draftNow = () => draftOf(base, store.getState().history.doc, shown.getState().pinned)
  /** With the saved version on screen and nothing pinned, there is nothing to store. */
  async function keepDraft() {
    const { history, saved } = store.getState()
    const body = draftNow()
    if (history.doc === saved && !body.pins) await keeper.discard()
    else keeper.changed(body)
  }
  showWires(view, opened.doc.graph)
  void checker.now(opened.doc)
  return {
    store,
    view,
    shown,
    /** Pins results to nodes; they are kept with the draft, so that other browsers see them. */
    pin(pinned: PinnedRuns) {
      shown.setState({ pinned })
      if (!isReadOnly) void keepDraft().then(keeper.flush)
    },
    isReadOnly,
    /** What a save is compared with if someone else saved first. */
    get base() {
      return base
    },
    draftId: () => keeper.id,
    flushDraft: () => keeper.flush(),
    /** Stores what is unsaved now, for a run of it. Null if everything is saved. */
    storeDraft: () => storeUnsaved(store, () => keeper.store(draftNow())),
    /** Stored as a version. Edits made since then remain a draft. */
    async saved(workflowId: number, version: number, doc: Doc) {
      base = { workflowId, version, doc }
      store.getState().markSaved(doc)
      await keepDraft()
    },
    /** From now on, saves are compared with someone else's version. */
    rebase(workflowId: number, version: number, doc: Doc) {
      base = { workflowId, version, doc }
    },
    /** The draft stays where it is; further edits are stored under a new id. */
    leaveDraft: () => keeper.leave(),
    checkNow: () => checker.now(store.getState().history.doc),
    say: announce,
    close() {
      stop()
      void keeper.flush().finally(() => keeper.close())
      checker.close()
    },
  }
}

const openChecker = (view: ViewStore, baseNow: () => Base) =>
  createChecker({
    ask: ({ graph }: Doc, signal) => {
      const { workflowId } = baseNow()
      // Media made here will be inputs of the run, so the estimate includes them.
      const inputs = madeIn(graph)
      return checkGraph({ ...(workflowId ? { workflowId } : {}), data: graph, inputs }, signal)
    },
    onAnswer: (answer, doc) => showCheck(view, doc.graph, answer),
    onFailure: () => view.setState({ isCheckOld: true, isChecking: false }),
    timers,
  })

export type Session = ReturnType<typeof createSession>

type Base = { readonly workflowId: number | null; readonly version: number | null }

const draftOf = (
  { workflowId, version }: Base,
  { name, graph }: Doc,
  pins: PinnedRuns,
): DraftBody => ({
  ...(workflowId ? { workflowId } : {}),
  ...(version ? { baseVersion: version } : {}),
  name,
  data: graph,
  ...(Object.keys(pins).length > 0 ? { pins } : {}),
})

async function storeUnsaved(
  store: CanvasStore,
  put: () => Promise<{ draftId: string; revision: number } | null>,
) {
  const { history, saved } = store.getState()
  if (history.doc === saved) return null
  const stored = await put()
  if (!stored) throw unreachable('the draft is not stored')
  return stored
}
