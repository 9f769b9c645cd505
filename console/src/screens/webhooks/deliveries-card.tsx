import { Webhook } from 'lucide-react'
import { consoleCall } from '#console/api/console-api.ts'
import type { Delivery } from '#console/api/types.ts'
import { usePolled } from '#console/api/use-polled.ts'
import { Card } from '#console/ui/card.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Pager } from '#console/ui/pager.tsx'
import { Select } from '#console/ui/select.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { Table } from '#console/ui/table.tsx'
import { When } from '#console/ui/when.tsx'
import { deliveryStates, type WebhooksSearch } from './address.ts'
import { DeliveryStatus } from './delivery-status.tsx'

const pageSize = 25
const filters = [
  { value: 'ANY', label: 'All states' },
  ...deliveryStates.map((value) => ({
    value,
    label: value.charAt(0) + value.slice(1).toLowerCase(),
  })),
] as const

type DeliveriesCardProps = {
  search: WebhooksSearch
  onSearch(change: Partial<Record<keyof WebhooksSearch, string | undefined>>): void
}

export function DeliveriesCard({ search, onSearch }: DeliveriesCardProps) {
  const { delivery: selected, ...query } = search
  const deliveries = usePolled({
    queryKey: ['deliveries', query],
    read: (signal) =>
      consoleCall('GET /deliveries', { query: { ...query, size: pageSize }, signal }),
    retryAfterSeconds: ({ items }) => (items.some(({ status }) => status === 'PENDING') ? 2 : 15),
  })
  const next = deliveries.data?.next
  const open = ({ id }: Delivery) => onSearch({ delivery: id })
  return (
    <Card
      title="Deliveries"
      flush
      actions={
        <Select
          aria-label="State"
          options={filters}
          value={search.status ?? 'ANY'}
          onChange={(status) =>
            onSearch({ status: status === 'ANY' ? undefined : status, cursor: undefined })
          }
          className="min-w-36"
        />
      }
    >
      <div className="px-5 pb-2 empty:hidden">
        <Loadable
          query={deliveries}
          skeleton={<SkeletonRows />}
          isEmpty={({ items }) => items.length === 0}
          empty={<NoDeliveries isFiltered={search.status !== undefined} />}
        >
          {({ items }) => (
            <div className="-mx-5">
              <DeliveryTable items={items} selected={selected} onOpen={open} />
            </div>
          )}
        </Loadable>
        {(search.cursor || next) && (
          <Pager
            summary={search.cursor ? 'Older deliveries' : 'Newest deliveries'}
            previousLabel="Newest"
            onPrevious={search.cursor ? () => onSearch({ cursor: undefined }) : undefined}
            onNext={next ? () => onSearch({ cursor: next }) : undefined}
          />
        )}
      </div>
    </Card>
  )
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Empty
      inset
      icon={<Webhook size={24} aria-hidden />}
      title={isFiltered ? 'None in this state' : 'No deliveries yet'}
    >
      {isFiltered
        ? 'Choose another state to see more.'
        : 'Start a run with a callback address, and a signed event is sent there when it ends.'}
    </Empty>
  )
}

type DeliveryTableProps = {
  items: readonly Delivery[]
  selected: string | undefined
  onOpen(delivery: Delivery): void
}

function DeliveryTable({ items, selected, onOpen }: DeliveryTableProps) {
  return (
    <Table
      caption="Deliveries"
      rows={items}
      rowKey={({ id }) => id}
      isSelected={({ id }) => id === selected}
      columns={[
        {
          key: 'event',
          label: 'Event',
          names: true,
          draw: (delivery) => (
            <button
              type="button"
              className="text-left text-accent underline underline-offset-2"
              onClick={() => onOpen(delivery)}
            >
              {delivery.type.replace('workflow.run.', 'Run ')}
            </button>
          ),
        },
        {
          key: 'to',
          label: 'To',
          wideOnly: true,
          className: 'max-w-80 truncate',
          draw: ({ url }) => url,
        },
        { key: 'state', label: 'State', draw: ({ status }) => <DeliveryStatus status={status} /> },
        {
          key: 'attempts',
          label: 'Attempts',
          align: 'right',
          wideOnly: true,
          draw: ({ attempts }) => attempts,
        },
        { key: 'when', label: 'Created', draw: ({ createdAt }) => <When at={createdAt} /> },
      ]}
    />
  )
}
