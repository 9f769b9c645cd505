import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus, Waypoints } from 'lucide-react'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Route } from '#console/api/types.ts'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { useCommand } from '#console/lib/commands.ts'
import { May } from '#console/shared/may.tsx'
import { ModelLinks } from '#console/shared/model-links.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { newRoute } from './address.ts'
import { RouteDialog } from './route-dialog.tsx'
import { RouteTable } from './route-table.tsx'

const screen = getRouteApi('/framed/models/routes')

export function RoutesScreen() {
  const { edit } = screen.useSearch()
  const navigate = screen.useNavigate()
  const changed = useChanged()
  const [doomed, setDoomed] = useState<Route | null>(null)
  const query = useQuery({
    queryKey: ['routes'],
    queryFn: async ({ signal }) => (await consoleCall('GET /routes', { signal })).items,
  })
  const open = (name: string) => void navigate({ search: { edit: name } })
  const close = () => void navigate({ search: {} })
  const openNew = () => open(newRoute)
  useTrail('Routes')
  useCommand({ id: 'new route', label: 'Make a route', group: 'This page', run: openNew })
  const own = (query.data ?? []).filter(({ isOperators }) => !isOperators)
  const edited = own.find(({ name }) => name === edit)
  return (
    <>
      <ModelLinks />
      <Page
        title="Routes"
        lead="One name for several models. The first that accepts a call answers it."
        actions={
          <May need="editor">
            <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={openNew}>
              New route
            </Button>
          </May>
        }
      >
        <Loadable
          query={query}
          skeleton={<SkeletonRows />}
          isEmpty={(routes) => routes.length === 0}
          empty={<NoRoutes onNew={openNew} />}
        >
          {(routes) => (
            <Card flush>
              <RouteTable routes={routes} onEdit={({ name }) => open(name)} onDelete={setDoomed} />
            </Card>
          )}
        </Loadable>
        {(edit === newRoute || edited) && (
          <RouteDialog
            key={edit}
            route={edited}
            taken={own.map(({ name }) => name)}
            onClose={close}
            onSaved={() => {
              void changed()
              close()
            }}
          />
        )}
        {doomed && <DeleteDialog route={doomed} onClose={() => setDoomed(null)} />}
      </Page>
    </>
  )
}

/** Pickers list routes among the models. */
function useChanged() {
  const client = useQueryClient()
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['routes'] }),
      client.invalidateQueries({ queryKey: ['models'] }),
    ])
}

function NoRoutes({ onNew }: { onNew(): void }) {
  return (
    <Empty
      icon={<Waypoints size={24} aria-hidden />}
      title="No routes yet"
      action={
        <May need="editor">
          <Button variant="primary" onClick={onNew}>
            Make the first route
          </Button>
        </May>
      }
    >
      With a route, work goes on when a vendor is busy or down, and conversations spread over
      several models.
    </Empty>
  )
}

function DeleteDialog({ route, onClose }: { route: Route; onClose(): void }) {
  const changed = useChanged()
  const remove = useMutation({
    mutationFn: () => consoleCall('DELETE /routes/{name}', { params: { name: route.name } }),
    onSuccess: async () => {
      await changed()
      onClose()
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${route.name}?`}
      description="Calls and workflows that name it are refused from then on. Runs under way go on."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
            Delete route
          </Button>
        </>
      }
    >
      {remove.error && <Failure failure={toApiFailure(remove.error)} />}
    </Dialog>
  )
}
