import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { CircleAlert, Monitor, TriangleAlert } from 'lucide-react'
import { lazy, memo, Suspense } from 'react'
import { portKey } from '#console/canvas/connect-rules.ts'
import { useShown, useView } from '#console/canvas/context.ts'
import { modeOf, modeWords } from '#console/canvas/draw-actions.ts'
import { isBrowserTool } from '#console/canvas/geometry.ts'
import type { GraphNode } from '#console/canvas/graph.ts'
import { NamedIcon } from '#console/canvas/icons.tsx'
import { type Port, type Ports, titleOf, typeInfo } from '#console/canvas/node-types.ts'
import { spoken } from '#console/canvas/run/foot.ts'
import { previewsAt } from '#console/canvas/run/shown-run.ts'
import { useNodeInRun } from '#console/canvas/run/use-node-in-run.ts'
import { cx } from '#console/lib/cx.ts'
import { NodeFoot } from './node-foot.tsx'
import { summaryOf } from './summary.ts'

const BrowserTool = lazy(async () => ({
  default: (await import('./browser-tool.tsx')).BrowserTool,
}))

export type CardNode = Node<{ node: GraphNode; ports: Ports; reads: string }, 'card'>

/** A node of the graph. Its size follows from type and ports (geometry.ts), without measuring. */
export const NodeCard = memo(function NodeCard({ data }: NodeProps<CardNode>) {
  const { node, ports, reads } = data
  const info = useView((state) => typeInfo(state.types, node.type))
  const problems = useView((state) => state.problemsOf.get(node.id))
  const level = problems?.some((problem) => problem.level === 'error') ? 'error' : 'warning'
  const title = useView(({ types }) => titleOf(types, node))
  const mode = modeOf(node)
  const inRun = useNodeInRun(node.id)
  const previews = useShown((state) => previewsAt(state, node.id))
  return (
    <article
      id={`node-${node.id}`}
      aria-label={inRun ? `${reads}, ${spoken(inRun, previews)}` : reads}
      className={cx(
        'node-card',
        problems && `node-${level}`,
        mode && 'node-left-out',
        inRun && `node-is-${inRun.node.status.toLowerCase()}`,
      )}
    >
      <div className="node-head">
        <NamedIcon name={info?.icon ?? 'box'} />
        <span className="node-title">{title}</span>
        {info?.browserOnly && (
          <Monitor size={14} className="text-soft" aria-label="In the browser" />
        )}
        {mode && <span className="node-mode">{modeWords[mode]}</span>}
        {problems && <ProblemMark count={problems.length} level={level} />}
      </div>
      <div className="node-summary">{summaryOf(node, info)}</div>
      <div className="node-ports">
        <ul>
          {ports.inputs.map((port) => (
            <PortRow key={port.name} node={node.id} side="inputs" port={port} problems={problems} />
          ))}
        </ul>
        <ul>
          {ports.outputs.map((port) => (
            <PortRow
              key={port.name}
              node={node.id}
              side="outputs"
              port={port}
              problems={problems}
            />
          ))}
        </ul>
      </div>
      {isBrowserTool(node.type) && (
        <Suspense>
          <BrowserTool node={node} />
        </Suspense>
      )}
      <NodeFoot nodeId={node.id} />
    </article>
  )
}, hasSameData)

/** Where a card stands and whether it is selected is shown by the element around it. */
function hasSameData(before: NodeProps<CardNode>, after: NodeProps<CardNode>): boolean {
  return before.data === after.data
}

function ProblemMark({ count, level }: { count: number; level: 'error' | 'warning' }) {
  const Icon = level === 'error' ? CircleAlert : TriangleAlert
  return (
    <span className={cx('node-mark', level === 'error' ? 'text-bad' : 'text-warn')}>
      <Icon size={14} aria-hidden />
      {count > 1 && count}
    </span>
  )
}

type PortRowProps = {
  node: string
  side: 'inputs' | 'outputs'
  port: Port
  problems: readonly { port?: string }[] | undefined
}

function PortRow({ node, side, port, problems }: PortRowProps) {
  const key = portKey(node, side, port.name)
  const offer = useView(({ connecting }) =>
    connecting ? (connecting.refusals.get(key) === null ? 'takes' : 'refuses') : undefined,
  )
  const why = useView(({ refusal }) => (refusal?.key === key ? refusal.why : null))
  const isBad = side === 'inputs' && problems?.some((problem) => problem.port === port.name)
  return (
    <li className={cx('port', side)} data-type={port.type} data-offer={offer}>
      <Handle
        id={port.name}
        type={side === 'inputs' ? 'target' : 'source'}
        position={side === 'inputs' ? Position.Left : Position.Right}
        className={cx('port-handle', isBad && 'port-bad')}
      />
      <span className="port-name" title={`${port.name}: ${port.type}`}>
        {port.name}
        {port.required && <span aria-hidden>*</span>}
        <span className="port-type">{port.type}</span>
      </span>
      {why && (
        <span role="alert" className="port-why">
          {why}
        </span>
      )}
    </li>
  )
}
