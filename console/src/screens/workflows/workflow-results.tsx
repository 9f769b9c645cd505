import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import type { ConsoleCalls, DraftSummary, ListedWorkflow } from '#console/api/types.ts'
import { formatCount } from '#console/lib/format-count.ts'
import { RunDialog } from '#console/shared/run-dialog.tsx'
import { Button } from '#console/ui/button.tsx'
import { Card } from '#console/ui/card.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Pager } from '#console/ui/pager.tsx'
import { toast } from '#console/ui/toasts.ts'
import type { WorkflowsSearch } from './address.ts'
import { bulk, type Which } from './bulk.ts'
import { BulkBar } from './bulk-bar.tsx'
import { CallWorkflowDialog } from './call-workflow-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { useSelection } from './use-selection.ts'
import { WorkflowTable } from './workflow-table.tsx'

export type WorkflowsPage = ConsoleCalls['listWorkflowsWithRuns']['data']

type WorkflowResultsProps = {
  page: WorkflowsPage
  drafts: readonly DraftSummary[]
  search: WorkflowsSearch
  onNext(cursor: string): void
}

/** The server changes no more than this at once. */
const mostAtOnce = 10_000

/** A page of workflows, and what can be done with one of them or with many. */
export function WorkflowResults({ page, drafts, search, onNext }: WorkflowResultsProps) {
  const { items, total, totalIsExact, next } = page
  const client = useQueryClient()
  const reload = () => client.invalidateQueries({ queryKey: ['workflows'] })
  const [asked, setAsked] = useState<Pick<AskedProps, 'of' | 'row'> | null>(null)
  const copy = useMutation({
    mutationFn: ({ id }: ListedWorkflow) =>
      bulk({ ids: [id], expectedCount: 1 }, { action: 'duplicate' }),
    onSuccess: (_, { name, version }) => {
      toast(`Copied version ${version} of ${name}. Unsaved changes are not part of the copy.`)
      return reload()
    },
  })
  const { q, tag, cursor } = search
  const filter = { ...(q ? { q } : {}), ...(tag ? { tag } : {}) }
  const shown = items.map(({ id }) => id)
  const selection = useSelection(JSON.stringify(filter), shown)
  const which: Which = selection.isEverything
    ? { filter, expectedCount: total }
    : { ids: [...selection.ids], expectedCount: selection.ids.size }
  return (
    <>
      {copy.error && <Failure failure={toApiFailure(copy.error)} />}
      {which.expectedCount > 0 && (
        <BulkBar
          selection={selection}
          which={which}
          matching={totalIsExact && total <= mostAtOnce ? total : null}
          shown={items.length}
          onDone={reload}
          onChanged={(goneIds) => {
            selection.without(goneIds)
            void reload()
          }}
        />
      )}
      <Card flush>
        <WorkflowTable
          rows={items}
          drafts={drafts}
          selection={selection}
          onRun={(row) => setAsked({ of: 'run', row })}
          onCall={(row) => setAsked({ of: 'call', row })}
          onCopy={(row) => copy.mutate(row)}
          onDelete={(row) => setAsked({ of: 'delete', row })}
        />
      </Card>
      <div className="flex flex-wrap items-center gap-x-4">
        <Button size="small" variant="quiet" onClick={() => selection.choose(shown)}>
          Select these {items.length}
        </Button>
        <div className="grow">
          <Pager
            summary={`${items.length} of ${formatCount(total)}${totalIsExact ? '' : '+'} workflows`}
            previousLabel="Back"
            nextLabel="More"
            onPrevious={cursor ? () => history.back() : undefined}
            onNext={next ? () => onNext(next) : undefined}
          />
        </div>
      </div>
      {asked && <Asked {...asked} onClose={() => setAsked(null)} onDeleted={reload} />}
    </>
  )
}

type AskedProps = {
  of: 'run' | 'call' | 'delete'
  row: ListedWorkflow
  onClose(): void
  onDeleted(): void
}

function Asked({ of, row, onClose, onDeleted }: AskedProps) {
  if (of === 'run')
    return <RunDialog workflowId={row.id} title={`Run ${row.name}`} onClose={onClose} />
  if (of === 'call') return <CallWorkflowDialog workflow={row} onClose={onClose} />
  return (
    <DeleteDialog
      workflow={row}
      onClose={onClose}
      onDeleted={() => {
        onClose()
        onDeleted()
      }}
    />
  )
}
