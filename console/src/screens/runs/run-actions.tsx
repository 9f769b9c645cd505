import { Ban, Play, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import type { NodeTypes } from '#console/canvas/node-types.ts'
import { CancelDialog } from '#console/canvas/run/cancel-dialog.tsx'
import type { RunState } from '#console/canvas/run/run-state.ts'
import { CodeMenu } from '#console/shared/code-menu.tsx'
import { May } from '#console/shared/may.tsx'
import { runAsCode, runAsCurl } from '#console/shared/run-as-code.ts'
import { RunDialog } from '#console/shared/run-dialog.tsx'
import { Button } from '#console/ui/button.tsx'
import { nodeNames } from './node-names.ts'
import { RetryDialog } from './retry-dialog.tsx'

type Open = 'cancel' | 'retry' | 'again' | null

type RunActionsProps = { state: RunState; types: NodeTypes }

export function RunActions({ state, types }: RunActionsProps) {
  const [open, setOpen] = useState<Open>(null)
  const { run, inputs } = state
  const close = () => setOpen(null)
  const nameOf = nodeNames(state.graph, types)
  const mayCancel = run.status === 'QUEUED' || run.status === 'RUNNING'
  const hasFailedItems = Object.values(state.nodes).some(({ failedItems = 0 }) => failedItems > 0)
  const mayRetry =
    run.status === 'FAILED' ||
    run.status === 'CANCELLED' ||
    (run.status === 'COMPLETED' && hasFailedItems)
  return (
    <>
      <CodeMenu
        curl={runAsCurl(location.origin, run.workflowId, inputs)}
        client={runAsCode(location.origin, run.workflowId, inputs)}
        clientName="JavaScript"
      />
      <May need="editor">
        <Button icon={<Play size={16} aria-hidden />} onClick={() => setOpen('again')}>
          Run again
        </Button>
        {mayRetry && (
          <Button icon={<RotateCcw size={16} aria-hidden />} onClick={() => setOpen('retry')}>
            {run.status === 'COMPLETED' ? 'Retry failed items' : 'Retry'}
          </Button>
        )}
        {mayCancel && (
          <Button icon={<Ban size={16} aria-hidden />} onClick={() => setOpen('cancel')}>
            Cancel
          </Button>
        )}
      </May>
      {open === 'cancel' && <CancelDialog state={state} nameOf={nameOf} onClose={close} />}
      {open === 'retry' && <RetryDialog state={state} nameOf={nameOf} onClose={close} />}
      {open === 'again' && (
        <RunDialog
          workflowId={run.workflowId}
          title="Run again"
          description="With the inputs of this run, and the workflow as it is now."
          inputs={inputs}
          onClose={close}
        />
      )}
    </>
  )
}
