import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { type ApiFailure, toApiFailure } from '#console/api/api-failure.ts'
import { createWorkflow, deleteDraft, updateWorkflow } from '#console/canvas/calls.ts'
import { SessionContext } from '#console/canvas/context.ts'
import { Editor, type PanelName } from '#console/canvas/editor.tsx'
import { downloadDoc, readDoc } from '#console/canvas/file-io.ts'
import type { Graph } from '#console/canvas/graph.ts'
import { localDrafts } from '#console/canvas/local-drafts.ts'
import { madeIn } from '#console/canvas/made.ts'
import { type Conflict, resolve, type SaveOutcome, save } from '#console/canvas/saving.ts'
import { announce } from '#console/lib/announce.ts'
import { useBreadcrumb } from '#console/lib/breadcrumb.ts'
import { toast } from '#console/ui/toasts.ts'
import type { OpenSession } from './canvas-screen.tsx'
import { handOver } from './handover.ts'
import { Notes } from './notes.tsx'

// Loaded when they first open; the graph is there before.
const ConflictPanel = lazy(async () => ({
  default: (await import('#console/canvas/conflict-panel.tsx')).ConflictPanel,
}))
const RunDialog = lazy(async () => ({
  default: (await import('#console/shared/run-dialog.tsx')).RunDialog,
}))

const route = getRouteApi('/framed/workflows/$workflowId')

type WorkbenchProps = { opened: OpenSession; onReopen(): void }

/** The editor with what needs the address and the server: saving, restoring, running. */
export function Workbench({ opened, onReopen }: WorkbenchProps) {
  const { session } = opened
  const navigate = route.useNavigate()
  const { panel, node } = route.useSearch()
  const [isSaving, setSaving] = useState(false)
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const [failure, setFailure] = useState<ApiFailure | null>(null)
  const [draftFrom, setDraftFrom] = useState(opened.draftFrom)
  const [isRunning, setRunning] = useState(opened.isRunNext)
  const file = useRef<HTMLInputElement>(null)

  const setPanel = useCallback(
    (next: PanelName | null) =>
      void navigate({
        search: ({ panel: _, ...rest }) => (next ? { ...rest, panel: next } : rest),
        replace: true,
      }),
    [navigate],
  )
  const onSelect = useCallback(
    (id: string | null) =>
      void navigate({
        search: ({ node: _, ...rest }) => (id === null ? rest : { ...rest, node: id }),
        replace: true,
      }),
    [navigate],
  )
  useTitle(session)
  useLinkedNode(session, node)

  const settle = (outcome: SaveOutcome, isRunNext = false): boolean => {
    setSaving(false)
    setFailure(outcome.kind === 'refused' ? outcome.failure : null)
    setConflict(outcome.kind === 'conflict' ? outcome.conflict : null)
    if (outcome.kind === 'refused' && outcome.failure.status === 422) setPanel('problems')
    if (outcome.kind !== 'saved') return false
    setDraftFrom(null)
    announce(`Saved as version ${outcome.workflow.version}`)
    const address = String(outcome.workflow.id)
    if (!window.location.pathname.endsWith(`/${address}`)) {
      handOver({ workflowId: outcome.workflow.id, session, isRunNext })
      void navigate({
        to: '/workflows/$workflowId',
        params: { workflowId: address },
        replace: true,
      })
    }
    return true
  }
  const onSave = async (isRunNext = false) => {
    if (isSaving) return false
    const { history, saved } = session.store.getState()
    if (history.doc === saved) return true
    setSaving(true)
    return settle(await save(session), isRunNext)
  }
  const onRestore = async (version: number, graph: Graph) => {
    const { workflowId, version: base } = session.base
    const { history, saved } = session.store.getState()
    if (workflowId === null || base === null) return
    try {
      const workflow = await updateWorkflow(workflowId, base, { name: history.doc.name, graph })
      if (history.doc !== saved) await session.leaveDraft()
      const doc = { name: workflow.name, graph }
      session.store.getState().edit({ label: `Restore version ${version}` }, () => doc)
      await session.saved(workflowId, workflow.version, doc)
      toast(`Version ${version} is restored as version ${workflow.version}`)
    } catch (error) {
      const found = toApiFailure(error)
      if (found.status === 412) settle(await save(session))
      else setFailure(found)
    }
  }
  const onDiscard = async () => {
    const id = session.draftId()
    session.close()
    await Promise.allSettled([deleteDraft(id), localDrafts.remove(id)])
    onReopen()
  }
  const onCopy = async () => {
    const { doc } = session.store.getState().history
    const copy = await createWorkflow({ ...doc, name: `${doc.name} (copy)`.slice(0, 200) })
    setConflict(null)
    void navigate({ to: '/workflows/$workflowId', params: { workflowId: String(copy.id) } })
  }
  const onFile = useCallback(
    async (given: File) => {
      const read = readDoc(await given.text())
      session.view.setState({ notice: read.ok ? null : read.why })
      if (!read.ok) return
      session.store.getState().edit({ label: 'Import' }, (doc) => ({
        name: read.doc.name ?? doc.name,
        graph: read.doc.graph,
      }))
    },
    [session],
  )
  return (
    <>
      <Editor
        session={session}
        panel={panel ?? null}
        onPanel={setPanel}
        onSelect={onSelect}
        isSaving={isSaving}
        onSave={() => void onSave()}
        onRun={async () => {
          if (await onSave(true)) setRunning(true)
        }}
        onRestore={onRestore}
        onExport={() => downloadDoc(session.store.getState().history.doc)}
        onImport={() => file.current?.click()}
        onFile={onFile}
        notes={
          <Notes
            draftFrom={draftFrom}
            otherDrafts={opened.otherDrafts}
            failure={failure}
            onDiscard={onDiscard}
            isNew={session.base.workflowId === null}
          />
        }
      />
      <input
        ref={file}
        type="file"
        accept=".json,application/json"
        hidden
        aria-label="Workflow file"
        onChange={(event) => {
          const [given] = event.currentTarget.files ?? []
          if (given) void onFile(given)
          event.currentTarget.value = ''
        }}
      />
      <Suspense>
        {conflict && (
          <SessionContext value={session}>
            <ConflictPanel
              conflict={conflict}
              busy={isSaving}
              onClose={() => setConflict(null)}
              onCopy={() => void onCopy()}
              onResolve={async (choices) => {
                setSaving(true)
                settle(await resolve(session, conflict, choices))
              }}
            />
          </SessionContext>
        )}
        {isRunning && session.base.workflowId !== null && (
          <RunDialog
            workflowId={session.base.workflowId}
            title="Run"
            given={madeIn(session.store.getState().history.doc.graph)}
            onClose={() => setRunning(false)}
          />
        )}
      </Suspense>
    </>
  )
}

/** A link to a node opens with the node chosen; afterwards the address follows the selection. */
function useLinkedNode(session: OpenSession['session'], node: string | undefined) {
  const linked = useRef(node)
  useEffect(() => {
    if (linked.current) session.store.getState().select({ nodes: new Set([linked.current]) })
  }, [session])
}

function useTitle(session: OpenSession['session']) {
  useEffect(() => {
    const show = () => {
      const name = session.store.getState().history.doc.name || 'Untitled workflow'
      document.title = `${name} · Atelier`
      useBreadcrumb.setState({ trail: [name] })
    }
    show()
    const stop = session.store.subscribe(show)
    return () => {
      stop()
      useBreadcrumb.setState({ trail: [] })
    }
  }, [session])
}
