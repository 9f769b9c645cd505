import { getRouteApi, Link } from '@tanstack/react-router'
import { Boxes, Radar } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '#console/api/session.ts'
import { counted } from '#console/lib/counted.ts'
import { ModelLinks } from '#console/shared/model-links.tsx'
import { useModelCatalogue } from '#console/shared/use-model-catalogue.ts'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { DiscoverDialog } from './discover-dialog.tsx'
import { filterModels } from './filter-models.ts'
import { ModelFilters } from './model-filters.tsx'
import { ModelTable } from './model-table.tsx'

const route = getRouteApi('/framed/models')

export function ModelsScreen() {
  const query = useModelCatalogue()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const isOperator = useSession().data?.operator === true
  const [isDiscovering, setDiscovering] = useState(false)
  return (
    <>
      <ModelLinks />
      <Page
        title="Models"
        lead="Every model that this server knows, what it costs, and what it needs to be used."
        actions={
          isOperator && (
            <Button icon={<Radar size={16} aria-hidden />} onClick={() => setDiscovering(true)}>
              Find models
            </Button>
          )
        }
      >
        {isDiscovering && <DiscoverDialog onClose={() => setDiscovering(false)} />}
        <Loadable query={query} skeleton={<SkeletonRows />}>
          {(models) => {
            const shown = filterModels(models, search)
            return (
              <>
                <ModelFilters
                  models={models}
                  search={search}
                  onChange={(next) => void navigate({ search: next, replace: true })}
                />
                {search.state === 'no-key' && <KeyHint />}
                {shown.length === 0 ? (
                  <Empty
                    icon={<Boxes size={24} aria-hidden />}
                    title={
                      search.q ? `Nothing matches “${search.q}”` : 'Nothing matches these filters'
                    }
                    action={<Button onClick={() => void navigate({ search: {} })}>Clear</Button>}
                  />
                ) : (
                  <Card flush>
                    <ModelTable models={shown} />
                  </Card>
                )}
                <p className="text-soft text-sm" role="status">
                  {shown.length === models.length
                    ? counted(models.length, 'model')
                    : `${shown.length} of ${counted(models.length, 'model')}`}
                </p>
              </>
            )
          }}
        </Loadable>
      </Page>
    </>
  )
}

function KeyHint() {
  return (
    <p className="max-w-read text-soft">
      Store a provider’s key of your own under{' '}
      <Link to="/developer/credentials" className="text-accent underline">
        Credentials
      </Link>{' '}
      to use its models in workflows. The operator can set one for the whole server.
    </p>
  )
}
