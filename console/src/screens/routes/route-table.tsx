import { useMay } from '#console/api/session.ts'
import type { Route } from '#console/api/types.ts'
import { Badge } from '#console/ui/badge.tsx'
import { Copy } from '#console/ui/copy.tsx'
import { RowMenu } from '#console/ui/row-menu.tsx'
import { type Column, Table } from '#console/ui/table.tsx'
import { placingOf, placingWords } from './route-words.ts'

type RouteTableProps = {
  routes: readonly Route[]
  onEdit(route: Route): void
  onDelete(route: Route): void
}

export function RouteTable({ routes, onEdit, onDelete }: RouteTableProps) {
  const mayEdit = useMay('editor')
  const columns: Column<Route>[] = [
    { key: 'name', label: 'Route', names: true, draw: (row) => <NameCell route={row} /> },
    { key: 'models', label: 'Models', draw: (row) => <ModelsCell route={row} /> },
    {
      key: 'placing',
      label: 'Asked first',
      wideOnly: true,
      draw: (row) => placingWords[placingOf(row)],
    },
    {
      key: 'actions',
      label: 'Actions',
      hideLabel: true,
      align: 'right',
      draw: (row) =>
        mayEdit && !row.isOperators ? (
          <RowMenu
            name={row.name}
            items={[
              { label: 'Change', onSelect: () => onEdit(row) },
              { separator: true },
              { label: 'Delete', danger: true, onSelect: () => onDelete(row) },
            ]}
          />
        ) : null,
    },
  ]
  return <Table caption="Routes" columns={columns} rows={routes} rowKey={({ id }) => id} />
}

function NameCell({ route: { id, name, description, isOperators } }: { route: Route }) {
  return (
    <span className="flex min-w-0 flex-col gap-0.5">
      <span className="flex flex-wrap items-center gap-2 font-semibold [overflow-wrap:anywhere]">
        {name}
        {isOperators && <Badge>From the operator</Badge>}
      </span>
      {description && <span className="max-w-read text-soft text-sm">{description}</span>}
      <span className="flex items-center gap-1 text-soft text-xs">
        <code>{id}</code>
        <Copy text={id} label={`Copy ${id}`} />
      </span>
    </span>
  )
}

/** Those that cannot be called now say so. */
function ModelsCell({ route: { candidates, usable } }: { route: Route }) {
  return (
    <ol className="flex flex-col gap-0.5">
      {candidates.map(({ model, weight }) => (
        <li key={model} className="[overflow-wrap:anywhere]">
          <span className={usable.includes(model) ? '' : 'text-soft line-through'}>{model}</span>
          {weight !== undefined && <span className="text-soft"> · weight {weight}</span>}
          {!usable.includes(model) && <span className="text-soft"> · cannot be used now</span>}
        </li>
      ))}
    </ol>
  )
}
