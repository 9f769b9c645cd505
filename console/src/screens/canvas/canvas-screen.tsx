import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { isMoving } from './handover.ts'
import { openSession } from './open-session.ts'
import { Workbench } from './workbench.tsx'

const route = getRouteApi('/framed/workflows/$workflowId')

export function CanvasScreen() {
  const { workflowId } = route.useParams()
  const { draft } = route.useSearch()
  // Another workflow or draft gets a new canvas: no state of the previous one may remain.
  return <OpenCanvas key={`${workflowId} ${draft}`} id={workflowId} draftId={draft} />
}

type OpenCanvasProps = { id: string; draftId: string | undefined }

function OpenCanvas({ id, draftId }: OpenCanvasProps) {
  const [attempt, setAttempt] = useState({ number: 0, ignoreDrafts: false })
  const query = useQuery({
    queryKey: ['canvas', id, draftId, attempt],
    queryFn: () => openSession(id, attempt.ignoreDrafts ? 'no draft' : { draftId }),
    // The session lives as long as the screen; reading again would start a second draft.
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
