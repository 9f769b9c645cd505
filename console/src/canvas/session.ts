// One open workflow: the document, what the server says of it, and its draft. Joins the pure
// parts with the calls; React only shows what the two stores hold.

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
import { createCanvasStore } from './store.ts'
import { createViewStore, showCheck, showWires } from './view-store.ts'

export type Opened = {
  readonly workflowId: number | null
  /** The version the document began with. */
  readonly version: number | null
  /** As that version has it; null for what was never saved. */
  readonly saved: Doc | null
  /** What is edited: the draft where there is one. */
  readonly doc: Doc
  readonly draft: { readonly id: string; readonly revision: number | null }
  /** For whoever may look, but not change it: no draft is kept either. */
  readonly isReadOnly: boolean
}

const timers = {
  set: (run: () => void, ms: number) => window.setTimeout(run, ms),
  clear: (timer: number) => window.clearTimeout(timer),
}

export function createSession(opened: Opened, types: NodeTypes, models: readonly Model[]) {
  const { isReadOnly } = opened
  const nowMs = () => performance.now()
  const store = createCanvasStore(opened.doc, opened.saved, nowMs, { isReadOnly })
  const view = createViewStore(types, models)
  let base = { workflowId: opened.workflowId, version: opened.version, doc: opened.saved }
  const ofWorkflow = () => (base.workflowId ? { workflowId: base.workflowId } : {})
  const checker = createChecker({
    ask: (doc: Doc, signal) =>
      // What was cropped here will be given to the run: the estimate counts on it.
      checkGraph({ ...ofWorkflow(), data: doc.graph, inputs: madeIn(doc.graph) }, signal),
    onAnswer: (answer, doc) => showCheck(view, doc.graph, answer),
    onFailure: () => view.setState({ isCheckOld: true }),
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
    checker.changed(doc)
    // Undone back to what is saved: nothing is left to keep.
    if (doc === saved) void keeper.discard()
    else {
      keeper.changed({
        ...ofWorkflow(),
        ...(base.version ? { baseVersion: base.version } : {}),
        name: doc.name,
        data: doc.graph,
      })
    }
  })
  showWires(view, opened.doc.graph)
  void checker.now(opened.doc)
  return {
    store,
    view,
    isReadOnly,
    /** What a save is compared with, when someone else saved first. */
    get base() {
      return base
    },
    draftId: () => keeper.id,
    flushDraft: () => keeper.flush(),
    /** A version holds it now. What was typed since stays a draft. */
    async saved(workflowId: number, version: number, doc: Doc) {
      base = { workflowId, version, doc }
      store.getState().markSaved(doc)
      if (store.getState().history.doc === doc) await keeper.discard()
    },
    /** Someone else's version is what the next save is compared with. */
    rebase(workflowId: number, version: number, doc: Doc) {
      base = { workflowId, version, doc }
    },
    /** The draft stays where it is; what follows is kept under a new id. */
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
