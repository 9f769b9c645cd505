import { Link } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { useCanvasUi } from '#console/canvas/canvas-ui.ts'
import { useShown } from '#console/canvas/context.ts'
import { outcomeUnknown } from '#console/canvas/run/failure-advice.ts'
import type { NodeInRun } from '#console/canvas/run/foot.ts'
import { isSameIn, type Preview } from '#console/canvas/run/shown-run.ts'
import { cx } from '#console/lib/cx.ts'
import { PreviewView } from './preview-view.tsx'

type TrayProps = {
  nodeId: string
  previews: readonly Preview[] | undefined
  inRun: NodeInRun | null
  isEdited: boolean
}

/** What a node gave, or what is needed of somebody, below its card. Its size is fixed. */
export function Tray({ nodeId, previews, inRun, isEdited }: TrayProps) {
  const hasMedia = previews?.some(({ media }) => media.length > 0)
  const other = useShown(({ run, other: second }) =>
    run && second && isSameIn(run, second, nodeId) !== true ? second.previews[nodeId] : undefined,
  )
  return (
    <div
      className={cx('node-tray nodrag', isEdited && 'node-tray-old')}
      data-media={hasMedia || undefined}
    >
      {inRun?.error ? (
        <Failed nodeId={nodeId} inRun={inRun} />
      ) : inRun?.wait ? (
        <Waiting inRun={inRun} />
      ) : (
        <div className="node-results">
          {previews && <Result nodeId={nodeId} previews={previews} name={other && 'A'} />}
          {other && <Result nodeId={nodeId} previews={other} name="B" />}
        </div>
      )}
    </div>
  )
}

/** The click must not select the node, too: that changes the address and would cancel the way. */
const onlyLink = (event: MouseEvent) => event.stopPropagation()

type ResultProps = { nodeId: string; previews: readonly Preview[]; name: string | undefined }

function Result({ nodeId, previews, name }: ResultProps) {
  const { openResult } = useCanvasUi()
  const [first] = previews
  return (
    <button type="button" tabIndex={-1} className="node-result" onClick={() => openResult(nodeId)}>
      <span className="sr-only">Show the result</span>
      {name && <span className="node-result-name">{name}</span>}
      {first ? <PreviewView preview={first} /> : <span className="text-soft">Nothing</span>}
    </button>
  )
}

function Failed({ nodeId, inRun: { error, node } }: { nodeId: string; inRun: NodeInRun }) {
  const { fix, runPart } = useCanvasUi()
  const runId = useShown(({ run }) => run?.state.run.runId ?? '')
  const isUnknown = error?.code === outcomeUnknown
  return (
    <div className="flex h-full flex-col justify-between gap-1">
      <p className="line-clamp-2 text-xs">
        {isUnknown ? 'May have been paid; trying again may pay again.' : error?.message}
      </p>
      <div className="flex gap-3 text-xs">
        {isUnknown ? (
          <Link
            to="/runs/$runId"
            params={{ runId }}
            search={{ node: node.nodeId }}
            tabIndex={-1}
            onClick={onlyLink}
            className="font-semibold text-accent underline"
          >
            Look
          </Link>
        ) : (
          <>
            <TrayButton label="Fix" onClick={() => error && fix(nodeId, error)} />
            <TrayButton label="Try this node" onClick={() => runPart({ from: nodeId })} />
          </>
        )}
      </div>
    </div>
  )
}

const TrayButton = ({ label, onClick }: { label: string; onClick(): void }) => (
  <button
    type="button"
    tabIndex={-1}
    onClick={onClick}
    className="font-semibold text-accent underline"
  >
    {label}
  </button>
)

function Waiting({ inRun: { wait } }: { inRun: NodeInRun }) {
  const { answer } = useCanvasUi()
  if (!wait) return null
  return (
    <div className="flex h-full flex-col justify-between gap-1 text-xs">
      <p className="line-clamp-2">{wait.title || 'Waits for something outside.'}</p>
      {wait.kind === 'APPROVAL' && (
        <div className="flex">
          <TrayButton label="Answer" onClick={() => answer(wait.waitId)} />
        </div>
      )}
    </div>
  )
}
