import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { publicCall } from '#console/api/public-api.ts'
import type { RetryRequest, SubmittedRun, Workflow } from '#console/api/types.ts'
import { outcomeUnknown } from '#console/canvas/run/failure-advice.ts'
import type { RunState } from '#console/canvas/run/run-state.ts'
import { createSubmissionKey } from '#console/shared/run-form/submission-key.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { Dialog } from '#console/ui/dialog.tsx'
import { Failure } from '#console/ui/failure.tsx'
import type { NodeNames } from './node-names.ts'
import { RetryFacts } from './retry-facts.tsx'

type Version = NonNullable<RetryRequest['version']>

const versions: readonly { value: Version; label: string; hint: string }[] = [
  { value: 'same', label: 'The graph that ran', hint: 'Continues where this run stopped.' },
  {
    value: 'newest',
    label: 'The workflow as it is now',
    hint: 'Nodes that changed since, and all nodes after them, run again.',
  },
]

/** Failed nodes of which nobody knows whether their provider did, and billed, the work. */
const unknownOutcomes = ({ run }: RunState): number =>
  run.nodeErrors.filter(({ code }) => code === outcomeUnknown).length

function UnknownWarning({ calls }: { calls: number }) {
  return (
    <Banner tone="warn" title="This may pay twice">
      {calls === 1 ? 'One call has' : `${calls} calls have`} an unknown outcome: the provider may
      have done and billed the work. The retry calls again and may pay again.
    </Banner>
  )
}

type RetryDialogProps = { state: RunState; nameOf: NodeNames; onClose(): void }

export function RetryDialog({ state, nameOf, onClose }: RetryDialogProps) {
  const navigate = useNavigate()
  const { workflowId, workflowVersion } = state.run
  const workflow = useQuery({
    queryKey: ['workflow', workflowId],
    // It may have been deleted since; the graph that ran can still be retried.
    queryFn: () => publicCall<Workflow>(`/workflows/${workflowId}`).catch(() => null),
    staleTime: 0,
  })
  // A draft may have been saved since, or given up: only the person knows which is meant.
  const isChanged = !state.run.isDraft && (workflow.data?.version ?? 0) > workflowVersion
  const [chosen, setVersion] = useState<Version | null>(null)
  // Someone who changed the workflow after a failure most likely wants to try the change.
  const version = chosen ?? (isChanged ? 'newest' : 'same')
  const keyFor = useMemo(() => createSubmissionKey(), [])
  const unknown = unknownOutcomes(state)
  const retry = useMutation({
    mutationFn: () => {
      const body: RetryRequest = { version }
      return publicCall<SubmittedRun>(`/workflow-runs/${state.run.runId}/retry`, {
        method: 'POST',
        headers: { 'idempotency-key': keyFor(body) },
        body,
      })
    },
    onSuccess: ({ runId }) => {
      onClose()
      void navigate({ to: '/runs/$runId', params: { runId } })
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title="Retry this run"
      description="A new run with the same inputs. Finished results are reused."
      footer={
        <>
          <Button onClick={onClose}>Not now</Button>
          <Button variant="primary" busy={retry.isPending} onClick={() => retry.mutate()}>
            {retry.isPaused ? 'Waiting for the server' : 'Retry'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 font-semibold text-sm">Run with</legend>
          {versions.map(({ value, label, hint }) => (
            <label key={value} className="flex min-h-8 items-start gap-2 pointer-coarse:min-h-11">
              <input
                type="radio"
                name="version"
                checked={version === value}
                onChange={() => setVersion(value)}
                className="mt-0.75 size-4 shrink-0 accent-accent"
              />
              <span>
                {label}
                <span className="block text-soft text-xs">{hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <RetryFacts runId={state.run.runId} version={version} nameOf={nameOf} />
        {unknown > 0 && <UnknownWarning calls={unknown} />}
        {retry.error && <Failure failure={toApiFailure(retry.error)} />}
      </div>
    </Dialog>
  )
}
