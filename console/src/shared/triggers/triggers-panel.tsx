import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import type { Trigger } from '#console/api/types.ts'
import { May } from '#console/shared/may.tsx'
import { BesidePanel } from '#console/ui/beside-panel.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { toast } from '#console/ui/toasts.ts'
import { changeTrigger, fireTrigger, listTriggers } from './calls.ts'
import { reasonWords } from './firing-words.ts'
import { NextCell } from './next-cell.tsx'
import { ShownUrlDialog } from './shown-url-dialog.tsx'
import { TriggerDialog } from './trigger-dialog.tsx'
import { suggestedDraft, type TriggerDraft } from './trigger-draft.ts'
import { TriggerSwitch } from './trigger-switch.tsx'
import { useTemplate } from './use-template.ts'

type TriggersPanelProps = {
  workflowId: number
  /** A trigger was fired by hand. */
  onStarted(runId: string): void
  onClose(): void
}

/** What starts runs of one workflow, beside its graph. */
export function TriggersPanel({ workflowId, onStarted, onClose }: TriggersPanelProps) {
  const client = useQueryClient()
  const workflow = String(workflowId)
  const [open, setOpen] = useState<{ trigger?: Trigger; suggested?: TriggerDraft } | null>(null)
  const [made, setMade] = useState<Trigger | null>(null)
  const template = useTemplate(workflowId)
  const query = useQuery({
    queryKey: ['triggers', workflow],
    queryFn: async ({ signal }) => (await listTriggers(workflow, signal)).items,
  })
  const saved = (trigger: Trigger) => {
    void client.invalidateQueries({ queryKey: ['triggers', workflow] })
    setOpen(null)
    if (trigger.url) setMade(trigger)
  }
  return (
    <BesidePanel title="Triggers" onClose={onClose}>
      <div className="flex flex-col gap-4 px-4 pb-6">
        <Loadable query={query} skeleton={<SkeletonRows />}>
          {(triggers) => (
            <>
              {triggers.length === 0 && template?.trigger && (
                <Suggestion
                  name={template.trigger.name}
                  onAdd={() => setOpen({ suggested: suggestedDraft(workflow, template) })}
                />
              )}
              {triggers.length === 0 && !template?.trigger && (
                <p className="text-soft">
                  A trigger starts this workflow by itself: on a schedule, once, or when a request
                  arrives.
                </p>
              )}
              <ul aria-label="Triggers of this workflow">
                {triggers.map((trigger) => (
                  <TriggerRow
                    key={trigger.triggerId}
                    trigger={trigger}
                    onChange={() => setOpen({ trigger })}
                    onStarted={onStarted}
                  />
                ))}
              </ul>
            </>
          )}
        </Loadable>
        <May need="editor">
          <div>
            <Button size="small" icon={<Plus size={14} aria-hidden />} onClick={() => setOpen({})}>
              New trigger
            </Button>
          </div>
        </May>
        <Link
          to="/workflows/triggers"
          search={{ workflow }}
          className="self-start text-accent text-sm underline"
        >
          Firings and all other triggers
        </Link>
      </div>
      {open && (
        <TriggerDialog
          trigger={open.trigger}
          workflowId={workflow}
          {...(open.suggested ? { suggested: open.suggested } : {})}
          onClose={() => setOpen(null)}
          onSaved={saved}
        />
      )}
      {made && <ShownUrlDialog trigger={made} onClose={() => setMade(null)} />}
    </BesidePanel>
  )
}

function Suggestion({ name, onAdd }: { name: string; onAdd(): void }) {
  return (
    <section
      aria-label="Suggestion"
      className="flex flex-col gap-2 rounded-md border border-line bg-sunken p-4"
    >
      <p>
        A trigger that fits this template: <strong>{name}</strong>
      </p>
      <May need="editor">
        <div>
          <Button size="small" variant="primary" onClick={onAdd}>
            Add this trigger
          </Button>
        </div>
      </May>
    </section>
  )
}

type TriggerRowProps = { trigger: Trigger; onChange(): void; onStarted(runId: string): void }

function TriggerRow({ trigger, onChange, onStarted }: TriggerRowProps) {
  const client = useQueryClient()
  const reread = () => client.invalidateQueries({ queryKey: ['triggers'] })
  const turn = useMutation({
    mutationFn: (enabled: boolean) => changeTrigger(trigger, { enabled }),
    onSettled: reread,
  })
  const fire = useMutation({
    mutationFn: () => fireTrigger(trigger),
    onSuccess: ({ runId, reason }) => {
      if (!runId) return toast(reason ? reasonWords[reason].label : 'Fired')
      toast('Started a run', undefined, runId)
      onStarted(runId)
    },
    onSettled: () =>
      Promise.all(
        ['triggers', 'runs of'].map((queryKey) =>
          client.invalidateQueries({ queryKey: [queryKey] }),
        ),
      ),
  })
  return (
    <li className="flex flex-col gap-1 border-line border-t py-2">
      <span className="flex min-w-0 flex-col">
        <span className="font-semibold [overflow-wrap:anywhere]">{trigger.name}</span>
        <span className="text-sm">
          <NextCell trigger={trigger} />
        </span>
      </span>
      <TriggerSwitch trigger={trigger} isBusy={turn.isPending} onTurn={turn.mutate} />
      <May need="editor">
        <span className="-ml-3 flex">
          <Button size="small" variant="quiet" busy={fire.isPending} onClick={() => fire.mutate()}>
            Fire now
          </Button>
          <Button size="small" variant="quiet" onClick={onChange}>
            Change
          </Button>
        </span>
      </May>
      {(fire.error ?? turn.error) && <Failure failure={toApiFailure(fire.error ?? turn.error)} />}
    </li>
  )
}
