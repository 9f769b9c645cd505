import { useState } from 'react'
import { formatBytes } from '#console/lib/bytes.ts'
import { formatDuration } from '#console/lib/time.ts'
import { Card } from '#console/ui/card.tsx'
import { Code } from '#console/ui/code.tsx'
import { JsonTree } from '#console/ui/json-tree.tsx'
import { Money } from '#console/ui/money.tsx'
import { Pager } from '#console/ui/pager.tsx'
import { Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'

const rows = [
  { id: 'a', name: 'First', cost: 0.004, ms: 820, bytes: 900 },
  { id: 'b', name: 'Second', cost: 12.5, ms: 74_000, bytes: 5_400_000 },
]

export function KitTables() {
  const [page, setPage] = useState(1)
  return (
    <Card title="Tables and code" flush>
      <Table
        caption="Example rows"
        rows={rows}
        rowKey={({ id }) => id}
        isSelected={({ id }) => id === 'b'}
        columns={[
          { key: 'name', label: 'Name', names: true, draw: ({ name }) => name },
          {
            key: 'when',
            label: 'When',
            wideOnly: true,
            draw: () => <When at="2026-01-01T00:00:00.000Z" />,
          },
          { key: 'time', label: 'Time', draw: ({ ms }) => formatDuration(ms) },
          { key: 'size', label: 'Size', wideOnly: true, draw: ({ bytes }) => formatBytes(bytes) },
          {
            key: 'cost',
            label: 'Cost',
            align: 'right',
            draw: ({ cost }) => <Money value={{ amount: cost, currency: 'USD' }} />,
          },
        ]}
      />
      <div className="flex flex-col gap-4 p-5">
        <Pager
          summary={`Page ${page} of 2`}
          onPrevious={page > 1 ? () => setPage(1) : undefined}
          onNext={page < 2 ? () => setPage(2) : undefined}
        />
        <Code label="curl" text={'curl https://example.com \\\n  -H "accept: application/json"'} />
        <JsonTree name="output" value={{ title: 'A name', tags: ['one', 'two'], score: 0.5 }} />
      </div>
    </Card>
  )
}
