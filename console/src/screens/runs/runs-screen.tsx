import { getRouteApi, Link } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { consoleCall } from '#console/api/console-api.ts'
import type { ListedRun } from '#console/api/types.ts'
import { rejectedLook } from '#console/canvas/run/node-state.ts'
import { formatDuration } from '#console/lib/time.ts'
import { RunLinks } from '#console/shared/run-links.tsx'
import { RunStatus } from '#console/shared/run-status.tsx'
import { SearchedList, usePolledList } from '#console/shared/searched-list.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Card } from '#console/ui/card.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Money } from '#console/ui/money.tsx'
import { Page } from '#console/ui/page.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { Status } from '#console/ui/status.tsx'
import { type Column, Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'
import { isFiltered, runsQuery } from './address.ts'
import { RunFilters } from './run-filters.tsx'
import { StarterWords } from './starter-words.tsx'

const route = getRouteApi('/framed/runs')

export function RunsScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = runsQuery(search)
  const runs = usePolledList({
    queryKey: ['runs', query],
    read: (signal) => consoleCall('GET /runs', { query, signal }),
  })
  return (
    <>
      <RunLinks />
      <Page title="Runs" lead="What ran, what is running, and what went wrong.">
        <RunFilters
          search={search}
          onChange={(next) =>
            void navigate({ search: { ...search, cursor: undefined, ...next }, replace: true })
          }
        />
        <SearchedList
          query={runs}
          noun="runs"
          skeleton={<SkeletonRows />}
          search={search}
          isFiltered={isFiltered(search)}
          onClear={() => void navigate({ search: {} })}
          onNext={(cursor) => void navigate({ search: { ...search, cursor } })}
          nothing={<NoRuns />}
        >
          {(items) => (
            <Card flush>
              <Table caption="Runs" columns={columns} rows={items} rowKey={({ runId }) => runId} />
            </Card>
          )}
        </SearchedList>
      </Page>
    </>
  )
}

const columns: readonly Column<ListedRun>[] = [
  {
    key: 'workflow',
    label: 'Workflow',
    names: true,
    draw: ({ runId, workflowName, workflowVersion, isDraft, startedBy, retryOf }) => (
      <span className="flex min-w-0 flex-col [overflow-wrap:anywhere]">
        <Link to="/runs/$runId" params={{ runId }}>
          {workflowName}{' '}
          <span className="text-soft text-sm">
            v{workflowVersion}
            {isDraft && ' draft'}
          </span>
        </Link>
        <span className="text-soft text-xs">
          {retryOf && 'Retry · '}
          {startedBy && <StarterWords starter={startedBy} />}
        </span>
      </span>
    ),
  },
  {
    key: 'status',
    label: 'State',
    draw: ({ status, nodeErrors: [error], rejected, waitingFor }) => (
      <span className="flex flex-col">
        <RunStatus status={status} waitingFor={waitingFor} />
        {waitingFor && <WaitLine {...waitingFor} />}
        {rejected && <Status {...rejectedLook} size="small" />}
        {status === 'FAILED' && error && (
          <span className="line-clamp-2 max-w-72 text-soft text-xs" title={error.message}>
            {error.message}
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
    label: 'Duration',
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

/** What somebody is asked, or when the run goes on. */
function WaitLine({ kind, title, until }: NonNullable<ListedRun['waitingFor']>) {
  if (!kind) return null
  return (
    <span className="line-clamp-2 max-w-72 text-soft text-xs" title={title || undefined}>
      {title || (
        <>
          {kind === 'DELAY' ? 'Goes on ' : 'Expires '}
          <When at={until} />
        </>
      )}
    </span>
  )
}

const NoRuns = () => (
  <Empty
    icon={<Play size={24} aria-hidden />}
    title="Nothing has run yet"
    action={
      <Link to="/workflows" className={buttonClass('primary')}>
        Choose a workflow
      </Link>
    }
  >
    Each run of a workflow is listed here with its inputs, results and cost.
  </Empty>
)
