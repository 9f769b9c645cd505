import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { NodeTypes } from '#console/canvas/node-types.ts'
import type { RunState } from '#console/canvas/run/run-state.ts'
import { useWatchedRun } from '#console/canvas/run/use-watched-run.ts'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { cx } from '#console/lib/cx.ts'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { NodePanel } from './node-panel.tsx'
import { RunActions } from './run-actions.tsx'
import { RunContext } from './run-context.ts'
import { RunDetail } from './run-detail.tsx'
import { useNodeTypes, useRunStore } from './use-run.ts'

const route = getRouteApi('/framed/runs/$runId')

export function RunScreen() {
  const { runId } = route.useParams()
  const { node } = route.useSearch()
  const run = useWatchedRun(runId)
  const types = useNodeTypes()
  const name = run.data?.run.workflowName
  useTrail(name)
  return (
    // An open panel makes the page narrower instead of covering it.
    <div className={cx('w-full min-w-0', node && run.data && 'md:pr-[min(32rem,50vw)]')}>
      <Page
        title={name ?? 'Run'}
        actions={run.data && types.data && <RunActions state={run.data} types={types.data} />}
      >
        <Loadable query={run} skeleton={<RunSkeleton />}>
          {(state) => (
            <Loadable query={types} skeleton={<RunSkeleton />}>
              {(known) => <WatchedRun key={runId} state={state} types={known} />}
            </Loadable>
          )}
        </Loadable>
      </Page>
    </div>
  )
}

function WatchedRun({ state, types }: { state: RunState; types: NodeTypes }) {
  const { node = null } = route.useSearch()
  const navigate = route.useNavigate()
  const store = useRunStore(state)
  const select = useCallback(
    (path: string | null) =>
      void navigate({
        search: path === null ? {} : { node: path },
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
  const onView = useMemo(
    () => ({ store, types, selected: node, select }),
    [store, types, node, select],
  )
  return (
    <RunContext value={onView}>
      <RunDetail />
      {node !== null && <NodePanel path={node} />}
    </RunContext>
  )
}

const RunSkeleton = () => (
  <div className="flex flex-col gap-6">
    <Skeleton className="h-24 rounded-md" />
    <Skeleton className="h-80 rounded-md" />
    <Skeleton className="h-64 rounded-md" />
  </div>
)
