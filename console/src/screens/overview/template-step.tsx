import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { publicCall } from '#console/api/public-api.ts'
import type { Run, SubmittedRun, Template, Workflow } from '#console/api/types.ts'
import { usePolled } from '#console/api/use-polled.ts'
import { newId } from '#console/lib/ids.ts'
import { RunStatus } from '#console/shared/run-status.tsx'
import { createSample } from '#console/shared/samples.ts'
import { Button } from '#console/ui/button.tsx'
import { buttonClass } from '#console/ui/button-class.ts'
import { Failure } from '#console/ui/failure.tsx'
import { Money } from '#console/ui/money.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { type FirstStepProps, Step } from './step.tsx'

/** Text and an image from one input: it shows what a workflow is. */
const suggestedId = 'article-to-social-posts'

export function TemplateStep({ isDone, isNext, isFolded }: FirstStepProps) {
  const templates = useQuery({
    queryKey: ['templates'],
    queryFn: async ({ signal }) => (await consoleCall('GET /templates', { signal })).items,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const template = templates.data?.find(({ id }) => id === suggestedId) ?? templates.data?.[0]
  return (
    <Step number={2} title="Run a workflow" {...{ isDone, isFolded }}>
      {templates.error && (
        <Failure failure={toApiFailure(templates.error)} onRetry={() => void templates.refetch()} />
      )}
      {template ? (
        <TemplateRun template={template} isNext={isNext} />
      ) : (
        <Skeleton className="h-16 w-full" />
      )}
    </Step>
  )
}

function TemplateRun({ template, isNext }: { template: Template; isNext: boolean }) {
  const checked = useQuery({
    queryKey: ['templates', template.id, 'check'],
    queryFn: ({ signal }) =>
      consoleCall('POST /workflows/check', {
        body: { data: template.data, inputs: template.sampleInputs },
        signal,
      }),
    staleTime: 60_000,
  })
  // One key for all clicks: another click, even after a lost answer, finds the run already started.
  const key = useRef(newId())
  const stored = useRef<Workflow | null>(null)
  const run = useMutation({
    mutationFn: async () => {
      stored.current ??= await createSample({ name: template.name, data: template.data })
      return publicCall<SubmittedRun>(`/workflows/${stored.current.id}/runs`, {
        method: 'POST',
        headers: { 'idempotency-key': key.current },
        body: { inputs: template.sampleInputs },
      })
    },
  })
  const estimate = checked.data?.estimate
  return (
    <>
      <p>
        <strong className="font-semibold">{template.name}.</strong> {template.description} It comes
        with sample inputs.
      </p>
      {run.error && <Failure failure={toApiFailure(run.error)} onRetry={() => run.mutate()} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          variant={isNext ? 'primary' : 'secondary'}
          busy={run.isPending}
          disabled={run.isSuccess}
          onClick={() => run.mutate()}
        >
          Run it
        </Button>
        {estimate && (
          <span className="text-soft text-sm">
            {estimate.estimatedCost === 0 ? (
              'Free'
            ) : (
              <>
                about{' '}
                <Money value={{ amount: estimate.estimatedCost, currency: estimate.currency }} />
              </>
            )}
          </span>
        )}
        <Link to="/workflows/new" className="text-accent text-sm underline">
          All templates
        </Link>
      </div>
      {run.data && <RunResult runId={run.data.runId} workflowId={run.data.workflowId} />}
    </>
  )
}

function RunResult({ runId, workflowId }: { runId: string; workflowId: number }) {
  const client = useQueryClient()
  const run = usePolled({
    queryKey: ['run', runId, 'state'],
    read: (signal) => publicCall<Run>(`/workflow-runs/${runId}`, { signal }),
    retryAfterSeconds: (data) => data.retryAfterSeconds,
    isWatched: true,
  })
  const status = run.data?.status
  useEffect(() => {
    if (status === 'COMPLETED' || status === 'FAILED')
      void client.invalidateQueries({ queryKey: ['runs'] })
  }, [status, client])
  const { completed = 0, total = 0 } = run.data?.progress ?? {}
  return (
    <div className="flex flex-wrap items-center gap-4" aria-live="polite">
      <RunStatus status={status ?? 'QUEUED'} />
      {total > 0 && (
        <span className="text-soft text-sm">
          {completed} of {total} steps
        </span>
      )}
      <Link to="/runs/$runId" params={{ runId }} className={buttonClass('secondary', 'small')}>
        See the run
      </Link>
      <Link
        to="/workflows/$workflowId"
        params={{ workflowId: String(workflowId) }}
        className="text-accent text-sm underline"
      >
        Open the workflow
      </Link>
    </div>
  )
}
