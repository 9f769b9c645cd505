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
import type { DraftBody } from './stored-draft.ts'
import { createViewStore, showCheck, showWires } from './view-store.ts'

export type Opened = {
  readonly workflowId: number | null
  /** The version that the document started from. */
  readonly version: number | null
  /** The document in that version; null if it was never saved. */
  readonly saved: Doc | null
  /** The document being edited: the draft, if there is one. */
  readonly doc: Doc
  readonly draft: { readonly id: string; readonly revision: number | null }
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
  const ofWorkflow = () => (base.workflowId ? { workflowId: base.workflowId } : {})
  const checker = createChecker({
    ask: (doc: Doc, signal) =>
      // Media made here will be inputs of the run, so the estimate includes them.
      checkGraph({ ...ofWorkflow(), data: doc.graph, inputs: madeIn(doc.graph) }, signal),
    onAnswer: (answer, doc) => showCheck(view, doc.graph, answer),
    onFailure: () => view.setState({ isCheckOld: true, isChecking: false }),
    timers,
  })
  const keeper = createDraftKeeper({
    ...opened.draft,
    server: serverDrafts,
    local: localDrafts,
    newId,
    onState: (draft) => view.setState({ draft }),
    timers,
  })
  const stop = store.subscribe(({ history: { doc }, saved }, before) => {
    if (doc === before.history.doc) return
    if (doc.graph.connections !== before.history.doc.graph.connections) showWires(view, doc.graph)
    if (!view.getState().isChecking) view.setState({ isChecking: true, foreseen: null })
    checker.changed(doc)
    // Undone back to the saved version: there is nothing left to store.
    if (doc === saved) void keeper.discard()
    else keeper.changed(draftOf(base, doc))
  })
  showWires(view, opened.doc.graph)
  void checker.now(opened.doc)
  return {
    store,
    view,
    shown: createShownRuns(),
    isReadOnly,
    /** What a save is compared with if someone else saved first. */
    get base() {
      return base
    },
    draftId: () => keeper.id,
    flushDraft: () => keeper.flush(),
    /** Stores what is unsaved now, for a run of it. Null if everything is saved. */
    storeDraft: () => storeUnsaved(store, (doc) => keeper.store(draftOf(base, doc))),
    /** Stored as a version. Edits made since then remain a draft. */
    async saved(workflowId: number, version: number, doc: Doc) {
      base = { workflowId, version, doc }
      store.getState().markSaved(doc)
      if (store.getState().history.doc === doc) await keeper.discard()
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

export type Session = ReturnType<typeof createSession>

type Base = { readonly workflowId: number | null; readonly version: number | null }

const draftOf = ({ workflowId, version }: Base, { name, graph }: Doc): DraftBody => ({
  ...(workflowId ? { workflowId } : {}),
  ...(version ? { baseVersion: version } : {}),
  name,
  data: graph,
})

async function storeUnsaved(
  store: CanvasStore,
  put: (doc: Doc) => Promise<{ draftId: string; revision: number } | null>,
) {
  const { history, saved } = store.getState()
  if (history.doc === saved) return null
  const stored = await put(history.doc)
  if (!stored) throw unreachable('the draft is not stored')
  return stored
}
