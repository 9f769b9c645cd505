import { Link } from '@tanstack/react-router'
import type { LiveWorkflow } from '#console/api/types.ts'
import { Card } from '#console/ui/card.tsx'
import { type Column, Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'

export function WorkflowsTable({ workflows }: { workflows: readonly LiveWorkflow[] }) {
  return (
    <Card title="By workflow" flush>
      <Table
        caption="Unfinished runs by workflow"
        columns={columns}
        rows={workflows}
        rowKey={({ workflowId }) => String(workflowId)}
      />
    </Card>
  )
}

const count = (value: number) =>
  value === 0 ? <span className="text-soft">0</span> : <span className="tabular-nums">{value}</span>

const columns: readonly Column<LiveWorkflow>[] = [
  {
    key: 'name',
    label: 'Workflow',
    names: true,
    draw: ({ workflowId, name }) => (
      <Link
        to="/runs"
        search={{ workflowId, status: 'ACTIVE' }}
        className="[overflow-wrap:anywhere]"
      >
        {name}
      </Link>
    ),
  },
  { key: 'running', label: 'Running', align: 'right', draw: ({ running }) => count(running) },
  { key: 'queued', label: 'Queued', align: 'right', draw: ({ queued }) => count(queued) },
  { key: 'waiting', label: 'Waiting', align: 'right', draw: ({ waiting }) => count(waiting) },
  {
    key: 'retrying',
    label: 'Retrying',
    align: 'right',
    wideOnly: true,
    draw: ({ retrying }) => count(retrying),
  },
  {
    key: 'oldest',
    label: 'Oldest',
    align: 'right',
    wideOnly: true,
    draw: ({ oldestAt }) => <When at={oldestAt} />,
  },
]
