import { useState } from 'react'
import { type ApiFailure, toApiFailure } from '#console/api/api-failure.ts'
import { updateWorkflow } from '#console/canvas/calls.ts'
import type { Graph } from '#console/canvas/graph.ts'
import type { Side } from '#console/canvas/merge.ts'
import type { PanelName } from '#console/canvas/panel-name.ts'
import { type Conflict, resolve, type SaveOutcome, save } from '#console/canvas/saving.ts'
import type { Session } from '#console/canvas/session.ts'
import { announce } from '#console/lib/announce.ts'
import { toast } from '#console/ui/toasts.ts'

type SavingOptions = {
  /** `next`: it was saved in order to open that panel. */
  onSaved(workflowId: number, next: PanelName | null): void
  /** The server refused the graph; its problems say why. */
  onInvalid(): void
}

/** Saves versions, with the state that people see meanwhile: busy, in conflict, refused. */
export function useSaving(session: Session, { onSaved, onInvalid }: SavingOptions) {
  const [isSaving, setSaving] = useState(false)
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const [failure, setFailure] = useState<ApiFailure | null>(null)

  /** Returns whether it was saved. */
  const settle = (outcome: SaveOutcome, next: PanelName | null = null): boolean => {
    setSaving(false)
    setFailure(outcome.kind === 'refused' ? outcome.failure : null)
    setConflict(outcome.kind === 'conflict' ? outcome.conflict : null)
    if (outcome.kind === 'refused' && outcome.failure.status === 422) onInvalid()
    if (outcome.kind !== 'saved') return false
    announce(`Saved as version ${outcome.workflow.version}`)
    onSaved(outcome.workflow.id, next)
    return true
  }
  return {
    isSaving,
    conflict,
    failure,
    async save(next: PanelName | null = null): Promise<boolean> {
      if (isSaving) return false
      const { history, saved } = session.store.getState()
      if (history.doc === saved) return true
      setSaving(true)
      return settle(await save(session), next)
    },
    async resolve(found: Conflict, choices: ReadonlyMap<string, Side>) {
      setSaving(true)
      settle(await resolve(session, found, choices))
    },
    closeConflict: () => setConflict(null),
    async restore(version: number, graph: Graph) {
      try {
        await restore(session, version, graph)
      } catch (error) {
        const found = toApiFailure(error)
        if (found.status === 412) settle(await save(session))
        else setFailure(found)
      }
    },
  }
}

/** An older version becomes the newest. Unsaved edits stay as a draft. */
async function restore(session: Session, version: number, graph: Graph): Promise<void> {
  const { workflowId, version: base } = session.base
  const { history, saved } = session.store.getState()
  if (workflowId === null || base === null) return
  const workflow = await updateWorkflow(workflowId, base, { name: history.doc.name, graph })
  if (history.doc !== saved) await session.leaveDraft()
  const doc = { name: workflow.name, graph }
  session.store.getState().edit({ label: `Restore version ${version}` }, () => doc)
  await session.saved(workflowId, workflow.version, doc)
  toast(`Version ${version} is restored as version ${workflow.version}`)
}
