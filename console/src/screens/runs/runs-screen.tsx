import { getRouteApi, Link } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { developerCall } from '#console/api/developer-api.ts'
import type { ListedRun } from '#console/api/types.ts'
import { usePolled } from '#console/api/use-polled.ts'
import { formatDuration } from '#console/lib/time.ts'
import { RunStatus } from '#console/shared/run-status.tsx'
import { Button } from '#console/ui/button.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Card } from '#console/ui/card.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Money } from '#console/ui/money.tsx'
import { Page } from '#console/ui/page.tsx'
import { Pager } from '#console/ui/pager.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { type Column, Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'
import { isFiltered, type RunsSearch, runsQuery } from './address.ts'
import { RunFilters } from './run-filters.tsx'

const route = getRouteApi('/framed/runs')

export function RunsScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = runsQuery(search)
  const runs = usePolled({
    queryKey: ['runs', query],
    read: (signal) => developerCall('GET /runs', { query, signal }),
    // A quiet list is read now and then: runs also come from keys and schedules.
    retryAfterSeconds: ({ items }) =>
      items.reduce((soonest, run) => Math.min(soonest, run.retryAfterSeconds || soonest), 15),
  })
  const change = (next: RunsSearch) =>
    void navigate({ search: { ...search, cursor: undefined, ...next }, replace: true })
  return (
    <Page title="Runs" lead="What ran, what is running, and what went wrong.">
      <RunFilters search={search} onChange={change} />
      <Loadable
        query={runs}
        skeleton={<SkeletonRows />}
        // An answer may hold nothing and still a next: then there is more to look through.
        isEmpty={({ items, next }) => items.length === 0 && next === null}
        empty={<NoRuns search={search} onClear={() => void navigate({ search: {} })} />}
      >
        {({ items, next }) => (
          <>
            <Card flush>
              <Table caption="Runs" columns={columns} rows={items} rowKey={({ runId }) => runId} />
              {items.length === 0 && (
                <p className="px-5 py-4 text-soft">None so far. There are older runs to search.</p>
              )}
            </Card>
            {(next || search.cursor) && (
              <Pager
                summary={`${items.length} runs`}
                onPrevious={search.cursor ? () => history.back() : undefined}
                onNext={
                  next ? () => void navigate({ search: { ...search, cursor: next } }) : undefined
                }
              />
            )}
          </>
        )}
      </Loadable>
    </Page>
  )
}

const columns: readonly Column<ListedRun>[] = [
  {
    key: 'workflow',
    label: 'Workflow',
    names: true,
    draw: ({ runId, workflowName, workflowVersion }) => (
      <Link to="/runs/$runId" params={{ runId }} className="[overflow-wrap:anywhere]">
        {workflowName} <span className="text-soft text-sm">v{workflowVersion}</span>
      </Link>
    ),
  },
  {
    key: 'status',
    label: 'State',
    draw: ({ status, nodeErrors: [error] }) => (
      <span className="flex flex-col">
        <RunStatus status={status} />
        {status === 'FAILED' && error && (
          <span className="text-soft text-xs" title={error.message}>
            {error.nodeId || 'run'}: {error.code}
          </span>
        )}
      </span>
    ),
  },
  {
    key: 'steps',
    label: 'Steps',
    wideOnly: true,
    draw: ({ progress }) => `${progress.completed + progress.skipped} of ${progress.total}`,
  },
  { key: 'at', label: 'Started', wideOnly: true, draw: (run) => <When at={run.createdAt} /> },
  {
    key: 'took',
    label: 'Took',
    align: 'right',
    wideOnly: true,
    draw: ({ startedAt, completedAt }) =>
      startedAt && completedAt
        ? formatDuration(Date.parse(completedAt) - Date.parse(startedAt))
        : '–',
  },
  {
    key: 'estimate',
    label: 'Estimate',
    align: 'right',
    wideOnly: true,
    draw: ({ estimatedCost, cost: { currency } }) => (
      <Money value={estimatedCost === null ? null : { amount: estimatedCost, currency }} />
    ),
  },
  { key: 'cost', label: 'Cost', align: 'right', draw: ({ cost }) => <Money value={cost} /> },
]

function NoRuns({ search, onClear }: { search: RunsSearch; onClear(): void }) {
  if (isFiltered(search) || search.cursor)
    return (
      <Empty
        title="No runs match these filters"
        action={<Button onClick={onClear}>Clear</Button>}
      />
    )
  return (
    <Empty
      icon={<Play size={24} aria-hidden />}
      title="Nothing has run yet"
      action={
        <Link to="/workflows" className={buttonClass('primary')}>
          Choose a workflow
        </Link>
      }
    >
      Each run of a workflow is kept here with its inputs, its results and its cost.
    </Empty>
  )
}
