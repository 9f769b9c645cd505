import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CalendarClock, Plus } from 'lucide-react'
import { useState } from 'react'
import type { Trigger } from '#console/api/types.ts'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { useCommand } from '#console/lib/commands.ts'
import { May } from '#console/shared/may.tsx'
import { listTriggers } from '#console/shared/triggers/calls.ts'
import { DeleteTriggerDialog } from '#console/shared/triggers/delete-trigger-dialog.tsx'
import { FiringsPanel } from '#console/shared/triggers/firings-panel.tsx'
import { ShownUrlDialog } from '#console/shared/triggers/shown-url-dialog.tsx'
import { TriggerDialog } from '#console/shared/triggers/trigger-dialog.tsx'
import { TriggerTable } from '#console/shared/triggers/trigger-table.tsx'
import { WorkflowLinks } from '#console/shared/workflow-links.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'

const route = getRouteApi('/framed/workflows/triggers')
const readEveryMs = 15_000

export function TriggersScreen() {
  const { workflow, edit, firings } = route.useSearch()
  const navigate = route.useNavigate()
  const client = useQueryClient()
  const [made, setMade] = useState<Trigger | null>(null)
  const [doomed, setDoomed] = useState<Trigger | null>(null)
  const query = useQuery({
    queryKey: ['triggers', workflow ?? 'all'],
    queryFn: async ({ signal }) => (await listTriggers(workflow, signal)).items,
    refetchInterval: readEveryMs,
  })
  const open = (search: { edit?: string; firings?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...search }) })
  const close = () =>
    void navigate({ search: ({ workflow: kept }) => (kept ? { workflow: kept } : {}) })
  const openNew = () => open({ edit: 'new' })
  useTrail('Triggers')
  useCommand({ id: 'new trigger', label: 'Make a trigger', group: 'This page', run: openNew })
  const find = (id: string | undefined) => query.data?.find(({ triggerId }) => triggerId === id)
  const [edited, shown] = [find(edit), find(firings)]
  return (
    <>
      <WorkflowLinks />
      <Page
        title="Triggers"
        lead="They start runs by themselves: on a schedule, once, or when a request arrives."
        actions={
          <May need="editor">
            <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={openNew}>
              New trigger
            </Button>
          </May>
        }
      >
        <Loadable
          query={query}
          skeleton={<SkeletonRows />}
          isEmpty={(triggers) => triggers.length === 0}
          empty={<NoTriggers onNew={openNew} />}
        >
          {(triggers) => (
            <Card flush>
              <TriggerTable
                triggers={triggers}
                onEdit={({ triggerId }) => open({ edit: triggerId })}
                onFirings={({ triggerId }) => open({ firings: triggerId })}
                onDelete={setDoomed}
              />
            </Card>
          )}
        </Loadable>
        {(edit === 'new' || edited) && (
          <TriggerDialog
            key={edit}
            trigger={edited}
            workflowId={workflow ?? null}
            onClose={close}
            onSaved={(saved) => {
              void client.invalidateQueries({ queryKey: ['triggers'] })
              close()
              if (saved.url) setMade(saved)
            }}
          />
        )}
        {doomed && <DeleteTriggerDialog trigger={doomed} onClose={() => setDoomed(null)} />}
        {made && <ShownUrlDialog trigger={made} onClose={() => setMade(null)} />}
        {shown && <FiringsPanel key={shown.triggerId} trigger={shown} onClose={close} />}
      </Page>
    </>
  )
}

function NoTriggers({ onNew }: { onNew(): void }) {
  return (
    <Empty
      icon={<CalendarClock size={24} aria-hidden />}
      title="No triggers yet"
      action={
        <May need="editor">
          <Button variant="primary" onClick={onNew}>
            Make the first trigger
          </Button>
        </May>
      }
    >
      A trigger runs a workflow every Monday at nine, once tomorrow, or whenever GitHub or Slack
      sends something.
    </Empty>
  )
}
