import { ArrowRight } from 'lucide-react'
import { firstFailure } from '#console/canvas/run/run-state.ts'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import { Banner } from '#console/ui/banner.tsx'
import { Button } from '#console/ui/button.tsx'
import { useRun, useRunOnView } from './run-context.ts'
import { useNodeNames } from './use-node-names.ts'

/** What went wrong and a link to it, before everything else. */
export function RunFailure() {
  const run = useRun((state) => state.run)
  const { select } = useRunOnView()
  const nameOf = useNodeNames()
  const failure = firstFailure(run)
  const go = () => failure && select(failure.nodeId)
  useShortcut('F8', 'Go to the failure', go, { enabled: failure !== null })
  const mayBill = run.status !== 'RUNNING' && run.inFlightTaskMayComplete
  const [error] = failure ? [failure] : run.nodeErrors
  return (
    <>
      {run.status === 'FAILED' && error && (
        <Banner
          tone="bad"
          role="alert"
          title={failure ? `${nameOf(failure.nodeId)} failed` : 'The run failed'}
          actions={
            failure && (
              <Button
                size="small"
                variant="primary"
                icon={<ArrowRight size={14} aria-hidden />}
                onClick={go}
              >
                Go to the failure
              </Button>
            )
          }
        >
          <p className="line-clamp-3 [overflow-wrap:anywhere]">{error.message}</p>
          <p className="mt-1 text-soft text-xs">
            <code>{error.code}</code>
            {run.nodeErrors.length > 1 && ` and ${run.nodeErrors.length - 1} more`}
          </p>
        </Banner>
      )}
      {mayBill && (
        <Banner tone="warn" role="status" title="A call may still be billed">
          It was in progress at the provider when the run stopped, and may still finish there.
        </Banner>
      )}
    </>
  )
}
