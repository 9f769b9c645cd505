import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { PiggyBank, Plus } from 'lucide-react'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { Budget } from '#console/api/types.ts'
import { useTrail } from '#console/lib/breadcrumb.ts'
import { useCommand } from '#console/lib/commands.ts'
import { May } from '#console/shared/may.tsx'
import { UsageLinks } from '#console/shared/usage-links.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Empty } from '#console/ui/empty.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { Page } from '#console/ui/page.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { BudgetDialog } from './budget-dialog.tsx'
import { budgetTitle, nameOf } from './budget-draft.ts'
import { BudgetTable } from './budget-table.tsx'
import { RaiseDialog } from './raise-dialog.tsx'
import { WebhookCard } from './webhook-card.tsx'

type Opened = { budget: Budget | null; as: 'set' | 'raise' | 'remove' }

export function BudgetsScreen() {
  const client = useQueryClient()
  const [opened, setOpened] = useState<Opened | null>(null)
  const query = useQuery({
    queryKey: ['budgets'],
    queryFn: async ({ signal }) => (await consoleCall('GET /budgets', { signal })).items,
  })
  const openNew = () => setOpened({ budget: null, as: 'set' })
  const close = () => setOpened(null)
  const saved = () => {
    void client.invalidateQueries({ queryKey: ['budgets'] })
    void client.invalidateQueries({ queryKey: ['spend-limits'] })
    close()
  }
  useTrail('Budgets')
  useCommand({ id: 'new budget', label: 'Set a budget', group: 'This page', run: openNew })
  const { budget = null, as } = opened ?? {}
  return (
    <>
      <UsageLinks />
      <Page
        title="Budgets"
        lead="What may be spent in a day or a month. A call starts only if every budget that applies has room."
        actions={
          <May need="owner">
            <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={openNew}>
              New budget
            </Button>
          </May>
        }
      >
        <Loadable
          query={query}
          skeleton={<SkeletonRows />}
          isEmpty={(budgets) => budgets.length === 0}
          empty={<NoBudgets onNew={openNew} />}
        >
          {(budgets) => (
            <Card flush>
              <BudgetTable
                budgets={budgets}
                onOpen={(one, how) => setOpened({ budget: one, as: how })}
              />
            </Card>
          )}
        </Loadable>
        <May need="owner">
          <WebhookCard />
        </May>
        {as === 'set' && <BudgetDialog budget={budget} onClose={close} onSaved={saved} />}
        {as === 'raise' && budget && (
          <RaiseDialog budget={budget} onClose={close} onSaved={saved} />
        )}
        {as === 'remove' && budget && (
          <RemoveDialog budget={budget} onClose={close} onSaved={saved} />
        )}
      </Page>
    </>
  )
}

function NoBudgets({ onNew }: { onNew(): void }) {
  return (
    <Empty
      icon={<PiggyBank size={24} aria-hidden />}
      title="No budgets yet"
      action={
        <May need="owner">
          <Button variant="primary" onClick={onNew}>
            Set the first budget
          </Button>
        </May>
      }
    >
      Calls beyond a budget are refused before they cost anything, and you hear when half, 80% and
      all of it is used.
    </Empty>
  )
}

type RemoveProps = { budget: Budget; onClose(): void; onSaved(): void }

function RemoveDialog({ budget, onClose, onSaved }: RemoveProps) {
  const remove = useMutation({
    mutationFn: () => consoleCall('PUT /budgets', { body: { ...nameOf(budget), limit: null } }),
    onSuccess: onSaved,
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Remove the budget of ${budgetTitle(budget)}?`}
      description="Calls are no longer refused by it. What was spent stays in the usage."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
            Remove budget
          </Button>
        </>
      }
    >
      {remove.error && <Failure failure={toApiFailure(remove.error)} />}
    </Dialog>
  )
}
