import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { useMay } from '#console/api/session.ts'
import type { Trigger } from '#console/api/types.ts'
import { useMedia } from '#console/lib/use-media.ts'
import { asleep, RunStatus } from '#console/shared/run-status.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { RowMenu } from '#console/ui/row-menu.tsx'
import { Status } from '#console/ui/status.tsx'
import { type Column, Table } from '#console/ui/table.tsx'
import { changeTrigger, fireTrigger } from './calls.ts'
import { kindWords, reasonWords } from './firing-words.ts'
import { NextCell } from './next-cell.tsx'
import { TriggerSwitch } from './trigger-switch.tsx'

type TriggerTableProps = {
  triggers: readonly Trigger[]
  onEdit(trigger: Trigger): void
  onFirings(trigger: Trigger): void
  onDelete(trigger: Trigger): void
}

const next: Column<Trigger> = {
  key: 'next',
  label: 'Next',
  draw: (row) => <NextCell trigger={row} isHeaded />,
}

export function TriggerTable({ triggers, onEdit, onFirings, onDelete }: TriggerTableProps) {
  const client = useQueryClient()
  const mayEdit = useMay('editor')
  const act = useMutation({
    mutationFn: (call: () => Promise<unknown>) => call(),
    onSettled: () => client.invalidateQueries({ queryKey: ['triggers'] }),
  })
  // On a phone, a column of its own would leave neither it nor the name room.
  const isPhone = useMedia('(max-width: 767px)')
  const columns: Column<Trigger>[] = [
    {
      key: 'name',
      label: 'Name',
      names: true,
      draw: (row) => <NameCell trigger={row}>{isPhone && <NextCell trigger={row} />}</NameCell>,
    },
    { key: 'kind', label: 'Kind', wideOnly: true, draw: ({ kind }) => kindWords[kind] },
    ...(isPhone ? [] : [next]),
    {
      key: 'last',
      label: 'Last firing',
      wideOnly: true,
      draw: (row) => <LastCell trigger={row} />,
    },
    {
      key: 'on',
      label: 'On',
      draw: (row) => (
        <TriggerSwitch
          trigger={row}
          isBusy={act.isPending}
          onTurn={(enabled) => act.mutate(() => changeTrigger(row, { enabled }))}
        />
      ),
    },
    {
      key: 'actions',
      label: 'Actions',
      hideLabel: true,
      align: 'right',
      draw: (row) => (
        <RowMenu
          name={row.name}
          items={[
            { label: 'Firings', onSelect: () => onFirings(row) },
            ...(mayEdit
              ? [
                  { label: 'Fire now', onSelect: () => act.mutate(() => fireTrigger(row)) },
                  { label: 'Change', onSelect: () => onEdit(row) },
                  { separator: true as const },
                  { label: 'Delete', danger: true, onSelect: () => onDelete(row) },
                ]
              : []),
          ]}
        />
      ),
    },
  ]
  return (
    <>
      {act.error && (
        <div className="px-5 py-3">
          <Failure failure={toApiFailure(act.error)} />
        </div>
      )}
      <Table
        caption="Triggers"
        columns={columns}
        rows={triggers}
        rowKey={({ triggerId }) => triggerId}
      />
    </>
  )
}

function NameCell({ trigger, children }: { trigger: Trigger; children: ReactNode }) {
  return (
    <span className="flex min-w-22 flex-col">
      <span className="font-semibold [overflow-wrap:anywhere]">{trigger.name}</span>
      <Link
        to="/workflows/$workflowId"
        params={{ workflowId: String(trigger.workflowId) }}
        className="text-soft text-xs [overflow-wrap:anywhere] hover:underline"
      >
        {trigger.workflowName || `Workflow #${trigger.workflowId}`}
      </Link>
      <span className="text-sm">{children}</span>
    </span>
  )
}

function LastCell({ trigger: { lastFiring } }: { trigger: Trigger }) {
  if (!lastFiring) return <span className="text-soft">Never</span>
  const { runId, runStatus, runIsWaiting, reason } = lastFiring
  if (runId && runStatus) {
    return (
      <Link to="/runs/$runId" params={{ runId }} className="hover:underline">
        <RunStatus status={runStatus} waitingFor={runIsWaiting && asleep} />
      </Link>
    )
  }
  return <Status kind="skipped" label={reason ? reasonWords[reason].label : 'Queued'} />
}
