import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { DeliveryDetail } from '#console/api/types.ts'
import { usePolled } from '#console/api/use-polled.ts'
import { May } from '#console/shared/may.tsx'
import { Button } from '#console/ui/button.tsx'
import { Code } from '#console/ui/code.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { SidePanel } from '#console/ui/side-panel.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { When } from '#console/ui/when.tsx'
import { DeliveryStatus } from './delivery-status.tsx'
import { TriesList } from './tries-list.tsx'

type DeliveryPanelProps = {
  deliveryId: string
  onClose(): void
  /** Sending again creates a separate delivery, which is shown next. */
  onOpen(deliveryId: string): void
}

export function DeliveryPanel({ deliveryId, onClose, onOpen }: DeliveryPanelProps) {
  const query = usePolled({
    queryKey: ['delivery', deliveryId],
    read: (signal) =>
      consoleCall('GET /deliveries/{deliveryId}', { params: { deliveryId }, signal }),
    retryAfterSeconds: ({ status }) => (status === 'PENDING' ? 2 : 0),
    isWatched: true,
  })
  return (
    <SidePanel title="Delivery" onClose={onClose}>
      <Loadable query={query} skeleton={<SkeletonRows />}>
        {(delivery) => <DeliveryText delivery={delivery} onOpen={onOpen} />}
      </Loadable>
    </SidePanel>
  )
}

type DeliveryTextProps = { delivery: DeliveryDetail } & Pick<DeliveryPanelProps, 'onOpen'>

function DeliveryText({ delivery, onOpen }: DeliveryTextProps) {
  const client = useQueryClient()
  const redeliver = useMutation({
    mutationFn: () =>
      consoleCall('POST /deliveries/{deliveryId}/redeliver', {
        params: { deliveryId: delivery.id },
      }),
    onSuccess: (again) => {
      void client.invalidateQueries({ queryKey: ['deliveries'] })
      void client.invalidateQueries({ queryKey: ['delivery', again.id] })
      onOpen(again.id)
    },
  })
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <DeliveryStatus status={delivery.status} />
        <May need="editor">
          <Button
            size="small"
            icon={<Send size={14} aria-hidden />}
            busy={redeliver.isPending}
            onClick={() => redeliver.mutate()}
          >
            {delivery.status === 'PENDING' ? 'Try now' : 'Send again'}
          </Button>
        </May>
      </div>
      {redeliver.error && <Failure failure={toApiFailure(redeliver.error)} />}
      <dl className="grid grid-cols-[7rem_1fr] gap-y-2 [overflow-wrap:anywhere]">
        <dt className="text-soft">Event</dt>
        <dd>
          <code>{delivery.type}</code>
        </dd>
        <dt className="text-soft">To</dt>
        <dd>{delivery.url}</dd>
        {delivery.runId && (
          <>
            <dt className="text-soft">Run</dt>
            <dd>
              <Link
                to="/runs/$runId"
                params={{ runId: delivery.runId }}
                className="text-accent underline"
              >
                <code>{delivery.runId}</code>
              </Link>
            </dd>
          </>
        )}
        <dt className="text-soft">webhook-id</dt>
        <dd>
          <code>{delivery.webhookId}</code>
        </dd>
        {delivery.nextAttemptAt && (
          <>
            <dt className="text-soft">Next attempt</dt>
            <dd>
              <When at={delivery.nextAttemptAt} />
            </dd>
          </>
        )}
      </dl>
      <section className="flex flex-col gap-2">
        <h3 className="font-semibold">Attempts</h3>
        <TriesList tries={delivery.tries} />
      </section>
      <section className="flex flex-col gap-2">
        <h3 className="font-semibold">Payload</h3>
        <Code label="payload" text={JSON.stringify(delivery.payload, null, 2)} />
      </section>
    </div>
  )
}
