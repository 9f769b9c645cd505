import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { FilePen, Play, Plus, Trash2, Workflow as WorkflowIcon } from 'lucide-react'
import { useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import type { DraftSummary, ListedWorkflow } from '#console/api/types.ts'
import { deleteDraft, listDrafts } from '#console/canvas/calls.ts'
import { counted } from '#console/lib/counted.ts'
import { May } from '#console/shared/may.tsx'
import { RunDialog } from '#console/shared/run-dialog.tsx'
import { RunStatus } from '#console/shared/run-status.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Card } from '#console/ui/card.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Money } from '#console/ui/money.tsx'
import { Page } from '#console/ui/page.tsx'
import { Pager } from '#console/ui/pager.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { type Column, Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'
import { DeleteDialog } from './delete-dialog.tsx'

const route = getRouteApi('/framed/workflows')

const pageSize = 50

const readPage = async (page: number) => {
  const [{ items, totalPages }, drafts] = await Promise.all([
    consoleCall('GET /workflows', { query: { page, size: pageSize } }),
    listDrafts(),
  ])
  return { rows: items, totalPages, drafts: drafts.items }
}

export function WorkflowsScreen() {
  const client = useQueryClient()
  const { page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({ queryKey: ['workflows', 'rows', page], queryFn: () => readPage(page) })
  const [doomed, setDoomed] = useState<ListedWorkflow | null>(null)
  const [starting, setStarting] = useState<ListedWorkflow | null>(null)
  const reload = () => client.invalidateQueries({ queryKey: ['workflows'] })
  return (
    <Page
      title="Workflows"
      lead="Steps joined into a graph. Run one here or through the API."
      actions={
        <May need="editor">
          <Link to="/workflows/new" className={buttonClass('primary')}>
            <Plus size={16} aria-hidden />
            New workflow
          </Link>
        </May>
      }
    >
      <Loadable
        query={query}
        skeleton={<SkeletonRows />}
        isEmpty={({ rows, drafts }) => rows.length + drafts.length === 0}
        empty={<NoWorkflows />}
      >
        {({ rows, drafts, totalPages }) => (
          <>
            <NewDrafts
              drafts={drafts.filter((draft) => draft.workflowId === null)}
              onChange={reload}
            />
            {rows.length > 0 && (
              <Card flush>
                <Table
                  caption="Workflows"
                  columns={columnsOf(drafts, { onRun: setStarting, onDelete: setDoomed })}
                  rows={rows}
                  rowKey={(row) => String(row.id)}
                />
              </Card>
            )}
            {totalPages > 1 && (
              <Pager
                summary={`Page ${page} of ${totalPages}`}
                onPrevious={
                  page > 1 ? () => void navigate({ search: { page: page - 1 } }) : undefined
                }
                onNext={
                  page < totalPages
                    ? () => void navigate({ search: { page: page + 1 } })
                    : undefined
                }
              />
            )}
          </>
        )}
      </Loadable>
      {starting && (
        <RunDialog
          workflowId={starting.id}
          title={`Run ${starting.name}`}
          onClose={() => setStarting(null)}
        />
      )}
      {doomed && (
        <DeleteDialog
          workflow={doomed}
          onClose={() => setDoomed(null)}
          onDeleted={() => {
            setDoomed(null)
            void reload()
          }}
        />
      )}
    </Page>
  )
}

function NoWorkflows() {
  return (
    <Empty
      icon={<WorkflowIcon size={24} aria-hidden />}
      title="No workflows yet"
      action={
        <May need="editor">
          <Link to="/workflows/new" className={buttonClass('primary')}>
            Start from a template
          </Link>
        </May>
      }
    >
      A workflow joins text, image and video steps into one run, with an estimate before it starts.
    </Empty>
  )
}

function NewDrafts({ drafts, onChange }: { drafts: DraftSummary[]; onChange(): void }) {
  if (drafts.length === 0) return null
  return (
    <Card title="Drafts of new workflows">
      <ul>
        {drafts.map((draft) => (
          <li key={draft.draftId} className="flex items-center gap-2 py-1">
            <FilePen size={16} className="shrink-0 text-soft" aria-hidden />
            <Link
              to="/workflows/$workflowId"
              params={{ workflowId: draft.draftId }}
              className="min-w-0 truncate font-semibold hover:underline"
            >
              {draft.name}
            </Link>
            <span className="ml-auto text-soft text-sm">
              <When at={draft.updatedAt} />
            </span>
            <May need="editor">
              <IconButton
                label={`Delete the draft ${draft.name}`}
                icon={<Trash2 size={16} aria-hidden />}
                onClick={async () => {
                  await deleteDraft(draft.draftId)
                  onChange()
                }}
              />
            </May>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const draftWords = (count: number): string => (count === 0 ? '' : ` · ${counted(count, 'draft')}`)

type RowActions = { onRun(row: ListedWorkflow): void; onDelete(row: ListedWorkflow): void }

const columnsOf = (drafts: DraftSummary[], actions: RowActions): Column<ListedWorkflow>[] => [
  {
    key: 'name',
    label: 'Name',
    names: true,
    draw: (row) => (
      <span className="flex min-w-0 flex-col">
        <Link
          to="/workflows/$workflowId"
          params={{ workflowId: String(row.id) }}
          className="font-semibold hover:underline [overflow-wrap:anywhere]"
        >
          {row.name}
        </Link>
        <span className="text-soft text-xs">
          #{row.id}
          {draftWords(drafts.filter((draft) => draft.workflowId === row.id).length)}
        </span>
      </span>
    ),
  },
  {
    key: 'run',
    label: 'Last run',
    draw: ({ lastRun }) =>
      lastRun ? (
        <Link
          to="/runs/$runId"
          params={{ runId: lastRun.runId }}
          className="inline-flex flex-col hover:underline"
        >
          <RunStatus status={lastRun.status} />
          <span className="text-soft text-xs">
            <When at={lastRun.createdAt} />
          </span>
        </Link>
      ) : (
        <span className="text-soft">Never</span>
      ),
  },
  {
    key: 'spent',
    label: 'Spend, last 30 days',
    align: 'right',
    wideOnly: true,
    draw: ({ spent }) => <Money value={spent} />,
  },
  {
    key: 'nodes',
    label: 'Nodes',
    align: 'right',
    wideOnly: true,
    draw: ({ nodeCount }) => nodeCount,
  },
  {
    key: 'updated',
    label: 'Updated',
    wideOnly: true,
    draw: ({ updatedAt }) => <When at={updatedAt} />,
  },
  {
    key: 'actions',
    label: 'Actions',
    hideLabel: true,
    align: 'right',
    draw: (row) => (
      <May need="editor">
        <span className="inline-flex">
          <IconButton
            label={`Run ${row.name}`}
            icon={<Play size={16} aria-hidden />}
            onClick={() => actions.onRun(row)}
          />
          <IconButton
            label={`Delete ${row.name}`}
            icon={<Trash2 size={16} aria-hidden />}
            onClick={() => actions.onDelete(row)}
          />
        </span>
      </May>
    ),
  },
]
