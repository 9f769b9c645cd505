import { Link } from '@tanstack/react-router'
import type { Usage } from '#console/api/types.ts'
import { Card } from '#console/ui/card.tsx'
import { Money } from '#console/ui/money.tsx'
import { Table } from '#console/ui/table.tsx'
import { estimateError } from './measure.ts'

type Estimates = Usage['estimates']

export function EstimateTable({ estimates }: { estimates: Estimates }) {
  return (
    <Card title="Estimate against actual" flush={estimates.length > 0}>
      {estimates.length === 0 ? (
        <p className="text-soft text-sm">
          Once workflows have run in this time, this shows how close their estimates came.
        </p>
      ) : (
        <Table
          caption="Estimated and actual cost by workflow"
          rows={estimates}
          rowKey={({ workflowId }) => String(workflowId)}
          columns={[
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
            {
              key: 'actual',
              label: 'Actual',
              align: 'right',
              draw: (row) => <Money value={row.actual} />,
            },
            {
              key: 'error',
              label: 'Error',
              align: 'right',
              draw: (row) => estimateError(row.estimated.amount, row.actual.amount) ?? '–',
            },
          ]}
        />
      )}
    </Card>
  )
}
