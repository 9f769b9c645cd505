import type { Delivery } from '#console/api/types.ts'
import { Status, type StatusKind } from '#console/ui/status.tsx'

const looks: Record<Delivery['status'], { kind: StatusKind; label: string }> = {
  PENDING: { kind: 'waiting', label: 'Pending' },
  DELIVERED: { kind: 'good', label: 'Delivered' },
  FAILED: { kind: 'bad', label: 'Failed' },
  DISABLED: { kind: 'cancelled', label: 'Disabled by 410' },
}

export function DeliveryStatus({ status }: { status: Delivery['status'] }) {
  return <Status {...looks[status]} />
}
