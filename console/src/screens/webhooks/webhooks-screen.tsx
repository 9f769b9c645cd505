import { getRouteApi } from '@tanstack/react-router'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { DeveloperLinks } from '#console/shared/developer-links.tsx'
import { May } from '#console/shared/may.tsx'
import { Page } from '#console/ui/page.tsx'
import { DeliveriesCard } from './deliveries-card.tsx'
import { DeliveryPanel } from './delivery-panel.tsx'
import { SecretCard } from './secret-card.tsx'
import { TestCard } from './test-card.tsx'

const route = getRouteApi('/framed/developer/webhooks')

export function WebhooksScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  useTrail('Webhooks')
  const openDelivery = (delivery: string | undefined) =>
    void navigate({
      search: ({ delivery: _, ...before }) => (delivery ? { ...before, delivery } : before),
      replace: true,
    })
  return (
    <>
      <DeveloperLinks />
      <Page
        title="Webhooks"
        lead="When a run ends, the server sends a signed event to its callback address, and retries for three days."
      >
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <May need="owner">
            <SecretCard />
          </May>
          <May need="editor">
            <TestCard />
          </May>
        </div>
        <DeliveriesCard
          search={search}
          onSearch={(change) =>
            void navigate({ search: (before) => Object.assign({}, before, change) })
          }
        />
        {search.delivery && (
          <DeliveryPanel
            key={search.delivery}
            deliveryId={search.delivery}
            onClose={() => openDelivery(undefined)}
            onOpen={(id) => openDelivery(id)}
          />
        )}
      </Page>
    </>
  )
}
