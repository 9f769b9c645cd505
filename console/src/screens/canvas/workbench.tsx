import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { readOnlyWords } from '#console/canvas/actions.ts'
import { createWorkflow, deleteDraft } from '#console/canvas/calls.ts'
import { SessionContext } from '#console/canvas/context.ts'
import { Editor } from '#console/canvas/editor.tsx'
import { downloadDoc, readDoc } from '#console/canvas/file-io.ts'
import { localDrafts } from '#console/canvas/local-drafts.ts'
import type { PanelName } from '#console/canvas/panel-name.ts'
import type { Conflict } from '#console/canvas/saving.ts'
import type { Session } from '#console/canvas/session.ts'
import { useBreadcrumb } from '#console/lib/breadcrumb.ts'
import { handOver } from './handover.ts'
import { Notes } from './notes.tsx'
import type { OpenSession } from './open-session.ts'
import { useCanvasAddress } from './use-canvas-address.ts'
import { useSaving } from './use-saving.ts'

// Loaded when first opened, so that the graph does not wait for them.
const ConflictPanel = lazy(async () => ({
  default: (await import('#console/canvas/conflict-panel.tsx')).ConflictPanel,
}))

type WorkbenchProps = { opened: OpenSession; onReopen(): void }

/** The editor plus what needs the address and the server: saving, restoring, running. */
export function Workbench({ opened, onReopen }: WorkbenchProps) {
  const { session } = opened
  const { panel, node, setPanel, setNode, shown } = useCanvasAddress()
  const moveTo = useMoveTo(session)
  const [draftFrom, setDraftFrom] = useState(opened.draftFrom)
  const saving = useSaving(session, {
    onSaved: (workflowId, next) => {
      setDraftFrom(null)
      moveTo(workflowId, next)
    },
    onInvalid: () => setPanel('problems'),
  })
  const { input, choose, read } = useImport(session)
  useTitle(session)
  useLinkedNode(session, node)

  const refuse = () => session.say(readOnlyWords)
  const { save } = saving
  const latestSave = useRef(save)
  latestSave.current = save
  const onSaveFirst = useCallback((next: PanelName) => latestSave.current(next), [])
  const onDiscard = async () => {
    const id = session.draftId()
    session.close()
    await Promise.allSettled([deleteDraft(id), localDrafts.remove(id)])
    onReopen()
  }
  return (
    <>
      <Editor
        session={session}
        panel={panel}
        onPanel={setPanel}
        onSelect={setNode}
        isSaving={saving.isSaving}
        onSave={() => (session.isReadOnly ? refuse() : void saving.save())}
        shown={shown}
        onSaveFirst={onSaveFirst}
        onRestore={saving.restore}
        onExport={() => downloadDoc(session.store.getState().history.doc)}
        onImport={choose}
        onFile={read}
        notes={
          <Notes
            draftFrom={draftFrom}
            baseVersion={session.base.version}
            newerVersion={opened.newerVersion}
            otherDrafts={opened.otherDrafts}
            failure={saving.failure}
            onDiscard={onDiscard}
            isNew={session.base.workflowId === null}
            isReadOnly={session.isReadOnly}
          />
        }
      />
      {input}
      <Suspense>
        {saving.conflict && <ConflictDialog {...{ session, saving }} conflict={saving.conflict} />}
      </Suspense>
    </>
  )
}

type ConflictDialogProps = {
  session: Session
  saving: ReturnType<typeof useSaving>
  conflict: Conflict
}

function ConflictDialog({ session, saving, conflict }: ConflictDialogProps) {
  const navigate = useNavigate()
  const onCopy = async () => {
    const { doc } = session.store.getState().history
    const copy = await createWorkflow({ ...doc, name: `${doc.name} (copy)`.slice(0, 200) })
    saving.closeConflict()
    void navigate({ to: '/workflows/$workflowId', params: { workflowId: String(copy.id) } })
  }
  return (
    <SessionContext value={session}>
      <ConflictPanel
        conflict={conflict}
        busy={saving.isSaving}
        onClose={saving.closeConflict}
        onCopy={() => void onCopy()}
        onResolve={(choices) => saving.resolve(conflict, choices)}
      />
    </SessionContext>
  )
}

/** The first save gives a draft its workflow number: the open session moves to that address. */
function useMoveTo(session: Session) {
  const navigate = useNavigate()
  return (workflowId: number, next: PanelName | null) => {
    if (window.location.pathname.endsWith(`/${workflowId}`)) return
    handOver({ workflowId, session })
    void navigate({
      to: '/workflows/$workflowId',
      params: { workflowId: String(workflowId) },
      search: next ? { panel: next } : {},
      replace: true,
    })
  }
}

/** An imported file, chosen or dropped, replaces the graph as one undo step. */
function useImport(session: Session) {
  const field = useRef<HTMLInputElement>(null)
  const read = useCallback(
    async (file: File) => {
      const found = readDoc(await file.text())
      session.view.setState({ notice: found.ok ? null : found.why })
      if (!found.ok) return
      session.store.getState().edit({ label: 'Import' }, (doc) => ({
        name: found.doc.name ?? doc.name,
        graph: found.doc.graph,
      }))
    },
    [session],
  )
  const input = (
    <input
      ref={field}
      type="file"
      accept=".json,application/json"
      hidden
      aria-label="Workflow file"
      onChange={(event) => {
        const [file] = event.currentTarget.files ?? []
        if (file) void read(file)
        event.currentTarget.value = ''
      }}
    />
  )
  return { input, read, choose: () => field.current?.click() }
}

/** A link to a node opens with that node selected; afterwards the address follows the selection. */
function useLinkedNode(session: Session, node: string | undefined) {
  const linked = useRef(node)
  useEffect(() => {
    if (linked.current) session.store.getState().select({ nodes: new Set([linked.current]) })
  }, [session])
}

function useTitle(session: Session) {
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
