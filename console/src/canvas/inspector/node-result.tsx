import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pin, PinOff } from 'lucide-react'
import { consoleCall } from '#console/api/console-api.ts'
import { useCanvasUi } from '#console/canvas/canvas-ui.ts'
import { useCanvas, useShown } from '#console/canvas/context.ts'
import { findNode } from '#console/canvas/graph.ts'
import { adviceOn } from '#console/canvas/run/failure-advice.ts'
import { footOf } from '#console/canvas/run/foot.ts'
import { useNodeInRun } from '#console/canvas/run/use-node-in-run.ts'
import { mayBePinned } from '#console/canvas/run/use-pins.ts'
import { locale } from '#console/lib/locale.ts'
import { fullTime } from '#console/lib/time.ts'
import { ValuesList } from '#console/shared/values-list.tsx'
import { Button } from '#console/ui/button.tsx'
import { Failure } from '#console/ui/failure.tsx'
import { Loadable } from '#console/ui/loadable.tsx'
import { SkeletonRows } from '#console/ui/skeleton-rows.tsx'
import { Status } from '#console/ui/status.tsx'

/** What the selected node gave, in full: pinned, or in the shown run and in the compared one. */
export function NodeResult({ nodeId }: { nodeId: string }) {
  const inRun = useNodeInRun(nodeId)
  const runId = useShown(({ run }) => run?.state.run.runId)
  const otherId = useShown(({ other }) => other?.state.run.runId)
  const pin = useShown(({ pins }) => pins[nodeId])
  const hasResult = useShown(({ run }) => run?.previews[nodeId] !== undefined)
  const isPinnable = useCanvas(({ history }) => {
    const node = findNode(history.doc.graph, nodeId)
    return node !== undefined && mayBePinned(node)
  })
  const { togglePin } = useCanvasUi()
  if (!pin && !inRun) return null
  const foot = inRun && footOf(inRun, Date.now())
  return (
    <section
      aria-label="Result"
      className="flex flex-col gap-3 rounded-md border border-line bg-paper p-3"
    >
      <div className="flex items-center justify-between gap-2">
        {foot && <Status kind={foot.kind} label={foot.text} size="small" />}
        {(pin || (hasResult && isPinnable)) && (
          <Button
            size="small"
            variant="quiet"
            className="ml-auto"
            icon={pin ? <PinOff size={14} aria-hidden /> : <Pin size={14} aria-hidden />}
            onClick={() => togglePin(nodeId)}
          >
            {pin ? 'Unpin' : 'Pin'}
          </Button>
        )}
      </div>
      {inRun?.error && (
        <Failure failure={{ message: inRun.error.message, code: inRun.error.code }}>
          <p className="mt-1">{adviceOn(inRun.error)}</p>
        </Failure>
      )}
      {pin?.isGone && (
        <p className="text-warn text-xs">
          The pinned run is no longer stored, so the node is executed again.
        </p>
      )}
      {pin && !pin.isGone && (
        <p className="text-soft text-xs">
          Pinned{pin.at && ` from the run of ${fullTime(Date.parse(pin.at), locale)}`}. Runs that
          you start here use it: the node is not executed, whatever feeds it. Triggers and the API
          do not.
        </p>
      )}
      {pin && !pin.isGone ? (
        <Values runId={pin.runId} nodeId={nodeId} />
      ) : (
        runId && hasResult && <Values runId={runId} nodeId={nodeId} name={otherId && 'Run A'} />
      )}
      {otherId && <Values runId={otherId} nodeId={nodeId} name="Run B" />}
      {runId && inRun && (
        <Link
          to="/runs/$runId"
          params={{ runId }}
          search={{ node: nodeId }}
          className="self-start text-accent text-sm underline"
        >
          Inputs, calls and cost
        </Link>
      )}
    </section>
  )
}

type ValuesProps = { runId: string; nodeId: string; name?: string | undefined }

function Values({ runId, nodeId, name }: ValuesProps) {
  const query = useQuery({
    queryKey: ['run node result', runId, nodeId],
    queryFn: () =>
      consoleCall('GET /runs/{runId}/node', { params: { runId }, query: { path: nodeId } }),
  })
  return (
    <div className="flex flex-col gap-2">
      {name && <h3 className="font-semibold text-soft text-xs uppercase">{name}</h3>}
      <Loadable query={query} skeleton={<SkeletonRows />}>
        {({ outputs }) => <ValuesList values={outputs} none="No outputs." />}
      </Loadable>
    </div>
  )
}
