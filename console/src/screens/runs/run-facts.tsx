import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ListedRun } from '#console/api/types.ts'
import { runLook } from '#console/canvas/run/run-look.ts'
import { hasEnded } from '#console/canvas/run/run-state.ts'
import { formatDuration } from '#console/lib/time.ts'
import { useNow } from '#console/lib/use-now.ts'
import { Copy } from '#console/ui/copy.tsx'
import { Money } from '#console/ui/money.tsx'
import { Status } from '#console/ui/status.tsx'
import { When } from '#console/ui/when.tsx'
import { useRun } from './run-context.ts'
import { StarterWords } from './starter-words.tsx'

export function RunFacts() {
  const run = useRun((state) => state.run)
  const nodes = useRun((state) => state.nodes)
  const { progress, cost, estimatedCost, callback, retryOf } = run
  const money = (amount: number) => <Money value={{ amount, currency: cost.currency }} />
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-3">
      <Fact name="State">
        <span aria-live="polite">
          <Status {...runLook({ run, nodes })} />
        </span>
      </Fact>
      <Fact name="Steps">
        {progress.completed + progress.skipped} of {progress.total}
        {progress.skipped > 0 && <span className="text-soft"> ({progress.skipped} skipped)</span>}
      </Fact>
      <Fact name="Cost">
        <Money value={cost} />
        {estimatedCost !== null && (
          <span className="text-soft"> of about {money(estimatedCost)}</span>
        )}
        {run.maxCost !== undefined && (
          <span className="text-soft">, limit {money(run.maxCost)}</span>
        )}
      </Fact>
      <Fact name="Started">
        <When at={run.startedAt ?? run.createdAt} />
      </Fact>
      <Fact name="Duration">
        <Took run={run} />
      </Fact>
      {run.deadlineAt && (
        <Fact name="Deadline">
          <When at={run.deadlineAt} />
        </Fact>
      )}
      <Fact name="Workflow">
        <Link
          to="/workflows/$workflowId"
          params={{ workflowId: String(run.workflowId) }}
          search={{ run: run.runId }}
          className="text-accent underline"
        >
          {run.isDraft && 'draft of '}version {run.workflowVersion}
        </Link>
      </Fact>
      {run.startedBy && (
        <Fact name="Started by">
          <StarterWords starter={run.startedBy} />
        </Fact>
      )}
      {retryOf && (
        <Fact name="Retry of">
          <Link to="/runs/$runId" params={{ runId: retryOf }} className="text-accent underline">
            {retryOf.slice(0, 8)}
          </Link>
        </Fact>
      )}
      {callback && <Fact name="Webhook">{callbackWords[callback.status]}</Fact>}
      {run.cancelReason && <Fact name="Reason for cancelling">{run.cancelReason}</Fact>}
      <Fact name="Run id">
        <span className="inline-flex items-center gap-1">
          <code title={run.runId}>{run.runId.slice(0, 8)}</code>
          <Copy text={run.runId} label="Copy the run id" />
        </span>
      </Fact>
    </dl>
  )
}

const callbackWords = {
  PENDING: 'not delivered yet',
  DELIVERED: 'delivered',
  FAILED: 'not delivered',
  DISABLED: 'disabled',
} as const

function Took({ run }: { run: ListedRun }) {
  const now = useNow(1_000)
  if (!run.startedAt) return <span className="text-soft">not started</span>
  const end = hasEnded(run) && run.completedAt ? Date.parse(run.completedAt) : now
  return formatDuration(Math.max(0, end - Date.parse(run.startedAt)))
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-soft text-xs">{name}</dt>
    <dd className="[overflow-wrap:anywhere]">{children}</dd>
  </div>
)
