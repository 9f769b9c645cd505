import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { readModels, readNodeTypes } from '#console/canvas/calls.ts'
import { type KnownDraft, openDraft, openWorkflow } from '#console/canvas/opening.ts'
import { createSession, type Session } from '#console/canvas/session.ts'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { isMoving, takeOver } from './handover.ts'
import { Workbench } from './workbench.tsx'

const route = getRouteApi('/framed/workflows/$workflowId')

export type OpenSession = {
  session: Session
  draftFrom: string | null
  otherDrafts: readonly KnownDraft[]
  /** Saved by pressing Run: its form comes next. */
  isRunNext: boolean
}

export function CanvasScreen() {
  const { workflowId } = route.useParams()
  const { draft } = route.useSearch()
  // Another workflow or draft is another canvas: nothing of the last one may linger.
  return <OpenCanvas key={`${workflowId} ${draft}`} id={workflowId} draftId={draft} />
}

type OpenCanvasProps = { id: string; draftId: string | undefined }

function OpenCanvas({ id, draftId }: OpenCanvasProps) {
  const [attempt, setAttempt] = useState({ number: 0, ignoreDrafts: false })
  const query = useQuery({
    queryKey: ['canvas', id, draftId, attempt],
    queryFn: () => open(id, attempt.ignoreDrafts ? 'no draft' : { draftId }),
    // The session lives as long as the screen; a second reading would be a second draft.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const session = query.data?.session
  useEffect(
    () => () => {
      if (session && !isMoving(session)) session.close()
    },
    [session],
  )
  if (!query.data) {
    return (
      <Page title="Workflow">
        <Loadable query={query} skeleton={<Skeleton className="h-96 w-full" />}>
          {() => null}
        </Loadable>
      </Page>
    )
  }
  return (
    <Workbench
      key={attempt.number}
      opened={query.data}
      onReopen={() => setAttempt(({ number }) => ({ number: number + 1, ignoreDrafts: true }))}
    />
  )
}

async function open(id: string, choice: Parameters<typeof openWorkflow>[2]): Promise<OpenSession> {
  const workflowId = /^[1-9]\d*$/.test(id) ? Number(id) : null
  const moved = workflowId === null ? null : takeOver(workflowId)
  if (moved) return { ...moved, draftFrom: null, otherDrafts: [] }
  const [types, models] = await Promise.all([readNodeTypes(), readModels()])
  const { draftFrom, otherDrafts, ...opened } =
    workflowId === null ? await openDraft(id, types) : await openWorkflow(workflowId, types, choice)
  const session = createSession(opened, types, models.items)
  return { session, draftFrom, otherDrafts, isRunNext: false }
}
