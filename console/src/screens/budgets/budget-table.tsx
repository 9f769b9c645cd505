import { useMay } from '#console/api/session.ts'
import type { Budget } from '#console/api/types.ts'
import { Meter } from '#console/ui/meter.tsx'
import { Money } from '#console/ui/money.tsx'
import { RowMenu } from '#console/ui/row-menu.tsx'
import { type Column, Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'
import { budgetTitle, periodNames } from './budget-draft.ts'

type BudgetTableProps = {
  budgets: readonly Budget[]
  onOpen(budget: Budget, as: 'set' | 'raise' | 'remove'): void
}

export function BudgetTable({ budgets, onOpen }: BudgetTableProps) {
  const mayChange = useMay('owner')
  const columns: Column<Budget>[] = [
    { key: 'name', label: 'Budget', names: true, draw: (row) => <NameCell budget={row} /> },
    { key: 'used', label: 'Used', draw: (row) => <UsedCell budget={row} /> },
    {
      key: 'reserved',
      label: 'Reserved',
      wideOnly: true,
      draw: (row) => <Money value={row.reserved} />,
    },
    { key: 'left', label: 'Left', wideOnly: true, draw: (row) => <Money value={row.left} /> },
    { key: 'resets', label: 'Resets', wideOnly: true, draw: (row) => <When at={row.resetsAt} /> },
    {
      key: 'actions',
      label: 'Actions',
      hideLabel: true,
      align: 'right',
      draw: (row) =>
        mayChange ? (
          <RowMenu
            name={budgetTitle(row)}
            items={[
              { label: 'Change', onSelect: () => onOpen(row, 'set') },
              { label: 'Raise for a time', onSelect: () => onOpen(row, 'raise') },
              { separator: true },
              { label: 'Remove', danger: true, onSelect: () => onOpen(row, 'remove') },
            ]}
          />
        ) : null,
    },
  ]
  const rowKey = ({ scope, target, period }: Budget) => `${scope} ${period} ${target ?? ''}`
  return <Table caption="Budgets" columns={columns} rows={budgets} rowKey={rowKey} />
}

const NameCell = ({ budget }: { budget: Budget }) => (
  <span className="flex min-w-24 flex-col gap-0.5">
    <span className="font-semibold [overflow-wrap:anywhere]">{budgetTitle(budget)}</span>
    <span className="text-soft text-sm">{periodNames[budget.period]}</span>
  </span>
)

function UsedCell({ budget }: { budget: Budget }) {
  const { spent, reserved, limit, raise } = budget
  const most = limit.amount + (raise?.amount.amount ?? 0)
  return (
    <span className="flex min-w-32 flex-col gap-1">
      <span>
        <Money value={spent} />
        <span className="text-soft">
          {' of '}
          <Money value={limit} />
        </span>
      </span>
      <Meter
        label={`${budgetTitle(budget)}: spend against the budget`}
        value={spent.amount + reserved.amount}
        max={most}
      />
      {raise && (
        <span className="text-soft text-xs">
          <Money value={raise.amount} /> more, ends <When at={raise.until} />
        </span>
      )}
    </span>
  )
}
