import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { readModels, readNodeTypes } from '#console/canvas/calls.ts'
import { openDraft, openWorkflow } from '#console/canvas/opening.ts'
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
  /** Saved by pressing Run: its form comes next. */
  isRunNext: boolean
}

export function CanvasScreen() {
  const { workflowId } = route.useParams()
  // Another workflow is another canvas: nothing of the last one may linger.
  return <OpenCanvas key={workflowId} id={workflowId} />
}

function OpenCanvas({ id }: { id: string }) {
  const [attempt, setAttempt] = useState({ number: 0, ignoreDrafts: false })
  const query = useQuery({
    queryKey: ['canvas', id, attempt],
    queryFn: () => open(id, attempt.ignoreDrafts),
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

async function open(id: string, ignoreDrafts: boolean): Promise<OpenSession> {
  const workflowId = /^[1-9]\d*$/.test(id) ? Number(id) : null
  const moved = workflowId === null ? null : takeOver(workflowId)
  if (moved) return { session: moved.session, draftFrom: null, isRunNext: moved.isRunNext }
  const [types, models] = await Promise.all([readNodeTypes(), readModels()])
  const { draftFrom, ...opened } =
    workflowId === null
      ? await openDraft(id, types)
      : await openWorkflow(workflowId, types, { ignoreDrafts })
  return { session: createSession(opened, types, models.items), draftFrom, isRunNext: false }
}
