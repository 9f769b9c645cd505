import { loadSession } from '#console/api/session.ts'
import { readModels, readNodeTypes } from '#console/canvas/calls.ts'
import { type KnownDraft, openDraft, openWorkflow } from '#console/canvas/opening.ts'
import { createSession, type Session } from '#console/canvas/session.ts'
import { takeOver } from './handover.ts'

export type OpenSession = {
  session: Session
  draftFrom: string | null
  /** A version that was saved after the draft was started. */
  newerVersion: number | null
  otherDrafts: readonly KnownDraft[]
}

/** Opens a workflow by its number, or a draft that has none yet by its id. */
export async function openSession(
  id: string,
  choice: Parameters<typeof openWorkflow>[2],
): Promise<OpenSession> {
  const workflowId = /^[1-9]\d*$/.test(id) ? Number(id) : null
  const moved = workflowId === null ? null : takeOver(workflowId)
  if (moved) return { session: moved.session, draftFrom: null, newerVersion: null, otherDrafts: [] }
  const [types, models, known] = await Promise.all([readNodeTypes(), readModels(), loadSession()])
  const isReadOnly = known.session?.role === 'viewer'
  // Drafts are for people who work on them; viewers see the saved version.
  const shown = isReadOnly ? 'no draft' : choice
  const { draftFrom, newerVersion, otherDrafts, ...opened } =
    workflowId === null ? await openDraft(id, types) : await openWorkflow(workflowId, types, shown)
  const session = createSession({ ...opened, isReadOnly }, types, models)
  return { session, draftFrom, newerVersion, otherDrafts }
}
