import { Link } from '@tanstack/react-router'
import { Ban } from 'lucide-react'
import { useState } from 'react'
import { useCanvasUi } from '#console/canvas/canvas-ui.ts'
import { useGraph, useShown } from '#console/canvas/context.ts'
import { findNode } from '#console/canvas/graph.ts'
import { counted } from '#console/lib/counted.ts'
import { formatDuration } from '#console/lib/time.ts'
import { useNow } from '#console/lib/use-now.ts'
import { whoOf } from '#console/shared/answer-words.ts'
import { May } from '#console/shared/may.tsx'
import { ValuesList } from '#console/shared/values-list.tsx'
import { Button } from '#console/ui/button.tsx'
import { Money } from '#console/ui/money.tsx'
import { Status } from '#console/ui/status.tsx'
import { When } from '#console/ui/when.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { goneSince } from './edited.ts'
import { rejectedLook } from './node-state.ts'
import { runLook } from './run-look.ts'
import { hasEnded, type RunState } from './run-state.ts'
import { useNameOf } from './use-name-of.ts'

/** The shown run in a few lines, with what it gave. The rest stands on the nodes. */
export function RunSummaryView() {
  const state = useShown(({ run }) => run?.state)
  const edited = useShown(({ edited: ids }) => ids.size)
  const graph = useGraph()
  const nameOf = useNameOf()
  const { fix } = useCanvasUi()
  if (!state) return null
  const { run } = state
  const gone = goneSince(state.graph, graph)
  const changes = [
    gone > 0 && `${counted(gone, 'node')} of this run ${gone === 1 ? 'is' : 'are'} gone`,
    edited > 0 && `${gone > 0 ? edited : counted(edited, 'node')} changed since`,
  ].filter(Boolean)
  return (
    <section
      aria-label="The shown run"
      className="flex flex-col gap-3 rounded-md border border-line bg-paper p-3"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Status {...runLook(state)} />
        {run.rejected && <Status {...rejectedLook} />}
        {run.startedAt && (
          <Took startedAt={run.startedAt} completedAt={hasEnded(run) ? run.completedAt : null} />
        )}
        <Money value={run.cost} />
        <span className="text-soft">
          <When at={run.createdAt} />
        </span>
        <Link
          to="/runs/$runId"
          params={{ runId: run.runId }}
          className="ml-auto text-accent underline"
        >
          Details
        </Link>
      </div>
      {!hasEnded(run) && <UnderWay state={state} />}
      <Rejections waits={state.waits} />
      {changes.length > 0 && (
        <p className="text-soft text-sm">
          {changes.join(', ')}.{' '}
          <Link to="/runs/$runId" params={{ runId: run.runId }} className="text-accent underline">
            Show as it ran
          </Link>
        </p>
      )}
      {run.nodeErrors.slice(0, 3).map(({ nodeId, code, message }) => (
        <p key={nodeId} className="text-bad text-sm">
          {nodeId ? `${nameOf(nodeId)}: ${message}` : message}{' '}
          {findNode(graph, nodeId) && (
            <button
              type="button"
              className="text-accent underline"
              aria-label={`Fix ${nameOf(nodeId)}`}
              onClick={() => fix(nodeId, { code, message })}
            >
              Fix
            </button>
          )}
        </p>
      ))}
    </section>
  )
}

/** Who said no, and why: what comes behind it did not run, or ran differently. */
function Rejections({ waits }: Pick<RunState, 'waits'>) {
  const nameOf = useNameOf()
  return waits
    .filter(({ answer }) => answer?.decision === 'reject')
    .slice(-3)
    .map(({ waitId, title, nodeId, answer }) => (
      <p key={waitId} className="text-sm [overflow-wrap:anywhere]">
        {title || nameOf(nodeId)}: {answer && `rejected by ${whoOf(answer)}`}
        {answer?.comment && <q className="ml-1 text-soft">{answer.comment}</q>}
      </p>
    ))
}

/** What can be done about a run that has not ended: answer what it waits for, or stop it. */
function UnderWay({ state }: { state: RunState }) {
  const [isAsked, setAsked] = useState(false)
  const nameOf = useNameOf()
  const { answer } = useCanvasUi()
  const { run, waits } = state
  const wait = waits.find(({ status, kind }) => status === 'OPEN' && kind === 'APPROVAL')
  return (
    <div className="flex flex-wrap items-center gap-3">
      {wait && (
        <Button size="small" variant="primary" onClick={() => answer(wait.waitId)}>
          Answer: {wait.title || nameOf(wait.nodeId)}
        </Button>
      )}
      <May need="editor">
        <Button
          size="small"
          icon={<Ban size={14} aria-hidden />}
          disabled={run.status === 'CANCEL_REQUESTED'}
          onClick={() => setAsked(true)}
        >
          Stop
        </Button>
      </May>
      {isAsked && <CancelDialog state={state} nameOf={nameOf} onClose={() => setAsked(false)} />}
    </div>
  )
}

/** What the shown run gave as a whole. */
export function RunOutputs() {
  const outputs = useShown(({ run }) => (run && hasEnded(run.state.run) ? run.state.outputs : null))
  const nameOf = useNameOf()
  if (!outputs || Object.keys(outputs).length === 0) return null
  return (
    <section
      aria-label="Outputs of the run"
      className="flex flex-col gap-3 border-line border-t pt-4"
    >
      <h3 className="font-semibold text-soft text-xs uppercase">Outputs</h3>
      <ValuesList values={outputs} none="No outputs." nameOf={nameOf} />
    </section>
  )
}

function Took({ startedAt, completedAt }: { startedAt: string; completedAt: string | null }) {
  const now = useNow(1_000)
  const end = completedAt ? Date.parse(completedAt) : now
  return <span>{formatDuration(Math.max(0, end - Date.parse(startedAt)))}</span>
}
