import { Pin } from 'lucide-react'
import { useCanvasUi } from '#console/canvas/canvas-ui.ts'
import { useShown, useView } from '#console/canvas/context.ts'
import { footOf, type NodeInRun } from '#console/canvas/run/foot.ts'
import { isSameIn, type Preview, previewsAt } from '#console/canvas/run/shown-run.ts'
import { useNodeInRun } from '#console/canvas/run/use-node-in-run.ts'
import { cx } from '#console/lib/cx.ts'
import { locale } from '#console/lib/locale.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { formatMoney } from '#console/lib/money.ts'
import { useNow } from '#console/lib/use-now.ts'
import { Status } from '#console/ui/status.tsx'
import { Thumbnail } from '#console/ui/thumbnail.tsx'
import { Tray } from './tray.tsx'

/** The last line of a card, and the result below it where there is room. */
export function NodeFoot({ nodeId }: { nodeId: string }) {
  const inRun = useNodeInRun(nodeId)
  const previews = useShown((state) => previewsAt(state, nodeId))
  const isPinned = useShown(({ pins }) => pins[nodeId] !== undefined)
  const isPinGone = useShown(({ pins }) => pins[nodeId]?.isGone === true)
  const isOpen = useShown(({ open, isFolded }) => !isFolded && open.has(nodeId))
  const isEdited = useShown(({ edited }) => edited.has(nodeId))
  const isSame = useShown(({ run, other }) => (run && other ? isSameIn(run, other, nodeId) : null))
  const foreseen = useForeseen(nodeId)
  // There is no room for both, and what comes next says that the result is an older one.
  const aside =
    (inRun?.isOver && !isPinned && foreseen) || (inRun && isEdited && 'Before your change')
  return (
    <>
      <div className="node-foot">
        {inRun ? <State inRun={inRun} /> : !isPinned && <Expected nodeId={nodeId} />}
        <span
          className={cx('ml-auto flex items-center gap-1', aside ? 'max-w-40 shrink-0' : 'min-w-0')}
        >
          {aside && <span className="shrink-0 text-soft">{aside}</span>}
          {isSame === true && <span className="text-soft">Same</span>}
          {isPinned && (
            <span className="flex shrink-0 items-center gap-1 text-accent">
              <Pin size={12} aria-hidden />
              {isPinGone ? 'Pinned run is gone' : 'Pinned'}
            </span>
          )}
          {!isOpen && previews && previews.length > 0 && (
            <Folded nodeId={nodeId} previews={previews} />
          )}
        </span>
      </div>
      {isOpen && <Tray nodeId={nodeId} previews={previews} inRun={inRun} isEdited={isEdited} />}
    </>
  )
}

function State({ inRun }: { inRun: NodeInRun }) {
  return inRun.node.status === 'RUNNING' ? <Running inRun={inRun} /> : <Line inRun={inRun} />
}

/** Only the nodes that run have a clock. */
function Running({ inRun }: { inRun: NodeInRun }) {
  const now = useNow(1_000)
  const { loop } = inRun
  return (
    <>
      <Status size="small" {...labelled(footOf(inRun, now))} />
      {loop && (
        <span
          aria-hidden
          className="absolute inset-x-0 -top-px h-0.5 origin-left bg-info"
          style={{ transform: `scaleX(${loop.done / Math.max(1, loop.total)})` }}
        />
      )}
    </>
  )
}

const Line = ({ inRun }: { inRun: NodeInRun }) => (
  <Status size="small" {...labelled(footOf(inRun, 0))} />
)

const labelled = ({ kind, text }: ReturnType<typeof footOf>) => ({ kind, label: text })

/** What the node is expected to cost, for the graph on screen and never for the one before. */
function Expected({ nodeId }: { nodeId: string }) {
  const isReusable = useView(({ checked, foreseen }) =>
    (foreseen ?? checked?.estimate)?.reusableNodes?.includes(nodeId),
  )
  const text = useView(({ checked, foreseen, isChecking, isCheckOld }) => {
    const estimate = foreseen ?? checked?.estimate
    const own = estimate?.nodeEstimates.find((one) => one.nodeId === nodeId)
    if (!estimate || isChecking || isCheckOld || !own?.estimatedCost) return ''
    return `about ${formatMoney(own.estimatedCost, estimate.currency, locale)}`
  })
  if (isReusable) return <Status size="small" kind="reusable" label="Would be reused" />
  return <span className="text-soft">{text}</span>
}

/** Beside the last result: whether the next run keeps it, or what it costs to make it again. */
const useForeseen = (nodeId: string): string =>
  useView(({ foreseen }) => {
    if (!foreseen?.reusableNodes) return ''
    if (foreseen.reusableNodes.includes(nodeId)) return 'Next run: reused'
    const own = foreseen.nodeEstimates.find((one) => one.nodeId === nodeId)
    if (!own || own.calls === 0) return ''
    const cost = own.estimatedCost
    return cost ? `Next run: ${formatMoney(cost, foreseen.currency, locale)}` : 'Next run: no price'
  })

/** A thumbnail or the first words, for a result that has no room below its node. */
function Folded({ nodeId, previews }: { nodeId: string; previews: readonly Preview[] }) {
  const { openResult } = useCanvasUi()
  const [first] = previews
  const picture = first?.media.find(({ mimeType }) => mimeType.startsWith('image/'))
  return (
    <button
      type="button"
      tabIndex={-1}
      className="nodrag node-folded"
      onClick={() => openResult(nodeId)}
    >
      <span className="sr-only">Show the result</span>
      {picture ? (
        <Thumbnail size="small" src={mediaPath(picture.url)} />
      ) : (
        <span className="truncate">
          {first?.text || (first?.kind === 'empty' ? 'Empty' : 'Result')}
        </span>
      )}
    </button>
  )
}
