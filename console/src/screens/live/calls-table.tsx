import type { Live } from '#console/api/types.ts'
import { Card } from '#console/ui/card.tsx'
import { type Column, Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'

type Call = Live['calls'][number]

/** Calls to providers that have not ended. */
export function CallsTable({ calls }: { calls: readonly Call[] }) {
  return (
    <Card title="Calls to providers" flush>
      <Table
        caption="Calls in flight by model"
        columns={columns}
        rows={calls}
        rowKey={({ provider, model }) => `${provider} ${model}`}
      />
    </Card>
  )
}

const columns: readonly Column<Call>[] = [
  {
    key: 'model',
    label: 'Model',
    names: true,
    draw: ({ model }) => <code className="[overflow-wrap:anywhere]">{model}</code>,
  },
  { key: 'provider', label: 'Provider', wideOnly: true, draw: ({ provider }) => provider },
  {
    key: 'calls',
    label: 'In flight',
    align: 'right',
    draw: ({ inFlight }) => <span className="tabular-nums">{inFlight}</span>,
  },
  {
    key: 'oldest',
    label: 'Oldest',
    align: 'right',
    draw: ({ oldestAt }) => <When at={oldestAt} />,
  },
]
