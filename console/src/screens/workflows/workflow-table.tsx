import { Link } from '@tanstack/react-router'
import { CopyPlus, Play, SquareTerminal, Trash2 } from 'lucide-react'
import type { DraftSummary, ListedWorkflow } from '#console/api/types.ts'
import { counted } from '#console/lib/counted.ts'
import { May } from '#console/shared/may.tsx'
import { asleep, RunStatus } from '#console/shared/run-status.tsx'
import { Badge } from '#console/ui/badge.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { Money } from '#console/ui/money.tsx'
import { type Column, Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'
import type { Selection } from './use-selection.ts'

const draftWords = (count: number): string => (count === 0 ? '' : ` · ${counted(count, 'draft')}`)

export type RowActions = {
  onRun(row: ListedWorkflow): void
  onCopy(row: ListedWorkflow): void
  onCall(row: ListedWorkflow): void
  onDelete(row: ListedWorkflow): void
}

type WorkflowTableProps = RowActions & {
  rows: readonly ListedWorkflow[]
  drafts: readonly DraftSummary[]
  selection: Selection
}

export function WorkflowTable({ rows, drafts, selection, ...actions }: WorkflowTableProps) {
  return (
    <Table
      caption="Workflows"
      columns={[boxColumn(selection), ...columnsOf(drafts, actions)]}
      rows={rows}
      rowKey={(row) => String(row.id)}
      isSelected={({ id }) => selection.has(id)}
    />
  )
}

const boxColumn = (selection: Selection): Column<ListedWorkflow> => ({
  key: 'box',
  label: 'Select',
  hideLabel: true,
  className: 'w-10 pr-0!',
  draw: ({ id, name }) => (
    <input
      type="checkbox"
      data-row={id}
      aria-label={`Select ${name}`}
      checked={selection.has(id)}
      onChange={() => selection.toggle(id)}
      className="block size-4 accent-accent pointer-coarse:size-6"
    />
  ),
})

const columnsOf = (
  drafts: readonly DraftSummary[],
  actions: RowActions,
): Column<ListedWorkflow>[] => [
  {
    key: 'name',
    label: 'Name',
    names: true,
    draw: (row) => (
      <NameCell row={row} drafts={drafts.filter((one) => one.workflowId === row.id).length} />
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
          <RunStatus status={lastRun.status} waitingFor={lastRun.isWaiting && asleep} />
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
            label={`Call ${row.name} from a terminal`}
            className="max-md:hidden"
            icon={<SquareTerminal size={16} aria-hidden />}
            onClick={() => actions.onCall(row)}
          />
          <IconButton
            label={`Duplicate ${row.name}`}
            className="max-md:hidden"
            icon={<CopyPlus size={16} aria-hidden />}
            onClick={() => actions.onCopy(row)}
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

function NameCell({ row, drafts }: { row: ListedWorkflow; drafts: number }) {
  return (
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
        {draftWords(drafts)}
      </span>
      {row.tags.length > 0 && (
        <span className="mt-1 flex flex-wrap gap-1">
          {row.tags.map((tag) => (
            <Link key={tag} to="/workflows" search={{ tag }} className="no-underline">
              <Badge>{tag}</Badge>
            </Link>
          ))}
        </span>
      )}
    </span>
  )
}
