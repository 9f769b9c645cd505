import { Link } from '@tanstack/react-router'
import type { Usage, WorkflowEstimate } from '#console/api/types.ts'
import { counted } from '#console/lib/counted.ts'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Money } from '#console/ui/money.tsx'
import { type Column, Table } from '#console/ui/table.tsx'
import { estimateError } from './measure.ts'
import { useEstimates } from './use-estimates.ts'

export function EstimateTable({ usage }: { usage: Usage }) {
  const { rows, isCounting, onMore } = useEstimates(usage)
  const runs = rows.reduce((sum, row) => sum + row.runs, 0)
  return (
    <Card title="Estimated and actual cost" flush={rows.length > 0}>
      {rows.length === 0 ? (
        <p className="text-soft text-sm">
          Once workflows have run in this period, this shows how close their estimates were.
        </p>
      ) : (
        <>
          <Table
            caption="Estimated and actual cost by workflow"
            rows={rows}
            rowKey={({ workflowId }) => String(workflowId)}
            columns={columns}
          />
          <p
            className="flex flex-wrap items-center gap-3 px-5 py-3 text-soft text-sm"
            role="status"
          >
            {counted(runs, 'completed run')}
            {isCounting && ', counting older ones…'}
            {onMore && (
              <Button size="small" onClick={onMore}>
                Count older runs
              </Button>
            )}
          </p>
        </>
      )}
    </Card>
  )
}

const columns: readonly Column<WorkflowEstimate>[] = [
  {
    key: 'name',
    label: 'Workflow',
    names: true,
    draw: ({ workflowId, name }) => (
      <Link to="/runs" search={{ workflowId }} className="[overflow-wrap:anywhere]">
        {name}
      </Link>
    ),
  },
  { key: 'runs', label: 'Runs', align: 'right', wideOnly: true, draw: (row) => row.runs },
  {
    key: 'estimated',
    label: 'Estimated',
    align: 'right',
    draw: (row) => <Money value={row.estimated} />,
  },
  { key: 'actual', label: 'Actual', align: 'right', draw: (row) => <Money value={row.actual} /> },
  {
    key: 'error',
    label: 'Error',
    align: 'right',
    draw: (row) => estimateError(row.estimated.amount, row.actual.amount) ?? '–',
  },
]
